"""targets.yaml: what it may say, how a wrong one is refused, and that it never holds a key."""

from pathlib import Path
from typing import Any

import pytest

from harness.errors import InvalidInput
from harness.scenarios.load import CHECKOUT
from harness.targets import Limits, Prices, Target
from harness.targets.accounts import Paced
from harness.targets.configured import FILE, open_entry, open_recorded, read_targets

WHOLE = """\
fast:
  kind: litellm
  model: openai/gpt-5-mini
  api_base: http://127.0.0.1:8000/v1
  settings: {temperature: 0, max_tokens: 4096, timeout: 30, response_format: openai-strict}
  limits: {concurrency: 4, requests_per_minute: 50, tokens_per_minute: 50000.5}
  prices: {prompt: 0.25, completion: 2}
  account: ours
  api_key_env: OUR_KEY
other.one_2:
  kind: mock
  model: flaky
"""
KEY = "sk-abcdefghijklmnop"


def written(folder: Path, text: str) -> Path:
    (folder / FILE).write_text(text, encoding="utf-8")
    return folder


def opened(folder: Path, name: str, **given: Any) -> Target:
    return open_entry(name, read_targets(folder)[name], given)


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(InvalidInput) as caught:
        read_targets(written(folder, text))
    return str(caught.value).replace(f"{folder}/", "")


def test_a_target_has_the_name_and_all_that_is_written(tmp_path: Path) -> None:
    target = opened(written(tmp_path, WHOLE), "fast")

    assert target.name == "fast"
    assert target.settings == {
        "kind": "litellm", "model": "openai/gpt-5-mini", "api_base": "http://127.0.0.1:8000/v1",
        "temperature": 0.0, "max_tokens": 4096, "timeout": 30.0, "api_key_env": "OUR_KEY", "account": "ours",
        "limits": {"concurrency": 4, "requests_per_minute": 50.0, "tokens_per_minute": 50000.5},
        "prices": {"prompt": 0.25, "completion": 2.0}, "response_format": "openai-strict",
    }  # fmt: skip
    assert isinstance(target, Paced)
    assert (target.account, target.limits) == ("ours", Limits(4, 50.0, 50000.5))


def test_a_mock_has_the_name_too_and_needs_no_account(tmp_path: Path) -> None:
    target = opened(written(tmp_path, WHOLE), "other.one_2")

    assert (target.name, target.settings) == ("other.one_2", {"kind": "mock", "model": "flaky"})
    assert not isinstance(target, Paced)


def test_the_command_line_wins(tmp_path: Path) -> None:
    target = opened(written(tmp_path, WHOLE), "fast", temperature=0.7, max_tokens=None)

    assert (target.settings["temperature"], target.settings["max_tokens"]) == (0.7, 4096)


def test_what_was_recorded_opens_the_same_target_without_the_file(tmp_path: Path) -> None:
    written(tmp_path, WHOLE)
    for name in ("fast", "other.one_2"):
        target = opened(tmp_path, name)
        again = open_recorded(name, target.settings)
        assert (again.name, again.settings) == (target.name, target.settings)


@pytest.mark.parametrize("name", ["mock:oracle", "litellm:openai/x"])
def test_what_was_recorded_without_a_name_opens_as_it_did(name: str) -> None:
    kind, _, model = name.partition(":")

    again = open_recorded(name, {"kind": kind, "model": model, "timeout": 5.0})

    assert again.name == name
    assert again.settings.get("timeout", 5.0) == 5.0


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"timeout": 0}, "settings.timeout: found 0; input should be greater than 0"),
        ({"timeout": float("nan")}, "settings.timeout: found nan; input should be a finite number"),
        ({"timeout": 86_401}, "settings.timeout: found 86401; input should be less than or equal to 86400"),
        ({"temperature": float("inf")}, "settings.temperature: found inf; "),
        ({"temperature": "hot"}, "settings.temperature: found 'hot'; "),
        ({"max_tokens": -1}, "settings.max_tokens: found -1; "),
        ({"limits": {"concurrency": 0}}, "limits.concurrency: found 0; "),
        ({"limits": {"request": 1}}, "limits.request: found 1; "),
        ({"prices": {"prompt": -1, "completion": 1}}, "prices.prompt: found -1; "),
    ],
)
def test_what_was_recorded_is_checked_as_the_file_is(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        open_recorded("fast", {"kind": "litellm", "model": "openai/x", **settings})

    assert str(refused.value).startswith(f"run.json: target 'fast': {said}")


def test_the_file_takes_no_longer_wait_than_a_day(tmp_path: Path) -> None:
    text = "a: {kind: litellm, model: openai/x, settings: {timeout: 86400}}\n"
    assert read_targets(written(tmp_path, text))["a"].settings.timeout == 86_400

    with pytest.raises(InvalidInput, match="less than or equal to 86400"):
        read_targets(written(tmp_path, text.replace("86400", "86401")))


def test_an_account_is_by_itself_the_server_or_the_provider(tmp_path: Path) -> None:
    text = "a: {kind: litellm, model: openai/x}\nb: {kind: litellm, model: openai/x, api_base: 'http://h:1/v1'}\n"
    written(tmp_path, text)

    accounts = [
        each.account for each in (opened(tmp_path, "a"), opened(tmp_path, "b")) if isinstance(each, Paced)
    ]

    assert accounts == ["openai", "h:1"]


def test_no_file_and_an_empty_one_name_nothing(tmp_path: Path) -> None:
    assert read_targets(tmp_path) == {}
    assert read_targets(written(tmp_path, "# nothing yet\n")) == {}


def test_the_shipped_file_is_right_and_every_target_opens() -> None:
    entries = read_targets(CHECKOUT)

    assert {entry.kind for entry in entries.values()} == {"mock", "litellm"}
    for name, entry in entries.items():
        assert open_entry(name, entry).name == name


def test_the_commented_examples_of_the_shipped_file_are_right(tmp_path: Path) -> None:
    text = (CHECKOUT / FILE).read_text(encoding="utf-8")
    _, _, below = text.partition("share its limits.\n")
    lines = [line.removeprefix("#").removeprefix(" ") for line in below.splitlines()]

    entries = read_targets(written(tmp_path, "\n".join(lines) + "\n"))

    assert list(entries) == ["haiku", "sonnet"]
    assert entries["haiku"].options("haiku").prices == Prices(1.0, 5.0)


PLAIN = "fast:\n  kind: litellm\n  model: openai/x\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- fast\n", "targets.yaml:1: found no names"),
        ("fast: [", ": not YAML: "),
        ("fast:\n", "targets.yaml:1: fast: found no keys; write kind, model"),
        ("fast: {kind: mock}\n", "targets.yaml:1: fast.model: missing; it is required"),
        (PLAIN + "  modle: x\n", "targets.yaml:4: fast.modle: no such key; did you mean 'model'?"),
        (PLAIN + "  api_key: x\n", "targets.yaml:4: fast.api_key: no such key; did you mean 'api_key_env'?"),
        (
            PLAIN + "  settings:\n    max_token: 5\n",
            "targets.yaml:5: fast.settings.max_token: no such key; did you mean 'max_tokens'?",
        ),
        (
            PLAIN + "  limits: {zzz: 5}\n",
            "fast.limits.zzz: no such key; use concurrency, requests_per_minute, tokens_per_minute",
        ),
        (PLAIN + "  prices: {prompt: 1}\n", "fast.prices.completion: missing; it is required"),
        (PLAIN + "  prices: {prompt: -1, completion: 0}\n", "targets.yaml:4: fast.prices.prompt: found -1; "),
        (PLAIN + "  limits: {concurrency: 0}\n", "targets.yaml:4: fast.limits.concurrency: found 0; "),
        (PLAIN + "  limits: {concurrency: '8'}\n", "targets.yaml:4: fast.limits.concurrency: found '8'; "),
        (PLAIN + "  settings: {temperature: .nan}\n", "fast.settings.temperature: found '.nan'; "),
        (PLAIN + "  prices: {prompt: 1.0e+999, completion: 0}\n", "fast.prices.prompt: found inf; "),
        ("fast: {kind: magic, model: x}\n", "fast.kind: found 'magic'; input should be 'mock'"),
        ("fast: {kind: mock, model: orcale}\n", "fast.model: no mock 'orcale'; did you mean 'oracle'"),
        (
            "fast: {kind: mock, model: oracle, account: a}\n",
            "targets.yaml:1: fast.account: a mock has none; leave it out",
        ),
        (PLAIN + "  api_base: http://me:pw@h/v1\n", "fast.api_base: api base: found more than"),
        ("a@b: {kind: mock, model: oracle}\n", "targets.yaml:1: found the name 'a@b'; use at most"),
        ("'a#1': {kind: mock, model: oracle}\n", "targets.yaml:1: found the name 'a#1'; use at most"),
        ("'mock:x': {kind: mock, model: oracle}\n", "targets.yaml:1: found the name 'mock:x'; use at most"),
        (PLAIN + PLAIN, "targets.yaml:4: fast: found twice; keep one"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    assert said in refusal(tmp_path, text)


def test_every_problem_is_told_at_once(tmp_path: Path) -> None:
    lines = refusal(tmp_path, "a: {kind: mock}\nb: {kind: mock, model: oracle, modle: x}\n").splitlines()

    assert [line.split(" ")[0] for line in lines] == ["targets.yaml:1:", "targets.yaml:2:"]


@pytest.mark.parametrize(
    "line",
    [
        f"  api_key_env: {KEY}", f"  api_key: {KEY}", f"  model: {KEY}", f"  # {KEY}", f"  {KEY}: 1",
        f"  api_base: http://h/v1?key={KEY}", f"  settings: {{temperature: {KEY}}}",
        "  api_key_env: AIzaSyA1234567890abcdefghij", "  api_key_env: gsk_abcdefghijklmnopqrst",
    ],
)  # fmt: skip
def test_a_key_is_refused_by_its_look_and_never_quoted(tmp_path: Path, line: str) -> None:
    said = refusal(tmp_path, PLAIN + line + "\n")

    assert said.startswith("targets.yaml:4: holds what looks like a key; put it into the environment")
    assert not [each for each in (KEY, "AIzaSy", "gsk_") if each in said]


def test_what_is_no_name_of_a_variable_is_not_quoted(tmp_path: Path) -> None:
    said = refusal(tmp_path, PLAIN + "  api_key_env: 0f9e8d7c-not-known-to-anyone\n")

    assert said.startswith("targets.yaml:4: fast.api_key_env: found no name of a variable")
    assert "0f9e8d7c" not in said

"""harness run --dry-run, --max-cost and names of targets.yaml, where nothing needs a server."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from calling import SUITE, call, made_run
from conftest import PROJECT

CALLS = 9
"""What the oracle needs for the three scenarios of the small project: evidence, a search, the answer."""
PRICED, UNPRICED = "litellm:openai/gpt-5-mini", "litellm:openai/nobody-made-this"
TARGETS = """\
cheap: {kind: litellm, model: openai/local, prices: {prompt: 1, completion: 2}, api_key_env: SOME_OWN_KEY}
twin: {kind: mock, model: oracle}
"""


def estimated(capsys: pytest.CaptureFixture[str], tmp_path: Path, *arguments: str, suite: Any = SUITE) -> Any:
    ended = call(capsys, "run", "--dry-run", "--json", "--out", str(tmp_path / "none"), *suite, *arguments)
    assert ended.code == 0, ended.err
    assert not (tmp_path / "none").exists()
    return ended.value


@pytest.fixture
def project(tmp_path: Path) -> tuple[str, str]:
    """Return the options for the small project with a targets.yaml."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "scenarios").symlink_to(PROJECT.scenarios)
    (folder / "targets.yaml").write_text(TARGETS, encoding="utf-8")
    return "--project", str(folder)


def test_calls_are_those_that_the_oracle_then_makes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    found = estimated(capsys, tmp_path, "-n", "2")
    folder = made_run(capsys, tmp_path / "runs", "-n", "2")

    lines = (folder / "transcripts.jsonl").read_text("utf-8").splitlines()
    assert found["samples"] == len(lines) == 6
    assert found["calls"] == sum(len(json.loads(line)["turns"]) for line in lines) == 2 * CALLS


def test_json_tells_every_target_and_contract_and_no_unknown_price_is_zero(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    found = estimated(capsys, tmp_path, "-t", "mock:oracle", "-t", PRICED, "-t", UNPRICED)

    rows = {(each["target"], each["contract"]): each for each in found["estimates"]}
    assert len(rows) == 6
    assert (found["run"], found["status"], found["samples"], found["calls"]) == (
        None,
        "dry-run",
        9,
        3 * CALLS,
    )
    assert found["cost"] is None
    for (target, contract), row in rows.items():
        twin = rows["mock:oracle", contract]
        assert [row[each] for each in ("samples", "calls", "prompt_tokens", "completion_tokens")] == [
            twin[each] for each in ("samples", "calls", "prompt_tokens", "completion_tokens")
        ]
        expected = {
            "mock:oracle": 0.0,
            PRICED: (0.25 * row["prompt_tokens"] + 2.0 * row["completion_tokens"]) / 1e6,
            UNPRICED: None,
        }[target]
        assert row["cost"] == (None if expected is None else pytest.approx(expected))


def test_people_get_a_table_and_what_it_rests_on(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    ended = call(capsys, "run", "--dry-run", "-t", UNPRICED, "--out", str(tmp_path), *SUITE)

    lines = ended.out.splitlines()
    assert lines[-1].split()[:3] == ["total", "3", str(CALLS)]
    assert [line.split()[-1] for line in lines[1:]] == ["unknown"] * 3
    assert [line.partition(":")[0] for line in ended.err.splitlines()] == ["calls", "tokens", "money"]


def test_only_what_is_left_is_counted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = made_run(capsys, tmp_path / "runs", "-n", "4")
    path = folder / "transcripts.jsonl"
    path.write_text("".join(path.read_text("utf-8").splitlines(keepends=True)[:5]), encoding="utf-8")
    before = {each.name: each.read_bytes() for each in folder.iterdir()}

    resumed = estimated(capsys, tmp_path, "--resume", str(folder))
    failed = estimated(capsys, tmp_path, "--only-failed", str(folder))
    shards = [estimated(capsys, tmp_path, "-n", "4", "--shard", f"{each}/3")["samples"] for each in (1, 2, 3)]

    assert (resumed["samples"], resumed["calls"]) == (7, 21)
    assert (failed["samples"], failed["estimates"]) == (0, [])
    assert sum(shards) == 12
    assert max(shards) < 12
    assert {each.name: each.read_bytes() for each in folder.iterdir()} == before


def test_neither_litellm_nor_a_key_is_needed(tmp_path: Path, project: tuple[str, str]) -> None:
    code = f"""
import sys
from harness.cli import main
assert main(["run", "--dry-run", "-t", "cheap", "-t", "{PRICED}", "--project", "{project[1]}"]) == 0
assert not {{"litellm", "aiohttp", "openai", "pandas", "scipy"}} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path, capture_output=True)


def test_a_budget_is_refused_where_a_price_is_unknown(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "runs"

    ended = call(capsys, "run", "-t", UNPRICED, "-t", PRICED, "--max-cost", "1", "--out", str(out), *SUITE)

    assert ended.code == 2
    assert f"--max-cost: no price is known of '{UNPRICED}'; give one in targets.yaml" in ended.err
    assert not out.exists()


@pytest.mark.parametrize("amount", ["0", "-1", "nan", "inf", "much"])
def test_a_budget_is_an_amount(capsys: pytest.CaptureFixture[str], amount: str) -> None:
    ended = call(capsys, "run", f"--max-cost={amount}", *SUITE)

    assert ended.code == 2
    assert f"found '{amount}'; use an amount of US dollars above 0" in ended.err


def test_mocks_cost_nothing_by_definition(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    ended = call(capsys, "run", "--max-cost", "0.01", "--out", str(tmp_path), "--json", *SUITE)

    assert (ended.code, ended.value["status"]) == (0, "complete")
    info = json.loads((Path(ended.value["run"]) / "run.json").read_text("utf-8"))
    assert (info["spent"], info["limits"]) == (None, {})


# Names of targets.yaml


def test_samples_have_the_name_that_was_given(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, project: tuple[str, str]
) -> None:
    ended = call(capsys, "run", "-t", "twin", "--out", str(tmp_path / "runs"), "--json", *project)
    twin = Path(ended.value["run"])
    oracle = made_run(capsys, tmp_path / "runs")

    assert ended.value["targets"] == ["twin"]
    scores = (twin / "scores.jsonl").read_text("utf-8")
    assert '"target": "twin"' in scores
    assert scores.replace("@twin#", "@mock:oracle#").replace('"twin"', '"mock:oracle"') == (
        oracle / "scores.jsonl"
    ).read_text("utf-8")


def test_a_name_that_nothing_has_is_met_with_near_ones(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, project: tuple[str, str]
) -> None:
    ended = call(capsys, "run", "-t", "cheep", "--out", str(tmp_path / "runs"), *project)

    assert ended.code == 2
    assert "no target 'cheep'; did you mean 'cheap'?" in ended.err


def test_a_wrong_file_spoils_no_run_that_does_not_use_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, project: tuple[str, str]
) -> None:
    (Path(project[1]) / "targets.yaml").write_text("cheap: {knid: mock}\n", encoding="utf-8")

    plain = call(capsys, "run", "--out", str(tmp_path / "runs"), "-q", *project)
    named = call(capsys, "run", "-t", "cheap", "--out", str(tmp_path / "runs"), *project)
    doctor = call(capsys, "doctor", *project)

    assert (plain.code, named.code, doctor.code) == (0, 2, 2)
    for each in (named, doctor):
        assert "targets.yaml:1: cheap.knid: no such key; did you mean 'kind'?" in each.err


def test_targets_are_listed_with_what_they_mean(
    capsys: pytest.CaptureFixture[str], project: tuple[str, str]
) -> None:
    rows = {row["target"]: row for row in call(capsys, "list", "targets", "--json", *project).value}

    assert list(rows)[:2] == ["cheap", "twin"]
    assert rows["cheap"]["means"] == "litellm:openai/local"
    assert rows["mock:null"]["means"] is None
    assert rows["mock:null"]["may_break"] == ["CAR-1", "QRY-1"]


def test_the_doctor_says_which_targets_are_ready_and_no_value(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, project: tuple[str, str]
) -> None:
    monkeypatch.delenv("SOME_OWN_KEY", raising=False)
    without = call(capsys, "doctor", "--json", *project)
    monkeypatch.setenv("SOME_OWN_KEY", "canary-90ff12")
    ready = call(capsys, "doctor", *project)

    lacks = {each["name"]: each["lacks"] for each in without.value["targets"]}
    assert (without.code, lacks) == (0, {"cheap": "SOME_OWN_KEY", "twin": None})
    assert "target cheap (litellm:openai/local): ready" in ready.out
    assert "canary" not in ready.out + ready.err


NARROW = """\
narrow: {kind: openai, model: local, api_base: "http://127.0.0.1:9/v1",
         limits: {tokens_per_minute: %d}, settings: {max_tokens: %d, timeout: 0.5}}
"""


@pytest.mark.parametrize(("limit", "written"), [(500, 1), (9_000, 9_000)], ids=["prompt", "reply"])
def test_a_limit_without_room_for_a_prompt_forbids_the_run(
    limit: int, written: int, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    said = f"target 'narrow': tokens_per_minute: {limit:,} never has room for incident/oom-behind-latency@"
    assert said in begun(capsys, tmp_path, limit, written)


def test_a_limit_with_room_for_a_prompt_forbids_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    # What is looked at next is where the run is to lie.
    assert "--out" in begun(capsys, tmp_path, 9_000, 1)


def begun(capsys: pytest.CaptureFixture[str], tmp_path: Path, limit: int, written: int) -> str:
    """Return why a run does not begin whose folder cannot be made."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "scenarios").symlink_to(PROJECT.scenarios)
    (folder / "targets.yaml").write_text(NARROW % (limit, written), encoding="utf-8")
    plan = ("-t", "narrow", "-s", "incident/*", "--project", str(folder), "-q")

    ended = call(capsys, "run", *plan, "--out", str(folder / "targets.yaml"))

    assert ended.code == 2
    return ended.err

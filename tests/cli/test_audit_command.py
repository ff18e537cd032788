"""harness audit: judged by what, what is broken, what could not be judged, and what is no transcript."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from calling import INCIDENT, RECOVERY, SUITE, Ended, call
from conftest import PROJECT, recorded

from harness.model import Transcript
from harness.scenarios import load_scenario

W, R = "workflow-selection-2.7", "workflow-recovery-1.0"
KEYS = ["clause", "level", "outcome", "reason", "place", "expected", "observed"]


@pytest.fixture(autouse=True)
def unmeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    """What runs the tests may say how wide its own output is."""
    monkeypatch.delenv("COLUMNS", raising=False)


def chat(transcript: Transcript, **more: Any) -> dict[str, Any]:
    """Return a transcript in OpenAI chat form."""
    messages: list[dict[str, Any]] = []
    for each in transcript.messages:
        calls = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in each.tool_calls
        ]
        messages.append({"role": each.role, "content": each.content, "tool_call_id": each.tool_call_id})
        messages[-1] |= {"tool_calls": calls} if calls else {}
    return {"messages": messages, **more}


@pytest.fixture(scope="module")
def good() -> dict[str, Any]:
    return chat(recorded(load_scenario(PROJECT, INCIDENT)), scenario=INCIDENT)


@pytest.fixture(scope="module")
def bad() -> dict[str, Any]:
    return chat(recorded(load_scenario(PROJECT, INCIDENT), "mock:copycat"), scenario=INCIDENT)


def answer(value: dict[str, Any], **changes: Any) -> str:
    """Return the final message of a chat, changed."""
    return json.dumps({**json.loads(value["messages"][-1]["content"]), **changes})


def audited(capsys: pytest.CaptureFixture[str], file: Path, text: str, *arguments: str) -> Ended:
    file.write_text(text, encoding="utf-8")
    return call(capsys, "audit", str(file), *SUITE, *arguments)


def test_json_has_exactly_its_keys(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, good: dict[str, Any]
) -> None:
    ended = audited(capsys, tmp_path / "a.jsonl", json.dumps(good), "--json")

    assert ended.code == 0
    (audit,) = ended.value
    assert list(audit) == ["source", "outcome", "scores"]
    assert (audit["source"], audit["outcome"]) == (f"{tmp_path}/a.jsonl:1", "pass")
    assert {tuple(row) for row in audit["scores"]} == {tuple(KEYS)}


def test_every_broken_place_is_a_row(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, good: dict[str, Any]
) -> None:
    text = answer(good, steps=[], prerequisites=[])

    (audit,) = audited(capsys, tmp_path / "a.json", text, "--json", "--scenario", INCIDENT).value

    rows = [row for row in audit["scores"] if row["clause"] == "CAR-4"]
    assert audit["outcome"] == "fail"
    assert sorted(row["place"] for row in rows) == ["/prerequisites", "/steps"]
    assert {row["outcome"] for row in rows} == {"fail"}


def test_bad_lines_cost_no_verdict_and_end_with_two(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, good: dict[str, Any], bad: dict[str, Any]
) -> None:
    lines = [json.dumps(good), "{broken", json.dumps({**bad, "scenario": "incident/oom-behind-latenc"}),
             json.dumps(bad), json.dumps({**good, "contract": R})]  # fmt: skip
    file = tmp_path / "a.jsonl"

    as_json = audited(capsys, file, "\n".join(lines), "--json")
    as_text = audited(capsys, file, "\n".join(lines))

    assert (as_json.code, as_text.code) == (2, 2)
    assert [(each["source"], each["outcome"]) for each in as_json.value] == [
        (f"{file}:1", "pass"),
        (f"{file}:4", "fail"),
    ]
    assert f"{file}:1: pass\n" in as_text.out
    assert f"{file}:4: fail\n" in as_text.out
    assert as_json.err == as_text.err
    broken, unknown, mismatched = as_json.err.splitlines()
    assert broken.startswith(f"{file}:2: is not JSON: Expecting property name")
    assert unknown == (
        f"{file}:3: no scenario 'incident/oom-behind-latenc'; did you mean 'incident/oom-behind-latency'?"
    )
    assert mismatched == (
        f"{file}:5: {R}: takes recovery scenarios, and {INCIDENT} is for flow 'incident'; "
        "choose another with -c or --scenario"
    )


@pytest.mark.parametrize("name", ["L" * 5000, "a/" * 3000, "\0", "..", "/dev/zero"])
@pytest.mark.parametrize("key", ["contract", "scenario"])
def test_no_name_in_a_line_costs_another(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, good: dict[str, Any], key: str, name: str
) -> None:
    lines = [json.dumps({**good, key: name}), json.dumps(good)]

    ended = audited(capsys, tmp_path / "a.jsonl", "\n".join(lines), "--json")

    assert ended.code == 2
    assert [each["outcome"] for each in ended.value] == ["pass"]
    assert f"a.jsonl:1: no {key} " in ended.err


def test_a_file_that_is_missing_costs_no_other(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, good: dict[str, Any]
) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(good))
    files = [str(tmp_path / each) for each in ("missing.json", "a.jsonl", "a.md")]

    ended = call(capsys, "audit", *files, "--json", *SUITE)

    assert ended.code == 2
    assert [each["outcome"] for each in ended.value] == ["pass"]
    assert ended.err.splitlines() == [
        f"{files[0]}: cannot be read: No such file or directory",
        f"{files[2]}: found a file of type '.md'; use .jsonl, .json, .txt, .eval, or say --from",
    ]


def test_nothing_judged_is_an_empty_array(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    ended = audited(capsys, tmp_path / "a.jsonl", "", "--json")

    assert (ended.code, ended.value) == (0, [])


@pytest.mark.parametrize("text", ["", "\n \n"])
@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_file_without_a_transcript_is_said_to_hold_none(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, more: tuple[str, ...]
) -> None:
    ended = audited(capsys, tmp_path / "a.jsonl", text, *more)

    assert ended.code == 0
    assert ended.err == f"{tmp_path / 'a.jsonl'}: holds no transcript; was it written to its end?\n"


@pytest.mark.parametrize("arguments", [("--scenario", RECOVERY, "-c", W), ("--scenario", INCIDENT, "-c", R)])
def test_a_contract_that_does_not_take_the_scenario_is_refused_once(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, good: dict[str, Any], arguments: tuple[str, ...]
) -> None:
    ended = audited(capsys, tmp_path / "a.jsonl", f"{json.dumps(good)}\n" * 3, *arguments)

    assert (ended.code, ended.out) == (2, "")
    assert len(ended.err.splitlines()) == 1
    assert ended.err.startswith(f"harness: {arguments[3]}: takes ")


HEADS: dict[str, tuple[dict[str, str], tuple[str, ...], str]] = {
    "both asked for": (
        {}, ("-c", W, "--scenario", INCIDENT), f"contract {W} (as asked), scenario {INCIDENT} (as asked)",
    ),
    "both named by the transcript": (
        {"scenario": INCIDENT, "contract": W}, (),
        f"contract {W} (named by the transcript), scenario {INCIDENT} (named by the transcript)",
    ),
    "the scenario alone": (
        {"scenario": RECOVERY}, (),
        f"contract {R} (the default of recovery scenarios), scenario {RECOVERY} (named by the transcript)",
    ),
    "neither": (
        {}, (), f"contract {W} (the default, as nothing names one), scenario not known, as nothing names it",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("named", "arguments", "head"), HEADS.values(), ids=list(HEADS))
def test_the_text_says_by_what_it_was_judged_and_who_said_so(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    named: dict[str, str],
    arguments: tuple[str, ...],
    head: str,
) -> None:
    said = {"messages": [{"role": "assistant", "content": "{}"}], **named}

    ended = audited(capsys, tmp_path / "a.json", json.dumps(said), *arguments)

    assert ended.out.splitlines()[1] == f"  judged by {head}"


def test_what_is_unscored_is_grouped_by_its_reason(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, good: dict[str, Any]
) -> None:
    text = audited(capsys, tmp_path / "a.json", answer(good)).out

    (line,) = [line for line in text.splitlines() if line.endswith("no scenario is known to compare with")]
    assert line.startswith("unscored  ")
    assert {"SEV-2", "SEL-2"} <= set(line.removeprefix("unscored  ").split(":")[0].split(", "))
    assert "only the answer is known; its tool calls are not\n" in text


READ = {
    "bare": ("{}", "the answer is the whole message and is strict JSON"),
    "a fence": ("So:\n```json\n{}\n```", "the answer stands in a json fence and is strict JSON"),
    "prose": (
        'So: {"a": 1,} ok',
        "the answer stands in prose, without a fence and is JSON only to a reader that forgives; found be",
    ),
    "nothing": ("I looked at it.", "no answer was found in the final message"),
    "empty": ("", "the final message is empty"),
    "a refusal": ("I'm sorry, but I cannot assist with that.", "the target refuses to answer"),
    "several": ('{"a": 1}\n{"a": 2}', "the final message holds several answers that differ; found besides:"),
}


@pytest.mark.parametrize(("said", "words"), READ.values(), ids=list(READ))
def test_how_the_answer_was_found_is_said_in_words(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, said: str, words: str
) -> None:
    ended = audited(capsys, tmp_path / "a.txt", said)

    assert ended.code == 0
    assert ended.out.splitlines()[2].startswith(f"  {words}")
    assert "None" not in ended.out


def test_values_are_json_and_null_is_one(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, good: dict[str, Any]
) -> None:
    text = answer(good, selected_workflow=None, rca_severity="urgent")

    lines = audited(capsys, tmp_path / "a.json", text, "--scenario", INCIDENT).out.splitlines()

    rows = {line.split()[0]: line for line in lines if line[:3].isupper() and "-" in line[:6]}
    assert re.search(r' \["raise-memory-limit"\] +null$', rows["SEL-2"])
    assert '"urgent"' in rows["SEV-1"]
    assert not [line for line in lines if "None" in line or "['" in line]


def test_the_text_is_never_cut_nor_padded(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, good: dict[str, Any]
) -> None:
    text = answer(good, warnings={"x " * 80: 1}, steps="s " * 80)

    lines = audited(capsys, tmp_path / "a.json", text, "--scenario", INCIDENT).out.splitlines()

    assert sum(line.startswith("CAR-4 ") for line in lines) == 1
    assert not [line for line in lines if line != line.rstrip()]


HOSTILE = "\x1b[2J\u202e\u200b [red]x[/red] <b> `x` \x07"


def test_hostile_text_reaches_no_terminal(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, good: dict[str, Any]
) -> None:
    changed = answer(good, rca_severity=HOSTILE, **{HOSTILE: HOSTILE})
    value = {**good, "messages": [*good["messages"][:-1], {"role": "assistant", "content": changed}]}
    wrong = {"messages": [{"role": HOSTILE}], "scenario": HOSTILE}

    lines = [json.dumps(each) for each in (value, wrong, {**good, "scenario": HOSTILE})]
    ended = audited(capsys, tmp_path / "a.jsonl", "\n".join(lines))

    assert ended.code == 2
    assert "[red]x[/red]" in ended.out
    assert all(each == "\n" or each.isprintable() for each in ended.out + ended.err)


def test_deep_and_long_answers_end_in_a_verdict(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    deep = '{"selected_workflow": ' + "[" * 400 + "]" * 400 + ', "rca_severity": "' + "x" * 100_000 + '"}'

    ended = audited(capsys, tmp_path / "a.json", deep, "--json")

    assert ended.code == 0
    assert ended.value[0]["outcome"] == "fail"


def test_a_good_transcript_of_each_flow_passes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, good: dict[str, Any]
) -> None:
    recovery = chat(recorded(load_scenario(PROJECT, RECOVERY)), scenario=RECOVERY)

    audits = audited(capsys, tmp_path / "a.json", json.dumps([good, recovery]), "--json").value

    assert [(each["source"][-3:], each["outcome"]) for each in audits] == [("[0]", "pass"), ("[1]", "pass")]

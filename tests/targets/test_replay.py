"""Replay: what was recorded answers again, byte for byte, and nothing else does."""

import asyncio
import json
import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from commanding import SUITE, files_of, harness, info_of, run_of, samples_of
from conftest import PROJECT, recorded
from doubles import Scripted

from harness.contracts import load_contract
from harness.conversation import Trial, converse
from harness.errors import InvalidInput, InvalidRun, TargetUnavailable
from harness.model import Message, SampleId, Scenario, ToolCall, Transcript, Turn, Usage
from harness.prompting import render
from harness.prompting.render import PACKS
from harness.store import RunInfo, create_run, open_run
from harness.targets import ModelRequest, TargetOptions, open_target, trial_seed
from harness.targets.replay import Cassette, ReplayMiss, open_cassette, recording

INCIDENT = "incident/oom-behind-latency"
SAMPLE = f"{INCIDENT}@workflow-selection-2.7@mock:flaky#1"
LOG_LINE = "09:57:18 INFO heap 509Mi"


@pytest.fixture
def cassette(tmp_path: Path) -> Path:
    """Record two mocks in two trials each."""
    out = str(tmp_path / "recorded")
    return run_of(
        "run", "-t", "mock:oracle", "-t", "mock:flaky", "-n", "2", "--seed", "3", "--out", out, *SUITE
    )


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Record one trial of one scenario."""
    out = str(tmp_path / "recorded")
    return run_of("run", "-t", "mock:flaky", "-s", INCIDENT, "--out", out, *SUITE)


def test_a_run_recorded_and_replayed_gives_the_same_scores_byte_for_byte(
    cassette: Path, tmp_path: Path
) -> None:
    replayed = run_of("run", "-t", f"replay:{cassette}", "--out", str(tmp_path / "again"), *SUITE)

    assert (replayed / "scores.jsonl").read_bytes() == (cassette / "scores.jsonl").read_bytes()
    assert len(samples_of(replayed)) == 12


def test_a_replayed_transcript_differs_in_its_time_alone(cassette: Path, tmp_path: Path) -> None:
    replayed = run_of("run", "-t", f"replay:{cassette}", "--out", str(tmp_path / "again"), *SUITE)

    assert timeless(replayed) == timeless(cassette)


def timeless(folder: Path) -> list[Transcript]:
    transcripts = open_run(str(folder)).transcripts()
    return sorted((replace(each, started="") for each in transcripts), key=lambda each: each.id)


def test_a_replay_can_be_replayed(small: Path, tmp_path: Path) -> None:
    once = run_of("run", "-t", f"replay:{small}", "--out", str(tmp_path / "once"), *SUITE)
    twice = run_of("run", "-t", f"replay:{once}", "--out", str(tmp_path / "twice"), *SUITE)

    assert (twice / "scores.jsonl").read_bytes() == (small / "scores.jsonl").read_bytes()
    assert info_of(twice)["targets"]["mock:flaky"]["recorded"] == {"kind": "mock", "model": "flaky"}


def test_a_cassette_is_never_written_to(cassette: Path, tmp_path: Path) -> None:
    before = files_of(cassette)

    run_of("run", "-t", f"replay:{cassette}", "--out", str(tmp_path / "again"), *SUITE)

    assert files_of(cassette) == before


def test_a_replay_says_where_its_replies_come_from(small: Path, tmp_path: Path) -> None:
    replayed = run_of("run", "-t", f"replay:{small}", "--out", str(tmp_path / "again"), *SUITE)

    assert info_of(replayed)["targets"] == {
        "mock:flaky": {
            "kind": "replay",
            "cassette": str(small),
            "run": small.name,
            "live_tools": False,
            "recorded": {"kind": "mock", "model": "flaky"},
        }
    }


def test_a_failure_is_replayed_as_the_failure_it_was(tmp_path: Path, incident: Scenario) -> None:
    first = recorded(incident).messages[1]
    silent = Scripted(
        first, TargetUnavailable("rate_limited", "try later"), usage=Usage(1, 2, 0.5), model="m"
    )
    trial = a_trial(incident, silent.name)
    said = asyncio.run(converse(silent, trial))

    again = asyncio.run(converse(open_cassette(stored(tmp_path, said)).targets()[0], trial))

    assert said.failure is not None
    assert replace(again, started=said.started) == said


def a_trial(scenario: Scenario, target: str, number: int = 1) -> Trial:
    contract = load_contract("workflow-selection-2.7")
    sample = SampleId(scenario.id, contract.id, target, number)
    return Trial(sample, scenario, contract, render(scenario, contract), trial_seed(0, number), {})


def stored(out: Path, *transcripts: Transcript) -> Path:
    """Return the folder of a run with these transcripts."""
    targets = {each.id.target: {"kind": "scripted"} for each in transcripts}
    run = create_run(out, RunInfo(id="made", created="2026-01-01", targets=targets))
    run.begin()
    for each in transcripts:
        run.add(each)
    run.end()
    return run.folder


# Misses


def changed_prompts(folder: Path, old: str, new: str) -> Path:
    shutil.copytree(PACKS, folder)
    template = folder / "workflow-selection-2.7" / "prompt.md.j2"
    text = template.read_text(encoding="utf-8")
    assert old in text
    template.write_text(text.replace(old, new, 1), encoding="utf-8")
    return folder


def test_a_changed_prompt_is_a_miss_that_says_where_and_what_to_do(small: Path, tmp_path: Path) -> None:
    prompts = changed_prompts(tmp_path / "packs", "# Investigation", "# \x1b[31mExamination")
    out = tmp_path / "again"

    code, printed, err = harness(
        "run", "-t", f"replay:{small}", "--prompts", str(prompts), "--out", str(out), *SUITE
    )

    assert (code, printed) == (3, "")
    assert f"{small}: {SAMPLE}: turn 1: message 0 (user) differs: from character 2 on, " in err
    assert '"# Investigation' in err
    assert '"# \\u001b[31mExamination' in err
    assert "\x1b" not in err
    assert err.endswith(
        f"record it with: harness run -t mock:flaky -c workflow-selection-2.7 -s {INCIDENT} -n 1 --seed 0\n"
    )
    assert len(err.splitlines()) == 1
    assert not out.exists()


def test_the_command_of_a_miss_records_what_was_missing(small: Path, tmp_path: Path) -> None:
    err = harness("run", "-t", f"replay:{small}", "-n", "2", "--out", str(tmp_path / "again"), *SUITE).err
    words = shlex.split(err.partition("record it with: ")[2])
    assert words.pop(0) == "harness"

    made = run_of(*words, "--out", str(tmp_path / "fuller"), *SUITE)
    replayed = run_of("run", "-t", f"replay:{made}", "-n", "2", "--out", str(tmp_path / "again"), *SUITE)

    assert "#2: turn 1, message 0: nothing was recorded of this sample" in err
    assert sorted(samples_of(replayed)) == [SAMPLE, SAMPLE.replace("#1", "#2")]


def test_the_command_of_a_miss_names_the_settings_that_were_recorded() -> None:
    settings = {"kind": "litellm", "api_base": "http://host/v 1", "temperature": 0.0, "max_tokens": None}
    info = RunInfo(id="r", created="2026-01-01", targets={"litellm:a/b": settings}, trials=3, seed=7)

    command = recording(info, SampleId("incident/x", "c", "litellm:a/b", 1))

    assert command == (
        "harness run -t litellm:a/b -c c -s incident/x -n 3 --seed 7 "
        "--api-base 'http://host/v 1' --temperature 0.0"
    )


def test_a_request_that_goes_on_where_the_recording_ends_is_a_miss(
    tmp_path: Path, incident: Scenario
) -> None:
    said = recorded(incident)
    cassette = open_cassette(stored(tmp_path, said))
    further = (*said.messages, Message("user", "are you sure?"))

    with pytest.raises(
        ReplayMiss, match=r"turn 4: message \d+ \(user\) was not recorded: the recording ends"
    ):
        cassette.reply(said.id, ModelRequest(further, said.tools, 1))
    with pytest.raises(ReplayMiss, match=r"turn 4: no reply to message \d+ was recorded"):
        cassette.reply(said.id, ModelRequest(said.messages, said.tools, 1))


def test_other_tools_are_a_miss_that_names_them(tmp_path: Path, incident: Scenario) -> None:
    said = recorded(incident)
    cassette = open_cassette(stored(tmp_path, said))
    other = (replace(said.tools[0], description="Do as you like"), *said.tools[1:])

    with pytest.raises(ReplayMiss, match=f"turn 1: the tools differ: {said.tools[0].name};"):
        cassette.reply(said.id, ModelRequest(said.prompt, other, 1))
    with pytest.raises(ReplayMiss, match="turn 1: the tools differ: their order;"):
        cassette.reply(said.id, ModelRequest(said.prompt, said.tools[::-1], 1))


def test_a_miss_never_shows_a_key(tmp_path: Path, incident: Scenario) -> None:
    said = recorded(incident)
    cassette = open_cassette(stored(tmp_path, said))
    prompt = (replace(said.prompt[0], content="key sk-abcdefghijklmnop0123"),)

    with pytest.raises(ReplayMiss) as caught:
        cassette.reply(said.id, ModelRequest(prompt, said.tools, 1))

    assert "not shown: there seems to be an API key" in str(caught.value)
    assert "abcdefgh" not in str(caught.value)


# The world


def drifted(tmp_path: Path) -> list[str]:
    """Return the options of a project in which one log line is another."""
    root = tmp_path / "drifted"
    shutil.copytree(PROJECT.root, root)
    file = root / "scenarios" / f"{INCIDENT}.yaml"
    text = file.read_text(encoding="utf-8")
    assert LOG_LINE in text
    file.write_text(text.replace(LOG_LINE, "09:57:18 INFO heap 511Mi"), encoding="utf-8")
    return ["--project", str(root)]


def test_recorded_results_are_served_and_the_drift_of_the_world_is_noted(small: Path, tmp_path: Path) -> None:
    code, _, err = harness(
        "run", "-t", f"replay:{small}", "--json", "--out", str(tmp_path / "again"), *drifted(tmp_path)
    )
    (replayed,) = (tmp_path / "again").iterdir()
    (note,) = [line for line in err.splitlines() if "drift" in line]

    assert code == 0
    assert (replayed / "scores.jsonl").read_bytes() == (small / "scores.jsonl").read_bytes()
    assert note.startswith(f"note: drift: {SAMPLE}: message 3: kubectl_logs(")
    assert "heap 509Mi" in note
    assert "heap 511Mi" in note
    assert "drift" in (replayed / "report.md").read_text(encoding="utf-8")


def test_live_tools_answer_from_the_world_and_must_answer_as_they_did(small: Path, tmp_path: Path) -> None:
    plan = ["run", "-t", f"replay:{small}", "--live-tools", "--out", str(tmp_path / "again")]

    same = run_of(*plan, *SUITE)
    code, _, err = harness(*plan, *drifted(tmp_path))

    assert (same / "scores.jsonl").read_bytes() == (small / "scores.jsonl").read_bytes()
    assert code == 3
    assert f"{SAMPLE}: turn 2: message 3 (tool) differs: " in err


def test_live_tools_want_a_replay() -> None:
    assert "--live-tools: takes a replay" in refusal("-t", "mock:oracle", "--live-tools", *SUITE)
    assert "--max-age: takes a replay" in refusal("--max-age", "3", *SUITE)


def refusal(*arguments: str) -> str:
    code, out, err = harness("run", *arguments)
    assert (code, out) == (2, "")
    return err


# What was never asked


def test_recorded_samples_that_nobody_asked_for_are_named(cassette: Path, tmp_path: Path) -> None:
    plan = ["run", "-t", f"replay:{cassette}", "-s", "recovery/*", "-s", "paired/*", "--json"]

    code, _, err = harness(*plan, "--out", str(tmp_path / "again"), *SUITE)

    assert code == 0
    assert (
        f"note: leftover: 4 recorded samples were never asked for: {INCIDENT}@workflow-selection-2.7@mock:"
    ) in err


def test_many_leftovers_are_counted(cassette: Path) -> None:
    (note,) = open_cassette(cassette).notes(done=[])

    assert note.startswith("leftover: 12 recorded samples were never asked for: ")
    assert note.endswith(" and 7 more")


def test_recorded_turns_that_nobody_asked_for_are_named(tmp_path: Path, incident: Scenario) -> None:
    said = recorded(incident)
    cassette = open_cassette(stored(tmp_path, said))

    cassette.reply(said.id, ModelRequest(said.prompt, said.tools, 1))

    assert cassette.notes(done=[]) == [f"leftover: {said.id}: recorded turns were never asked for: 2, 3"]


def test_a_whole_replay_leaves_nothing_to_note(cassette: Path, tmp_path: Path) -> None:
    _, _, err = harness("run", "-t", f"replay:{cassette}", "-q", "--out", str(tmp_path / "again"), *SUITE)

    assert err == ""


def test_a_replay_that_was_cut_goes_on_as_a_replay(cassette: Path, tmp_path: Path) -> None:
    replayed = run_of("run", "-t", f"replay:{cassette}", "--out", str(tmp_path / "again"), *SUITE)
    lines = (replayed / "transcripts.jsonl").read_bytes().splitlines(keepends=True)
    (replayed / "transcripts.jsonl").write_bytes(b"".join(lines[:5]))

    code, _, err = harness("run", "--resume", str(replayed), "-q", *SUITE)

    assert (code, err) == (0, "")
    assert len(samples_of(replayed)) == 12
    assert (replayed / "scores.jsonl").read_bytes() == (cassette / "scores.jsonl").read_bytes()


# Opening


def aged(folder: Path, created: str) -> Path:
    info = {**info_of(folder), "created": created}
    (folder / "run.json").write_text(json.dumps(info), encoding="utf-8")
    return folder


def ago(days: float) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).isoformat()


def test_a_cassette_older_than_allowed_is_refused(small: Path, tmp_path: Path) -> None:
    plan = ["run", "-t", f"replay:{aged(small, ago(10.5))}", "-q", "--out", str(tmp_path / "again"), *SUITE]

    code, _, err = harness(*plan, "--max-age", "10")

    assert code == 3
    assert f"{small}: recorded 10 days ago, on " in err
    assert "--max-age allows 10; record it again" in err
    assert harness(*plan, "--max-age", "11") == (0, "", "")


def test_an_old_cassette_is_noted_where_no_age_is_given(small: Path, tmp_path: Path) -> None:
    plan = [
        "run",
        "-t",
        f"replay:{aged(small, '2020-01-01')}",
        "-q",
        "--out",
        str(tmp_path / "again"),
        *SUITE,
    ]

    code, _, err = harness(*plan)

    assert code == 0
    assert "days ago; the model may answer otherwise today" in err


@pytest.mark.parametrize("days", ["0", "-1", "nan", "soon", "1e300"])
def test_an_age_is_a_number_of_days(days: str) -> None:
    assert "use a number of days above 0" in refusal("-t", "replay:x", f"--max-age={days}")


def test_a_cassette_without_a_date_is_refused(small: Path) -> None:
    assert "use a date and time in ISO 8601" in refusal("-t", f"replay:{aged(small, 'lately')}", *SUITE)


def test_a_replay_stands_alone(small: Path) -> None:
    err = refusal("-t", f"replay:{small}", "-t", "mock:oracle", *SUITE)

    assert "a replay is a run of its own; leave the other targets out" in err


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    assert "holds no run.json; a cassette is the folder of a run" in refusal("-t", f"replay:{tmp_path}")


def test_one_recorded_target_is_a_target_like_others(small: Path, cassette: Path) -> None:
    assert open_target(f"replay:{small}", TargetOptions()).name == "mock:flaky"
    with pytest.raises(InvalidInput, match="holds 2 targets"):
        open_target(f"replay:{cassette}", TargetOptions())


def test_a_turn_without_a_reply_is_refused(tmp_path: Path, incident: Scenario) -> None:
    said = recorded(incident)
    cut = replace(said, turns=(*said.turns, Turn(99, 1, "stop")))

    with pytest.raises(InvalidRun, match="a turn has no reply; record it again"):
        open_cassette(stored(tmp_path, cut))


def test_results_that_were_never_recorded_come_from_the_world(tmp_path: Path, incident: Scenario) -> None:
    said = recorded(incident)
    cut = replace(said, messages=said.messages[:2], turns=said.turns[:1])
    cassette = Cassette(open_run(str(stored(tmp_path, cut))))
    live = [Message("tool", "today", tool_call_id="a")]

    assert cassette.results(said.id, cut.messages, [ToolCall("a", "x", "{}")], live) is live


def test_a_replay_loads_no_provider(small: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from harness.cli import main; "
        f"assert main(['run', '-q', '-t', 'replay:{small}', '--out', 'again', *{list(SUITE)!r}]) == 0; "
        "assert not {'litellm', 'pandas', 'scipy', 'aiohttp'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)

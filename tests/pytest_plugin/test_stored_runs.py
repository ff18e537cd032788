"""`pytest -m eval --run RUN` judges what was recorded, and records nothing."""

import json
from dataclasses import replace

import pytest
from sessions import (
    INCIDENT,
    RECOVERY,
    RENAMED,
    RUNS,
    answering,
    info,
    keep_run,
    only_run,
    session,
    turn_on,
    unreachable,
)

from harness.model import Message, Transcript


def test_a_stored_run_is_judged_and_not_touched(pytester: pytest.Pytester) -> None:
    turn_on(pytester)
    session(pytester, "-m", "eval", "--target", "mock:oracle", "--target", "mock:meddler")
    folder = only_run(pytester)
    before = {each.name: each.read_bytes() for each in folder.iterdir()}

    result = session(pytester, "--run", "latest")

    result.assert_outcomes(passed=3, failed=3, deselected=1)
    result.stdout.fnmatch_lines(
        [
            "breaks PAS-5",
            f"run reports/runs/{folder.name}",
            "mock:meddler  workflow-recovery-1.0  compliant 0 of 1*",
        ]
    )
    assert {each.name: each.read_bytes() for each in only_run(pytester).iterdir()} == before


def test_a_stored_run_can_be_narrowed(pytester: pytest.Pytester) -> None:
    turn_on(pytester)
    session(pytester, "-m", "eval", "--target", "mock:oracle", "--target", "mock:meddler")

    narrowed = session(pytester, "--run", "latest", "--target", "mock:oracle", "--scenario", "incident/*")
    unknown = session(pytester, "--run", "latest", "--target", "mock:medler")

    narrowed.assert_outcomes(passed=1, deselected=1)
    assert unknown.ret == pytest.ExitCode.USAGE_ERROR
    unknown.stderr.fnmatch_lines(["ERROR: *: no target 'mock:medler'; did you mean 'mock:meddler'*"])


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "with xdist"])
def test_what_could_not_be_asked_is_an_error(pytester: pytest.Pytester, workers: tuple[str, ...]) -> None:
    turn_on(pytester)
    keep_run(pytester, INCIDENT, RECOVERY, target="mock:oracle", change=unreachable)

    result = session(pytester, "-m", "eval", "--run", "latest", *workers)

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert result.parseoutcomes()["errors"] == result.parseoutcomes()["passed"] == 1
    result.stdout.fnmatch_lines(
        [
            "unscored: connection: nobody listens \\u001b?31mat all",
            "",
            "all * MUST clauses: connection: nobody listens \\u001b?31mat all",
            "",
            "nothing would have run: the target could not be asked (connection)",
            "all that was said: *",
            "ask again: harness run --retry-unscored reports/runs/* --project *",
        ],
        consecutive=True,
    )
    result.stdout.fnmatch_lines(["*  workflow-selection-2.7  compliant 0 of 0, 1 unscored"])


def test_what_was_never_recorded_is_an_error(pytester: pytest.Pytester) -> None:
    turn_on(pytester)
    folder = keep_run(pytester, INCIDENT, RENAMED, target="mock:oracle")
    transcripts = folder / "transcripts.jsonl"
    transcripts.write_text(transcripts.read_text().splitlines(keepends=True)[0])

    result = session(pytester, "-m", "eval", "--run", folder.name)

    result.assert_outcomes(passed=1, errors=1, deselected=1)
    result.stdout.fnmatch_lines(
        [
            "unscored: never recorded",
            f"reports/runs/{folder.name} does not hold {RENAMED}@workflow-selection-2.7@mock:oracle#1",
            f"go on with it: harness run --resume reports/runs/{folder.name} --project *",
        ]
    )


def test_where_nothing_applies_nothing_passes(pytester: pytest.Pytester) -> None:
    def untold(transcript: Transcript) -> Transcript:
        return replace(
            transcript, messages=(Message("user", "Good morning"), *transcript.messages[1:]), tools=()
        )

    turn_on(pytester)
    keep_run(pytester, INCIDENT, target="mock:oracle", change=untold)

    result = session(pytester, "--run", "latest")

    result.assert_outcomes(errors=1, deselected=1)
    result.stdout.fnmatch_lines(["unscored: no MUST clause applies, so nothing was judged"])


def test_a_broken_recommendation_is_a_note(pytester: pytest.Pytester) -> None:
    def unexplained(text: str) -> str:
        answer = json.loads(text)
        answer["selected_workflow"]["rationale"] = "It fits."
        return json.dumps(answer)

    turn_on(pytester)
    keep_run(pytester, INCIDENT, target="mock:oracle", change=answering(unexplained))
    green = session(pytester, "--run", "latest", "-rP")
    keep_run(pytester, INCIDENT, target="mock:meddler", change=answering(unexplained))
    red = session(pytester, "--run", "latest")

    note = "note: SEL-6 (SHOULD)  The rationale explains the search."
    green.assert_outcomes(passed=1, deselected=1)
    green.stdout.fnmatch_lines([note])
    red.assert_outcomes(failed=1, deselected=1)
    red.stdout.fnmatch_lines(["breaks PAS-5", note, "    place     /selected_workflow/rationale"])


def test_what_a_model_wrote_cannot_act_on_the_terminal(pytester: pytest.Pytester) -> None:
    def hostile(text: str) -> str:
        answer = json.loads(text)
        answer["selected_workflow"]["workflow_id"] = "\x1b[2J\u202ewipe\n3 passed in 0.01s"
        return json.dumps(answer)

    turn_on(pytester)
    keep_run(pytester, INCIDENT, target="mock:oracle", change=answering(hostile))

    result = session(pytester, "--run", "latest", "--junitxml", "junit.xml")

    result.assert_outcomes(failed=1, deselected=1)
    result.stdout.fnmatch_lines(
        ["this is what would have run: \\u001b?2J\\u202ewipe\\n3 passed in 0.01s with *"]
    )
    for text in (result.stdout.str(), (pytester.path / "junit.xml").read_text()):
        assert "\x1b" not in text
        assert "\u202e" not in text


def test_what_changed_since_it_was_recorded_is_named(pytester: pytest.Pytester) -> None:
    turn_on(pytester)
    folder = keep_run(pytester, INCIDENT, target="mock:oracle")
    stored = info(folder)
    stored["scenarios"][INCIDENT] = "0" * 64
    (folder / "run.json").write_text(json.dumps(stored))

    result = session(pytester, "--run", str(folder))

    result.stdout.fnmatch_lines([f"note: changed since it was recorded, and judged as of today: {INCIDENT}"])


def test_runs_are_looked_up_where_they_are_said_to_be(pytester: pytest.Pytester) -> None:
    turn_on(pytester)
    folder = keep_run(pytester, INCIDENT, target="mock:oracle")
    (pytester.path / RUNS).rename(pytester.path / "kept")

    result = session(pytester, "--run", folder.name, "--out", "kept")

    result.assert_outcomes(passed=1, deselected=1)

import io
import re
from pathlib import Path
from typing import Any

import pytest
from hostile import is_plain, rows, texts
from hypothesis import given, settings
from made_up import R, W, all_scores, in_memory, score
from rich.console import Console

from harness.reporting.overview import overview
from harness.reporting.terminal import print_summary
from harness.store import Run, ScoreRow


def printed(run: Run, width: int = 80, reports: tuple[Path, ...] = (), **console: Any) -> str:
    stream = io.StringIO()
    print_summary(Console(file=stream, width=width, **console), overview(run), reports)
    return stream.getvalue()


def lines(text: str) -> list[str]:
    assert not [line for line in text.splitlines() if line != line.rstrip()], "no line is padded"
    return text.splitlines()


def test_the_summary_of_the_made_up_run_fits_80_columns_and_needs_no_colour() -> None:
    text = printed(in_memory(all_scores()), reports=(Path("reports/runs/20260302T101500-3f9c/report.md"),))

    before, _, after = text.partition("not graded under workflow-selection-2.7: ")
    assert lines(before) == [
        "run 20260302T101500-3f9c  complete",
        "2 targets, 2 contracts, 3 scenarios, 2 trials, seed 1",
        "",
        "workflow-selection-2.7",
        "target       compliant    95 % interval  n  unscored",
        "────────────────────────────────────────────────────",
        "mock:oracle    100.0 %  51.0 to 100.0 %  4         0",
        "mock:flaky       0.0 %    0.0 to 56.1 %  3         1",
        "",
        "target      failed in     samples  because of, how often",
        "────────────────────────────────────────────────────────",
        "mock:flaky  severity      2 of 3   SEV-2 2",
        "            pass_through  2 of 3   PAS-1 2",
        "",
        "workflow-recovery-1.0",
        "target       compliant    95 % interval  n  unscored",
        "────────────────────────────────────────────────────",
        "mock:oracle    100.0 %  20.7 to 100.0 %  1         0",
        "mock:flaky       0.0 %    0.0 to 79.3 %  1         0",
        "",
        "target      failed in       samples  because of, how often",
        "──────────────────────────────────────────────────────────",
        "mock:flaky  severity        1 of 1   SEV-2 1",
        "            non_repetition  1 of 1   REP-1! 1",
        "! is a hard clause: one breach is one too many",
        "",
        "target      unscored because  samples  for example",
        "──────────────────────────────────────────────────────────────────────────────",
        "mock:flaky  rate_limited      1        rate_limited: HTTP 429 after 5 attempts",
        "",
    ]
    assert after.splitlines()[0].startswith("CAR-2, CAR-3, ")
    assert "\nnot graded under workflow-recovery-1.0: CAR-2, " in after
    assert lines(after)[-7:] == [
        "",
        "Reports",
        "  reports/runs/20260302T101500-3f9c/report.md",
        "",
        "Next",
        "  harness run --retry-unscored 20260302T101500-3f9c",
        f"  harness show 20260302T101500-3f9c 'recovery/oom-limit-still-too-low@{R}@mock:flaky#1'",
    ]


def test_worse_dimensions_and_clauses_come_first() -> None:
    made = [
        *(score(f"incident/x@{W}@mock:flaky#{trial}", "CAR-1", "fail") for trial in (1, 2)),
        *(score(f"incident/x@{W}@mock:flaky#{trial}", "SEV-1", "fail") for trial in (1, 2)),
        *(score(f"incident/x@{W}@mock:flaky#{trial}", "SEV-2", "fail") for trial in (1, 2, 3)),
    ]

    text = printed(in_memory(made))

    assert "mock:flaky  severity   3 of 3   SEV-2 3, SEV-1 2" in text
    assert text.index("severity") < text.index("schema ")


@pytest.mark.parametrize("width", [80, 120])
def test_no_line_but_a_command_is_wider_than_the_terminal(width: int) -> None:
    target = "litellm:bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0-with-a-long-name"
    made = [score(f"recovery/y@{R}@{target}#1", each, "fail") for each in ("CAR-1", "SEV-2", "REP-1")]
    made += [score(f"recovery/y@{R}@{target}#2", "CAR-1", "unscored", reason=f"timeout: {'x' * 300}")]

    head, _, commands = printed(in_memory(made), width).partition("\nNext\n")

    assert max(len(line) for line in head.splitlines()) <= width
    assert f"'recovery/y@{R}@{target}#1'" in commands


def test_only_targets_that_could_not_be_asked_are_to_be_asked_again() -> None:
    def after(reason: str) -> str:
        return printed(in_memory([score(f"incident/x@{W}@mock:flaky#1", "SEV-2", "unscored", reason=reason)]))

    assert "harness run --retry-unscored 20260302T101500-3f9c\n" in after("timeout: 300 s")
    assert "retry-unscored" not in after("the workflow's parameter definitions are not known")


def test_all_passed_says_so_and_asks_for_nothing() -> None:
    text = printed(in_memory([score(f"incident/x@{W}@mock:oracle#1", "SEV-2")]))

    assert "No MUST clause failed." in text
    assert "Next" not in text
    assert "unscored because" not in text


def test_nothing_scored_is_no_pass() -> None:
    made = [score(f"incident/x@{W}@mock:oracle#1", "SEV-2", "unscored", reason="timeout: 300 s")]

    text = printed(in_memory(made))

    assert "No sample was scored, so nothing is known." in text
    assert "No MUST clause failed." not in text
    assert re.search(r"mock:oracle +- +- +0 +1\n", text)


def test_an_interrupted_run_can_be_resumed_where_it_lies() -> None:
    run = in_memory([], status="interrupted")
    run.folder = Path("/tmp/else where/20260302T101500-3f9c")  # noqa: S108

    text = printed(run)

    assert "No sample was graded." in text
    assert "  harness run --resume '/tmp/else where/20260302T101500-3f9c'\n" in text


def test_what_the_store_noted_is_printed() -> None:
    run = in_memory([])
    run.notes.append("scores.jsonl:61: a torn last line is ignored")

    assert "note: scores.jsonl:61: a torn last line is ignored\n" in printed(run)


@settings(deadline=None)
@given(rows, texts)
def test_nothing_that_was_written_reaches_the_terminal_as_a_control(made: list[ScoreRow], name: str) -> None:
    run = in_memory(made, id=name, targets={name: {}}, status=name)

    plain = printed(run, no_color=True)
    coloured = printed(run, force_terminal=True, color_system="truecolor")

    assert is_plain(plain)
    # rich's own colours are the only escapes.
    assert is_plain(re.sub(r"\x1b\[[0-9;]*m", "", coloured))

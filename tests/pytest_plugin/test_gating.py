"""`--baseline`: the gate decides over the whole session."""

from pathlib import Path

import pytest
from conftest import PROJECT
from sessions import RECOVERY, session, turn_on

from harness.cli import main

SUITE = ("--project", str(PROJECT.root))


@pytest.fixture
def baseline(pytester: pytest.Pytester) -> str:
    """A blessed run of the oracle, three trials each."""
    turn_on(pytester)
    runs = ("--out", str(pytester.path / "elsewhere"))
    assert main(["run", "-n", "3", "-q", *SUITE, *runs]) == 0
    assert main(["bless", "latest", "--as", "oracle", "--baselines", "golden/baselines", *SUITE, *runs]) == 0
    return "oracle"


def test_a_session_that_is_no_worse_passes(pytester: pytest.Pytester, baseline: str) -> None:
    result = session(pytester, "-m", "eval", "--trials", "20", "--baseline", baseline)

    assert result.ret == 0
    result.stdout.fnmatch_lines(["gate pass: compliance changed by +0.0 points*"])


def test_an_inconclusive_one_does_not_fail_unless_asked(pytester: pytest.Pytester, baseline: str) -> None:
    lenient = session(pytester, "-m", "eval", "--baseline", baseline)
    strict = session(pytester, "-m", "eval", "--baseline", baseline, "--fail-inconclusive")

    assert (lenient.ret, strict.ret) == (0, 1)
    lenient.stdout.fnmatch_lines(["gate inconclusive: *", "inconclusive does not fail a session; *"])
    strict.stdout.fnmatch_lines(["gate inconclusive: *"])


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_a_regression_fails_and_is_named(
    pytester: pytest.Pytester, baseline: str, workers: tuple[str, ...]
) -> None:
    result = session(
        pytester, "-m", "eval", "--target", "mock:meddler", "--trials", "3", "--baseline", baseline, *workers
    )

    assert result.ret == 1
    result.assert_outcomes(xfailed=9)
    result.stdout.fnmatch_lines(["gate regression: pass_through fell by 100.0 points*"])


def test_a_stored_run_is_gated_as_well(pytester: pytest.Pytester, baseline: str) -> None:
    session(pytester, "-m", "eval", "--target", "mock:meddler", "--trials", "3")

    whole = session(pytester, "--run", "latest", "--baseline", baseline)
    part = session(pytester, "--run", "latest", "--baseline", baseline, "-k", "latency")
    common = session(pytester, "--run", "latest", "--baseline", baseline, "-k", "latency", "--common")

    assert (whole.ret, part.ret, common.ret) == (1, 1, 0)
    whole.stdout.fnmatch_lines(["gate regression: *"])
    part.stdout.fnmatch_lines(["gate refused: *only the baseline has: paired/oom-renamed*"])
    common.stdout.fnmatch_lines(["gate inconclusive: *", f"left out: only the baseline has: *{RECOVERY}"])


def test_a_run_is_a_baseline_too(pytester: pytest.Pytester, baseline: str) -> None:
    del baseline
    run = next((pytester.path / "elsewhere").iterdir())

    result = session(pytester, "-m", "eval", "--baseline", str(run.relative_to(Path.cwd())))

    result.stdout.fnmatch_lines(["gate inconclusive: *"])


def test_a_baseline_that_is_not_there_is_refused_before_anything_is_asked(pytester: pytest.Pytester) -> None:
    turn_on(pytester)

    result = session(pytester, "-m", "eval", "--baseline", "nowhere")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --baseline: no run 'nowhere'*"])
    assert not (pytester.path / "reports").exists()


def test_a_baseline_that_nobody_accepted_as_it_is_is_refused_before_anything_is_asked(
    pytester: pytest.Pytester, baseline: str
) -> None:
    file = pytester.path / "golden" / "baselines" / f"{baseline}.json"
    file.write_text(file.read_text().replace('"ppp"', '"ppf"', 1))

    result = session(pytester, "-m", "eval", "--baseline", baseline)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --baseline: *oracle.json: is not what was accepted: *"])
    assert not (pytester.path / "reports").exists()


def test_a_session_in_which_nothing_was_evaluated_fails(pytester: pytest.Pytester, baseline: str) -> None:
    result = session(pytester, "-m", "eval or not eval", "-k", "test_ordinary", "--baseline", baseline)

    assert result.ret == 1
    result.stdout.fnmatch_lines(["gate refused: the session was not finished*"])


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--baseline", "x"), "*--baseline: gates evaluations, and none are asked for; add -m eval"),
        (
            ("-m", "eval", "--baseline", "x", "--target", "mock:oracle", "--target", "mock:null"),
            "*one target is gated at a time, and this session has mock:null, mock:oracle",
        ),
    ],
)
def test_what_cannot_be_gated_is_refused_before_anything_is_asked(
    pytester: pytest.Pytester, arguments: tuple[str, ...], told: str
) -> None:
    turn_on(pytester)

    result = session(pytester, *arguments)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([told])

"""Sessions that are shared out, cut short, broken, or not alone."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import PROJECT
from sessions import INCIDENT, RECOVERY, RUNS, change_mocks, info, lines, only_run, session, turn_on

SLOW = "await asyncio.sleep(0.2)"


def test_workers_share_one_run(pytester: pytest.Pytester) -> None:
    turn_on(pytester)
    plan = ["--target", "mock:oracle", "--target", "mock:meddler", "--trials", "2"]

    shared = session(pytester, "-m", "eval", "-n", "2", *plan)
    folder = only_run(pytester)
    alone = session(pytester, "-m", "eval", "--out", "alone", *plan)
    (other,) = (pytester.path / "alone").iterdir()

    samples = [each["sample"] for each in lines(folder, "transcripts.jsonl")]
    assert shared.parseoutcomes() == {"passed": 6, "failed": 6}
    assert alone.parseoutcomes() == {"passed": 6, "failed": 6, "deselected": 1}
    assert len(samples) == len(set(samples)) == 12
    assert info(folder)["status"] == "complete"
    assert (folder / "scores.jsonl").read_bytes() == (other / "scores.jsonl").read_bytes()
    shared.stdout.fnmatch_lines(
        [
            "breaks PAS-5",
            f"run reports/runs/{folder.name}",
            "mock:meddler  workflow-selection-2.7  compliant 0 of 4*",
        ]
    )


def test_workers_record_what_is_selected(pytester: pytest.Pytester) -> None:
    turn_on(pytester)

    result = session(pytester, "-m", "eval", "-n", "1", "-k", RECOVERY)

    assert result.parseoutcomes() == {"passed": 1}
    assert info(only_run(pytester))["only"] == [f"{RECOVERY}@workflow-recovery-1.0@mock:oracle#1"]


def test_an_interrupted_session_can_be_gone_on_with(pytester: pytest.Pytester) -> None:
    turn_on(pytester)
    change_mocks(pytester, SLOW)
    command = [sys.executable, "-m", "pytest", "-m", "eval", "--trials", "40", "--concurrency", "4"]
    running = subprocess.Popen(command, cwd=pytester.path, stdout=subprocess.PIPE, text=True)
    wait_for_lines(pytester.path / RUNS, 6)

    running.send_signal(signal.SIGINT)
    out, _ = running.communicate(timeout=60)

    folder = only_run(pytester)
    recorded = len(lines(folder, "transcripts.jsonl"))
    assert running.returncode == pytest.ExitCode.INTERRUPTED
    assert info(folder)["status"] == "interrupted"
    assert 6 <= recorded < 120
    assert (
        f"interrupted after {recorded} samples; go on with: harness run --resume reports/runs/{folder.name}"
        in out
    )
    resume = [
        sys.executable,
        "-m",
        "harness",
        "run",
        "--resume",
        str(folder),
        "-q",
        "--project",
        str(PROJECT.root),
    ]
    subprocess.run(resume, cwd=pytester.path, check=True)
    assert len({each["sample"] for each in lines(folder, "transcripts.jsonl")}) == 120
    assert info(folder)["status"] == "complete"


def wait_for_lines(runs: Path, number: int) -> None:
    ends = time.monotonic() + 60
    while time.monotonic() < ends:
        files = list(runs.glob("*/transcripts.jsonl"))
        if files and files[0].read_bytes().count(b"\n") >= number:
            return
        time.sleep(0.02)
    pytest.fail("nothing was recorded")


def test_a_session_that_stops_at_the_first_failure_leaves_the_rest_for_later(
    pytester: pytest.Pytester,
) -> None:
    turn_on(pytester)
    change_mocks(pytester, SLOW)

    result = session(
        pytester, "-m", "eval", "-x", "--target", "mock:meddler", "--trials", "9", "--concurrency", "1"
    )

    result.assert_outcomes(failed=1, deselected=1)
    result.stdout.fnmatch_lines(["interrupted after * go on with: harness run --resume *"])
    assert info(only_run(pytester))["status"] == "interrupted"
    assert not (only_run(pytester) / "scores.jsonl").exists()


def test_a_slow_target_is_no_timeout_of_the_test(pytester: pytest.Pytester) -> None:
    turn_on(pytester, "timeout = 0.1")
    change_mocks(pytester, SLOW)

    session(pytester, "-m", "eval", "--scenario", INCIDENT).assert_outcomes(passed=1, deselected=1)


def test_a_bug_in_a_target_is_told_once_and_nothing_passes(pytester: pytest.Pytester) -> None:
    turn_on(pytester)
    change_mocks(pytester, "raise LookupError('no such thing')")

    result = session(pytester, "-m", "eval")

    result.assert_outcomes(errors=3, deselected=1)
    result.stdout.fnmatch_lines(
        [
            "unscored: never recorded",
            "recording broke; this is a bug in the harness:",
            "*LookupError: no such thing",
            "interrupted after 0 samples; go on with: harness run --resume *",
        ]
    )


def test_a_warning_of_a_client_is_no_error_of_the_project(pytester: pytest.Pytester) -> None:
    turn_on(pytester, "filterwarnings = error")
    change_mocks(
        pytester, "for _ in range(50): warnings.warn('a field is missing'); await asyncio.sleep(0.001)"
    )
    pytester.makepyfile(
        test_ordinary="import pytest, warnings\n"
        "def test_ordinary():\n    with pytest.raises(UserWarning):\n        warnings.warn('mine')\n"
    )

    alone = session(pytester, "-m", "eval or not eval", "--trials", "3")
    shared = session(pytester, "-m", "eval or not eval", "--trials", "3", "-n", "1")

    alone.assert_outcomes(passed=10)
    shared.assert_outcomes(passed=10)


def test_names_that_a_project_took_are_left_to_it(pytester: pytest.Pytester) -> None:
    turn_on(pytester)
    pytester.makeconftest(
        """
        def pytest_addoption(parser):
            parser.addoption("--target", default="staging.json")
        """
    )
    pytester.makepyfile(
        test_ordinary="def test_it(request):\n    assert request.config.getoption('target') == 'mock:null'\n"
    )

    theirs = session(pytester, "--target", "mock:null")
    mixed_up = session(pytester, "-m", "eval", "--target", "mock:null")
    ours = session(pytester, "--harness-target", "mock:null")
    both = session(pytester, "-m", "eval or not eval", "--target=mock:null", "--harness-target=mock:oracle")

    theirs.assert_outcomes(passed=1)
    assert mixed_up.ret == pytest.ExitCode.USAGE_ERROR
    mixed_up.stderr.fnmatch_lines(
        ["ERROR: --target: another plugin or a conftest owns this name; evaluations take --harness-target"]
    )
    ours.assert_outcomes(failed=3, deselected=1)
    both.assert_outcomes(passed=4)


def test_a_plugin_with_the_same_marker_does_not_claim_our_samples(pytester: pytest.Pytester) -> None:
    turn_on(pytester)
    # As pytest-evals has it: a mark `eval` on the test itself needs a name, and is skipped unless asked for.
    pytester.makeconftest(
        """
        import pytest

        def pytest_collection_modifyitems(items):
            for item in items:
                for mark in item.own_markers:
                    if mark.name == "eval":
                        if "name" not in mark.kwargs:
                            raise ValueError("Marker eval must have a 'name' argument")
                        item.add_marker(pytest.mark.skip(reason="need --run-eval option to run"))
        """
    )
    pytester.makepyfile(
        test_theirs="import pytest\n@pytest.mark.eval(name='theirs')\ndef test_theirs():\n    pass\n"
    )

    session(pytester, "-m", "eval").assert_outcomes(passed=3, skipped=1, deselected=1)


def test_a_project_that_does_not_ask_is_left_alone(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nstrict = true\n")
    pytester.makepyfile("import pytest\n@pytest.mark.eval\ndef test_theirs():\n    pass\n")

    theirs = session(pytester, "-m", "eval")
    refused = session(pytester, "--target", "mock:oracle")
    helped = session(pytester, "--help")

    theirs.assert_outcomes(passed=1)
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    helped.stdout.no_fnmatch_line("*--harness-target*")
    assert not (pytester.path / "reports").exists()


@pytest.mark.parametrize("setting", ["", "harness_eval = true"], ids=["unasked", "asked for"])
def test_a_session_without_evaluations_loads_none_of_the_harness(
    pytester: pytest.Pytester, setting: str
) -> None:
    pytester.makeini(f"[pytest]\n{setting}\n")
    pytester.makepyfile(
        """
        import sys

        def test_what_is_loaded():
            ours = {each for each in sys.modules if each.split(".")[0] == "harness"}
            plugin = {"harness.pytest_plugin", "harness.pytest_plugin.options"}
            assert ours == {"harness", "harness.lazy"} | plugin
            assert not {"pydantic", "litellm", "rich", "yaml", "jinja2"} & set(sys.modules)
        """
    )

    command = [sys.executable, "-m", "pytest", "-p", "no:hypothesispytest", "-p", "no:anyio"]
    subprocess.run(command, cwd=pytester.path, check=True, stdout=subprocess.DEVNULL)


def test_sessions_may_be_given_marks_that_are_not_ours(pytester: pytest.Pytester) -> None:
    turn_on(pytester)

    for expression in ("eval and", "evaluation", "not (eval)"):
        session(pytester, "-m", expression)
        assert not (pytester.path / "reports").exists()

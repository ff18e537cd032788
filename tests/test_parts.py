"""Tests of optional parts: left out aloud, or demanded."""

from pathlib import Path

import pytest

PLUGIN = Path(__file__).with_name("parts.py").read_text(encoding="utf-8")
TESTS = """
    import pytest

    @pytest.mark.part("engine")
    def test_real(talked):
        talked("engine", "1.2", 3)
        pytest.skip("no engine here")

    @pytest.mark.part("engine")
    def test_more(talked):
        talked("engine", "1.2", 2)

    def test_other():
        pass
"""


@pytest.fixture
def tree(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeconftest(PLUGIN)
    pytester.makepyfile(TESTS)
    return pytester


def test_without_its_part_a_test_is_left_out_aloud(tree: pytest.Pytester) -> None:
    result = tree.runpytest_inprocess()
    result.assert_outcomes(passed=2, skipped=1)
    result.stdout.fnmatch_lines(
        ["left out: 1 tests of engine (no engine here); `make test-engine` runs them"]
    )


def test_a_demanded_part_runs_alone_and_may_not_be_skipped(tree: pytest.Pytester) -> None:
    result = tree.runpytest_inprocess("--part", "engine")
    result.assert_outcomes(passed=1, failed=1, deselected=1)
    result.stdout.fnmatch_lines(
        ["*skipped, and --part demands it: no engine here", "talked to engine 1.2: 5 calls"]
    )


def test_a_part_that_no_test_has_is_a_usage_error(tree: pytest.Pytester) -> None:
    result = tree.runpytest_inprocess("--part", "engin")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--part: found 'engin'; the collected tests have: engine"])

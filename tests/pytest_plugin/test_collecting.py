"""Collecting samples loads what it needs and no more."""

import subprocess
import sys

from harness.scenarios.load import CHECKOUT

COLLECT = """
import sys, pytest
pytest.main(["-m", "eval", "--collect-only", "-q", "-p", "no:cacheprovider", "--scenario", "recovery/*"])
heavy = {"harness.pytest_plugin.working", "harness.gate", "litellm", "pandas", "scipy", "aiohttp"}
print("loaded:", sorted(heavy & set(sys.modules)))
"""


def test_evaluations_of_this_project_are_collected_without_loading_its_tests_or_what_judges() -> None:
    found = subprocess.run(
        [sys.executable, "-c", COLLECT], cwd=CHECKOUT, capture_output=True, text=True, check=True
    ).stdout

    assert "tests collected" in found
    assert "deselected" not in found
    assert "loaded: []" in found


# Named by their folder: without it pytest loads the conftest of this project's tests, and so what converses.
COLLECT_NAMED = """
import atexit, gc, sys, pytest
atexit.register(lambda: print("unwatched at the end:", gc.get_freeze_count() > 0))
pytest.main(["scenarios", "-m", "eval", "--collect-only", "-q", "-p", "no:cacheprovider", "-s"])
heavy = {"harness.conversation", "harness.extraction", "harness.graders", "harness.cluster.build"}
print("loaded:", sorted(heavy & set(sys.modules)))
print("unwatched before:", gc.get_freeze_count() > 0, "looked for:", gc.isenabled())
"""


def test_collecting_loads_neither_what_converses_nor_worlds_and_its_process_ends_at_once() -> None:
    found = subprocess.run(
        [sys.executable, "-c", COLLECT_NAMED], cwd=CHECKOUT, capture_output=True, text=True, check=True
    ).stdout

    assert "tests collected" in found
    assert "loaded: []" in found
    assert "unwatched before: False looked for: True" in found
    assert "unwatched at the end: True" in found

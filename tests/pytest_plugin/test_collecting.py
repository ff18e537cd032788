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

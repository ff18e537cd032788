"""report -f inspect where Inspect AI is not installed."""

import importlib.util
from pathlib import Path

import pytest

from tests.commanding import SUITE, harness, run_of

INSTALLED = importlib.util.find_spec("inspect_ai") is not None


@pytest.mark.skipif(INSTALLED, reason="Inspect AI is installed")
def test_without_the_extra_the_format_says_how_to_install_it(tmp_path: Path) -> None:
    run = run_of("run", "-s", "incident/oom-behind-latency", *SUITE, "--out", str(tmp_path))
    ending = harness("report", str(run), "-f", "inspect")
    assert ending.code == 2
    assert "pip install 'contract-harness[inspect]'" in ending.err

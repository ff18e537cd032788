"""What reports need can be loaded ahead: nothing is left to load when they are written."""

import subprocess
import sys
from pathlib import Path

from commanding import SUITE, run_of
from conftest import PROJECT

LATER = """
import sys
from harness.pipeline import grade_run
from harness.reporting.overview import overview
from harness.reporting.write import GRADED, load, write_usual
from harness.scenarios import find_project, load_scenarios
from harness.store import open_run

run = open_run(sys.argv[1])
tally = grade_run(run, {each.id: each for each in load_scenarios(find_project())}, files=GRADED)
load()
before = set(sys.modules)
write_usual(run, overview(run, tally))
print(sorted(set(sys.modules) - before))
"""


def test_nothing_is_left_to_load_when_reports_are_written(tmp_path: Path) -> None:
    run = run_of("run", "-s", "incident/oom*", "-n", "2", "--out", str(tmp_path), *SUITE)

    done = subprocess.run(
        [sys.executable, "-c", LATER, str(run)], cwd=PROJECT.root, capture_output=True, text=True, check=True
    )

    assert done.stdout == "[]\n"

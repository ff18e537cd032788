"""The whole flow: record what targets say, grade what was recorded.

    Scenario x Contract -> prompt -> conversation -> Transcript -> [run] -> Sample -> graders -> scores

Only `recording` costs money; `scoring` works offline on any stored run, as often as one likes.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from harness.lazy import parts_of

if TYPE_CHECKING:
    from harness.pipeline.judging import grade, grade_pair, samples
    from harness.pipeline.plan import Plan, contracts_for, new_info, trials_of
    from harness.pipeline.recording import Finished, ask, opened, record, settle
    from harness.pipeline.scoring import EXTRACTION_VERSION, SCORES, Files, Scoring, grade_run, grading

__all__ = [
    "EXTRACTION_VERSION",
    "SCORES",
    "Files",
    "Finished",
    "Plan",
    "Scoring",
    "ask",
    "contracts_for",
    "grade",
    "grade_pair",
    "grade_run",
    "grading",
    "new_info",
    "opened",
    "record",
    "samples",
    "settle",
    "trials_of",
]

_HOMES = {
    "EXTRACTION_VERSION": "scoring",
    "SCORES": "scoring",
    "Files": "scoring",
    "Finished": "recording",
    "Plan": "plan",
    "Scoring": "scoring",
    "ask": "recording",
    "contracts_for": "plan",
    "grade": "judging",
    "grade_pair": "judging",
    "grade_run": "scoring",
    "grading": "scoring",
    "new_info": "plan",
    "opened": "recording",
    "record": "recording",
    "samples": "judging",
    "settle": "recording",
    "trials_of": "plan",
}

# Every part needs both, and they need each other: two threads that ask for parts would find them half made.
import_module("harness.catalog")
import_module("harness.model")

# Who plans need not load what judges.
__getattr__, __dir__ = parts_of(__name__, _HOMES)

"""The whole flow: record what targets say, grade what was recorded.

    Scenario x Contract -> prompt -> conversation -> Transcript -> [run] -> Sample -> graders -> scores

Only `recording` costs money; `scoring` works offline on any stored run, as often as one likes.
"""

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

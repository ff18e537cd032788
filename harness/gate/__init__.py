"""Run x baseline -> Verdict: a comparison that keeps its promise, and baselines that people accepted."""

from harness.gate.baselines import Baseline, read_baseline, side_of_baseline
from harness.gate.deciding import COVERAGE_FLOOR, Terms, decide
from harness.gate.known_failures import KnownFailure, read_known_failures
from harness.gate.ledger import accepted_baseline
from harness.gate.matching import NotComparable
from harness.gate.sides import Side, side_of_rows, side_of_run
from harness.gate.verdict import Compared, Flip, HardClause, Verdict

__all__ = [
    "COVERAGE_FLOOR",
    "Baseline",
    "Compared",
    "Flip",
    "HardClause",
    "KnownFailure",
    "NotComparable",
    "Side",
    "Terms",
    "Verdict",
    "accepted_baseline",
    "decide",
    "read_baseline",
    "read_known_failures",
    "side_of_baseline",
    "side_of_rows",
    "side_of_run",
]

"""Numbers over scores: counts, rates and intervals, differences, and what could have been seen."""

from harness.statistics.confusion import SEVERITY, SIGNAL_TYPE, Confusion, confusions
from harness.statistics.differences import Difference, Stratum, bounds, difference
from harness.statistics.intervals import Interval, wilson
from harness.statistics.outcomes import ALL, by_dimension
from harness.statistics.repeated import RepeatedRow, repeated
from harness.statistics.spending import Price, SpendingRow
from harness.statistics.summary import (
    HARD,
    Cause,
    ClauseRow,
    FailureGroup,
    SummaryRow,
    by_clause,
    counts,
    failures,
    summarise,
    unscored_causes,
)
from harness.statistics.tally import Tally, tallied

__all__ = [
    "ALL",
    "HARD",
    "SEVERITY",
    "SIGNAL_TYPE",
    "Cause",
    "ClauseRow",
    "Confusion",
    "Difference",
    "FailureGroup",
    "Interval",
    "Price",
    "RepeatedRow",
    "SpendingRow",
    "Stratum",
    "SummaryRow",
    "Tally",
    "bounds",
    "by_clause",
    "by_dimension",
    "confusions",
    "counts",
    "difference",
    "failures",
    "repeated",
    "summarise",
    "tallied",
    "unscored_causes",
    "wilson",
]

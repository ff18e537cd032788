"""Numbers over scores: counts, rates and intervals."""

from harness.statistics.intervals import Interval, wilson
from harness.statistics.summary import (
    ALL,
    HARD,
    Cause,
    ClauseRow,
    FailureGroup,
    SummaryRow,
    by_clause,
    failures,
    should_rows,
    summarise,
    unscored_causes,
)

__all__ = [
    "ALL",
    "HARD",
    "Cause",
    "ClauseRow",
    "FailureGroup",
    "Interval",
    "SummaryRow",
    "by_clause",
    "failures",
    "should_rows",
    "summarise",
    "unscored_causes",
    "wilson",
]

"""Violations: edits of a model's messages that break a declared set of clauses."""

from harness.violations.compose import compose
from harness.violations.edits import (
    COPIED_SEVERITY,
    COPIED_SIGNAL_TYPE,
    MEDDLED_LABEL,
    REPEATED_WORKFLOW,
    VIOLATIONS,
    Situation,
    Violation,
)

__all__ = [
    "COPIED_SEVERITY",
    "COPIED_SIGNAL_TYPE",
    "MEDDLED_LABEL",
    "REPEATED_WORKFLOW",
    "VIOLATIONS",
    "Situation",
    "Violation",
    "compose",
]

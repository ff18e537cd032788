"""Violations: edits of a model's messages that break a declared set of clauses.

One set serves three masters: mocks play them live, the exam splices them into good transcripts, and the
mock server plays them over real HTTP. To add one: write its edit in the module of its vice, add it to the
module's ALL.
"""

from typing import TYPE_CHECKING, Any

from harness.violations.compose import compose
from harness.violations.violation import PairViolation, Situation, Violation

if TYPE_CHECKING:
    from harness.violations.all import OPERATORS, PAIR_OPERATORS, VARIANTS, VIOLATIONS

__all__ = [
    "OPERATORS",
    "PAIR_OPERATORS",
    "VARIANTS",
    "VIOLATIONS",
    "PairViolation",
    "Situation",
    "Violation",
    "compose",
]


def __getattr__(name: str) -> Any:
    """Import all of them when the first table of them is asked for."""
    if name in __all__:
        from harness.violations import all as tables

        return getattr(tables, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

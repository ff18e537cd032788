"""Violations: edits of a model's messages that break a declared set of clauses.

One set serves three masters: mocks play them live, the exam splices them into good transcripts, and the
mock server plays them over real HTTP. To add one: write its edit in the module of its vice, add it to the
module's ALL.
"""

from typing import TYPE_CHECKING

from harness.lazy import parts_of
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

# Who plays one need not load all of them.
__getattr__, __dir__ = parts_of(
    __name__, dict.fromkeys(("OPERATORS", "PAIR_OPERATORS", "VARIANTS", "VIOLATIONS"), "all")
)

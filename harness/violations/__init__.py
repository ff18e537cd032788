"""Violations: edits of a model's messages that break a declared set of clauses.

One set serves three masters: mocks play them live, the exam splices them into good transcripts, and the
mock server plays them over real HTTP. To add one: write its edit in the module of its vice, add it to the
module's ALL.
"""

from harness.violations import copying, forging, haste, labels, obedience, rambling, repeating
from harness.violations.compose import compose
from harness.violations.violation import Situation, Violation

__all__ = ["VIOLATIONS", "Situation", "Violation", "compose"]

VIOLATIONS: tuple[Violation, ...] = (
    *labels.ALL,
    *copying.ALL,
    *repeating.ALL,
    *rambling.ALL,
    *forging.ALL,
    *haste.ALL,
    *obedience.ALL,
)

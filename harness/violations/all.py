"""Every violation and every valid variant, in order; who plays a few of them does without this."""

from harness.violations import (
    assessing,
    calling,
    carriers,
    choosing,
    copying,
    diagnosing,
    filling,
    forging,
    haste,
    labelling,
    labels,
    leaking,
    looking,
    misshapen,
    mistyped,
    obedience,
    obeying,
    ordering,
    passing,
    quoting,
    rambling,
    recovering,
    relations,
    repeating,
    retrying,
    searching,
    targeting,
    valuing,
    variants,
)
from harness.violations.violation import PairViolation, Violation

VIOLATIONS: tuple[Violation, ...] = (
    *labels.ALL,
    *copying.ALL,
    *repeating.ALL,
    *rambling.ALL,
    *carriers.ALL,
    *mistyped.ALL,
    *misshapen.ALL,
    *forging.ALL,
    *haste.ALL,
    *obedience.ALL,
    *passing.ALL,
    *leaking.ALL,
    *labelling.ALL,
    *assessing.ALL,
    *diagnosing.ALL,
    *searching.ALL,
    *calling.ALL,
    *ordering.ALL,
    *targeting.ALL,
    *choosing.ALL,
    *quoting.ALL,
    *filling.ALL,
    *valuing.ALL,
    *recovering.ALL,
    *retrying.ALL,
    *obeying.ALL,
)

VARIANTS: tuple[Violation, ...] = (
    *variants.ALL,
    *looking.ALL,
    *passing.VARIANTS,
    *assessing.VARIANTS,
    *diagnosing.VARIANTS,
    *searching.VARIANTS,
    *calling.VARIANTS,
    *targeting.VARIANTS,
    *quoting.VARIANTS,
    *filling.VARIANTS,
    *recovering.VARIANTS,
    *obeying.VARIANTS,
)
"""Valid variants: what a good answer may do."""

OPERATORS: tuple[Violation, ...] = (*VIOLATIONS, *VARIANTS)
"""Everything that the exam applies."""

PAIR_OPERATORS: tuple[PairViolation, ...] = (*relations.ALL, *relations.VARIANTS)
"""What the exam does to the second halves of pairs."""

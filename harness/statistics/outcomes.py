"""What a sample comes to: the worst of its clauses, in each dimension and over all."""

from collections.abc import Mapping

from harness.contracts.clauses import CLAUSES

ALL = "all"
RELATION = "relation"
"""The dimension whose clauses compare two samples; whether one of them is compliant does not depend on it."""

# A fail stands, whatever could not be scored beside it.
BADNESS = {"not_applicable": 0, "pass": 1, "unscored": 2, "fail": 3}

MUST: Mapping[str, str] = {each.id: each.dimension for each in CLAUSES if each.level == "MUST"}
"""MUST clause -> dimension."""


def worse(one: str, other: str) -> str:
    """Return the outcome of a sample that has both."""
    return max(one, other, key=BADNESS.__getitem__)


def by_dimension(clauses: Mapping[str, str]) -> dict[str, str]:
    """Return a sample's outcome in `all` and in each dimension of which it has a MUST clause.

    Args:
        clauses: the sample's clauses with their outcomes; clauses of other levels count for nothing.
    """
    found: dict[str, str] = {}
    for name, outcome in clauses.items():
        dimension = MUST.get(name)
        if dimension is None:
            continue
        for each in (dimension,) if dimension == RELATION else (ALL, dimension):
            found[each] = worse(found.get(each, outcome), outcome)
    return found

"""What a trace leaves out makes verdicts doubtful: which verdicts of which clauses, by what is left out.

Only what the missing part could refute is in doubt. Where a trace lacks results, "the id was returned" stays
a pass, and "searched before any evidence was seen" is no longer a fail.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from harness.model import Sample, Score, unscored
from harness.model.score import Outcome
from harness.model.transcript import Gap

_ANY: frozenset[Outcome] = frozenset({"pass", "fail", "not_applicable"})
_FAIL: frozenset[Outcome] = frozenset({"fail"})
_CLEAN: frozenset[Outcome] = frozenset({"pass", "not_applicable"})

_OF_SEARCHES = (
    "SIG-1", "SIG-2", "SIG-3", "SIG-4", "SEV-4", "PAS-1", "PAS-2", "PAS-3", "PAS-4", "PAS-5", "PAS-9",
    "QRY-3", "QRY-4", "QRY-4b", "QRY-5", "QRY-6", "QRY-7", "SEL-6",
)  # fmt: skip
"""Clauses about what searches were given."""

IN_DOUBT: Mapping[Gap, Mapping[str, frozenset[Outcome]]] = {
    # Whether the tool was offered decides whose silence it is. (QRY-7 knows this harness's own tools.)
    "request": {"QRY-1": _FAIL},
    "prompt": {"SAF-2": _FAIL},
    "arguments": {
        **dict.fromkeys(_OF_SEARCHES, _ANY),
        "SEV-1": _CLEAN, "PAS-6": _CLEAN, "QRY-8": _ANY, "REC-5": _ANY, "SAF-1": _CLEAN, "SAF-2": _FAIL,
    },
    "results": {"QRY-2": _FAIL, "REC-5": _FAIL, "REP-3": _CLEAN, "REC-3": _ANY, "SAF-2": _FAIL},
    "order": {"QRY-2": _ANY, "QRY-8": _FAIL, "REC-5": _ANY},
    "wording": {"CAR-1": _ANY, "CAR-2": _ANY, "CAR-3": _ANY, "CAR-4": _ANY, "CAR-5": _ANY},
}  # fmt: skip


def doubtful_where(gaps: Iterable[Gap]) -> frozenset[str]:
    """Return the clauses of which some verdict is in doubt in a trace with these gaps."""
    return _doubtful(tuple(gaps))


@lru_cache(maxsize=64)
def _doubtful(gaps: tuple[Gap, ...]) -> frozenset[str]:
    return frozenset(rule for gap in gaps for rule in IN_DOUBT[gap])


def in_doubt(clause_id: str, score: Score, sample: Sample) -> Score | None:
    """Return the unscored of a verdict that what the trace leaves out might turn, else None."""
    for gap, why in sample.transcript.gaps.items():
        doubtful = IN_DOUBT[gap].get(clause_id)
        if doubtful and score.outcome in doubtful:
            return unscored(why)
    return None

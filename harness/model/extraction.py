"""What was found in a final message, before any contract is asked about it."""

from typing import Any, Literal

from harness.model.frozen import frozen

ExtractionOutcome = Literal["answer", "none", "ambiguous", "truncated", "empty", "refused"]
ExtractionTier = Literal["strict", "fence", "embedded", "json5", "salvage"]

# These tell of the value or of the circumstances, not of the carrier: CAR-2 judges them, CAR-1 does not.
_BESIDE_THE_CARRIER = frozenset(
    {
        "content_filtered",
        "cut_by_limit",
        "duplicate_key",
        "lone_surrogate",
        "nan_or_infinity",
        "string_holding_json",
        "think_block",
    }
)


@frozen
class Finding:
    """One thing about a final message that a contract may object to."""

    name: str
    """A stable word in snake_case."""
    place: str
    """A JSON pointer into the value ("" is the whole of it), or "char 120", an offset into the message."""
    detail: str
    """One short sentence, free of control characters."""


@frozen
class Extraction:
    """What one final message turned out to hold (CAR-1, CAR-2, CAR-7)."""

    outcome: ExtractionOutcome
    value: dict[str, Any] | None
    """The answer, where the outcome is "answer"; numbers in it are finite and its text can be encoded."""
    tier: ExtractionTier | None
    """How much forgiveness reading took, from "strict" to "salvage"; None where nothing was read."""
    findings: tuple[Finding, ...]
    carrier: str
    """What held the answer, or kept it from being read, in a word: "bare", "fence", "prose", ..."""

    @property
    def accepted(self) -> bool:
        """Tell whether strict JSON stands in a carrier that the contracts accept (CONTRACT section 1)."""
        return (
            self.outcome == "answer"
            and (self.carrier, self.tier) in {("bare", "strict"), ("fence", "fence")}
            and all(finding.name in _BESIDE_THE_CARRIER for finding in self.findings)
        )

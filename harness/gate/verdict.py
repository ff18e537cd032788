"""What the gate says, whole."""

from dataclasses import dataclass
from typing import Any, Literal

from harness.gate.known_failures import Excused
from harness.model import SampleId

GateOutcome = Literal["pass", "regression", "inconclusive", "insufficient"]

EXIT_CODES: dict[GateOutcome, int] = {"pass": 0, "regression": 1, "insufficient": 3, "inconclusive": 4}
"""What `harness gate` ends with; 2 is a comparison that was refused."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A dimension or clause on both sides; effects are candidate minus baseline, between -1 and 1.

    `p` is adjusted for everything that was tested beside it; None where nothing could have fallen, since
    nobody ever failed, and nothing was tested.
    """

    name: str
    n: int
    rate: float
    baseline_n: int
    baseline_rate: float
    effect: float
    low: float
    high: float
    p: float | None
    outcome: GateOutcome

    def as_json(self) -> dict[str, Any]:
        """Return what programs are told."""
        return {
            "dimension": self.name,
            "n": self.n,
            "effect": self.effect,
            "low": self.low,
            "high": self.high,
            "outcome": self.outcome,
        }


@dataclass(frozen=True, slots=True)
class HardClause:
    """A hard clause on both sides, in samples.

    `regression`: the candidate breaks it and the baseline never did, or breaks it more often than chance
    allows. `standing`: both break it. `kept`: the candidate does not.
    """

    clause: str
    broken: int
    n: int
    baseline_broken: int
    baseline_n: int
    outcome: Literal["regression", "standing", "kept"]
    samples: tuple[SampleId, ...]

    def as_json(self) -> dict[str, Any]:
        """Return what programs are told."""
        return {
            "clause": self.clause,
            "outcome": self.outcome,
            "broken": self.broken,
            "n": self.n,
            "baseline_broken": self.baseline_broken,
            "baseline_n": self.baseline_n,
            "samples": [str(each) for each in self.samples],
        }


@dataclass(frozen=True, slots=True)
class Flip:
    """A sample that is compliant on one side and not on the other.

    `clauses` are those it breaks on the side where it is not. `turn` is the first reply in which the two
    conversations differ, and `differs` how; None where a transcript is not at hand, or nothing differs.
    """

    sample: SampleId
    baseline: SampleId
    was: str
    now: str
    clauses: tuple[str, ...]
    turn: int | None = None
    differs: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return what programs are told."""
        return {
            "sample": str(self.sample),
            "baseline": str(self.baseline),
            "was": self.was,
            "is": self.now,
            "clauses": list(self.clauses),
            "turn": self.turn,
            "differs": self.differs,
        }


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision and everything it rests on.

    `minimum_detectable` is the smallest drop of `all`, through one dimension or many, that would have ended
    in a regression in four of five such comparisons; None where none would. `trials_to_decide` is how many
    trials of each scenario, on both sides, let a candidate pass in four of five cases that has not changed;
    None where a thousand do not.
    """

    outcome: GateOutcome
    because: str
    dimensions: tuple[Compared, ...]
    clauses: tuple[Compared, ...]
    hard: tuple[HardClause, ...]
    coverage: float
    minimum_detectable: float | None
    trials_to_decide: int | None
    trials: tuple[int, int]
    """Most trials of a scenario: the candidate's, the baseline's."""
    families: int
    flipped: tuple[Flip, ...]
    excused: tuple[Excused, ...]
    left_out: tuple[str, ...]
    notes: tuple[str, ...]
    margin: float
    alpha: float
    hidden: float = 0.0
    """How far `all` falls if the candidate is wrong wherever it was never scored and the baseline was."""

    @property
    def exit_code(self) -> int:
        """What `harness gate` ends with."""
        return EXIT_CODES[self.outcome]

    def as_json(self) -> dict[str, Any]:
        """Return what programs are told."""
        return {
            "outcome": self.outcome,
            "dimensions": [each.as_json() for each in self.dimensions],
            "hard": [each.as_json() for each in self.hard],
            "minimum_detectable": self.minimum_detectable,
            "coverage": self.coverage,
            "flipped": [each.as_json() for each in self.flipped],
        }

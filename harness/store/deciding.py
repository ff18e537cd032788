"""What run.json says of a run that is recorded until it is decided: its terms, and every look at it."""

from pydantic import BaseModel, ConfigDict


class LookedAt(BaseModel):
    """One dimension at one look; effects are candidate minus baseline, `p` is None where nothing varied."""

    model_config = ConfigDict(extra="forbid")

    dimension: str
    effect: float
    low: float
    high: float
    p: float | None
    outcome: str


class Look(BaseModel):
    """What a look found after a whole wave."""

    model_config = ConfigDict(extra="forbid")

    wave: int
    alpha: float
    """What this look could spend of the run's alpha: its tests are held to it, and its bounds."""
    spent: float
    """What all looks up to this one could spend."""
    samples: int
    coverage: float
    outcome: str
    dimensions: list[LookedAt]
    hard: list[str]
    """Hard clauses that are a regression."""


class Deciding(BaseModel):
    """Under which terms a run is decided while it is recorded, and what became of it."""

    model_config = ConfigDict(extra="forbid")

    baseline: str
    """The file or run that it is held against."""
    baseline_target: str | None = None
    against: str
    """The digest of the baseline's outcomes and of the known failures, so that a resumed run has the same."""
    baselines: str
    """The folder of baselines, with the known failures."""
    margin: float
    alpha: float
    common: bool
    cap: int
    """Waves at most."""
    looks: list[Look] = []
    outcome: str | None = None
    """pass, regression, inconclusive or insufficient; None while it goes on."""
    because: str | None = None

    @property
    def settled(self) -> int:
        """The wave up to which a look stands, so that its samples are not asked again."""
        return max((each.wave for each in self.looks if each.outcome != "insufficient"), default=0)

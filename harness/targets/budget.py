"""The books of a recording: what was spent, what is at stake, and whether there is room for more."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from harness.errors import BudgetReached
from harness.model import SampleId, Transcript, Usage
from harness.targets.prices import Prices


@dataclass(slots=True)
class Passage:
    """One request on its way; `usage` is set once it was replied to, whatever the reply is worth."""

    episode: int
    tokens: int
    cost: float
    usage: Usage | None = None


@dataclass(slots=True)
class Money:
    """US dollars of one recording: spent, kept back for trials under way, and at stake in requests.

    `limit` is the most to be spent, None where there is no such; `known` tells whether any reply had a price.
    """

    limit: float | None = None
    spent: float = 0.0
    known: bool = False
    reserved: float = 0.0
    at_stake: float = 0.0
    reached: bool = False

    def reserve(self, amount: float) -> bool:
        """Keep an amount back for a trial, if there is room for it; `release` must follow."""
        if amount and self.limit is not None and self.spent + self.reserved + amount > self.limit:
            self.reached = True
            return False
        self.reserved += amount
        return True

    def release(self, amount: float) -> None:
        """Give back what was kept for a trial that ended."""
        self.reserved -= amount

    def stake(self, amount: float) -> None:
        """Put an amount at stake for a request; raise BudgetReached where that might be too much."""
        if self.limit is not None and self.spent + self.at_stake + amount > self.limit:
            self.reached = True
            msg = f"budget: ${self.spent:.4f} of ${self.limit:g} are spent; go on with a larger --max-cost"
            raise BudgetReached(msg)
        self.at_stake += amount

    def settle(self, passage: Passage) -> None:
        """Book a request that has ended; one whose price nobody told counts as estimated under a budget."""
        self.at_stake -= passage.cost
        if passage.usage is None:
            return
        if passage.usage.cost is not None:
            self.spent, self.known = self.spent + passage.usage.cost, True
        elif self.limit is not None:
            self.spent, self.known = self.spent + passage.cost, True


@dataclass(slots=True)
class Budget:
    """The books of a recording, and what they rest on: the prices of targets and the costs of samples.

    `reserves` are US dollars kept back for each sample while it is asked: an estimate on the safe side, until
    a dearer one of its target was seen.
    """

    money: Money = field(default_factory=Money)
    prices: Mapping[str, Prices] = field(default_factory=dict[str, Prices])
    reserves: Mapping[SampleId, float] = field(default_factory=dict[SampleId, float])
    dearest: dict[str, float] = field(default_factory=dict[str, float])

    def reserve(self, sample: SampleId) -> float:
        """Return how much to keep back for a sample."""
        estimate = self.reserves.get(sample, 0.0)
        return max(estimate, self.dearest.get(sample.target, 0.0)) if estimate else 0.0

    def seen(self, transcript: Transcript) -> None:
        """Remember what a trial cost."""
        cost = sum(each.usage.cost or 0.0 for each in transcript.turns)
        self.dearest[transcript.id.target] = max(cost, self.dearest.get(transcript.id.target, 0.0))

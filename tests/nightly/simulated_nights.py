"""Nights that were never recorded: lines of models whose rates are known."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from harness.nightly.lines import Cell, Night

FIRST = date(2026, 11, 1)
CONTRACT = "workflow-selection-2.7"
SCENARIOS = 60
CANARY = 30
TRIALS = 3


def day(night: int) -> str:
    """Return the date of the nth night, counted from 1."""
    return (FIRST + timedelta(days=night - 1)).isoformat()


@dataclass(frozen=True)
class Model:
    """A model and what becomes of it; nights are counted from 1."""

    name: str
    drop: Mapping[int, float] = field(default_factory=dict[int, float])
    """From a night on, its rate is lower by so much."""
    outages: frozenset[int] = frozenset()
    prompt_from: int | None = None
    reported_from: int | None = None


@dataclass(frozen=True)
class Suite:
    """What is asked of all models, and what becomes of it."""

    grader_from: int | None = None
    grader_drop: float = 0.0
    scenarios_from: int | None = None
    edited: int = 5


def month(models: list[Model], *, seed: int, suite: Suite | None = None, nights: int = 30) -> list[Night]:
    """Return the lines of so many nights."""
    random = np.random.default_rng(seed)
    suite = suite or Suite()
    rates = {
        each.name: np.where(random.random(SCENARIOS) < 0.6, 1.0, random.beta(8, 2, SCENARIOS))
        for each in models
    }
    return [
        _night(each, suite, night, rates[each.name], random)
        for night in range(1, nights + 1)
        for each in models
    ]


def _night(
    model: Model, suite: Suite, night: int, rates: NDArray[np.float64], random: np.random.Generator
) -> Night:
    fallen = sum(drop for since, drop in model.drop.items() if night >= since)
    judged = _since(suite.grader_from, night)
    fallen += suite.grader_drop if judged else 0.0
    out = night in model.outages
    lower = np.clip(rates * (1 - fallen / rates.mean()), 0, 1)
    passes: list[int] = [int(random.binomial(TRIALS, float(each))) for each in lower]
    edited = suite.edited if _since(suite.scenarios_from, night) else 0
    cells = {
        f"incident/s{at:02}": Cell(
            scenario="edited" if at < edited else "s",
            prompt=("new" if _since(model.prompt_from, night) else "old")
            + (" edited" if at < edited else ""),
            passed=0 if out else passes[at],
            n=0 if out else TRIALS,
            canary=at < CANARY,
        )
        for at in range(SCENARIOS)
    }
    planned = SCENARIOS * TRIALS
    return Night(
        date=day(night),
        target=model.name,
        contract=CONTRACT,
        run=f"runs/{model.name}-{night}",
        recorded=f"{day(night)}T03:00:00+00:00",
        harness="1.0",
        settings={"kind": "litellm", "model": f"provider/{model.name}"},
        reported=[] if out else [f"{model.name}-2026" + ("-b" if _since(model.reported_from, night) else "")],
        terms="contract",
        graders={"SEV-2": 2 if judged else 1, "PAS-1": 1},
        extraction=1,
        planned=planned,
        scored=0 if out else planned,
        unscored={"rate_limited": planned} if out else {},
        dimensions={} if out else {"all": [sum(passes), planned]},
        cells=cells,
        cost=0.0 if out else 1.25,
        tokens=None,
        seconds=None,
    )


def _since(first: int | None, night: int) -> bool:
    return first is not None and night >= first

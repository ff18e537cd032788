"""What several trials tell of a rate: an interval that knows of scenarios and families, pass@k and pass^k."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from harness.statistics.clustered import ClusteredMean, clustered_mean
from harness.statistics.intervals import Interval, score_interval
from harness.statistics.outcomes import ALL, MUST, RELATION, worse
from harness.statistics.repeats import mean_known, pass_all_k, pass_at_k
from harness.store import ScoreRow


@dataclass(frozen=True, slots=True)
class RepeatedRow:
    """One dimension of one target under one contract, over scenarios that each count alike.

    `low` and `high` (95 %, clustered) are None where there is one cluster only, or no scenario has several
    trials: then Wilson's interval of the summary says it all. `any_of` and `all_of` are the
    unbiased estimates of pass@k and pass^k for 1 to k trials, over the scenarios with as many.
    """

    target: str
    contract: str
    dimension: str
    scenarios: int
    rate: float
    low: float | None
    high: float | None
    any_of: tuple[float, ...]
    all_of: tuple[float, ...]


def repeated(rows: Iterable[ScoreRow], clusters: Mapping[str, str] | None = None) -> list[RepeatedRow]:
    """Return one row per target, contract and dimension of which a scenario was scored, `all` first.

    Args:
        rows: scores.
        clusters: scenario -> family; every scenario is a cluster of its own by default.
    """
    worst: defaultdict[tuple[str, str, str], dict[tuple[str, int], str]] = defaultdict(dict)
    for row in rows:
        if row.level != "MUST":
            continue
        for dimension in (row.dimension,) if row.dimension == RELATION else (ALL, row.dimension):
            found = worst[row.target, row.contract, dimension]
            place = (row.scenario, row.trial)
            found[place] = worse(found.get(place, row.outcome), row.outcome)
    order = {name: at for at, name in enumerate(dict.fromkeys((ALL, *MUST.values())))}
    made = (_row(*key, outcomes, clusters or {}) for key, outcomes in worst.items())
    return sorted(
        (each for each in made if each is not None),
        key=lambda each: (each.target, each.contract, order.get(each.dimension, len(order))),
    )


def _row(
    target: str,
    contract: str,
    dimension: str,
    outcomes: Mapping[tuple[str, int], str],
    clusters: Mapping[str, str],
) -> RepeatedRow | None:
    counts: dict[str, tuple[int, int]] = {}
    for (scenario, _), outcome in outcomes.items():
        if outcome in {"pass", "fail"}:
            passed, n = counts.get(scenario, (0, 0))
            counts[scenario] = passed + (outcome == "pass"), n + 1
    if not counts:
        return None
    most = max(n for _, n in counts.values())
    rates = [passed / n for passed, n in counts.values()]
    mean = clustered_mean(rates, [clusters.get(each, each) for each in counts])
    interval = _interval(mean, len({clusters.get(each, each) for each in counts})) if most > 1 else None
    several = range(1, most + 1)
    return RepeatedRow(
        target=target,
        contract=contract,
        dimension=dimension,
        scenarios=len(counts),
        rate=mean.mean,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        any_of=tuple(mean_known(pass_at_k(*each, k) for each in counts.values()) or 0.0 for k in several),
        all_of=tuple(mean_known(pass_all_k(*each, k) for each in counts.values()) or 0.0 for k in several),
    )


def _interval(mean: ClusteredMean, count: int) -> Interval | None:
    """Return Student's interval over clusters; where they all agree, Wilson's, as if each were one trial."""
    half = mean.half_width(0.975)
    if half is None:
        return None
    if not half:
        return score_interval(mean.mean, count, 0.975)
    return Interval(max(0.0, mean.mean - half), min(1.0, mean.mean + half))

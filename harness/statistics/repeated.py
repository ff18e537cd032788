"""What several trials tell of a rate: an interval that knows of scenarios and families, pass@k and pass^k."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from harness.statistics.clustered import ClusteredMean, clustered_mean
from harness.statistics.intervals import Interval, score_interval
from harness.statistics.outcomes import ALL, MUST
from harness.statistics.repeats import mean_of_each, pass_all_k, pass_at_k
from harness.statistics.tally import Tally, outcomes_of


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


def repeated(tally: Tally, clusters: Mapping[str, str] | None = None) -> list[RepeatedRow]:
    """Return one row per target, contract and dimension of which a scenario was scored, `all` first.

    Args:
        tally: of a run.
        clusters: scenario -> family; every scenario is a cluster of its own by default.
    """
    scored: defaultdict[tuple[str, str, str], dict[str, tuple[int, int]]] = defaultdict(dict)
    for alike, samples in sorted(tally.samples.items(), key=lambda each: each[0].scenario):
        for dimension, outcome in outcomes_of(alike.pattern).items():
            if outcome in {"pass", "fail"}:
                found = scored[alike.target, alike.contract, dimension]
                passed, n = found.get(alike.scenario, (0, 0))
                found[alike.scenario] = passed + samples * (outcome == "pass"), n + samples
    order = {name: at for at, name in enumerate(dict.fromkeys((ALL, *MUST.values())))}
    return sorted(
        (_row(*key, counts, clusters or {}) for key, counts in scored.items()),
        key=lambda each: (each.target, each.contract, order.get(each.dimension, len(order))),
    )


def _row(
    target: str,
    contract: str,
    dimension: str,
    counts: Mapping[str, tuple[int, int]],
    clusters: Mapping[str, str],
) -> RepeatedRow:
    """Return the row of scenarios, each with how many of its trials passed, and how many were scored."""
    most = max(n for _, n in counts.values())
    rates = [passed / n for passed, n in counts.values()]
    mean = clustered_mean(rates, [clusters.get(each, each) for each in counts])
    interval = _interval(mean, len({clusters.get(each, each) for each in counts})) if most > 1 else None
    return RepeatedRow(
        target=target,
        contract=contract,
        dimension=dimension,
        scenarios=len(counts),
        rate=mean.mean,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        any_of=mean_of_each([pass_at_k(*each) for each in counts.values()]),
        all_of=mean_of_each([pass_all_k(*each) for each in counts.values()]),
    )


def _interval(mean: ClusteredMean, count: int) -> Interval | None:
    """Return Student's interval over clusters; where they all agree, Wilson's, as if each were one trial."""
    half = mean.half_width(0.975)
    if half is None:
        return None
    if not half:
        return score_interval(mean.mean, count, 0.975)
    return Interval(max(0.0, mean.mean - half), min(1.0, mean.mean + half))

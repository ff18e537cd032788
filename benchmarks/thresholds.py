"""Which threshold fits which ranker? Each over every catalog and every search that a scenario accepts.

    python benchmarks/thresholds.py              # all rankers that are installed, as Markdown
    python benchmarks/thresholds.py minilm       # one of embedded, hashing, minilm

A query is a signal type and a severity, as the contract words it. Entries with both labels are meant by it,
all others of the catalog are not. Thresholds are in steps of 0.01, the highest that keep so much of what is
meant; what they let pass of the rest is what labels must keep out.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import product

import numpy as np
from tabulate import tabulate

from harness.catalog import Ranker, search_catalog
from harness.catalog.meaning import EMBEDDERS, by_meaning, open_embedder
from harness.catalog.minilm import PACKAGE
from harness.catalog.ranking import confidence
from harness.catalog.search import offered
from harness.contracts.wire import DEFAULT_MAX_RESULTS, DEFAULT_MIN_CONFIDENCE
from harness.model import Entry, Scenario
from harness.scenarios import load_scenarios

RANKERS = ("embedded", *EMBEDDERS)
KEPT = (0.90, 0.95, 0.99)
STEPS = [step / 100 for step in range(100, -101, -1)]


@dataclass(frozen=True)
class Scores:
    """The confidences of a ranker, those of entries that a query means and those of all others."""

    meant: Sequence[float]
    others: Sequence[float]

    def threshold(self, kept: float) -> float:
        """Return the highest threshold that keeps a share of what is meant."""
        return next(each for each in STEPS if share(self.meant, each) >= kept)


def share(values: Sequence[float], threshold: float) -> float:
    """Return how much of some confidences reaches a threshold."""
    return sum(each >= threshold for each in values) / len(values)


def ranker(name: str) -> Ranker:
    """Return a ranker by name."""
    return confidence if name == "embedded" else by_meaning(open_embedder(name))


def scores_of(rank: Ranker, catalogs: Sequence[Sequence[Entry]]) -> Scores:
    """Return what a ranker gives every entry of each catalog for each query that means one of them."""
    meant: list[float] = []
    others: list[float] = []
    for catalog in catalogs:
        entries = [each for each in catalog if offered(each)]
        pairs = {
            pair for each in entries for pair in product(each.label("signal_type"), each.label("severity"))
        }
        for signal, severity in sorted(pairs):
            for each in entries:
                means = signal in each.label("signal_type") and severity in each.label("severity")
                (meant if means else others).append(rank(f"{signal} {severity}", each))
    return Scores(meant, others)


def searches(scenarios: Sequence[Scenario], rank: Ranker, threshold: float) -> Iterator[tuple[bool, bool]]:
    """Yield of each search that a scenario accepts whether it finds what is accepted, and whether first."""
    for scenario in scenarios:
        accepted = scenario.expect.workflows.accepted
        for signal, severity in product(scenario.expect.signal_types, scenario.expect.severities):
            if accepted:
                found = search_catalog(
                    scenario.catalog,
                    f"{signal} {severity}",
                    {**scenario.business.given(), "signal_type": signal, "severity": severity},
                    min_confidence=threshold,
                    max_results=DEFAULT_MAX_RESULTS,
                    rank=rank,
                )
                ids = [each.id for each in found.hits]
                yield any(each in accepted for each in ids), bool(ids) and ids[0] in accepted


def row(name: str, scenarios: Sequence[Scenario]) -> list[str]:
    """Return what was measured of a ranker, as text."""
    rank = ranker(name)
    catalogs = list({str(each.catalog): each.catalog for each in scenarios}.values())
    scores = scores_of(rank, catalogs)
    cells = [
        quantiles(scores.meant),
        quantiles(scores.others),
        *(f"{each:.2f} ({share(scores.others, each):.0%})" for each in map(scores.threshold, KEPT)),
    ]
    for threshold in (DEFAULT_MIN_CONFIDENCE, scores.threshold(KEPT[-1])):
        results = list(searches(scenarios, rank, threshold))
        found, first = (sum(each) / len(results) for each in zip(*results, strict=True))
        cells.append(f"{found:.1%} ({first:.1%})")
    return [name, *cells]


def quantiles(values: Sequence[float]) -> str:
    """Return what 5, 50 and 95 % of some confidences stay below."""
    return " / ".join(f"{each:.2f}" for each in np.quantile(values, [0.05, 0.5, 0.95]))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("rankers", nargs="*", metavar="RANKER", help="default: all that are installed")
    names = parser.parse_args().rankers or [
        each for each in RANKERS if each != "minilm" or find_spec(PACKAGE) is not None
    ]
    scenarios = load_scenarios()
    measured = list(zip(*(row(each, scenarios) for each in names), strict=True))
    what = (
        "",
        "confidence of meant entries: 5 % / median / 95 %",
        "confidence of all others: 5 % / median / 95 %",
        *(f"threshold that keeps {kept:.0%} of the meant (and of the others)" for kept in KEPT),
        "accepted searches that find an accepted workflow at 0.70 (first)",
        f"the same at the threshold that keeps {KEPT[-1]:.0%}",
    )
    table = [[title, *cells] for title, cells in zip(what, measured, strict=True)]
    print(tabulate(table[1:], headers=table[0], tablefmt="github", disable_numparse=True))


if __name__ == "__main__":
    main()

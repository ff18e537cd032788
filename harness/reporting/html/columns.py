"""What the page compares: each target under each contract in each run, counted as every report counts it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from harness.reporting.html.texts import short
from harness.reporting.overview import Overview, overview
from harness.statistics import ALL, HARD, SummaryRow
from harness.statistics.outcomes import RELATION, worse
from harness.store import Run, ScoreRow

MAX_NAME = 120


@dataclass(frozen=True, slots=True)
class GradedSample:
    """One sample: its scores, and what they come to."""

    id: str
    scenario: str
    trial: int
    outcome: str
    rows: tuple[ScoreRow, ...]

    def clauses(self, outcome: str) -> list[str]:
        """Return the clauses that came to an outcome, MUST ones first."""
        found = [each for each in self.rows if each.outcome == outcome]
        return list(dict.fromkeys(each.clause for each in sorted(found, key=lambda row: row.level != "MUST")))


@dataclass(frozen=True)
class Column:
    """A target under a contract in a run, with its samples by scenario."""

    run: int
    target: str
    contract: str
    label: str
    whole: SummaryRow
    samples: Mapping[str, tuple[GradedSample, ...]]

    @property
    def link(self) -> dict[str, str]:
        """What a link narrows the list of samples to."""
        target, contract = short(self.target, MAX_NAME), short(self.contract, MAX_NAME)
        return {"run": str(self.run), "target": target, "contract": contract}

    @cached_property
    def counts(self) -> dict[str, tuple[int, int]]:
        """Scenario -> how many samples are compliant, of how many that were scored."""
        outcomes = {name: [each.outcome for each in found] for name, found in self.samples.items()}
        return {
            name: (found.count("pass"), found.count("pass") + found.count("fail"))
            for name, found in outcomes.items()
        }

    def hard(self) -> list[tuple[str, int]]:
        """Return the hard clauses that were broken, and in how many samples."""
        broken: dict[str, int] = {}
        for each in (each for found in self.samples.values() for each in found):
            for clause in each.clauses("fail"):
                if clause in HARD:
                    broken[clause] = broken.get(clause, 0) + 1
        return sorted(broken.items())


@dataclass(frozen=True)
class Reported:
    """One run as the page shows it."""

    number: int
    run: Run
    data: Overview
    columns: tuple[Column, ...]
    label: str


def reported(runs: Sequence[Run]) -> list[Reported]:
    """Return runs with their columns; raise InvalidRun where one was never graded."""
    return [_reported(number, run, several=len(runs) > 1) for number, run in enumerate(runs)]


def run_label(number: int) -> str:
    """Return the letter of a run, A to Z, then its number."""
    return chr(ord("A") + number) if number < 26 else str(number + 1)


def _reported(number: int, run: Run, *, several: bool) -> Reported:
    data = overview(run)
    grouped = _samples(run.scores())
    columns: list[Column] = []
    for row in data.compliance:
        label = short(row.target, MAX_NAME)
        columns.append(
            Column(
                run=number,
                target=row.target,
                contract=row.contract,
                label=f"{run_label(number)} · {label}" if several else label,
                whole=row,
                samples=grouped.get((row.target, row.contract), {}),
            )
        )
    return Reported(number, run, data, tuple(columns), run_label(number))


def _samples(
    rows: Iterable[ScoreRow],
) -> dict[tuple[str, str], dict[str, tuple[GradedSample, ...]]]:
    """Return (target, contract) -> scenario -> samples, trials in order."""
    by_sample: dict[str, list[ScoreRow]] = {}
    for row in rows:
        by_sample.setdefault(row.sample, []).append(row)
    grouped: dict[tuple[str, str], dict[str, list[GradedSample]]] = {}
    for sample, found in by_sample.items():
        first = found[0]
        by_scenario = grouped.setdefault((first.target, first.contract), {})
        by_scenario.setdefault(first.scenario, []).append(
            GradedSample(sample, first.scenario, first.trial, _outcome(found), tuple(found))
        )
    return {
        key: {name: tuple(sorted(found, key=lambda each: each.trial)) for name, found in sorted(one.items())}
        for key, one in grouped.items()
    }


def _outcome(rows: Iterable[ScoreRow]) -> str:
    worst = "not_applicable"
    for row in rows:
        if row.level == "MUST" and row.dimension not in {RELATION, ALL}:
            worst = worse(worst, row.outcome)
    return worst

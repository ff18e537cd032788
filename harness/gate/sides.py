"""One side of a comparison: one target's outcomes, trial by trial, and what judged them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from harness.contracts import load_contract
from harness.errors import InvalidRun, UnknownName
from harness.model import SampleId, Scenario
from harness.store import Grading, Run, RunInfo, ScoreRow, Selection

MOST_TRIALS = 10_000
"""Trials of one scenario that a side may have; nobody has recorded more."""
UNKNOWN = ""
"""The family of a scenario that is no longer in the project."""


class Asked(NamedTuple):
    """A scenario under a contract: what both sides were asked."""

    scenario: str
    contract: str


@dataclass(frozen=True, slots=True)
class Side:
    """The outcomes of one target.

    `outcomes` has, for each trial that was recorded, the outcome of each clause; `trials` says which trials
    there should be, recorded or not; `place` is what commands take for this side.
    """

    name: str
    place: str
    target: str
    grading: Grading
    outcomes: Mapping[Asked, Mapping[int, Mapping[str, str]]]
    trials: Mapping[Asked, frozenset[int]]
    families: Mapping[str, str]
    notes: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    """Folders that may hold the transcripts."""
    settings: Mapping[str, object] = field(default_factory=dict[str, object])
    originals: Mapping[str, str] = field(default_factory=dict[str, str])
    """Scenario -> the one whose answers its own are compared with, for scenarios that are half of a pair."""

    def sample(self, asked: Asked, trial: int) -> SampleId:
        """Return the id of a sample."""
        return SampleId(asked.scenario, asked.contract, self.target, trial)


def side_of_run(run: Run, scenarios: Mapping[str, Scenario], target: str | None = None) -> Side:
    """Return a graded run as a side.

    Args:
        run: a run with scores.
        scenarios: those of the project that this run has, by id.
        target: which of its targets; may be left out where there is one.

    Raises:
        InvalidRun: it was never graded, or graded before it was finished.
        UnknownName: it has no such target.
    """
    info = run.info
    if info.graded is None or info.graded.transcripts != run.lines():
        raise InvalidRun(
            f"{run.folder}: was not graded as it is now; grade it with `harness grade {run.folder}`"
        )
    return side_of_rows(run.scores(), info, info.graded, scenarios, place=str(run.folder), target=target)


def side_of_rows(
    rows: Iterable[ScoreRow],
    info: RunInfo,
    grading: Grading,
    scenarios: Mapping[str, Scenario],
    *,
    place: str,
    target: str | None = None,
) -> Side:
    """Return the scores of a run as a side; arguments and errors as for `side_of_run`."""
    name = the_target(place, list(info.targets), target)
    outcomes: dict[Asked, dict[int, dict[str, str]]] = {}
    for row in rows:
        if row.target == name:
            clauses = outcomes.setdefault(Asked(row.scenario, row.contract), {}).setdefault(row.trial, {})
            clauses[row.clause] = row.outcome
    changed = sorted(
        each for each, digest in grading.scenarios.items() if info.scenarios.get(each) not in {None, digest}
    )
    notes = [f"{place}: judged by another version than was recorded: {', '.join(changed)}"] if changed else []
    if info.status != "complete":
        notes.append(f"{place}: is {info.status}; what it lacks counts as unscored")
    if info.deciding:
        notes.append(
            f"{place}: was recorded until it was decided, and its run.json has that verdict; "
            f"here nothing makes up for the looks that chose its number of trials"
        )
    return Side(
        name=info.id,
        place=place,
        target=name,
        grading=grading,
        outcomes=outcomes,
        trials=_planned(info, scenarios, name, outcomes),
        families={each: scenarios[each].family if each in scenarios else UNKNOWN for each in info.scenarios},
        notes=tuple(notes),
        runs=(place,),
        settings=info.targets[name],
        originals={
            each: found.pair.of for each in info.scenarios if (found := scenarios.get(each)) and found.pair
        },
    )


def the_target(place: str, known: Sequence[str], wanted: str | None) -> str:
    """Return which target a side means; raise InvalidRun where that is not clear."""
    if wanted is not None:
        if wanted not in known:
            raise InvalidRun(f"{place}: {UnknownName('target', wanted, known)}")
        return wanted
    if len(known) != 1:
        raise InvalidRun(
            f"{place}: holds {len(known)} targets ({', '.join(known)}); "
            f"one is compared at a time, name it with --target"
        )
    return known[0]


def _planned(
    info: RunInfo,
    scenarios: Mapping[str, Scenario],
    target: str,
    recorded: Mapping[Asked, Mapping[int, Mapping[str, str]]],
) -> dict[Asked, frozenset[int]]:
    """Return the trials that a run planned for one target, those that it never recorded among them."""
    if not 0 <= info.trials <= MOST_TRIALS:
        raise InvalidRun(f"{info.id}: found {info.trials} trials; at most {MOST_TRIALS} can be compared")
    selection = Selection.of(info)
    planned: dict[Asked, frozenset[int]] = {}
    for contract in info.contracts:
        flow = _flow(contract, scenarios, recorded)
        for scenario in info.scenarios:
            asked = Asked(scenario, contract)
            fits = scenario in scenarios and scenarios[scenario].flow == flow
            trials = frozenset(
                trial
                for trial in range(1, info.trials + 1)
                if fits and selection.takes(SampleId(scenario, contract, target, trial))
            ) | frozenset(recorded.get(asked, ()))
            if trials:
                planned[asked] = trials
    return planned


def _flow(contract: str, scenarios: Mapping[str, Scenario], recorded: Iterable[Asked]) -> str | None:
    """Return the flow of a contract; of one that others released, what it was asked with."""
    try:
        return load_contract(contract).flow
    except UnknownName:
        flows = (
            scenarios[each.scenario].flow
            for each in recorded
            if each.contract == contract and each.scenario in scenarios
        )
        return next(flows, None)

"""A graded run, counted once for every report, in the order of its run.json."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from harness.contracts import load_contract
from harness.contracts.clauses import CLAUSES, Clause
from harness.errors import UnknownName
from harness.graders import GRADERS, RELATIONS
from harness.reporting.lists import screened_lists
from harness.reporting.metrics import NOTHING_MEASURED, Measured, measured
from harness.reporting.tools import ToolDrift, tool_drift
from harness.statistics import (
    ALL,
    Cause,
    ClauseRow,
    FailureGroup,
    SummaryRow,
    Tally,
    by_clause,
    failures,
    summarise,
    unscored_causes,
)
from harness.statistics.screening import ListFigures
from harness.store import Run, RunInfo

RUNS = Path("reports/runs")
"""Where commands look for the id of a run; elsewhere they need its folder."""

_UNASKED = re.compile(r"(?!truncated: )[a-z][a-z0-9_]*: ")
"""How the reason begins where the target could not be asked: a cut answer would only be cut again."""

Counted = TypeVar("Counted", SummaryRow, ClauseRow)
Grouped = TypeVar("Grouped", FailureGroup, Cause)


@dataclass(frozen=True, slots=True)
class Ungraded:
    """A clause that contracts of this run list and on which it holds no score."""

    clause: Clause
    contracts: tuple[str, ...]
    has_grader: bool


@dataclass(frozen=True, slots=True)
class Overview:
    """Everything that a report says about a run; `reference` is what commands take for RUN."""

    info: RunInfo
    reference: str
    summary: tuple[SummaryRow, ...]
    clauses: tuple[ClauseRow, ...]
    failures: tuple[FailureGroup, ...]
    causes: tuple[Cause, ...]
    ungraded: tuple[Ungraded, ...]
    notes: tuple[str, ...]
    measured: Measured = NOTHING_MEASURED
    lists: tuple[ListFigures, ...] = ()
    drift: tuple[ToolDrift, ...] = ()

    @property
    def compliance(self) -> tuple[SummaryRow, ...]:
        """The rows of dimension `all`: one per target and contract."""
        return tuple(each for each in self.summary if each.dimension == ALL)

    def failed_dimensions(self, whole: SummaryRow) -> tuple[SummaryRow, ...]:
        """Return the dimensions that a target failed under a contract, most fails first."""
        found = [
            each
            for each in self.summary
            if (each.target, each.contract) == (whole.target, whole.contract)
            and each.failed
            and each.dimension != ALL
        ]
        return tuple(sorted(found, key=lambda each: -each.failed))

    def failed_in(self, row: SummaryRow) -> tuple[ClauseRow, ...]:
        """Return the MUST clauses that failed in a row's dimension, most fails first."""
        found = [
            each
            for each in self.clauses
            if (each.target, each.contract) == (row.target, row.contract)
            and each.level == "MUST"
            and each.failed
            and row.dimension in {ALL, each.dimension}
        ]
        return tuple(sorted(found, key=lambda each: -each.failed))

    @property
    def may_be_asked_again(self) -> bool:
        """Whether a target could not be asked, so that asking again may score more."""
        return any(could_not_be_asked(each.example) for each in self.causes)

    def scored(self, group: FailureGroup) -> int:
        """Return on how many scores a group's clause passed or failed, over the target's contracts."""
        return sum(
            each.n for each in self.clauses if (each.target, each.clause) == (group.target, group.clause)
        )


def could_not_be_asked(reason: str) -> bool:
    """Return whether a sample is unscored because its target could not be asked."""
    return _UNASKED.match(reason) is not None


def overview(run: Run, tally: Tally | None = None) -> Overview:
    """Return a graded run, counted; raise InvalidRun where it was never graded.

    Args:
        run: whose it is.
        tally: of its scores, where it is at hand; else they are read, once.
    """
    tally = tally_of(run) if tally is None else tally
    clauses = by_clause(tally)
    return Overview(
        info=run.info,
        reference=run.id if run.folder == RUNS / run.id else str(run.folder),
        summary=tuple(in_order(summarise(tally), run.info)),
        clauses=tuple(in_order(clauses, run.info)),
        failures=tuple(_by_target(failures(tally), run.info)),
        causes=tuple(_by_target(unscored_causes(tally), run.info)),
        ungraded=tuple(_ungraded(run.info, clauses)),
        notes=tuple(run.notes),
        measured=measured(run.info, tally),
        lists=tuple(screened_lists(run)),
        drift=tuple(tool_drift(run)),
    )


def tally_of(run: Run) -> Tally:
    """Return the tally of a stored run's scores, and of what its transcripts cost."""
    tally = Tally()
    compliant = {sample for sample, rows in run.scored() if tally.add(sample, rows)}
    for transcript in run.transcripts():
        tally.spend(transcript, compliant=transcript.id in compliant)
    return tally


def in_order(rows: Iterable[Counted], info: RunInfo) -> list[Counted]:
    """Return rows with targets and contracts in the order of run.json; within them the order stays."""
    targets, contracts = list(info.targets), list(info.contracts)
    return sorted(rows, key=lambda each: (*_place(each.target, targets), *_place(each.contract, contracts)))


def _by_target(groups: Iterable[Grouped], info: RunInfo) -> list[Grouped]:
    targets = list(info.targets)
    return sorted(groups, key=lambda each: _place(each.target, targets))


def _place(name: str, order: Sequence[str]) -> tuple[int, str]:
    return order.index(name) if name in order else len(order), name


def _ungraded(info: RunInfo, rows: Sequence[ClauseRow]) -> Iterator[Ungraded]:
    """Yield the clauses without a score; a contract without any score was not asked for."""
    graders = {each.clause for each in (*GRADERS, *RELATIONS)}
    order = list(info.contracts)
    contracts = sorted({each.contract for each in rows}, key=lambda each: _place(each, order))
    seen = {(each.contract, each.clause) for each in rows}
    listed = {each: _clauses(info, each) for each in contracts}
    for each in CLAUSES:
        without = [name for name in contracts if each.id in listed[name] and (name, each.id) not in seen]
        if without and each.level != "REPORT":
            yield Ungraded(each, tuple(without), each.id in graders)


def _clauses(info: RunInfo, contract_id: str) -> Sequence[str]:
    """Return a contract's clauses; none where a later harness released it."""
    if contract_id in info.contract_folders:
        return info.contract_folders[contract_id].clauses
    try:
        return load_contract(contract_id).clauses
    except UnknownName:
        return ()

"""The lists that prompts of a run showed: read from its transcripts, counted, and spelled as lines."""

from collections.abc import Iterator, Mapping
from typing import Any

from harness.contracts import load_contract
from harness.contracts.wire import decode_given
from harness.errors import InvalidInput, InvalidScenario, UnknownName
from harness.model import Contract, Hit, Scenario
from harness.reporting.figures import percent
from harness.scenarios.load import find_project, load_scenario, scenario_ids
from harness.statistics.screening import ListFigures, list_figures
from harness.store import Run

PICKS: Mapping[str, str] = {
    "SEL-3": "picks the highest confidence",
    "SEL-2": "picks what the evidence supports",
}
"""Clause -> what a model does that keeps it."""

CORRECT, MATCHING, MISMATCHED, TOKENS = "85 to 90 % at least", "95 % at least", "below 5 %", "60"
"""What DD-CONTEXT-005 asks for."""


def screened_lists(run: Run) -> Iterator[ListFigures]:
    """Yield the figures of each contract of a run that screens lists, over the scenarios that are at hand."""
    contracts = [
        each for each in map(_known, run.info.contracts) if each and each.given and each.given.screened
    ]
    if not contracts:
        return
    scenarios = _scenarios(run)
    for contract in contracts:
        given: dict[str, tuple[Hit, ...]] = {}
        for transcript in run.transcripts():
            if transcript.id.contract == contract.id and transcript.id.scenario not in given:
                shown = decode_given(contract, transcript.prompt)
                given |= {transcript.id.scenario: shown} if shown is not None else {}
        yield list_figures(contract, scenarios, given)


def list_lines(figures: ListFigures) -> Iterator[tuple[Any, ...]]:
    """Yield the lines of a table: who, what, found, meant; none where no scenario is at hand."""
    entries = figures.entries
    if not figures.lists:
        return
    solved = f"{figures.solved}/{figures.solvable}  {_share(figures.solved, figures.solvable)}"
    matching = f"{figures.matching}/{entries}  {_share(figures.matching, entries)}"
    mismatched = f"{figures.mismatched}/{entries}  {_share(figures.mismatched, entries)}"
    yield "catalog", "the highest confidence is a right one's", solved, CORRECT
    yield "catalog", "entries that match every filter", matching, MATCHING
    yield "catalog", "high-risk entries in production", figures.high_risk, "0"
    yield "catalog", "entries whose prerequisites are not met", figures.unprepared, "0"
    yield "catalog", "entries for another type of incident", mismatched, MISMATCHED
    yield (
        "catalog",
        "tokens per entry, estimated",
        "-" if figures.tokens is None else round(figures.tokens),
        TOKENS,
    )


def _share(part: int, whole: int) -> str:
    return percent(part / whole if whole else None)


def _known(contract_id: str) -> Contract | None:
    try:
        return load_contract(contract_id)
    except UnknownName:
        return None


def _scenarios(run: Run) -> list[Scenario]:
    """Return the scenarios of a run that are at hand as they were when it was recorded."""
    try:
        project = find_project()
        here = [load_scenario(project, each) for each in scenario_ids(project) if each in run.info.scenarios]
    except (InvalidInput, InvalidScenario):
        return []
    return [each for each in here if each.digest() == run.info.scenarios[each.id]]

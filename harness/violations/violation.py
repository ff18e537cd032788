"""What a violation is, and the small edits that several of them are made of."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from random import Random
from typing import Any, cast

from harness.contracts.reading import at
from harness.model import Contract, Hit, Scenario

Arguments = dict[str, Any]
RawAnswer = dict[str, Any]


@dataclass(frozen=True)
class Situation:
    """What an edit may look at. `hits` are all search results so far; `dice` is seeded per trial."""

    scenario: Scenario
    contract: Contract
    hits: tuple[Hit, ...]
    dice: Random


def _always(_scenario: Scenario, _contract: Contract) -> bool:
    return True


@dataclass(frozen=True)
class Violation:
    """One way to break the contract. `blind` takes away every evidence call."""

    name: str
    breaks: frozenset[str]
    can_act: Callable[[Scenario, Contract], bool] = _always
    search: Callable[[Arguments, Situation], Arguments] | None = None
    answer: Callable[[RawAnswer, Situation], RawAnswer] | None = None
    text: Callable[[str, Situation], str] | None = None
    blind: bool = False


def selection_of(answer: RawAnswer, situation: Situation) -> dict[str, Any] | None:
    """Return the selected workflow's object, or None where the answer declines."""
    found = at(answer, situation.contract.places["selection"])
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None


def with_selection(answer: RawAnswer, situation: Situation, **changes: Any) -> RawAnswer:
    """Return the answer with keys of its selection changed; one that declines stays as it is."""
    made = deepcopy(answer)
    selection = selection_of(made, situation)
    if selection is not None:
        selection.update(changes)
    return made


def is_recovery(scenario: Scenario, _contract: Contract) -> bool:
    """Return whether there is a failed attempt to repeat or to misread."""
    return scenario.previous is not None


def selects(scenario: Scenario, _contract: Contract) -> bool:
    """Return whether a right answer selects a workflow."""
    return bool(scenario.expect.workflows.accepted)


def with_parameters(
    answer: RawAnswer, situation: Situation, change: Callable[[dict[str, Any]], None]
) -> RawAnswer:
    """Return the answer with the parameters of its selection changed in place of a copy."""
    made = deepcopy(answer)
    parameters = (selection_of(made, situation) or {}).get("parameters")
    if isinstance(parameters, dict):
        change(cast("dict[str, Any]", parameters))
    return made


def search_word(arguments: Arguments, contract: Contract, position: int, name: str, value: str) -> Arguments:
    """Return the search with one leading word of its query, and the label that repeats it, replaced."""
    words = str(arguments.get("query", "")).split()
    words[position : position + 1] = [value]
    return {**arguments, "query": " ".join(words), contract.labels[name]: value}

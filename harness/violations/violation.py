"""What a violation is, and the small edits that several of them are made of."""

from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import Any, cast

from harness.contracts.reading import at
from harness.model import Contract, Hit, Scenario, Transcript
from harness.model.values import canonical

Arguments = dict[str, Any]
RawAnswer = dict[str, Any]

NO_CHOICE = frozenset(
    {
        "PAS-7", "SEL-1", "SEL-3", "SEL-4", "SEL-6", "SEL-7", "SEL-8", "SEL-9",
        "PAR-1", "PAR-2", "PAR-3", "PAR-4", "REC-1", "REC-3", "REC-6", "REP-1", "REP-2", "REP-3",
    }
)  # fmt: skip
"""Clauses whose subject is the selected workflow: silent where none is selected."""

NO_ANSWER = NO_CHOICE | frozenset(
    {
        "CAR-2", "CAR-3", "CAR-4", "CAR-5", "SIG-4", "SEV-2", "SEV-3", "SEV-4", "SEV-6", "PAS-8", "SEL-2",
        "SEL-5", "REC-1b", "REC-2", "REC-4", "SAF-2",
    }
)  # fmt: skip
"""Clauses that judge the answer: silent where none can be read."""

NO_SEARCH = frozenset(
    {
        "SIG-1", "SIG-2", "SIG-3", "SIG-4", "SEV-4", "PAS-1", "PAS-2", "PAS-3", "PAS-4", "PAS-5", "PAS-6",
        "PAS-9", "QRY-2", "QRY-3", "QRY-4", "QRY-4b", "QRY-5", "QRY-6", "SEL-6", "SEL-7", "REC-5",
    }
)  # fmt: skip
"""Clauses that judge searches: silent where none was served."""


@dataclass(frozen=True)
class Situation:
    """What an edit and its declaration may look at.

    `hits` are all search results so far; `dice` is seeded per trial. What follows is known to the exam only,
    where a whole good transcript lies before the edit: `site` is the one of the violation's sites that is
    meant, `answered` the good answer, `searched` the arguments of its catalog searches.
    """

    scenario: Scenario
    contract: Contract
    hits: tuple[Hit, ...]
    dice: Random
    site: str = ""
    answered: RawAnswer = field(default_factory=dict[str, Any])
    searched: tuple[Arguments, ...] = ()
    golden: Transcript | None = None


def _always(_scenario: Scenario, _contract: Contract) -> bool:
    return True


def _anywhere(_situation: Situation) -> tuple[str, ...]:
    return ("",)


@dataclass(frozen=True)
class Violation:
    """One way to break the contract; one that breaks nothing is a valid variant.

    `search` edits the arguments of every catalog search, `answer` the answer's object, `text` the final
    message; `blind` takes away every evidence call. `whole` edits what only a finished transcript allows, so
    that no mock can play it. All that a violation has is done, in this order.
    """

    name: str
    breaks: frozenset[str]
    """Every clause that it breaks, in whatever scenario; the exam demands them all unless `exactly` says."""
    can_act: Callable[[Scenario, Contract], bool] = _always
    search: Callable[[Arguments, Situation], Arguments] | None = None
    answer: Callable[[RawAnswer, Situation], RawAnswer] | None = None
    text: Callable[[str, Situation], str] | None = None
    blind: bool = False
    whole: Callable[[Transcript, Situation], Transcript] | None = None
    sites: Callable[[Situation], Iterable[str]] = _anywhere
    """Where the exam applies it, as JSON pointers of fields; none where it would change nothing."""
    exactly: Callable[[Situation], Iterable[str]] | None = None
    """The clauses that break here, foretold from scenario and contract; part of `breaks`."""
    brings: frozenset[str] = frozenset()
    """Clauses that break besides, whose subject the edit itself makes; of use where there is no `exactly`."""
    spliced: bool = True
    """Whether the exam applies it; what draws among several breaches is for mocks alone."""
    silences: frozenset[str] | Callable[[Situation], frozenset[str]] = frozenset()
    """Clauses whose subject it takes away: what passed may become not applicable, and nothing else may."""

    mutes: frozenset[str] | Callable[[Situation], frozenset[str]] = frozenset()
    """Clauses whose subject is gone for certain: what passed must become not applicable."""

    @property
    def live(self) -> bool:
        """Whether a mock can play it."""
        played = self.search or self.answer or self.text or self.blind
        return bool(self.breaks and played) and self.whole is None and self.sites is _anywhere

    def expected(self, situation: Situation) -> frozenset[str]:
        """Return the clauses of this contract that break in this situation, all of them."""
        foretold = self.breaks if self.exactly is None else frozenset(self.exactly(situation))
        if not foretold <= self.breaks:
            msg = f"violation {self.name}: foretells {sorted(foretold - self.breaks)} beyond its `breaks`"
            raise ValueError(msg)
        if self.search and _coincide(self.search, situation):
            foretold |= {"QRY-8"}
        return foretold & frozenset(situation.contract.clauses)

    def silenced(self, situation: Situation) -> frozenset[str]:
        """Return the clauses that may fall silent in this situation."""
        found = self.silences(situation) if callable(self.silences) else self.silences
        found |= self.muted(situation)
        if situation.contract.catalog_tool is None:
            # Nothing is searched for, so that these have the answer for their only subject.
            found |= {"PAS-6"} if found >= NO_CHOICE else set[str]()
            found |= {"SEV-1"} if "SEV-2" in found else set[str]()
        return found

    def muted(self, situation: Situation) -> frozenset[str]:
        """Return the clauses that must fall silent in this situation."""
        return self.mutes(situation) if callable(self.mutes) else self.mutes


def _coincide(edit: Callable[[Arguments, Situation], Arguments], situation: Situation) -> bool:
    """Return whether searches that asked for different things ask for the same once they are edited."""
    made = [canonical(edit(each, situation)) for each in situation.searched]
    return len(set(made)) < len(made)


def _once(_first: Situation, _second: Situation) -> tuple[str, ...]:
    return ("",)


@dataclass(frozen=True)
class PairViolation:
    """One way to break a relation: the second half of a pair is edited, the first stays good.

    One that is `valid` breaks nothing; `sites` are none where it would change nothing.
    """

    name: str
    relation: str
    edit: Callable[[Transcript, Situation, Situation], Transcript]
    sites: Callable[[Situation, Situation], Iterable[str]] = _once
    valid: bool = False

    @property
    def breaks(self) -> frozenset[str]:
        """The relation, unless this is a valid variant."""
        return frozenset() if self.valid else frozenset({self.relation})


def selection_of(answer: RawAnswer, situation: Situation) -> dict[str, Any] | None:
    """Return the selected workflow's object, or None where the answer declines."""
    found = at(answer, situation.contract.places["selection"])
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None


def kept_of(answer: RawAnswer, situation: Situation) -> dict[str, Any]:
    """Return what another selection keeps of the one before it: the risk, where a contract asks for one."""
    selection = selection_of(answer, situation) or {}
    return {name: selection[name] for name in ("estimated_risk",) if name in selection}


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


def queries(_scenario: Scenario, contract: Contract) -> bool:
    """Return whether the catalog is searched by a query of signal type, severity and keywords."""
    return "QRY-3" in contract.clauses


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
    """Return the search with one leading word of its query, and the label that says the same, replaced."""
    if not contract.query_leads:
        return {**arguments, contract.labels[name]: value}
    words = str(arguments.get("query", "")).split()
    words[position : position + 1] = [value]
    return {**arguments, "query": " ".join(words), contract.labels[name]: value}

"""The sample: a transcript that was read, ready for every grader."""

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import wraps
from typing import Any, Literal, TypeVar

from harness.model.answer import Answer
from harness.model.catalog import Hit
from harness.model.contract import Contract
from harness.model.extraction import Extraction
from harness.model.frozen import frozen
from harness.model.scenario import Scenario
from harness.model.transcript import SampleId, ToolCall, Transcript

T = TypeVar("T")
ProblemKind = Literal["missing", "undeclared", "removed", "wrong_type", "wrong_value"]


@frozen
class SchemaProblem:
    """One difference between the answer and the contract's response schema, at a JSON pointer."""

    kind: ProblemKind
    pointer: str
    expected: str
    found: Any


@frozen
class Call:
    """One tool call as it happened.

    `message` is its place in the transcript and calls of one message share a turn; `arguments` is None
    where the raw text is not a JSON object; `errors` are the breaches of the tool's schema as it was sent;
    `result` is what the tool said, None where the transcript ends before it.
    """

    message: int
    raw: ToolCall
    declared: bool
    arguments: Mapping[str, Any] | None
    errors: tuple[str, ...]
    result: str | None

    @property
    def valid(self) -> bool:
        """Whether a declared tool was called with arguments that its schema allows."""
        return self.declared and self.arguments is not None and not self.errors


@frozen
class Search:
    """One catalog search that was served, in version-free words.

    `labels` has only what was sent; `signal_type` and `severity` are the query's first and second word where
    the contract has the query begin with them, else what their labels say. `target` is the resource that was
    named as the one to remedy. `hits` is None where the result could not be read.
    """

    call: Call
    query: str
    signal_type: str | None
    severity: str | None
    keywords: tuple[str, ...]
    labels: Mapping[str, Any]
    custom_labels: Mapping[str, Any] | None
    detected_labels: Mapping[str, Any] | None
    limits: Mapping[str, Any]
    hits: tuple[Hit, ...] | None
    total: int | None
    target: Any = None

    @property
    def place(self) -> str:
        """Where the search stands in the transcript."""
        return f"message {self.call.message}"


def once(read: Callable[["Sample"], T]) -> Callable[["Sample"], T]:
    """Have something read off a sample once, however many graders ask for it."""

    @wraps(read)
    def known(sample: "Sample") -> T:
        found = sample.known
        if known not in found:
            found[known] = read(sample)
        return found[known]

    return known


@frozen
class Sample:
    """scenario x contract x target x trial, its transcript read.

    `scenario` is None for an audited transcript that names none. `answer` is None where no answer could
    be read. `anchored` are the clauses whose rule the target was told. `given` is the list that the prompt
    held in place of a search: empty under a contract that has the target search, None where it is not known.
    `known` is what `once` remembers; it says nothing that the other fields do not.
    """

    id: SampleId
    contract: Contract
    scenario: Scenario | None
    transcript: Transcript
    extraction: Extraction
    answer: Answer | None
    problems: tuple[SchemaProblem, ...]
    calls: tuple[Call, ...]
    searches: tuple[Search, ...]
    anchored: frozenset[str]
    given: tuple[Hit, ...] | None = ()
    known: dict[Any, Any] = field(default_factory=dict[Any, Any], init=False, repr=False, compare=False)

    @property
    @once
    def offered(self) -> tuple[Hit, ...]:
        """Everything that could be selected: what was given, then what each search returned."""
        return (*(self.given or ()), *(hit for search in self.searches for hit in search.hits or ()))

    @property
    def shows_searches(self) -> bool:
        """Whether the searches that were made are known; a contract without a tool has none to know."""
        return self.transcript.shows_tools or self.contract.catalog_tool is None

    @property
    def right_choices(self) -> list[str | None]:
        """What may be selected here; None stands for declining, where contract and scenario both allow it.

        Empty where nothing in the catalog fits and the contract cannot say so.
        """
        expect = self.scenario.expect if self.scenario else None
        declining: list[str | None] = (
            [None] if expect and expect.none_ok and self.contract.may_decline else []
        )
        return [*(expect.workflows.accepted if expect else ()), *declining]

    @property
    @once
    def deciding(self) -> Search | None:
        """The last search that returned the selected id, else the last search."""
        choice = self.answer.choice if self.answer else None
        for search in reversed(self.searches if choice else ()):
            if choice and choice.id in [hit.id for hit in search.hits or ()]:
                return search
        return self.searches[-1] if self.searches else None

    def hits(self, workflow_id: object) -> tuple[Hit, ...]:
        """Return every hit of this id, in the given list and over all searches, in order."""
        return tuple([hit for hit in self.offered if hit.id == workflow_id])

    def versions(self, workflow_id: object) -> list[str]:
        """Return the versions that were shown for an id; where none is ever shown, the catalog's latest."""
        shown = [hit.version for hit in self.hits(workflow_id) if hit.version is not None]
        if shown or "version" in self.contract.result.fields or not isinstance(workflow_id, str):
            return shown
        entry = self.scenario.entry(workflow_id) if self.scenario else None
        return [entry.version] if entry else []

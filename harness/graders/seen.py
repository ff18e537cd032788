"""Where values stand that graders compare: places are pointers into the answer, or messages."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, cast

from harness.contracts.wire import decode_hits
from harness.model import (
    Call,
    Choice,
    Contract,
    Finding,
    Hit,
    Sample,
    Scenario,
    Score,
    Search,
    unscored,
    verdict,
)
from harness.model.sample import once
from harness.model.scenario import BUSINESS_FIELDS

Definition = Mapping[str, Any]


class Seen(NamedTuple):
    """One value and where it stands."""

    place: str
    value: Any


def the_scenario(sample: Sample) -> Scenario:
    """Return the scenario of a sample whose grader declared that it needs one."""
    if sample.scenario is None:
        msg = f"{sample.id}: a grader that reads the scenario must declare that it needs one"
        raise ValueError(msg)
    return sample.scenario


def the_choice(sample: Sample) -> Choice:
    """Return the selected workflow of a sample whose grader declared that it needs one."""
    choice = sample.answer.choice if sample.answer else None
    if choice is None:
        msg = f"{sample.id}: a grader that reads the choice must declare that it needs one"
        raise ValueError(msg)
    return choice


@once
def the_alternatives(sample: Sample) -> list[Choice]:
    """Return the alternatives that are readable objects."""
    listed = sample.answer.alternatives if sample.answer else None
    return [each for each in listed if isinstance(each, Choice)] if isinstance(listed, tuple) else []


def inside(place: str, key: str) -> str:
    """Return the JSON pointer of a key of the object at `place`."""
    if "~" in key or "/" in key:
        key = key.replace("~", "~0").replace("/", "~1")
    return f"{place}/{key}"


def id_place(sample: Sample, choice: Choice) -> str:
    """Return the pointer of a choice's id, by the name that its contract gives it."""
    return inside(choice.place, sample.contract.result.fields["id"])


def final_place(sample: Sample) -> str:
    """Return the place of the last message that the target wrote."""
    messages = sample.transcript.messages
    last = max((index for index, each in enumerate(messages) if each.role == "assistant"), default=None)
    return "no message" if last is None else f"message {last}"


def search_values(sample: Sample, search: Search, name: str) -> list[Seen]:
    """Return the query's word and the label, whichever were sent; `name` is signal_type or severity."""
    found: list[Seen] = []
    word = search.signal_type if name == "signal_type" else search.severity
    if word is not None and sample.contract.query_leads:
        found.append(Seen(f"{search.place} query", word))
    if name in search.labels:
        found.append(Seen(f"{search.place} {sample.contract.labels[name]}", search.labels[name]))
    return found


_BETWEEN_WORDS = re.compile(r"""[\s,;:=()\[\]{}"'`]+""")


def tokens(words: Sequence[str]) -> str:
    """Return the words of a query in lower case, each between single spaces, punctuation left out."""
    return f" {_BETWEEN_WORDS.sub(' ', ' '.join(words).casefold()).strip()} "


def seen_before(sample: Sample, call: Call, message: int) -> bool:
    """Return whether an evidence call was served and its result stands before a message."""
    tool = sample.contract.catalog_tool
    if not call.valid or call.result is None or (tool and call.raw.name == tool.name):
        return False
    between = sample.transcript.messages[call.message + 1 : message]
    return any(each.role == "tool" and str(each.tool_call_id or "") == call.raw.id for each in between)


@lru_cache(maxsize=4096)
def tokens_told(words: str) -> str:
    """Return the `tokens` of words of a request, of which there are many samples."""
    return tokens([words])


# What the request and the catalog said

_told: dict[tuple[int, int], tuple[Contract, Scenario, Mapping[str, str]]] = {}
"""By identity: a scenario holds lists and has no hash; the entry keeps it alive, so no id comes twice."""
_MAX_TOLD = 1_000


def business_told(sample: Sample) -> Mapping[str, str]:
    """Return the business fields that the request carried, defaults of the contract included."""
    contract, scenario = sample.contract, the_scenario(sample)
    key = (id(contract), id(scenario))
    known = _told.get(key)
    if known is None:
        request = contract.build_request(scenario)
        given = {name: getattr(request, name, None) for name in BUSINESS_FIELDS}
        if len(_told) >= _MAX_TOLD:
            _told.clear()
        known = (contract, scenario, {name: value for name, value in given.items() if value is not None})
        _told[key] = known
    return known[2]


def returned(sample: Sample, workflow_id: object) -> tuple[Hit, ...]:
    """Return every hit of this id, in order; a wrong call that was served all the same counts too."""
    found = sample.hits(workflow_id)
    return found or tuple(hit for hit in _served_anyway(sample) if hit.id == workflow_id)


@once
def hits_of_choice(sample: Sample) -> tuple[Hit, ...]:
    """Return every hit of the selected id, as `returned` does."""
    return returned(sample, the_choice(sample).id)


def ids_returned(sample: Sample) -> list[str]:
    """Return the ids that could be selected, each once."""
    return list(dict.fromkeys(hit.id for hit in sample.offered))


def _served_anyway(sample: Sample) -> Iterator[Hit]:
    tool = sample.contract.catalog_tool
    for call in sample.calls:
        if tool and call.raw.name == tool.name and not call.valid:
            decoded = decode_hits(sample.contract, call.result)
            yield from decoded[0] if decoded else ()


def unread(sample: Sample) -> Score | None:
    """Return the unscored of a sample of which it is not known what all it was offered, else None."""
    if sample.given is None:
        return unscored("the list that the prompt gave is not known")
    if not sample.shows_searches:
        return unscored("only the answer is known; its tool calls are not")
    for search in sample.searches:
        if search.hits is None:
            return unscored(f"what the search of {search.place} returned is missing or cannot be read")
    # In a trace without results a search that nobody answered may have been served all the same.
    lost, tool = sample.transcript.gaps.get("results"), sample.contract.catalog_tool
    if lost and tool and any(each.raw.name == tool.name and each.result is None for each in sample.calls):
        return unscored(lost)
    return None


def by_results(sample: Sample, certain: list[Finding], doubtful: list[Finding]) -> Score:
    """Return the verdict; doubtful are findings that a search result which is not known might refute."""
    gap = unread(sample) if doubtful else None
    return gap if gap and not certain else verdict(certain if gap else [*certain, *doubtful])


@once
def definitions(sample: Sample) -> Mapping[str, Definition] | None:
    """Return the selected entry's parameter definitions: those that a search returned, else the catalog's."""
    choice = the_choice(sample)
    hits = hits_of_choice(sample)
    if hits and hits[-1].parameters:
        return {name: _sound(each) for name, each in hits[-1].parameters.items()}
    entry = sample.scenario.entry(choice.id) if sample.scenario and isinstance(choice.id, str) else None
    if entry is None:
        return {} if hits else None
    return {name: each.model_dump(exclude_none=True) for name, each in entry.parameters.items()}


def undeclared_parameters(sample: Sample) -> Mapping[str, Any] | None:
    """Return what was sent and the entry does not declare; None where it is not known what it declares."""
    choice = the_choice(sample)
    sent = choice.sent
    if not sent:
        return {}
    declared = definitions(sample)
    if declared is None:
        # A workflow that the known catalog does not hold declares nothing; of an unknown one nobody can tell.
        return sent if sample.scenario and isinstance(choice.id, str) else None
    return {name: value for name, value in sent.items() if name not in declared}


def _sound(definition: Any) -> Definition:
    """Return what can be read of a definition: a tool may return anything, and nonsense binds nobody."""
    given = cast("dict[str, Any]", definition) if isinstance(definition, dict) else {}
    return {
        name: value
        for name, value in given.items()
        if type(value) in _READABLE.get(name, _NO_TYPES) or _is_readable_list(name, value)
    }


def _is_readable_list(name: str, value: Any) -> bool:
    items = _READABLE_LISTS.get(name, _NO_TYPES)
    return isinstance(value, list) and bool(items) and items.issuperset(map(type, cast("list[Any]", value)))


_NO_TYPES = frozenset[type]()
_SCALARS = frozenset({str, int, float, bool})
_READABLE: Mapping[str, frozenset[type]] = {
    "type": frozenset({str}),
    "required": _SCALARS,
    "default": _SCALARS,
    "minimum": frozenset({int, float}),
    "maximum": frozenset({int, float}),
    "pattern": frozenset({str}),
}
_READABLE_LISTS: Mapping[str, frozenset[type]] = {"enum": _SCALARS, "depends_on": frozenset({str})}

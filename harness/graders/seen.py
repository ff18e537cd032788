"""Where values stand that graders compare: places are pointers into the answer, or messages."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from harness.model import Choice, Sample, Scenario, Search


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


def search_values(sample: Sample, search: Search, name: str) -> Iterator[Seen]:
    """Yield the query's word and the label, whichever were sent; `name` is signal_type or severity."""
    word = search.signal_type if name == "signal_type" else search.severity
    if word is not None:
        yield Seen(f"{search.place} query", word)
    if name in search.labels:
        yield Seen(f"{search.place} {sample.contract.labels[name]}", search.labels[name])


def business_told(sample: Sample) -> Mapping[str, str]:
    """Return the business fields that the request carried, defaults of the contract included."""
    from harness.model.scenario import BUSINESS_FIELDS

    request = sample.contract.build_request(the_scenario(sample)).model_dump()
    return {name: request[name] for name in BUSINESS_FIELDS if request.get(name) is not None}


def definitions(sample: Sample, choice: Choice) -> Mapping[str, Mapping[str, Any]] | None:
    """Return the selected entry's parameter definitions: as returned by a search, else by the catalog."""
    hits = sample.hits(choice.id)
    if hits:
        return hits[-1].parameters
    entry = sample.scenario.entry(choice.id) if sample.scenario and isinstance(choice.id, str) else None
    if entry is None:
        return None
    return {name: each.model_dump(exclude_none=True) for name, each in entry.parameters.items()}

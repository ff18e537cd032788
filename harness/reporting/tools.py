"""The tools that agents tell their models of, where they differ from those that the harness gave."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from harness.contracts import load_contract
from harness.errors import UnknownName
from harness.model import ToolSpec
from harness.store import Run

AGENTS = {"holmes"}
"""Kinds of targets that write the requests to their model themselves, and show them."""


@dataclass(frozen=True, slots=True)
class ToolDrift:
    """One tool that a target's model was told of in other words than the catalog's."""

    target: str
    contract: str
    tool: str
    differences: tuple[str, ...]


def tool_drift(run: Run) -> Iterator[ToolDrift]:
    """Yield each tool of an agent's requests that differs from the one that it was given, once."""
    agents = {name for name, settings in run.info.targets.items() if settings.get("kind") in AGENTS}
    if not agents:
        return
    # What converses is loaded for those alone that did.
    from harness.conversation import tools_for

    seen: set[tuple[str, str]] = set()
    for transcript in run.transcripts():
        _, contract, target, _ = transcript.id
        if target not in agents or (target, contract) in seen or not transcript.tools:
            continue
        seen.add((target, contract))
        try:
            given = {each.name: each for each in tools_for(load_contract(contract))}
        except UnknownName:
            continue
        for each in transcript.tools:
            if found := tuple(_differences(given.get(each.name), each)):
                yield ToolDrift(target, contract, each.name, found)


def _differences(given: ToolSpec | None, sent: ToolSpec) -> Iterator[str]:
    if given is None:
        yield "is none of the tools that were given"
        return
    if given.description != sent.description:
        yield "description: other words"
    yield from _schema(given.parameters, sent.parameters, "")


def _schema(given: Any, sent: Any, place: str) -> Iterator[str]:
    """Yield the places where two schemas differ, outermost first; what order lists are in says nothing."""
    if _plain(given) == _plain(sent):
        return
    if isinstance(given, Mapping) and isinstance(sent, Mapping):
        one, other = cast("Mapping[str, Any]", given), cast("Mapping[str, Any]", sent)
        for key in dict.fromkeys((*one, *other)):
            where = f"{place}/{key}"
            if key not in other:
                yield f"{where}: gone"
            elif key not in one:
                yield f"{where}: new"
            else:
                yield from _schema(one[key], other[key], where)
        return
    yield f"{place}: changed"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return sorted((_plain(each) for each in cast("list[Any]", value)), key=repr)
    return value

"""The wire schemas of an answer: what a provider's structured output is constrained by.

Grading never uses them: an answer is judged under the contract's response model, as it came. A wire schema
only ever narrows that model, apart from the constraints that a provider cannot state, which are listed.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from harness.contracts.schemas.closing import closed
from harness.contracts.schemas.dialects import WireSchema, anthropic, gemini, json_schema, openai_strict
from harness.contracts.schemas.limits import over_anthropic, over_openai
from harness.contracts.schemas.tree import Schema, inlined, open_maps
from harness.errors import InvalidInput, UnknownName
from harness.model.catalog import Entry
from harness.model.contract import Contract

__all__ = ["DIALECTS", "Dialect", "WireSchema", "response_schema"]


def _unlimited(_: Schema) -> Iterator[str]:
    yield from ()


class Dialect(NamedTuple):
    """One provider's subset: how a schema is written in it, what is too large for it, open maps or not."""

    name: str
    write: Callable[[Schema], WireSchema]
    over: Callable[[Schema], Iterator[str]]
    open_maps: bool = False


DIALECTS: tuple[Dialect, ...] = (
    Dialect("json-schema", json_schema, _unlimited, open_maps=True),
    Dialect("openai-strict", openai_strict, over_openai),
    Dialect("anthropic", anthropic, over_anthropic),
    Dialect("gemini", gemini, _unlimited),
)


def response_schema(
    contract: Contract, dialect: str = "json-schema", entries: Iterable[Entry] | None = None
) -> WireSchema:
    """Return (schema, dropped) of a contract's answer, references inlined, in one provider's subset.

    Args:
        contract: whose answer.
        dialect: a name of DIALECTS.
        entries: a scenario's catalog, to close selection and parameters over; None leaves them open.

    Raises:
        UnknownName: no such dialect.
        InvalidInput: the subset has no open maps and the schema has one, or the schema is too large for it.
    """
    written_in = _dialect(dialect)
    schema = inlined(contract.response)
    if entries is not None:
        schema = closed(contract, schema, entries)
    if not written_in.open_maps and (found := open_maps(schema)):
        hint = "pass --scenario: " if entries is None else ""
        raise InvalidInput(
            f"{contract.id}: {hint}{', '.join(found)} is an open map, which {dialect} cannot state"
            + ("; a scenario's catalog closes it" if entries is None else "")
        )
    wire = written_in.write(schema)
    if too_much := list(written_in.over(wire.schema)):
        raise InvalidInput(
            f"{contract.id}: {dialect} refuses {'; '.join(too_much)}; use a smaller catalog or json-schema"
        )
    return wire


def _dialect(name: str) -> Dialect:
    for each in DIALECTS:
        if each.name == name:
            return each
    raise UnknownName("dialect", name, [each.name for each in DIALECTS])

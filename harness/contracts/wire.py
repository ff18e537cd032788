"""The catalog on the wire: search arguments, results and given lists, to and from version-free words."""

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, cast

from harness.model.catalog import Hit
from harness.model.contract import Contract, ResultShape
from harness.model.transcript import Message

DEFAULT_MIN_CONFIDENCE = 0.7
DEFAULT_MAX_RESULTS = 10
REMEMBERED = 20_000
"""Characters of a result that is remembered; a longer one is read each time."""

Decoded = tuple[tuple[Hit, ...], int | None] | None


def labels_sent(contract: Contract, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the labels that a search carries, under their version-free names."""
    return {name: arguments[wire] for name, wire in contract.labels.items() if wire in arguments}


def ranked_by(contract: Contract, arguments: Mapping[str, Any]) -> str:
    """Return the text that a search is ranked by; where the query does not lead, what its fields say does."""
    query = str(arguments.get("query", ""))
    if contract.query_leads:
        return query
    fields = [arguments.get(contract.labels[name]) for name in ("signal_type", "severity")]
    return " ".join([*(each for each in fields if isinstance(each, str)), query]).strip()


def encode_hits(contract: Contract, hits: Iterable[Hit], total: int) -> str:
    """Return the tool result as the contract spells it: its fields, in its order, and no others.

    `total` counts the matches above the threshold before the limit (CAT-3).
    """
    return json.dumps(as_shown(contract, hits, total), ensure_ascii=False)


def as_shown(contract: Contract, hits: Iterable[Hit], total: int) -> dict[str, Any]:
    """Return what a model is shown of the catalog, by a search or in a given list."""
    shape = contract.result
    listed = [{wire: _spelled(shape, hit, name) for name, wire in shape.fields.items()} for hit in hits]
    return {shape.list_key: listed, **({shape.total_key: total} if shape.total_key else {})}


def decode_hits(contract: Contract, text: str | None) -> Decoded:
    """Return (hits, total) of a tool result, or None where the text is no result of this contract.

    Hits are shared by whoever reads the same result, and are not to be changed.
    """
    if not text:
        return None
    # Trials of a scenario are mostly answered alike. What a text costs in memory is bounded.
    return (_remembered if len(text) <= REMEMBERED else _decoded)(contract, text)


@lru_cache(maxsize=512)
def _remembered(contract: Contract, text: str) -> Decoded:
    return _decoded(contract, text)


def _decoded(contract: Contract, text: str) -> Decoded:
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    body = cast("dict[str, Any]", value)
    listed = body.get(contract.result.list_key)
    if not isinstance(listed, list):
        return None
    rows = [cast("dict[str, Any]", row) for row in cast("list[Any]", listed) if isinstance(row, dict)]
    total = body.get(contract.result.total_key) if contract.result.total_key else None
    named = [row for row in rows if row.get(contract.result.fields["id"]) is not None]
    return tuple([_hit(contract, row) for row in named]), total if isinstance(total, int) else None


_FENCE = re.compile(r"^```json[ \t]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)


def decode_given(contract: Contract, prompt: Iterable[Message]) -> tuple[Hit, ...] | None:
    """Return the list that a prompt holds in place of a search, or None where it holds none."""
    if contract.given is None:
        return None
    for message in prompt:
        if "```json" not in (message.content or ""):
            continue
        for fence in _FENCE.finditer(message.content or ""):
            decoded = decode_hits(contract, fence[1])
            if decoded is not None:
                return decoded[0]
    return None


def _hit(contract: Contract, row: Mapping[str, Any]) -> Hit:
    found = {name: row.get(wire) for name, wire in contract.result.fields.items()}
    confidence, version = found.get("confidence"), found.get("version")
    return Hit(
        id=str(found["id"]),
        version=None if version is None else str(version),
        # By the type itself: true is no number.
        confidence=confidence if type(confidence) in _NUMBERS else None,
        parameters=_by_name(found.get("parameters")),
        title=_text(found.get("title")),
        description=_text(found.get("description")),
        estimated_duration=_text(found.get("estimated_duration")),
    )


_NUMBERS = frozenset({int, float})


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _by_name(parameters: Any) -> dict[str, Any]:
    """Return definitions by parameter name, whether they stood in a map or in an array."""
    if isinstance(parameters, dict):
        return cast("dict[str, Any]", parameters)
    listed = cast("list[Any]", parameters) if isinstance(parameters, list) else []
    rows = [cast("dict[str, Any]", each) for each in listed if isinstance(each, dict)]
    named = [each for each in rows if isinstance(each.get("name"), str)]
    return {each["name"]: {key: value for key, value in each.items() if key != "name"} for each in named}


def _spelled(shape: ResultShape, hit: Hit, name: str) -> Any:
    value = _plain(getattr(hit, name))
    if name == "parameters" and shape.parameters == "array":
        return [{"name": key, **definition} for key, definition in value.items()]
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in cast("Mapping[str, Any]", value).items()}
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", exclude_defaults=True)
    return value

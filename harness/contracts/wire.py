"""The catalog tool on the wire: search arguments and results, to and from version-free words."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, cast

from harness.model.catalog import Hit
from harness.model.contract import Contract

DEFAULT_MIN_CONFIDENCE = 0.7
DEFAULT_MAX_RESULTS = 10


def labels_sent(contract: Contract, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the labels that a search carries, under their version-free names."""
    return {name: arguments[wire] for name, wire in contract.labels.items() if wire in arguments}


def encode_hits(contract: Contract, hits: Iterable[Hit], total: int) -> str:
    """Return the tool result as the contract spells it: its fields, in its order, and no others.

    `total` counts the matches above the threshold before the limit (CAT-3).
    """
    shape = contract.result
    listed = [{wire: _plain(getattr(hit, name)) for name, wire in shape.fields.items()} for hit in hits]
    return json.dumps({shape.list_key: listed, "total_results": total}, ensure_ascii=False)


def decode_hits(contract: Contract, text: str | None) -> tuple[tuple[Hit, ...], int | None] | None:
    """Return (hits, total) of a tool result, or None where the text is no result of this contract."""
    try:
        value: Any = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    body = cast("dict[str, Any]", value)
    listed = body.get(contract.result.list_key)
    if not isinstance(listed, list):
        return None
    rows = [cast("dict[str, Any]", row) for row in cast("list[Any]", listed) if isinstance(row, dict)]
    total = body.get("total_results")
    named = [row for row in rows if row.get(contract.result.fields["id"]) is not None]
    return tuple(_hit(contract, row) for row in named), total if isinstance(total, int) else None


def _hit(contract: Contract, row: Mapping[str, Any]) -> Hit:
    found = {name: row.get(wire) for name, wire in contract.result.fields.items()}
    confidence, parameters = found.get("confidence"), found.get("parameters")
    is_number = isinstance(confidence, int | float) and not isinstance(confidence, bool)
    return Hit(
        id=str(found["id"]),
        version=str(found["version"]) if found.get("version") is not None else None,
        confidence=confidence if is_number else None,
        parameters=cast("dict[str, Any]", parameters) if isinstance(parameters, dict) else {},
    )


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in cast("Mapping[str, Any]", value).items()}
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", exclude_defaults=True)
    return value

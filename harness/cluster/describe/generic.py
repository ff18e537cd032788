"""Any other kind: every field that it has."""

import re
from typing import Any, cast

from harness.cluster.describe.parts import events, head, marks
from harness.cluster.manifests import Manifest, mapping
from harness.model.scenario import World

_HEAD = ("name", "namespace", "labels", "annotations", "managedFields")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[^A-Za-z0-9]+")
_ACRONYMS = ("API", "URL", "UID", "OSB", "GUID")


def anything(value: Manifest, world: World) -> list[str]:
    """Describe an object of a kind that has no description of its own."""
    metadata = {key: each for key, each in mapping(value, "metadata").items() if key not in _HEAD}
    content = {**value, "metadata": metadata}
    return [*head(value), *marks(value), *_fields(content, ""), *events(world, value)]


def _fields(content: Manifest, indent: str) -> list[str]:
    lines: list[str] = []
    for key in sorted(content):
        value: Any = content[key]
        if isinstance(value, dict):
            lines += [f"{indent}{_label(key)}:", *_fields(cast(Manifest, value), indent + "  ")]
        elif isinstance(value, list):
            lines.append(f"{indent}{_label(key)}:")
            for each in cast(list[Any], value):
                lines += (
                    _fields(cast(Manifest, each), indent + "  ")
                    if isinstance(each, dict)
                    else [f"{indent}  {each}"]
                )
        else:
            lines.append(f"{indent}{_label(key)}:\t{_scalar(value)}")
    return lines


def _scalar(value: Any) -> str:
    if value is None:
        return "<nil>"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _label(key: str) -> str:
    words = _WORD.findall(key) if key.isalnum() else [key]
    return " ".join(
        each.upper() if each.upper() in _ACRONYMS else each[:1].upper() + each[1:] for each in words
    )

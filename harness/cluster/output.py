"""Whole objects as `-o yaml`, `-o json` and `-o name` show them."""

import json
from collections.abc import Callable, Sequence
from typing import Any, cast

import yaml

from harness.cluster.kinds import Kind
from harness.cluster.manifests import Manifest, name


def as_yaml(value: Any) -> str:
    """Return any JSON value as kubectl writes YAML: sorted keys, lists not indented, long lines kept."""
    written = yaml.dump(value, Dumper=_Dumper, default_flow_style=False, allow_unicode=True, width=10**9)
    return written.removesuffix("\n")


def as_json(value: Any) -> str:
    """Return any JSON value as kubectl writes JSON."""
    return json.dumps(value, indent=4, sort_keys=True, ensure_ascii=False)


def whole(values: Sequence[Manifest], form: str, *, single: bool) -> str:
    """Return objects as yaml or json; `single` means that one was asked for by name."""
    listed = list(values)
    several = {"apiVersion": "v1", "items": listed, "kind": "List", "metadata": {"resourceVersion": ""}}
    content: Any = listed[0] if single else several
    return as_yaml(content) if form == "yaml" else as_json(content)


def as_names(values: Sequence[Manifest], meant: Kind) -> str:
    """Return objects as `pod/x`, one in a line."""
    return "\n".join(f"{meant.prefix}/{name(each)}" for each in values)


class _Dumper(yaml.SafeDumper):
    """The quoting of kubectl: double quotes around what would read as another type, blocks for lines."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write shared parts out wherever they stand."""
        del data
        return True


def _text(dumper: _Dumper, value: str) -> yaml.ScalarNode:
    tag = "tag:yaml.org,2002:str"
    resolve = cast(Callable[..., str], dumper.resolve)  # pyright: ignore[reportUnknownMemberType]
    resolved = resolve(yaml.ScalarNode, value, (True, False))
    style = "|" if "\n" in value else ('"' if resolved != tag else None)
    return dumper.represent_scalar(tag, value, style=style)  # pyright: ignore[reportUnknownMemberType]


_Dumper.add_representer(str, _text)

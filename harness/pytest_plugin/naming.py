"""Which targets `--target` means: kinds with models, or names of the project's targets.yaml."""

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from harness.errors import InvalidInput, UnknownName
from harness.scenarios import Project
from harness.targets import Target, TargetOptions, open_target

if TYPE_CHECKING:
    from harness.targets.configured import Entry


def open_targets(names: Iterable[str], api_base: str | None, project: Project) -> list[Target]:
    """Return the targets of names, each once.

    Raises:
        InvalidInput: a name means nothing, targets.yaml is wrong, or a key is not in the environment.
    """
    wanted = list(dict.fromkeys(names))
    # Whoever names kinds alone does not depend on a file that may be wrong, and loads nothing that reads it.
    known: Mapping[str, Entry] = {}
    if any(":" not in each for each in wanted):
        known = _configured(project)
    return [_opened(each, known, api_base) for each in wanted]


def _configured(project: Project) -> "Mapping[str, Entry]":
    from harness.targets.configured import read_targets

    return read_targets(project.root)


def _opened(name: str, known: "Mapping[str, Entry]", api_base: str | None) -> Target:
    if ":" in name:
        return open_target(name, TargetOptions(api_base=api_base))
    if name not in known:
        msg = f"{UnknownName('target', name, known)}; or write mock:NAME or litellm:provider/model"
        raise InvalidInput(msg)
    from harness.targets.configured import open_entry

    entry = known[name]
    return open_entry(name, entry, {"api_base": api_base}, key=_key(name, entry.api_key_env))


def _key(name: str, variable: str | None) -> str | None:
    if variable is None:
        return None
    key = os.environ.get(variable, "")  # noqa: TID251 - a session reads its own, as the command line does
    if not key.strip():
        from harness.targets.configured import FILE

        msg = f"target {name!r}: the environment has no {variable}; set it, or change api_key_env in {FILE}"
        raise InvalidInput(msg)
    return key

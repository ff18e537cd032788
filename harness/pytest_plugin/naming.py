"""Which targets `--target` means: kinds with models, or names of the project's targets.yaml."""

import os
from collections.abc import Iterable, Mapping

from harness.errors import InvalidInput, UnknownName
from harness.scenarios import Project
from harness.targets import Target, TargetOptions, open_target
from harness.targets.configured import FILE, Entry, open_entry, read_targets


def open_targets(names: Iterable[str], api_base: str | None, project: Project) -> list[Target]:
    """Return the targets of names, each once.

    Raises:
        InvalidInput: a name means nothing, targets.yaml is wrong, or a key is not in the environment.
    """
    wanted = list(dict.fromkeys(names))
    # Whoever names kinds alone does not depend on a file that may be wrong.
    known = read_targets(project.root) if any(":" not in each for each in wanted) else {}
    return [_opened(each, known, api_base) for each in wanted]


def _opened(name: str, known: Mapping[str, Entry], api_base: str | None) -> Target:
    if ":" in name:
        return open_target(name, TargetOptions(api_base=api_base))
    if name not in known:
        msg = f"{UnknownName('target', name, known)}; or write mock:NAME or litellm:provider/model"
        raise InvalidInput(msg)
    entry = known[name]
    return open_entry(name, entry, {"api_base": api_base}, key=_key(name, entry.api_key_env))


def _key(name: str, variable: str | None) -> str | None:
    if variable is None:
        return None
    # A session reads its own environment, as the command line does.
    key = os.environ.get(variable, "")  # noqa: TID251
    if not key.strip():
        msg = f"target {name!r}: the environment has no {variable}; set it, or change api_key_env in {FILE}"
        raise InvalidInput(msg)
    return key

"""Which targets a command line means: names of targets.yaml, or kinds with models; and their keys."""

import argparse
import os
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from harness.cli.output import project
from harness.errors import InvalidInput, UnknownName
from harness.store import RunInfo
from harness.targets import Binding, Target, TargetOptions, open_target
from harness.targets.configured import FILE, Entry, open_entry, open_recorded, read_targets
from harness.targets.prompted import prompted, recorded_packs

OPTIONS = ("api_base", "temperature", "max_tokens", "timeout")
"""What the command line may say of a target."""


def configured(arguments: argparse.Namespace) -> dict[str, Entry]:
    """Return the project's targets.yaml; with the packaged suite, the one of the current folder."""
    from harness.scenarios.load import CHECKOUT, PACKAGED

    root = project(arguments).root
    packaged = arguments.project is None and root in {PACKAGED, CHECKOUT}
    return read_targets(Path.cwd() if packaged and Path(FILE).is_file() else root)


def open_targets(arguments: argparse.Namespace, *, keys: bool) -> list[Target]:
    """Return the targets that -t names; without `keys` none is looked for, and none can be asked.

    Raises:
        InvalidInput: a name is neither in targets.yaml nor of a known kind, or its key is not there.
    """
    names = list(dict.fromkeys(arguments.target or ["mock:oracle"]))
    # Whoever names kinds alone does not depend on a file that may be wrong.
    known = configured(arguments) if any(":" not in each for each in names) else {}
    given = {name: getattr(arguments, name) for name in OPTIONS} | {"tool_server": _tools_of}
    return [_opened(each, known, given, keys=keys) for each in names]


def _opened(name: str, known: Mapping[str, Entry], given: Mapping[str, Any], *, keys: bool) -> Target:
    if ":" in name:
        stated = {option: value for option, value in given.items() if value is not None}
        return open_target(name, TargetOptions(**stated))
    if name not in known:
        msg = (
            f"{UnknownName('target', name, known)}; or write mock:NAME, litellm:provider/model, openai:URL, "
            f"http:URL or replay:DIR"
        )
        raise InvalidInput(msg)
    entry = known[name]
    return open_entry(name, entry, given, key=_key(name, entry.api_key_env) if keys else None)


def targets_of(info: RunInfo, arguments: argparse.Namespace, *, keys: bool) -> list[Target]:
    """Return the targets of a stored run, with the settings that it recorded.

    Raises:
        InvalidInput: a key would go where nobody sends it today; see `_check_address`.
    """
    packs = recorded_packs(info)
    for name, settings in info.targets.items():
        _check_address(name, settings, arguments)
        _check_interpreter(name, settings, arguments)
    found = [
        open_recorded(
            name,
            settings,
            key=_key(name, settings.get("api_key_env")) if keys else None,
            tool_server=_tools_of,
        )
        for name, settings in info.targets.items()
    ]
    return [prompted(each, each.name, packs[each.name]) if each.name in packs else each for each in found]


def _check_address(name: str, settings: Mapping[str, Any], arguments: argparse.Namespace) -> None:
    """Refuse a recorded address or key that nobody vouches for: a run may come from somebody else.

    Whoever goes on with a run vouches by a target of targets.yaml with the same address and key, or by
    repeating the address as --api-base; an address of this machine without a key of its own needs neither.
    """
    address, variable = settings.get("api_base"), settings.get("api_key_env")
    if address is None and variable is None:
        return
    here = urlsplit(address or "").hostname in {"127.0.0.1", "localhost", "::1"}
    if variable is None and (here or arguments.api_base == address):
        return
    known = configured(arguments).values()
    if any((each.api_base, each.api_key_env) == (address, variable) for each in known):
        return
    what = f"the key {variable}" if variable else "a key"
    msg = (
        f"target {name!r}: the run would send {what} to {address or 'its provider'!r}, and nothing here says "
        f"so; put the same api_base and api_key_env into {FILE}"
        + ("" if variable else ", or repeat --api-base")
    )
    raise InvalidInput(msg)


def _check_interpreter(name: str, settings: Mapping[str, Any], arguments: argparse.Namespace) -> None:
    """Refuse to run a recorded program that targets.yaml does not name: a run may come from somebody else."""
    own = settings.get("holmes")
    if own is None:
        return
    known = {each.holmes.python for each in configured(arguments).values() if each.holmes}
    if own["python"] not in known:
        msg = (
            f"target {name!r}: the run would start {own['python']!r}, and nothing here says so; put a target "
            f"with the same holmes.python into {FILE}"
        )
        raise InvalidInput(msg)


def _tools_of(binding: Binding) -> AbstractAsyncContextManager[str]:
    """Serve the tools of a scenario to an agent that brings its own client."""
    from harness.serving.mcp import serve_binding

    return serve_binding(binding)


def _key(name: str, variable: str | None) -> str | None:
    """Return a key of the environment; raise InvalidInput where its variable is not set."""
    if variable is None:
        return None
    key = os.environ.get(variable, "")
    if not key.strip():
        msg = f"target {name!r}: the environment has no {variable}; set it, or change api_key_env in {FILE}"
        raise InvalidInput(msg)
    return key


def missing_interpreter(entry: Entry) -> str | None:
    """Return the interpreter that a target is run by and that is not there; None if it is ready."""
    if entry.holmes is None or os.access(Path(entry.holmes.python).expanduser(), os.X_OK):
        return None
    return entry.holmes.python


def missing_variable(entry: Entry) -> str | None:
    """Return the variable of the environment that a target needs and that is not set; None if it is ready."""
    variable = entry.api_key_env
    if variable is None and entry.kind == "litellm" and entry.api_base is None:
        # litellm's own rule for most providers.
        variable = entry.model.partition("/")[0].upper() + "_API_KEY"
    return variable if variable and not os.environ.get(variable, "").strip() else None

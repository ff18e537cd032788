"""What a shell may offer for the word under the cursor; argcomplete speaks the protocols of the shells."""

import os
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import argcomplete
from argcomplete.completers import BaseCompleter, DirectoriesCompleter, FilesCompleter
from argcomplete.shell_integration import shellcode

from harness.cli import parser_for
from harness.cli.output import RUNS
from harness.errors import HarnessError

SHELLS = ("bash", "zsh", "fish")


def script(shell: str) -> str:
    """Return the code by which a shell asks `harness` for completions."""
    return shellcode(["harness"], shell=shell)


def complete() -> None:
    """Answer the shell that asks, and exit; only the commands on its line load their modules."""
    words = os.environ.get("COMP_LINE", "").split()
    argcomplete.autocomplete(parser_for(words), always_complete_options="long", default_completer=Offering())


class Offering(BaseCompleter):
    """Offers the values of an option or argument by what its help calls them.

    Nothing is executed and no scenario is parsed: a key press must not wait.
    """

    def __call__(
        self, *, prefix: str, action: Action, parser: ArgumentParser, parsed_args: Namespace
    ) -> Iterable[str]:
        """Return the values that begin with a prefix."""
        del parser
        what = action.metavar if isinstance(action.metavar, str) else ""
        found: list[str] = []
        if what in _VALUES:
            try:
                found = [each for each in _VALUES[what](parsed_args) if each.startswith(prefix)]
            except HarnessError:
                # A project that cannot be used is for the command to complain about.
                found = []
        if found or not any(each in what for each in _PATHS):
            return found
        return (FilesCompleter() if "FILE" in what else DirectoriesCompleter())(prefix)


def _scenarios(arguments: Namespace) -> Iterable[str]:
    from harness.scenarios import find_project, scenario_ids

    return scenario_ids(find_project(getattr(arguments, "project", None)))


def _contracts(arguments: Namespace) -> Iterable[str]:
    from harness.contracts import CONTRACTS
    from harness.scenarios import find_project
    from harness.scenarios.contracts import contract_ids

    own = contract_ids(find_project(getattr(arguments, "project", None)))
    return [*(each.id for each in CONTRACTS), *own]


def _clauses(_: Namespace) -> Iterable[str]:
    from harness.contracts.clauses import CLAUSES

    return [each.id for each in CLAUSES]


def _targets(_: Namespace) -> Iterable[str]:
    from harness.targets.mock import MOCKS

    return [*(f"mock:{each.name}" for each in MOCKS), "litellm:", "openai:", "replay:"]


def _runs(arguments: Namespace) -> Iterable[str]:
    from harness.store import find_runs

    return ["latest", *(each.name for each in find_runs(Path(getattr(arguments, "out", None) or RUNS)))]


_VALUES: Mapping[str, Callable[[Namespace], Iterable[str]]] = {
    "SCENARIO": _scenarios,
    "GLOB": _scenarios,
    "ID": _scenarios,
    "CONTRACT": _contracts,
    "CLAUSE": _clauses,
    "TARGET": _targets,
    "mock:NAME": _targets,
    "RUN": _runs,
}
"""How help calls a value -> where the values come from."""

_PATHS = ("FILE", "DIR", "FOLDER", "CONTRACT", "RUN")
"""What is, or may be, a path."""

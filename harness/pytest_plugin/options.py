"""The options `--target` and its like, each also as `--harness-target`; and who asks for evaluations."""

import re
from argparse import ArgumentError
from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest
from _pytest.mark.expression import Expression

Attributes = Mapping[str, Any]

FOREIGN = pytest.StashKey[frozenset[str]]()
"""The options whose short name another plugin or a conftest owns."""


def whole_number(option: str, text: str) -> int:
    """Return the number that an option's value spells; raise UsageError where it is not 1 or more."""
    if not text.isdecimal() or int(text) < 1:
        raise pytest.UsageError(f"{option}: found {text!r}; use a whole number, 1 or more")
    return int(text)


OPTIONS: Mapping[str, Attributes] = {
    "target": {
        "action": "append",
        "metavar": "TARGET",
        "help": "mock:NAME, litellm:provider/model or a name of targets.yaml; may be given several times "
        "(default: mock:oracle)",
    },
    "run": {
        "metavar": "RUN",
        "help": "judge this stored run and record nothing; a folder, an id, or latest",
    },
    "contract": {
        "action": "append",
        "metavar": "CONTRACT",
        "help": "a contract id; may be given several times (default: the newest of each flow)",
    },
    "scenario": {
        "action": "append",
        "metavar": "GLOB",
        "help": "a scenario id or a glob like 'recovery/*' (default: all)",
    },
    "tag": {"action": "append", "metavar": "TAG", "help": "only scenarios with this tag"},
    "trials": {
        "type": partial(whole_number, "--trials"),
        "default": 1,
        "metavar": "N",
        "help": "trials of each scenario (default: 1)",
    },
    "concurrency": {
        "type": partial(whole_number, "--concurrency"),
        "metavar": "N",
        "help": "trials under way at once, of each account (default: at most 8, and fewer at first)",
    },
    "prompts": {"metavar": "DIR", "help": "prompt packs other than the built-in ones"},
    "api-base": {"metavar": "URL", "help": "where a litellm target is served"},
    "baseline": {
        "metavar": "FILE|RUN",
        "help": "gate the session against this baseline; the gate then decides, not single samples",
    },
    "common": {"action": "store_true", "help": "gate what session and baseline share"},
    "fail-inconclusive": {"action": "store_true", "help": "an inconclusive gate fails the session"},
    "out": {"metavar": "DIR", "help": "the folder of runs (default: reports/runs in the root directory)"},
}


def add_options(config: pytest.Config, parser: pytest.Parser) -> None:
    """Add every option in both spellings; where the short one is taken, only the long one."""
    group = parser.getgroup("harness", "evaluations, run with -m eval")
    foreign: set[str] = set()
    for name, attributes in OPTIONS.items():
        where: Any = {"dest": _destination(name), **attributes}
        try:
            group.addoption(_prefixed(name), f"--{name}", **where)
        except ArgumentError:
            group.addoption(_prefixed(name), **where)
            foreign.add(name)
    config.stash[FOREIGN] = frozenset(foreign)


def option(config: pytest.Config, name: str) -> Any:
    """Return the value of an option, wherever it was given."""
    return config.getoption(_destination(name))


def given(config: pytest.Config, name: str) -> bool:
    """Return whether an option stands on the command line itself, not in addopts or the environment."""
    short = () if name in config.stash[FOREIGN] else (f"--{name}",)
    return any(_spelled(config, each) for each in (_prefixed(name), *short))


def gates(config: pytest.Config) -> bool:
    """Return whether this session ends with a gate."""
    return option(config, "baseline") is not None


def asked(config: pytest.Config) -> bool:
    """Return whether this session asks for evaluations; where an option does, `-m eval` is implied.

    Raises:
        UsageError: the command line contradicts itself, or uses a name that is not ours here.
    """
    expression = str(config.option.markexpr)
    option_that_asks = next((each for each in ("target", "run") if given(config, each)), None)
    if not selects_eval(expression):
        if option_that_asks is None:
            if given(config, "baseline"):
                raise pytest.UsageError("--baseline: gates evaluations, and none are asked for; add -m eval")
            return False
        if any(each.startswith("-m") for each in _arguments(config)):
            msg = f"--{option_that_asks}: -m {expression!r} leaves out the samples it asks for; use -m eval"
            raise pytest.UsageError(msg)
        config.option.markexpr = "eval"
    for name in sorted(config.stash[FOREIGN]):
        if _spelled(config, f"--{name}") and not given(config, name):
            msg = f"--{name}: another plugin or a conftest owns this name; evaluations take {_prefixed(name)}"
            raise pytest.UsageError(msg)
    return True


def selects_eval(expression: str) -> bool:
    """Return whether a mark expression names `eval` and selects what has that mark alone."""
    if not re.search(r"\beval\b", expression):
        return False

    def named_eval(name: str, /, **_: object) -> bool:
        return name == "eval"

    try:
        return Expression.compile(expression).evaluate(named_eval)
    except SyntaxError:
        # pytest says what is wrong with it, once it deselects.
        return False


def _prefixed(name: str) -> str:
    return f"--harness-{name}"


def _destination(name: str) -> str:
    return f"harness_{name.replace('-', '_')}"


def _arguments(config: pytest.Config) -> list[str]:
    return [str(each) for each in config.invocation_params.args]


def _spelled(config: pytest.Config, name: str) -> bool:
    return any(each == name or each.startswith(f"{name}=") for each in _arguments(config))

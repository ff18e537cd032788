"""Which requests a fault hits: `NAME[:OPTION,...]` read, and requests counted."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from harness.errors import InvalidInput, UnknownName
from harness.serving.faults import FAULTS, Fault

OPTIONS = ("every", "first", "nth", "scenario", "seconds")
_ALLOWED = "write every, first=N, nth=N, scenario=GLOB or seconds=S, each once at most"
_COUNT = re.compile(r"[1-9][0-9]{0,8}")
LONGEST = 3600.0
"""Seconds; whoever waits longer has given up."""


@dataclass(frozen=True, slots=True)
class Injection:
    """A fault and the requests it hits.

    Requests of scenarios that `scenario` matches are counted from 1; hit are those from `start` to `stop`.
    """

    text: str
    fault: Fault
    start: int = 1
    stop: float = math.inf
    scenario: str = "*"
    seconds: float = 0.0


Hits = Callable[[str], Injection | None]
"""Count one request of a scenario and return what hits it, if anything does."""


def hits_of(injections: Sequence[Injection]) -> Hits:
    """Return what decides for each request; of several injections that would hit, the first does."""
    counts = [0] * len(injections)

    def hits(scenario: str) -> Injection | None:
        found: Injection | None = None
        for index, each in enumerate(injections):
            if fnmatchcase(scenario, each.scenario):
                counts[index] += 1
                if found is None and each.start <= counts[index] <= each.stop:
                    found = each
        return found

    return hits


def read_injection(text: str) -> Injection:
    """Return the injection that `NAME[:OPTION,...]` spells.

    Raises:
        UnknownName: no such fault or option.
        InvalidInput: an option's value is not one.
    """
    name, _, rest = text.partition(":")
    fault = next((each for each in FAULTS if each.name == name), None)
    if fault is None:
        raise UnknownName("fault", name, [each.name for each in FAULTS])
    given = _given(text, rest)
    if len({"every", "first", "nth"} & given.keys()) > 1:
        msg = f"--fault {text}: says twice which requests are hit; give one of every, first=N, nth=N"
        raise InvalidInput(msg)
    if "seconds" in given and fault.seconds is None:
        slow = ", ".join(each.name for each in FAULTS if each.seconds is not None)
        msg = f"--fault {text}: {name} takes no seconds; these do: {slow}"
        raise InvalidInput(msg)
    start, stop = 1, math.inf
    if "first" in given:
        stop = _count(text, given["first"])
    if "nth" in given:
        start = stop = _count(text, given["nth"])
    seconds = _seconds(text, given["seconds"]) if "seconds" in given else fault.seconds or 0.0
    return Injection(text, fault, start, stop, given.get("scenario", "*"), seconds)


def _given(text: str, options: str) -> dict[str, str]:
    given: dict[str, str] = {}
    for option in options.split(",") if options else ():
        name, equals, value = option.partition("=")
        if name not in OPTIONS:
            raise UnknownName("option of --fault", name, OPTIONS)
        if bool(value) == (name == "every") or bool(equals) != bool(value) or name in given:
            msg = f"--fault {text}: found {option!r}; {_ALLOWED}"
            raise InvalidInput(msg)
        given[name] = value
    return given


def _count(text: str, value: str) -> int:
    if _COUNT.fullmatch(value):
        return int(value)
    msg = f"--fault {text}: found {value!r}; use a whole number, 1 or more"
    raise InvalidInput(msg)


def _seconds(text: str, value: str) -> float:
    try:
        seconds = float(value)
    except ValueError:
        seconds = math.nan
    if 0 <= seconds <= LONGEST:
        return seconds
    msg = f"--fault {text}: found {value!r} seconds; use a number from 0 to {LONGEST:g}"
    raise InvalidInput(msg)

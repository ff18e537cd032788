"""Failures that people know of and have accepted for a while; the gate neither blames nor credits them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from harness.contracts.clauses import clause
from harness.errors import InvalidInput, UnknownName
from harness.gate.sides import Asked, Side
from harness.model.values import Value

FILE = "known-failures.yaml"
_EACH = "each entry has scenario, clause, reason and expires (a date)"


class KnownFailure(Value):
    """One entry: a clause that scenarios of a glob may break until the end of a day."""

    scenario: str
    clause: str
    reason: str
    expires: date

    def covers(self, scenario: str) -> bool:
        """Return whether a scenario is meant."""
        return fnmatchcase(scenario, self.scenario)


@dataclass(frozen=True, slots=True)
class Excused:
    """What an entry took out of a comparison: how many fails, of how many scores, on either side."""

    entry: KnownFailure
    failed: int
    n: int
    baseline_failed: int
    baseline_n: int


def read_known_failures(file: Path, today: date) -> list[KnownFailure]:
    """Return the entries of a file; no file has none.

    Raises:
        InvalidInput: the file cannot be read, or an entry has expired, names no clause, or a hard one; the
            message has a line for each of them, with file and line.
    """
    if not file.is_file():
        return []
    from harness.scenarios.files import read_yaml

    document = read_yaml(file)
    found: Any = document.value or []
    if not isinstance(found, list):
        raise InvalidInput(f"{document.where(())}: found no list of entries; {_EACH}")
    entries: list[KnownFailure] = []
    problems: list[str] = []
    for at, value in enumerate(cast("list[Any]", found)):
        try:
            # Dates are text until here.
            entry = KnownFailure.model_validate(value, strict=False)
        except ValidationError as error:
            first = error.errors()[0]
            told = f"{'.'.join(map(str, first['loc'])) or 'entry'}: {first['msg']}"
            problems.append(f"{document.where((at, *first['loc']))}: {told}; {_EACH}")
            continue
        entries.append(entry)
        problems += (f"{document.where((at, key))}: {problem}" for key, problem in _problems(entry, today))
    if problems:
        raise InvalidInput("\n".join(problems))
    return entries


def _problems(entry: KnownFailure, today: date) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with an entry, by the key where it shows."""
    what = f"{entry.scenario!r} x {entry.clause!r}"
    try:
        hard = clause(entry.clause).hard
    except UnknownName as error:
        hard = False
        yield "clause", str(error)
    if hard:
        yield (
            "clause",
            f"{what}: is a hard clause; what the baseline breaks as well is a standing breach anyway",
        )
    if not entry.reason.strip():
        yield "reason", f"{what}: found no reason; say why it is accepted"
    if entry.expires < today:
        yield (
            "expires",
            f"{what}: expired on {entry.expires}; repair it, or decide again and give a later date",
        )


def excused(
    known: Sequence[KnownFailure], candidate: Side, baseline: Side, asked: Iterable[Asked]
) -> list[Excused]:
    """Return what each entry takes out of a comparison of these scenarios."""
    keys = list(asked)
    found: list[Excused] = []
    for entry in known:
        ours, theirs = _count(entry, candidate, keys), _count(entry, baseline, keys)
        found.append(Excused(entry, *ours, *theirs))
    return found


def without(
    known: Sequence[KnownFailure], scenario: str, clauses: Mapping[str, str], dropped: frozenset[str]
) -> dict[str, str]:
    """Return a sample's outcomes less what is known to fail there, and less `dropped` clauses."""
    gone = dropped | {each.clause for each in known if each.covers(scenario)}
    return {name: outcome for name, outcome in clauses.items() if name not in gone}


def _count(entry: KnownFailure, side: Side, asked: Sequence[Asked]) -> tuple[int, int]:
    outcomes = [
        clauses.get(entry.clause)
        for each in asked
        if entry.covers(each.scenario)
        for clauses in side.outcomes.get(each, {}).values()
    ]
    return outcomes.count("fail"), outcomes.count("fail") + outcomes.count("pass")

"""Failures that people know of and have accepted for a while; the gate neither blames nor credits them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from harness.contracts.clauses import clause
from harness.errors import InvalidInput
from harness.gate.sides import Asked, Side
from harness.model.values import Value

FILE = "known-failures.yaml"


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


_ENTRIES = TypeAdapter(list[KnownFailure])


def read_known_failures(file: Path, today: date) -> list[KnownFailure]:
    """Return the entries of a file; no file has none.

    Raises:
        InvalidInput: the file cannot be read, or an entry has expired, names no clause, or a hard one.
    """
    if not file.is_file():
        return []
    import yaml

    try:
        value: Any = yaml.safe_load(file.read_text(encoding="utf-8"))
        entries = _ENTRIES.validate_python(value or [])
    except (OSError, ValueError, yaml.YAMLError) as error:
        found = error.errors()[0] if isinstance(error, ValidationError) else None
        told = f"{'.'.join(map(str, found['loc']))}: {found['msg']}" if found else str(error)
        raise InvalidInput(
            f"{file}: {told}; each entry has scenario, clause, reason and expires (a date)"
        ) from error
    problems = [problem for each in entries for problem in _problems(each, today)]
    if problems:
        raise InvalidInput("\n".join(f"{file}: {each}" for each in problems))
    return entries


def _problems(entry: KnownFailure, today: date) -> Iterator[str]:
    what = f"{entry.scenario!r} x {entry.clause!r}"
    if entry.expires < today:
        yield f"{what}: expired on {entry.expires}; repair it, or decide again and give a later date"
    if clause(entry.clause).hard:
        yield f"{what}: is a hard clause; what the baseline breaks as well is a standing breach anyway"
    if not entry.reason.strip():
        yield f"{what}: found no reason; say why it is accepted"


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

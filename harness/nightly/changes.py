"""Why a night may differ from the one before: what is no longer the same, in words."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from harness.nightly.lines import Night

Kind = Literal[
    "model", "settings", "provider", "prompt", "harness", "scenario", "contract", "grader", "extraction"
]

ANSWERING: frozenset[Kind] = frozenset({"model", "settings", "provider", "prompt", "harness"})
"""What changes the answers; the rest changes what is asked of them, or how they are judged."""


class Change(NamedTuple):
    """One thing that is not as it was the night before."""

    kind: Kind
    detail: str

    def __str__(self) -> str:
        """Return it as reports have it."""
        return f"{self.kind} ({self.detail})"


def changes(before: Mapping[str, Night], now: Mapping[str, Night]) -> tuple[Change, ...]:
    """Return what changed between two nights of a target, given contract by contract; each once."""
    found: list[Change] = []
    if before.keys() != now.keys():
        found.append(Change("contract", _moved(sorted(before), sorted(now))))
    for contract in sorted(before.keys() & now.keys()):
        found += _between(before[contract], now[contract])
    return tuple(dict.fromkeys(found))


def _between(before: Night, now: Night) -> list[Change]:
    found: list[Change] = []
    if before.model != now.model:
        found.append(Change("model", f"{before.model} → {now.model}"))
    settings = _settings(before, now)
    if settings:
        found.append(Change("settings", settings))
    if before.reported != now.reported:
        found.append(
            Change("provider", f"replied as {_named(now.reported)}, before as {_named(before.reported)}")
        )
    if before.harness != now.harness:
        found.append(Change("harness", f"{before.harness} → {now.harness}"))
    if before.terms != now.terms:
        found.append(Change("contract", now.contract))
    graders = [
        f"{clause} {before.graders[clause]} → {version}" if clause in before.graders else f"{clause} is new"
        for clause, version in now.graders.items()
        if before.graders.get(clause) != version
    ] + [f"{clause} is gone" for clause in before.graders if clause not in now.graders]
    if graders:
        found.append(Change("grader", _listed(graders)))
    if before.extraction != now.extraction:
        found.append(Change("extraction", f"{before.extraction} → {now.extraction}"))
    return found + _asked(before, now)


def _settings(before: Night, now: Night) -> str:
    names = sorted((before.settings.keys() | now.settings.keys()) - {"model"})
    return _listed(
        [
            f"{name} {before.settings.get(name)} → {now.settings.get(name)}"
            for name in names
            if before.settings.get(name) != now.settings.get(name)
        ]
    )


def _asked(before: Night, now: Night) -> list[Change]:
    """Return changed scenarios, and changed prompts of scenarios that did not change."""
    both = before.cells.keys() & now.cells.keys()
    edited = [each for each in sorted(both) if before.cells[each].scenario != now.cells[each].scenario]
    prompted = [
        each
        for each in sorted(both - {*edited})
        if before.cells[each].prompt != now.cells[each].prompt
        and before.cells[each].prompt
        and now.cells[each].prompt
    ]
    added, gone = now.cells.keys() - both, before.cells.keys() - both
    parts = [f"{_listed(edited)} changed"] if edited else []
    parts += [f"{len(added)} added"] if added else []
    parts += [f"{len(gone)} left out"] if gone else []
    found = [Change("scenario", "; ".join(parts))] if parts else []
    # A contract that changed is told otherwise in most prompts; the cause has been named already.
    if prompted and before.terms == now.terms:
        found.append(Change("prompt", f"of {len(prompted)} of {len(both)} scenarios"))
    return found


def _moved(before: Sequence[str], now: Sequence[str]) -> str:
    parts = [f"{each} is new" for each in now if each not in before]
    return ", ".join(parts + [f"{each} is left out" for each in before if each not in now])


def _listed(names: Sequence[str]) -> str:
    more = len(names) - 3
    return ", ".join(names[:3]) + (f" and {more} more" if more > 0 else "")


def _named(models: Sequence[str]) -> str:
    return _listed(models) or "nobody"

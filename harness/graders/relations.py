"""Do two samples that differ in one thing answer as that difference demands?

A relation compares the samples of a pair: `first` answers the scenario that the pair names, `second` the
changed one; target, contract and trial are the same.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from harness.extraction import strict
from harness.graders.grading import unaskable
from harness.graders.seen import by_results, returned, the_scenario
from harness.graders.showing import presented
from harness.model import (
    DECLINED,
    SEVERITIES,
    Choice,
    Finding,
    Sample,
    Score,
    not_applicable,
    unscored,
    verdict,
)
from harness.model.score import PASSED

Judge = Callable[[Sample, Sample], Score]


@dataclass(frozen=True, slots=True, eq=False)
class Relation:
    """A pure function for one clause over two samples."""

    clause: str
    judge: Judge
    version: int = 1

    @property
    def name(self) -> str:
        """The function that judges, as "relations.unmoved"."""
        return f"relations.{self.judge.__name__}"


def unmoved(first: Sample, second: Sample) -> Score:
    """Priority and risk tolerance alone move neither severity nor signal type (MET-1)."""
    found = [*_differing(first, second, "severity"), *_differing(first, second, "signal type")]
    if not found and not all(_severity(each) or _signal_type(each) for each in (first, second)):
        return not_applicable("one of the two states neither severity nor signal type; see CAR-3 and QRY-1")
    return verdict(found)


def moved(first: Sample, second: Sample) -> Score:
    """Changed evidence moves severity or signal type in the stated direction (MET-2)."""
    before, after = the_scenario(first).expect, the_scenario(second).expect
    found: list[Finding] = []
    if not set(before.severities) & set(after.severities):
        was, now = _severity(first), _severity(second)
        if was not in _LEVELS or now not in _LEVELS:
            return not_applicable("one of the two states no severity level; see CAR-3 and SEV-1")
        demanded = _LEVELS.index(after.severities[0]) - _LEVELS.index(before.severities[0])
        if (_LEVELS.index(now) - _LEVELS.index(was)) * demanded <= 0:
            direction = "milder" if demanded > 0 else "worse"
            found.append(_finding(second, "severity", f"{direction} than {was}", now))
    if not set(before.signal_types) & set(after.signal_types):
        was, now = _signal_type(first), _signal_type(second)
        if was is None or now is None:
            return (
                verdict(found) if found else not_applicable("one of the two names no signal type; see QRY-1")
            )
        if was == now:
            found.append(_finding(second, "signal type", after.signal_types, now))
    return verdict(found)


def renamed(first: Sample, second: Sample) -> Score:
    """Renamed resources are renamed in the answer, and nothing else changes (MET-3)."""
    if unreadable := _unreadable(first, second):
        return unreadable
    pair = the_scenario(second).pair
    expected = _mapped(_chosen(first), pair.renamed if pair else {})
    found = [*_differing(first, second, "severity"), *_differing(first, second, "signal type")]
    if not strict.same(_chosen(second), expected):
        found.append(_finding(second, "selection", expected, _chosen(second)))
    return verdict(found)


def same_choice(first: Sample, second: Sample) -> Score:
    """The order of search hits or evidence changes no choice (MET-4)."""
    before, after = _workflow(first), _workflow(second)
    same = verdict([] if before == after else [_finding(second, "selection", before, after)])
    return _unreadable(first, second) or same


def no_substitute_invented(first: Sample, second: Sample) -> Score:
    """Without the right entry another accepted choice or null follows, never an invented id (MET-5)."""
    del first
    if unreadable := _unreadable(second):
        return unreadable
    chosen, right = _workflow(second), second.right_choices
    # Where nothing fits and a contract cannot decline, only an id that was made up is wrong.
    if right and chosen not in right:
        return verdict([_finding(second, "selection", right, chosen)])
    if chosen is None or returned(second, chosen):
        return PASSED
    return by_results(second, [], [_finding(second, "selection", "an id that a search returned", chosen)])


RELATIONS: tuple[Relation, ...] = (
    Relation("MET-1", unmoved),
    Relation("MET-2", moved),
    Relation("MET-3", renamed),
    Relation("MET-4", same_choice),
    Relation("MET-5", no_substitute_invented),
)


def relate(relation: Relation, first: Sample | None, second: Sample) -> Score:
    """Return the score of a pair; it lies with the changed sample."""
    if first is None:
        pair = the_scenario(second).pair
        return unscored(f"its other half was not run: {pair.of if pair else 'none'}")
    for sample in (first, second):
        missing = unaskable(sample)
        if missing:
            return unscored(f"{sample.id}: {missing.reason}")
    if first.answer is None or second.answer is None:
        return not_applicable("no answer could be read in one of the two; see CAR-1")
    found = relation.judge(first, second)
    return presented(presented(found, first), second) if found.findings else found


_LEVELS: tuple[Any, ...] = SEVERITIES


def _severity(sample: Sample) -> str | None:
    value = sample.answer.severity if sample.answer else None
    return value if isinstance(value, str) else None


def _signal_type(sample: Sample) -> str | None:
    search = sample.deciding
    return search.signal_type if search else None


def _unreadable(*samples: Sample) -> Score | None:
    for sample in samples:
        selection = sample.answer.selection if sample.answer else None
        chosen = (
            isinstance(selection, Choice) and isinstance(selection.id, str) and selection.sent is not None
        )
        if selection is not DECLINED and not chosen:
            return not_applicable(f"{sample.id}: the selection cannot be read; see CAR-3")
    return None


def _workflow(sample: Sample) -> str | None:
    choice = sample.answer.choice if sample.answer else None
    return choice.id if choice and isinstance(choice.id, str) else None


def _chosen(sample: Sample) -> dict[str, Any]:
    choice = sample.answer.choice if sample.answer else None
    return {"workflow": _workflow(sample), "parameters": dict(choice.sent or {}) if choice else {}}


def _mapped(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, str) and names:
        # In one pass: two resources may have swapped their names. The longest first: one may begin another.
        old = "|".join(re.escape(each) for each in sorted(names, key=len, reverse=True))
        return re.sub(old, lambda found: names[found.group()], value)
    if isinstance(value, dict):
        given = cast("dict[str, Any]", value)
        return {key: _mapped(item, names) for key, item in given.items()}
    return value


def _differing(first: Sample, second: Sample, what: str) -> list[Finding]:
    read = _severity if what == "severity" else _signal_type
    before, after = read(first), read(second)
    # A sample without a served search, or without a readable severity, answers for that in its own clauses.
    return [] if before == after or None in (before, after) else [_finding(second, what, before, after)]


def _finding(sample: Sample, what: str, expected: Any, observed: Any) -> Finding:
    pair, search = the_scenario(sample).pair, sample.deciding
    place = (
        f"{search.place} query" if search and what == "signal type" else sample.contract.places.get(what, "")
    )
    return Finding(f"{what} against {pair.of if pair else 'its other half'}", place, expected, observed)

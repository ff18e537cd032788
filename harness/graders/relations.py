"""Do two samples that differ in one thing answer as that difference demands?

A relation compares the samples of a pair: `first` answers the scenario that the pair names, `second` the
changed one; target, contract and trial are the same.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from harness.graders.grading import unaskable
from harness.graders.seen import the_scenario
from harness.model import DECLINED, SEVERITIES, Finding, Sample, Score, not_applicable, unscored, verdict

Judge = Callable[[Sample, Sample], Score]


@dataclass(frozen=True, slots=True)
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
    return verdict([*_differing(first, second, "severity"), *_differing(first, second, "signal type")])


def moved(first: Sample, second: Sample) -> Score:
    """Changed evidence moves severity or signal type in the stated direction (MET-2)."""
    before, after = the_scenario(first).expect, the_scenario(second).expect
    found: list[Finding] = []
    if not set(before.severities) & set(after.severities):
        demanded = _level(after.severities[0]) - _level(before.severities[0])
        stated = _level(_severity(second)) - _level(_severity(first))
        if stated * demanded <= 0:
            direction = "milder" if demanded > 0 else "worse"
            found.append(
                _finding(second, "severity", f"{direction} than {_severity(first)}", _severity(second))
            )
    if not set(before.signal_types) & set(after.signal_types) and _signal_type(second) == _signal_type(first):
        found.append(_finding(second, "signal type", after.signal_types, _signal_type(second)))
    return verdict(found)


def renamed(first: Sample, second: Sample) -> Score:
    """Renamed resources are renamed in the answer, and nothing else changes (MET-3)."""
    pair = the_scenario(second).pair
    names: Mapping[str, str] = pair.renamed if pair else {}
    expected = _mapped(_chosen(first), names)
    found = [*_differing(first, second, "severity"), *_differing(first, second, "signal type")]
    if _chosen(second) != expected:
        found.append(_finding(second, "selection", expected, _chosen(second)))
    return verdict(found)


def same_choice(first: Sample, second: Sample) -> Score:
    """The order of search hits or evidence changes no choice (MET-4)."""
    before, after = _workflow(first), _workflow(second)
    return verdict([] if before == after else [_finding(second, "selection", before, after)])


def no_substitute_invented(first: Sample, second: Sample) -> Score:
    """Without the right entry another accepted choice or null follows, never an invented id (MET-5)."""
    del first
    expect = the_scenario(second).expect
    chosen = _workflow(second)
    right: list[str | None] = [*expect.workflows.accepted, *([None] if expect.none_ok else [])]
    returned = chosen is None or bool(second.hits(chosen))
    if chosen in right and returned:
        return verdict([])
    return verdict([_finding(second, "selection", right, chosen)])


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
    return relation.judge(first, second)


def _severity(sample: Sample) -> Any:
    return sample.answer.severity if sample.answer else None


def _signal_type(sample: Sample) -> Any:
    search = sample.deciding
    return search.signal_type if search else None


def _workflow(sample: Sample) -> str | None:
    selection = sample.answer.selection if sample.answer else None
    if selection is DECLINED:
        return None
    choice = sample.answer.choice if sample.answer else None
    return choice.id if choice and isinstance(choice.id, str) else "(unreadable)"


def _chosen(sample: Sample) -> dict[str, Any]:
    choice = sample.answer.choice if sample.answer else None
    return {"workflow": _workflow(sample), "parameters": dict(choice.sent or {}) if choice else {}}


def _mapped(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        for old, new in names.items():
            value = value.replace(old, new)
        return value
    if isinstance(value, dict):
        value = cast("dict[str, Any]", value)
        return {key: _mapped(item, names) for key, item in value.items()}
    return value


def _level(severity: Any) -> int:
    """Return a level's place; a word that is no level counts as standing between none and all."""
    order: list[Any] = list(SEVERITIES)
    return order.index(severity) if severity in order else 0


def _differing(first: Sample, second: Sample, what: str) -> list[Finding]:
    read = _severity if what == "severity" else _signal_type
    before, after = read(first), read(second)
    # A sample without a served search, or without a readable severity, answers for that in its own clauses.
    return [] if before == after or None in (before, after) else [_finding(second, what, before, after)]


def _finding(sample: Sample, what: str, expected: Any, observed: Any) -> Finding:
    pair = the_scenario(sample).pair
    place = "the deciding search" if what == "signal type" else sample.contract.places[what]
    return Finding(f"{what} against {pair.of if pair else 'its other half'}", place, expected, observed)

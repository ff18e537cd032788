"""The second half of a pair answers as its one difference does not demand: exactly the relation breaks."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from harness.model import Hit, Transcript
from harness.violations.assessing import stated
from harness.violations.choosing import choosing
from harness.violations.compose import replaced
from harness.violations.facts import (
    fitting,
    judged,
    offered,
    parameters_sent,
    returned,
    selected,
    selected_id,
)
from harness.violations.searching import with_leading_word
from harness.violations.splicing import answer_of, map_searches, with_answer
from harness.violations.violation import (
    Arguments,
    PairViolation,
    RawAnswer,
    Situation,
    with_parameters,
    with_selection,
)

Sites = Callable[[Situation, Situation], Iterator[str]]
Edit = Callable[[Transcript, Situation, Situation], Transcript]


def _of(relation: str, sites: Sites) -> Callable[[Situation, Situation], list[str]]:
    """Return the sites of a contract that has the relation at all."""
    return lambda first, second: list(sites(first, second)) if relation in second.contract.clauses else []


def _answering(edit: Callable[[RawAnswer, Situation, Situation], RawAnswer]) -> Edit:
    return lambda transcript, first, second: with_answer(
        transcript, edit(answer_of(transcript), first, second)
    )


def _pair(name: str, relation: str, sites: Sites, edit: Edit, *, valid: bool = False) -> PairViolation:
    return PairViolation(name, relation, edit, _of(relation, sites), valid=valid)


# Severity and signal type


def _state(answer: RawAnswer, _first: Situation, second: Situation) -> RawAnswer:
    return replaced(second.contract, answer, {"severity": second.site})


def _other_severities(first: Situation, _second: Situation) -> Iterator[str]:
    before = stated(first)
    yield from (each for each in first.contract.severities if before and each != before)


def _other_signals(first: Situation, _second: Situation) -> Iterator[str]:
    wire = first.contract.labels.get("signal_type")
    before = first.searched[-1].get(wire) if first.searched and wire else None
    others = [each for each in first.contract.signal_types if each != before]
    yield from (others[0], others[-1]) if before else ()


def _search_for(transcript: Transcript, _first: Situation, second: Situation) -> Transcript:
    def search(arguments: Arguments) -> Arguments:
        return with_leading_word(arguments, second, "signal_type", query=second.site, label=second.site)

    return map_searches(transcript, second.contract, search)


def _unmoved(first: Situation, second: Situation) -> Iterator[str]:
    """Yield the levels that do not lie on the side to which the evidence has moved."""
    before = stated(first)
    was, now = first.scenario.expect.severities, second.scenario.expect.severities
    if before is None or set(was) & set(now):
        return
    levels = first.contract.severities
    milder = levels.index(now[0]) > levels.index(was[0])
    for each in levels:
        place, here = levels.index(each), levels.index(before)
        if (place <= here) if milder else (place >= here):
            yield each


def _moved(first: Situation, second: Situation) -> Iterator[str]:
    wrong = set(_unmoved(first, second))
    yield from (
        each for each in first.contract.severities if wrong and each not in wrong and each != stated(second)
    )


# Names


def _renamed_back(first: Situation, second: Situation) -> dict[str, Any]:
    """Return parameter -> the old name of the resource, where the good answer has the new one."""
    before = parameters_sent(first)
    return {
        name: before[name]
        for name, value in parameters_sent(second).items()
        if before.get(name, value) != value
    }


def _keep_old_name(answer: RawAnswer, first: Situation, second: Situation) -> RawAnswer:
    old = _renamed_back(first, second)
    return with_parameters(answer, second, lambda sent: sent.update({second.site: old[second.site]}))


def _unchanged(_first: Situation, second: Situation) -> Iterator[str]:
    yield from parameters_sent(second)


def _change_value(answer: RawAnswer, _first: Situation, second: Situation) -> RawAnswer:
    value = parameters_sent(second)[second.site]
    other: Any = (
        not value
        if isinstance(value, bool)
        else value + 1
        if isinstance(value, int | float)
        else f"{value}-2"
    )
    return with_parameters(answer, second, lambda sent: sent.update({second.site: other}))


def _drop_value(answer: RawAnswer, _first: Situation, second: Situation) -> RawAnswer:
    return with_parameters(answer, second, lambda sent: sent.pop(second.site))


# The choice


def _others(first: Situation, second: Situation) -> Iterator[str]:
    """Yield what else was offered to the second half."""
    chosen = {selected_id(first), selected_id(second)}
    yield from dict.fromkeys(hit.id for hit in offered(second) if hit.id not in chosen)


def _select(answer: RawAnswer, _first: Situation, second: Situation) -> RawAnswer:
    hit = returned(second, second.site)
    return choosing(answer, second, hit, fitting(second, hit.id)) if hit else answer


def _decline(answer: RawAnswer, _first: Situation, second: Situation) -> RawAnswer:
    return replaced(second.contract, answer, {"selection": None})


def _may_not_decline(_first: Situation, second: Situation) -> Iterator[str]:
    yield from ("",) if selected(second) and second.contract.may_decline else ()


def _misfits(first: Situation, second: Situation) -> Iterator[str]:
    """Yield what was offered and is not accepted, where the contract could have declined."""
    accepted = second.scenario.expect.workflows.accepted
    yield from (each for each in _others(first, second) if judged(second) and each not in accepted)


_MADE_UP: Mapping[str, Callable[[str], str]] = {
    "the one that is gone": lambda found: found,
    "a newer one": lambda found: f"{found}-v2",
    "prose": lambda found: found.replace("-", " "),
    "in capitals": str.upper,
}


def _gone(first: Situation, _second: Situation) -> Iterator[str]:
    yield from _MADE_UP if selected(first) else ()


def _select_gone(answer: RawAnswer, first: Situation, second: Situation) -> RawAnswer:
    made_up = _MADE_UP[second.site](selected_id(first) or "")
    hit = replace(returned(first, selected_id(first)) or Hit("", None, 0.9, {}), id=made_up)
    return choosing(answer, second, hit, parameters_sent(first))


# What a right second half may do


def _reword(answer: RawAnswer, _first: Situation, second: Situation) -> RawAnswer:
    parts = {
        "summary": "Users are hit; said otherwise.",
        "root_cause": "The impact is as before; said otherwise.",
    }
    return with_selection(replaced(second.contract, answer, parts), second, rationale="Said otherwise.")


def _always(_first: Situation, _second: Situation) -> Iterator[str]:
    yield ""


ALL: tuple[PairViolation, ...] = (
    _pair("severity_moved_by_priority", "MET-1", _other_severities, _answering(_state)),
    _pair("signal_type_moved_by_priority", "MET-1", _other_signals, _search_for),
    _pair("severity_unmoved_by_evidence", "MET-2", _unmoved, _answering(_state)),
    _pair(
        "old_name_kept",
        "MET-3",
        lambda first, second: iter(_renamed_back(first, second)),
        _answering(_keep_old_name),
    ),
    _pair("value_moved_by_a_name", "MET-3", _unchanged, _answering(_change_value)),
    _pair("value_lost_by_a_name", "MET-3", _unchanged, _answering(_drop_value)),
    _pair("choice_moved_by_a_name", "MET-3", _others, _answering(_select)),
    _pair("declined_for_a_name", "MET-3", _may_not_decline, _answering(_decline)),
    _pair("severity_moved_by_a_name", "MET-3", _other_severities, _answering(_state)),
    _pair("signal_type_moved_by_a_name", "MET-3", _other_signals, _search_for),
    _pair("choice_moved_by_order", "MET-4", _others, _answering(_select)),
    _pair("declined_for_the_order", "MET-4", _may_not_decline, _answering(_decline)),
    _pair("missing_entry_made_up", "MET-5", _gone, _answering(_select_gone)),
    _pair("missing_entry_replaced_by_a_misfit", "MET-5", _misfits, _answering(_select)),
)

VARIANTS: tuple[PairViolation, ...] = (
    _pair("severity_moved_further", "MET-2", _moved, _answering(_state), valid=True),
    *(
        _pair(
            f"other_words_{relation.lower().replace('-', '_')}",
            relation,
            _always,
            _answering(_reword),
            valid=True,
        )
        for relation in ("MET-1", "MET-2", "MET-3", "MET-4", "MET-5")
    ),
)

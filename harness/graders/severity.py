"""Did the target judge the severity itself, in the contract's words, and say the same everywhere?"""

import re

from harness.extraction import value_at
from harness.graders.seen import Seen, search_values, the_scenario
from harness.model import SEVERITIES, Finding, Sample, Score, not_applicable, unscored, verdict
from harness.model.score import PASSED

_ENDINGS = {
    "severity": "", "critical": "", "high": "", "medium": "", "low": "", "impact": r"\w*", "user": "s?",
    "customer": "s?", "revenue": "", "outage": "", "unavailable": "", "degrad": r"\w+", "sla": "s?",
    "service level": "", "data loss": "", "escalat": r"\w+", "blast radius": "", "no one": "", "nobody": "",
}  # fmt: skip
"""What words that give a reason begin with, and how they may end."""
# What begins with letters is found sooner than what begins with the edge of a word.
_REASONS = {stem: re.compile(rf"{stem}(?<!\w{stem}){ending}\b") for stem, ending in _ENDINGS.items()}
_IN_ANY_CASE = re.compile("|".join(each.pattern for each in _REASONS.values()), re.IGNORECASE)


def one_of_four(sample: Sample) -> Score:
    """Severity is one of the four levels, in answer, query and label (SEV-1)."""
    levels = sample.contract.severities
    stated = [*_answered(sample), *[v for s in sample.searches for v in search_values(sample, s, "severity")]]
    wrong = [
        Finding(f"{each.value!r} is no severity level", each.place, list(levels), each.value)
        for each in stated
        if each.value not in levels
    ]
    if not wrong and not sample.shows_searches:
        return unscored("only the answer is known; the severity of its searches is not")
    return verdict(wrong) if stated else not_applicable("no severity is stated")


def supported(sample: Sample) -> Score:
    """The answer's severity is one that the impact supports (SEV-2)."""
    right: list[str] = list(the_scenario(sample).expect.severities)
    stated = _answered(sample)
    if not stated:
        return not_applicable("the answer states no severity; see CAR-3")
    return verdict(
        [
            Finding(_distance(each.value, right), each.place, right, each.value)
            for each in stated
            if each.value not in right
        ]
    )


def reassessed(sample: Sample) -> Score:
    """An input level that the impact excludes is not copied (SEV-3)."""
    scenario = the_scenario(sample)
    # A level is the same level in capitals; CAR-3 and SEV-1 judge the spelling.
    given, right = scenario.signal.severity.casefold(), list(scenario.expect.severities)
    if given in right:
        return not_applicable("the input's severity is among the accepted ones")
    stated = _answered(sample)
    if not stated:
        return not_applicable("the answer states no severity; see CAR-3")
    if not any(each.value.casefold() in (*sample.contract.severities, given) for each in stated):
        return not_applicable("the answer's severity is no level; see SEV-1")
    return verdict(
        [
            Finding("the input's severity was copied", each.place, right, each.value)
            for each in stated
            if each.value.casefold() == given
        ]
    )


def same_everywhere(sample: Sample) -> Score:
    """Answer, query and label of the deciding search carry the same severity (SEV-4)."""
    search = sample.deciding
    stated = [*_answered(sample), *(search_values(sample, search, "severity") if search else ())]
    if len(stated) < 2:
        return not_applicable("fewer than two severities are stated")
    first = stated[0]
    return verdict(
        [
            Finding(f"differs from {first.place}", each.place, first.value, each.value)
            for each in stated[1:]
            if each.value != first.value
        ]
    )


def reasoned(sample: Sample) -> Score:
    """The analysis gives a reason for the severity: a textual check only (SEV-6)."""
    places = [sample.contract.places["summary"], sample.contract.places["root_cause"]]
    texts = [found for place in places if isinstance(found := value_at(sample, place), str)]
    if not texts:
        return not_applicable("no analysis can be read; see CAR-3")
    if _gives_reason("\n".join(texts)):
        return PASSED
    return verdict([Finding("no words on impact or severity", places[-1], "a reason", texts[-1])])


def _gives_reason(text: str) -> bool:
    # Beyond ASCII small letters are another matter.
    if not text.isascii():
        return _IN_ANY_CASE.search(text) is not None
    lowered = text.lower()
    # A beginning is found far sooner than a pattern.
    return any(
        (at := lowered.find(stem)) >= 0 and word.search(lowered, at) for stem, word in _REASONS.items()
    )


def _answered(sample: Sample) -> list[Seen]:
    value = sample.answer.severity if sample.answer else None
    return [Seen(sample.contract.places["severity"], value)] if isinstance(value, str) else []


def _distance(stated: str, right: list[str]) -> str:
    order: list[str] = list(SEVERITIES)
    if stated not in order:
        return "no level at all"
    off = min((order.index(stated) - order.index(each) for each in right), key=abs)
    levels = "level" if abs(off) == 1 else "levels"
    return f"{abs(off)} {levels} too {'mild' if off > 0 else 'severe'}"

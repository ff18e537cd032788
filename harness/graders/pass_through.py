"""Did what the business decided, and what the search computed, arrive unchanged?"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from harness.extraction import strict
from harness.graders.grading import Judge
from harness.graders.seen import (
    business_told,
    by_results,
    inside,
    returned,
    the_alternatives,
    the_choice,
    the_scenario,
    tokens,
    undeclared_parameters,
)
from harness.model import (
    Choice,
    Contract,
    Finding,
    Sample,
    Scenario,
    Score,
    Search,
    not_applicable,
    unscored,
    verdict,
)
from harness.model.remembering import once_per_object
from harness.model.scenario import BUSINESS_FIELDS
from harness.model.score import PASSED


def _unchanged(field: str) -> Judge:
    def judge(sample: Sample) -> Score:
        told = business_told(sample).get(field)
        if told is None:
            return not_applicable(f"the request has no {field}; see PAS-9")
        return verdict(
            [
                Finding(
                    f"{field} was left out" if field not in search.labels else f"{field} was changed",
                    f"{search.place} {sample.contract.labels[field]}",
                    told,
                    search.labels.get(field),
                )
                for search in sample.searches
                if search.labels.get(field) != told
            ]
        )

    judge.__name__ = f"{field}_unchanged"
    judge.__doc__ = f"{field} reaches every search byte for byte."
    return judge


environment_unchanged = _unchanged("environment")
priority_unchanged = _unchanged("priority")
risk_tolerance_unchanged = _unchanged("risk_tolerance")
business_category_unchanged = _unchanged("business_category")


def labels_unchanged(sample: Sample) -> Score:
    """Custom and detected labels reach every search unchanged (PAS-5)."""
    scenario = the_scenario(sample)
    given: dict[str, Any] = {
        "custom_labels": scenario.custom_labels,
        "detected_labels": scenario.detected_labels,
    }
    if not any(given.values()):
        return not_applicable("the request has neither custom nor detected labels")
    return verdict(
        [
            Finding(f"{name} differ from the request's", f"{search.place} {name}", told, sent)
            for search in sample.searches
            for name, told in given.items()
            if told and not strict.same(sent := getattr(search, name), told)
        ]
    )


def kept_out(sample: Sample) -> Score:
    """Business fields are neither in the query nor sent as undeclared parameters (PAS-6)."""
    choice = sample.answer.choice if sample.answer else None
    undeclared = undeclared_parameters(sample) if choice else None
    found = [each for search in sample.searches for each in _in_query(sample, search)]
    found += _in_parameters(choice, undeclared or {})
    if found:
        return verdict(found)
    # Of a workflow whose id cannot be read nobody knows what it declares; see CAR-3.
    unknown = choice is not None and isinstance(choice.id, str) and undeclared is None
    if not sample.shows_searches or unknown:
        return unscored("searches or the workflow's declared parameters are not known")
    if not sample.searches and choice is None:
        return not_applicable("there is neither a query nor a parameter")
    return PASSED if sample.scenario else unscored("no scenario is known to compare with")


# "environment" and "priority" are ordinary words too; before a value they are the fields.
_NAMED = re.compile(
    r"\b(risk[_ -]?tolerance|business[_ -]?category|(?:environment|priority)(?=\s*[=:]))", re.IGNORECASE
)

_IN_NAMES = ("tolerance", "category", "environment", "priority")


def _in_query(sample: Sample, search: Search) -> Iterator[Finding]:
    place = f"{search.place} query"
    # "low" and "high" are ordinary words; a risk tolerance only shows where it is named.
    words = _ordinary(sample.contract)
    query = tokens([search.query])
    # What a request holds by default ("unknown", "standard") is nobody's decision, and an ordinary word too.
    for name, value, sought in _told_words(sample.scenario) if sample.scenario else ():
        if sought in query and sought.strip() not in words:
            yield Finding(f"{name} is in the query", place, "labels only", value)
    for named in _fields_named(search.query):
        yield Finding(f"{named.lower()} is in the query", place, "labels only", named)


@once_per_object(2048)
def _told_words(scenario: Scenario) -> Sequence[tuple[str, str, str]]:
    """Return the business fields that may stand in a query: name, value, and the words of it."""
    told = [(name, value, tokens([value])) for name, value in scenario.business.given().items()]
    return [each for each in told if each[0] != "risk_tolerance" and each[2].strip()]


def _fields_named(query: str) -> Sequence[str]:
    # Beyond ASCII small letters are another matter.
    lowered = query.lower() if query.isascii() else None
    if lowered is not None and not any(each in lowered for each in _IN_NAMES):
        return ()
    return _NAMED.findall(query)


@lru_cache(maxsize=64)
def _ordinary(contract: Contract) -> frozenset[str]:
    return frozenset(each.casefold() for each in (*contract.severities, *contract.signal_types))


def _in_parameters(choice: Choice | None, undeclared: Mapping[str, Any]) -> Iterator[Finding]:
    for name, value in undeclared.items():
        if choice and _letters(name).removeprefix("label") in _FIELDS:
            place = inside(f"{choice.place}/parameters", name)
            yield Finding(f"the business field {name} is no parameter of this workflow", place, None, value)


def _letters(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.lower())


_FIELDS = frozenset(map(_letters, BUSINESS_FIELDS))


def confidence_copied(sample: Sample) -> Score:
    """The selection's confidence is a value that a search returned for that id (PAS-7)."""
    return _copied(sample, [the_choice(sample)])


def alternatives_copied(sample: Sample) -> Score:
    """The alternatives' confidences are values that a search returned for them (PAS-8)."""
    return _copied(sample, the_alternatives(sample))


def _copied(sample: Sample, choices: list[Choice]) -> Score:
    found: list[Finding] = []
    judged = unstated = False
    for choice in choices:
        if not isinstance(choice.id, str) or not isinstance(choice.confidence, int | float):
            continue
        judged = True
        hits = returned(sample, choice.id)
        known = [hit.confidence for hit in hits if hit.confidence is not None]
        if hits and not known:
            unstated = True
        elif choice.confidence not in known:
            reason = "not the confidence that was returned" if known else "no search returned this id"
            found.append(Finding(reason, f"{choice.place}/confidence", known, choice.confidence))
    if not judged:
        return not_applicable("no id with a confidence can be read; see CAR-3")
    if unstated and not found:
        return unscored("a search returned the id without a confidence")
    return by_results(sample, [], found)


def nothing_invented(sample: Sample) -> Score:
    """A business field that the request lacks is not invented (PAS-9)."""
    told = business_told(sample)
    absent = [name for name in BUSINESS_FIELDS if name not in told]
    if not absent:
        return not_applicable("the request has every business field")
    return verdict(
        [
            Finding(
                f"the request has no {name}",
                f"{search.place} {sample.contract.labels[name]}",
                None,
                search.labels[name],
            )
            for search in sample.searches
            for name in absent
            if name in search.labels
        ]
    )

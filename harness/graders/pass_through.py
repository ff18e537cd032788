"""Did what the business decided, and what the search computed, arrive unchanged?"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from harness.graders.grading import Judge
from harness.graders.seen import business_told, definitions, the_choice, the_scenario
from harness.model import Choice, Finding, Sample, Score, not_applicable, unscored, verdict
from harness.model.scenario import BUSINESS_FIELDS


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
    given = {"custom_labels": scenario.custom_labels, "detected_labels": scenario.detected_labels}
    if not any(given.values()):
        return not_applicable("the request has neither custom nor detected labels")
    return verdict(
        [
            Finding(f"{name} differ from the request's", f"{search.place} {name}", told, sent)
            for search in sample.searches
            for name, told in given.items()
            if told and (sent := getattr(search, name)) != told
        ]
    )


def kept_out(sample: Sample) -> Score:
    """Business fields are neither in the query nor sent as undeclared parameters (PAS-6)."""
    told = business_told(sample)
    choice = sample.answer.choice if sample.answer else None
    declared = definitions(sample, choice) if choice else None
    found = [*_in_queries(sample, told), *_in_parameters(choice, declared)]
    if not found and (not sample.transcript.shows_tools or (choice and declared is None)):
        return unscored("searches or the workflow's declared parameters are not known")
    return verdict(found)


def _in_queries(sample: Sample, told: Mapping[str, str]) -> Iterator[Finding]:
    # "low" or "high" are ordinary words; a risk tolerance only shows where it is named.
    values = {value.casefold(): name for name, value in told.items() if name != "risk_tolerance"}
    names = re.compile("|".join(name.replace("_", "[_ -]?") for name in BUSINESS_FIELDS), re.IGNORECASE)
    for search in sample.searches:
        for word in search.keywords:
            named = names.search(word)
            field = values.get(word.casefold()) or (named.group() if named else None)
            if field:
                yield Finding(f"{field} is in the query", f"{search.place} query", "labels only", word)


def _in_parameters(choice: Choice | None, declared: Mapping[str, Any] | None) -> Iterator[Finding]:
    if choice is None or declared is None:
        return
    for name, value in (choice.sent or {}).items():
        if name not in declared and re.sub(r"[-. ]", "_", name).lower() in BUSINESS_FIELDS:
            place = f"{choice.place}/parameters/{name}"
            yield Finding(f"the business field {name} is no parameter of this workflow", place, None, value)


def confidence_copied(sample: Sample) -> Score:
    """The selection's confidence is a value that a search returned for that id (PAS-7)."""
    return _copied(sample, [the_choice(sample)])


def alternatives_copied(sample: Sample) -> Score:
    """The alternatives' confidences are values that a search returned for them (PAS-8)."""
    listed = sample.answer.alternatives if sample.answer else None
    choices = [each for each in listed if isinstance(each, Choice)] if isinstance(listed, tuple) else []
    if not choices:
        return not_applicable("no alternatives are named")
    return _copied(sample, choices)


def _copied(sample: Sample, choices: list[Choice]) -> Score:
    readable = [each for each in choices if isinstance(each.confidence, int | float)]
    if not readable:
        return not_applicable("no confidence can be read; see CAR-3")
    findings: list[Finding] = []
    for choice in readable:
        returned = [hit.confidence for hit in sample.hits(choice.id)]
        if choice.confidence not in returned:
            reason = "not the confidence that was returned" if returned else "no search returned this id"
            findings.append(Finding(reason, f"{choice.place}/confidence", returned, choice.confidence))
    return verdict(findings)


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

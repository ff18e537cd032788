"""Did the target choose a workflow that was offered, and one that the evidence supports?"""

from itertools import pairwise

from harness.graders.seen import (
    by_results,
    hits_of_choice,
    id_place,
    ids_returned,
    returned,
    the_alternatives,
    the_choice,
    the_scenario,
    unread,
)
from harness.model import DECLINED, Choice, Finding, Sample, Score, not_applicable, unscored, verdict
from harness.model.score import PASSED


def returned_by_catalog(sample: Sample) -> Score:
    """The selected id was returned by the catalog in this transcript (SEL-1)."""
    choice = the_choice(sample)
    if not isinstance(choice.id, str):
        return not_applicable("the id cannot be read; see CAR-3")
    if hits_of_choice(sample):
        return PASSED
    return by_results(sample, [], [_not_returned(sample, choice)])


def _not_returned(sample: Sample, choice: Choice) -> Finding:
    reason = "the list has no such id" if sample.contract.given else "no search returned this id"
    return Finding(reason, id_place(sample, choice), ids_returned(sample), choice.id)


def supported(sample: Sample) -> Score:
    """The selection is one that the evidence supports; null only where nothing fits (SEL-2)."""
    expect = the_scenario(sample).expect
    place = sample.contract.places["selection"]
    selection = sample.answer.selection if sample.answer else None
    right = sample.right_choices
    if selection is DECLINED:
        if None in right:
            return PASSED
        return verdict([Finding("declined although a workflow fits", place, right, None)])
    if not isinstance(selection, Choice) or not isinstance(selection.id, str):
        return not_applicable("the selection cannot be read; see CAR-3")
    if not right:
        return not_applicable("nothing in the catalog fits, and the contract cannot decline")
    place = id_place(sample, selection)
    if selection.id in expect.workflows.forbidden:
        return verdict([Finding("the evidence rules this workflow out", place, right, selection.id)])
    if selection.id not in right:
        return verdict([Finding("not among the accepted workflows", place, right, selection.id)])
    return PASSED


def version_returned(sample: Sample) -> Score:
    """A version, if given, is the one returned (SEL-4)."""
    choice = the_choice(sample)
    if not isinstance(choice.version, str):
        return not_applicable("no version is given, or it cannot be read")
    hits = hits_of_choice(sample)
    if not hits:
        return unread(sample) or not_applicable("no search returned this id; see SEL-1")
    known = [hit.version for hit in hits if hit.version is not None] or sample.versions(choice.id)
    if not known:
        return unscored("the search returned this id without a version")
    if choice.version in known:
        return PASSED
    return by_results(
        sample,
        [],
        [Finding("not the version that was returned", f"{choice.place}/version", known, choice.version)],
    )


def highest_picked(sample: Sample) -> Score:
    """The highest confidence of the list is picked; ties accept any (SEL-3)."""
    choice = the_choice(sample)
    if not isinstance(choice.id, str):
        return not_applicable("the id cannot be read; see CAR-3")
    if gap := unread(sample):
        return gap
    ranked = {hit.id: hit.confidence for hit in sample.offered if hit.confidence is not None}
    if not ranked:
        return not_applicable("nothing was offered with a confidence")
    best = max(ranked.values())
    if ranked.get(choice.id) == best:
        return PASSED
    right = [each for each, confidence in ranked.items() if confidence == best]
    return verdict([Finding("not the highest confidence", id_place(sample, choice), right, choice.id)])


def alternatives_returned(sample: Sample) -> Score:
    """Alternatives are distinct ids that the catalog returned, and not the selection (SEL-5)."""
    selected = sample.answer.choice.id if sample.answer and sample.answer.choice else None
    certain: list[Finding] = []
    doubtful: list[Finding] = []
    earlier: set[str] = set()
    for choice in the_alternatives(sample):
        if not isinstance(choice.id, str):
            continue
        place = id_place(sample, choice)
        if choice.id == selected:
            certain.append(Finding("the selection itself is no alternative", place, "another id", choice.id))
        if choice.id in earlier:
            certain.append(Finding("named twice", place, "distinct ids", choice.id))
        if not returned(sample, choice.id):
            doubtful.append(_not_returned(sample, choice))
        earlier.add(choice.id)
    if not earlier:
        return not_applicable("no alternative's id can be read; see CAR-3")
    return by_results(sample, certain, doubtful)


def search_explained(sample: Sample) -> Score:
    """The rationale explains the search: it names the signal type or the query (SEL-6)."""
    choice, search = the_choice(sample), sample.deciding
    if not isinstance(choice.rationale, str) or search is None:
        return not_applicable("no rationale can be read")
    text = choice.rationale.casefold()
    if any(each and each.casefold() in text for each in (search.signal_type, search.query.strip())):
        return PASSED
    place = f"{choice.place}/rationale"
    return verdict([Finding("names neither signal type nor query", place, search.query, choice.rationale)])


def top_ranked(sample: Sample) -> Score:
    """The top-ranked result of the deciding search is chosen unless another is accepted (SEL-7)."""
    choice, search = the_choice(sample), sample.deciding
    if not isinstance(choice.id, str):
        return not_applicable("the id cannot be read; see CAR-3")
    if search is None or not search.hits:
        return not_applicable("the deciding search returned nothing")
    # A catalog may list its hits in any order; the rank is the confidence. Without it, their order is.
    best = max(search.hits, key=lambda hit: -1.0 if hit.confidence is None else hit.confidence)
    tied = [
        best,
        *(hit for hit in search.hits if hit.confidence is not None and hit.confidence == best.confidence),
    ]
    if any(hit.id == choice.id for hit in tied):
        return PASSED
    if sample.scenario is None:
        return unscored("no scenario is known that might accept another")
    if choice.id in sample.scenario.expect.workflows.accepted:
        return PASSED
    return verdict([Finding("not the top-ranked result", id_place(sample, choice), best.id, choice.id)])


def alternatives_below(sample: Sample) -> Score:
    """Alternatives do not exceed the selection's confidence (SEL-8)."""
    limit = the_choice(sample).confidence
    if not isinstance(limit, int | float):
        return not_applicable("the selection's confidence cannot be read")
    stated = [
        (f"{each.place}/confidence", each.confidence)
        for each in the_alternatives(sample)
        if isinstance(each.confidence, int | float)
    ]
    if not stated:
        return not_applicable("no alternative's confidence can be read")
    return verdict(
        [
            Finding("more confident than the selection", place, limit, confidence)
            for place, confidence in stated
            if confidence > limit
        ]
    )


def strategies_ordered(sample: Sample) -> Score:
    """Strategies are ordered by confidence, the highest first (SEL-9)."""
    stated = [
        (f"{each.place}/confidence", each.confidence)
        for each in (the_choice(sample), *the_alternatives(sample))
        if isinstance(each.confidence, int | float)
    ]
    if len(stated) < 2:
        return not_applicable("fewer than two confidences can be read")
    return verdict(
        [
            Finding("more confident than the one before it", place, before, confidence)
            for (_, before), (place, confidence) in pairwise(stated)
            if confidence > before
        ]
    )

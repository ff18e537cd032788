"""Did the target choose a workflow that was offered, and one that the evidence supports?"""

from harness.graders.seen import the_choice, the_scenario
from harness.model import DECLINED, Choice, Finding, Sample, Score, not_applicable, verdict


def returned(sample: Sample) -> Score:
    """The selected id was returned by the catalog in this transcript (SEL-1)."""
    choice = the_choice(sample)
    if not isinstance(choice.id, str):
        return not_applicable("the id cannot be read; see CAR-3")
    if sample.hits(choice.id):
        return verdict([])
    return verdict(
        [Finding("no search returned this id", f"{choice.place}/workflow_id", _ids(sample), choice.id)]
    )


def supported(sample: Sample) -> Score:
    """The selection is one that the evidence supports; null only where nothing fits (SEL-2)."""
    expect = the_scenario(sample).expect
    place = sample.contract.places["selection"]
    selection = sample.answer.selection if sample.answer else None
    right: list[str | None] = [*expect.workflows.accepted, *([None] if expect.none_ok else [])]
    if selection is DECLINED:
        if expect.none_ok:
            return verdict([])
        return verdict([Finding("declined although a workflow fits", place, right, None)])
    if not isinstance(selection, Choice) or not isinstance(selection.id, str):
        return not_applicable("the selection cannot be read; see CAR-3")
    if selection.id in expect.workflows.forbidden:
        return verdict(
            [Finding("the evidence rules this workflow out", selection.place, right, selection.id)]
        )
    if selection.id not in expect.workflows.accepted:
        return verdict([Finding("not among the accepted workflows", selection.place, right, selection.id)])
    return verdict([])


def version_returned(sample: Sample) -> Score:
    """A version, if given, is the one returned (SEL-4)."""
    choice = the_choice(sample)
    if not isinstance(choice.version, str):
        return not_applicable("no version is given")
    known = [hit.version for hit in sample.hits(choice.id)]
    if not known:
        return not_applicable("no search returned this id; see SEL-1")
    if choice.version in known:
        return verdict([])
    return verdict(
        [Finding("not the version that was returned", f"{choice.place}/version", known, choice.version)]
    )


def alternatives_returned(sample: Sample) -> Score:
    """Alternatives are distinct ids that the catalog returned, and not the selection (SEL-5)."""
    choices = _alternatives(sample)
    if not choices:
        return not_applicable("no alternatives are named")
    selected = sample.answer.choice.id if sample.answer and sample.answer.choice else None
    found: list[Finding] = []
    earlier: set[str] = set()
    for choice in choices:
        if not isinstance(choice.id, str):
            continue
        place = f"{choice.place}/workflow_id"
        if not sample.hits(choice.id):
            found.append(Finding("no search returned this id", place, _ids(sample), choice.id))
        if choice.id == selected:
            found.append(Finding("the selection itself is no alternative", place, "another id", choice.id))
        if choice.id in earlier:
            found.append(Finding("named twice", place, "distinct ids", choice.id))
        earlier.add(choice.id)
    return verdict(found)


def search_explained(sample: Sample) -> Score:
    """The rationale explains the search: it names the signal type or the query (SEL-6)."""
    choice, search = the_choice(sample), sample.deciding
    if not isinstance(choice.rationale, str) or search is None:
        return not_applicable("no rationale can be read")
    text = choice.rationale.casefold()
    if (search.signal_type or "\0").casefold() in text or search.query.casefold() in text:
        return verdict([])
    place = f"{choice.place}/rationale"
    return verdict(
        [Finding("names neither signal type nor query", place, search.query, choice.rationale[:300])]
    )


def top_ranked(sample: Sample) -> Score:
    """The top-ranked result of the deciding search is chosen unless another is accepted (SEL-7)."""
    choice, search = the_choice(sample), sample.deciding
    if search is None or not search.hits:
        return not_applicable("the deciding search returned nothing")
    best = search.hits[0]
    tied = [hit.id for hit in search.hits if hit.confidence == best.confidence]
    if choice.id in tied or choice.id in the_scenario(sample).expect.workflows.accepted:
        return verdict([])
    return verdict([Finding("not the top-ranked result", f"{choice.place}/workflow_id", best.id, choice.id)])


def alternatives_below(sample: Sample) -> Score:
    """Alternatives do not exceed the selection's confidence (SEL-8)."""
    choice = the_choice(sample)
    if not isinstance(choice.confidence, int | float):
        return not_applicable("the selection's confidence cannot be read")
    listed = [each for each in _alternatives(sample) if isinstance(each.confidence, int | float)]
    if not listed:
        return not_applicable("no alternatives are named")
    limit = choice.confidence
    return verdict(
        [
            Finding("more confident than the selection", f"{each.place}/confidence", limit, each.confidence)
            for each in listed
            if isinstance(each.confidence, int | float) and each.confidence > limit
        ]
    )


def _alternatives(sample: Sample) -> list[Choice]:
    listed = sample.answer.alternatives if sample.answer else None
    return [each for each in listed if isinstance(each, Choice)] if isinstance(listed, tuple) else []


def _ids(sample: Sample) -> list[str]:
    return list(dict.fromkeys(hit.id for search in sample.searches for hit in search.hits or ()))

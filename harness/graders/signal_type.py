"""Did the target name the signal in the contract's words, and the one that the evidence shows?"""

from harness.graders.seen import Seen, search_values, the_scenario
from harness.model import Finding, Sample, Score, not_applicable, unscored, verdict


def canonical(sample: Sample) -> Score:
    """Signal types come from the contract's vocabulary, exact case (SIG-1)."""
    known = sample.contract.signal_types
    in_searches = [
        seen for search in sample.searches for seen in search_values(sample, search, "signal_type")
    ]
    stated = [*in_searches, *_answered(sample)]
    wrong = [
        Finding(f"{each.value!r} is no signal type of this contract", each.place, "canonical", each.value)
        for each in stated
        if each.value not in known
    ]
    return _judged(sample, stated, wrong)


def accepted(sample: Sample) -> Score:
    """The deciding search names the signal type that the evidence shows (SIG-2)."""
    right, stated = the_scenario(sample).expect.signal_types, _deciding(sample)
    wrong = [
        Finding("the evidence shows another signal type", each.place, right, each.value)
        for each in stated
        if each.value not in right
    ]
    return _judged(sample, stated, wrong)


def not_the_symptom(sample: Sample) -> Score:
    """The symptom is not taken for the cause, in the deciding search or in the root cause (SIG-3)."""
    expect = the_scenario(sample).expect
    if expect.symptom is None:
        return not_applicable("this scenario names no symptom")
    cause = sample.contract.places.get("recovery.current_rca.signal_type")
    stated = [*_deciding(sample), *(each for each in _answered(sample) if each.place == cause)]
    # In another case it is the symptom all the same; SIG-1 judges the spelling.
    symptom = expect.symptom.casefold()
    wrong = [
        Finding("this is the symptom, not the cause", each.place, expect.signal_types, each.value)
        for each in stated
        if isinstance(each.value, str) and each.value.casefold() == symptom
    ]
    return _judged(sample, stated, wrong)


def agreeing(sample: Sample) -> Score:
    """Current signal type, current root cause and deciding search agree (SIG-4)."""
    stated = [*_answered(sample), *_deciding(sample)]
    wrong = [
        Finding(f"differs from {stated[0].place}", each.place, stated[0].value, each.value)
        for each in stated[1:]
        if each.value != stated[0].value
    ]
    if len(stated) < 2 and sample.transcript.shows_tools:
        return not_applicable("fewer than two signal types are stated")
    return _judged(sample, stated, wrong)


def _judged(sample: Sample, stated: list[Seen], wrong: list[Finding]) -> Score:
    """Return the verdict on what was stated; what stands in an answer alone can break a rule, not keep it."""
    if not wrong and not sample.transcript.shows_tools:
        return unscored("only the answer is known; the signal type of its searches is not")
    return verdict(wrong) if stated else not_applicable("no signal type is stated; see QRY-1 and QRY-3")


def _deciding(sample: Sample) -> list[Seen]:
    search = sample.deciding
    return search_values(sample, search, "signal_type") if search else []


def _answered(sample: Sample) -> list[Seen]:
    recovery = sample.answer.recovery if sample.answer else None
    if recovery is None:
        return []
    places = sample.contract.places
    stated = {
        "recovery.current_signal_type": recovery.current_signal_type,
        "recovery.current_rca.signal_type": recovery.current_rca.signal_type,
    }
    return [Seen(places[name], value) for name, value in stated.items() if isinstance(value, str)]

"""Did the target name the signal in the contract's words, and the one that the evidence shows?"""

from collections.abc import Iterator

from harness.graders.seen import Seen, search_values, the_scenario
from harness.model import Finding, Sample, Score, not_applicable, verdict


def canonical(sample: Sample) -> Score:
    """Signal types come from the contract's vocabulary, exact case (SIG-1)."""
    known = sample.contract.signal_types
    return verdict(
        [
            Finding(f"{each.value!r} is no signal type of this contract", each.place, "canonical", each.value)
            for each in _every_signal_type(sample)
            if each.value not in known
        ]
    )


def accepted(sample: Sample) -> Score:
    """The deciding search names the signal type that the evidence shows (SIG-2)."""
    right = the_scenario(sample).expect.signal_types
    return verdict(
        [
            Finding("the evidence shows another signal type", each.place, right, each.value)
            for each in _deciding(sample)
            if each.value not in right
        ]
    )


def not_the_symptom(sample: Sample) -> Score:
    """The symptom is not taken for the cause (SIG-3)."""
    expect = the_scenario(sample).expect
    if expect.symptom is None:
        return not_applicable("this scenario names no symptom")
    return verdict(
        [
            Finding("this is the symptom, not the cause", each.place, expect.signal_types, each.value)
            for each in _deciding(sample)
            if each.value == expect.symptom
        ]
    )


def agreeing(sample: Sample) -> Score:
    """Current signal type, current root cause and deciding search agree (SIG-4)."""
    stated = [*_answered(sample), *_deciding(sample)]
    if len(stated) < 2:
        return not_applicable("fewer than two signal types are stated")
    first = stated[0]
    return verdict(
        [
            Finding(f"differs from {first.place}", each.place, first.value, each.value)
            for each in stated[1:]
            if each.value != first.value
        ]
    )


def _deciding(sample: Sample) -> list[Seen]:
    search = sample.deciding
    return list(search_values(sample, search, "signal_type")) if search else []


def _every_signal_type(sample: Sample) -> Iterator[Seen]:
    for search in sample.searches:
        yield from search_values(sample, search, "signal_type")
    yield from _answered(sample)


def _answered(sample: Sample) -> Iterator[Seen]:
    recovery = sample.answer.recovery if sample.answer else None
    if recovery is None:
        return
    places = sample.contract.places
    stated = {
        "recovery.current_signal_type": recovery.current_signal_type,
        "recovery.current_rca.signal_type": recovery.current_rca.signal_type,
    }
    for name, value in stated.items():
        if isinstance(value, str):
            yield Seen(places[name], value)

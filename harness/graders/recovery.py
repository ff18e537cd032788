"""Did the target understand the failed attempt and say truly how it goes on?"""

from harness.graders.repetition import differs
from harness.graders.seen import the_choice, the_scenario
from harness.model import DECLINED, Finding, Recovery, Sample, Score, not_applicable, verdict


def understood(sample: Sample) -> Score:
    """Where a workflow is selected, failure_understood is true (REC-1)."""
    value = _recovery(sample).failure_understood
    if not isinstance(value, bool):
        return not_applicable("failure_understood cannot be read; see CAR-3")
    place = sample.contract.places["recovery.failure_understood"]
    return verdict([] if value else [Finding("selected without understanding", place, True, value)])


def reason_named(sample: Sample) -> Score:
    """The failure analysis names the reason code or a synonym (REC-1b)."""
    text = _recovery(sample).failure_reason_analysis
    if not isinstance(text, str):
        return not_applicable("failure_reason_analysis cannot be read; see CAR-3")
    names = _reason_names(sample)
    if any(name.casefold() in text.casefold() for name in names):
        return verdict([])
    place = sample.contract.places["recovery.failure_reason_analysis"]
    return verdict([Finding("the failure reason is not named", place, names, text[:300])])


def state_told(sample: Sample) -> Score:
    """A changed signal type means state_changed is true; otherwise what the evidence shows (REC-2)."""
    recovery, scenario = _recovery(sample), the_scenario(sample)
    changed, current = recovery.state_changed, recovery.current_signal_type
    if not isinstance(changed, bool):
        return not_applicable("state_changed cannot be read; see CAR-3")
    place = sample.contract.places["recovery.state_changed"]
    before = scenario.previous.original_rca.signal_type if scenario.previous else None
    if isinstance(current, str) and current != before:
        reason = f"the signal type moved from {before} to {current}, so the state has changed"
        return verdict([] if changed else [Finding(reason, place, True, changed)])
    right = scenario.expect.state_changed
    if right is None:
        return not_applicable("the scenario leaves open whether the state has changed")
    return verdict(
        [] if changed in right else [Finding("the evidence shows otherwise", place, right, changed)]
    )


def difference_told(sample: Sample) -> Score:
    """differs_from_previous is true exactly when it differs from every failed attempt (REC-3)."""
    recovery = _recovery(sample)
    stated = recovery.differs_from_previous
    if not isinstance(stated, bool):
        return not_applicable("differs_from_previous cannot be read; see CAR-3")
    found: list[Finding] = []
    truth = differs(sample)
    if stated != truth:
        place = sample.contract.places["recovery.differs_from_previous"]
        found.append(Finding("not what workflow and parameters show", place, truth, stated))
    why = recovery.why_different
    if isinstance(why, str) and not why.strip():
        place = sample.contract.places["recovery.why_different"]
        found.append(Finding("no reason is given", place, "a reason", why))
    return verdict(found)


def declined_rightly(sample: Sample) -> Score:
    """Null is selected only where nothing acceptable is left (REC-4)."""
    if sample.answer is None or sample.answer.selection is not DECLINED:
        return not_applicable("a workflow is selected, or the selection cannot be read")
    expect = the_scenario(sample).expect
    place = sample.contract.places["selection"]
    found = Finding("declined although a workflow is left", place, expect.workflows.accepted, None)
    return verdict([] if expect.none_ok else [found])


def looked_first(sample: Sample) -> Score:
    """The resource or the failed step was looked at before the search (REC-5)."""
    scenario, first = the_scenario(sample), sample.searches[0]
    names = [scenario.signal.resource_name, *(each.rsplit("/", 1)[-1] for each in scenario.expect.targets)]
    if scenario.previous:
        names.append(scenario.previous.workflow_execution_ref)
    tool = sample.contract.catalog_tool
    for call in sample.calls:
        early = call.message < first.call.message and call.valid and call.result is not None
        about = any(name in call.raw.arguments or name in (call.result or "") for name in names)
        if early and about and (tool is None or call.raw.name != tool.name):
            return verdict([])
    return verdict([Finding("searched without looking at the resource", first.place, names, first.query)])


def difference_explained(sample: Sample) -> Score:
    """The rationale names the failure reason and the difference (REC-6)."""
    choice = the_choice(sample)
    if not isinstance(choice.rationale, str):
        return not_applicable("no rationale can be read; see CAR-3")
    names = _reason_names(sample)
    if any(name.casefold() in choice.rationale.casefold() for name in names):
        return verdict([])
    place = f"{choice.place}/rationale"
    return verdict([Finding("the failure reason is not named", place, names, choice.rationale[:300])])


def _recovery(sample: Sample) -> Recovery:
    recovery = sample.answer.recovery if sample.answer else None
    if recovery is None:
        msg = f"{sample.id}: contract {sample.contract.id} has no recovery part"
        raise ValueError(msg)
    return recovery


def _reason_names(sample: Sample) -> list[str]:
    scenario = the_scenario(sample)
    reason = [scenario.previous.failure.reason] if scenario.previous else []
    return [*reason, *scenario.expect.named_by]

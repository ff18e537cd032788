"""Did the target understand the failed attempt and say truly how it goes on?"""

import re

from harness.graders.repetition import differs
from harness.graders.seen import seen_before, the_choice, the_scenario
from harness.model import DECLINED, Finding, Recovery, Sample, Score, not_applicable, verdict
from harness.model.score import PASSED


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
        return PASSED
    place = sample.contract.places["recovery.failure_reason_analysis"]
    return verdict([Finding("the failure reason is not named", place, names, text)])


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
    recovery, places = _recovery(sample), sample.contract.places
    stated, why, truth = recovery.differs_from_previous, recovery.why_different, differs(sample)
    found: list[Finding] = []
    if isinstance(stated, bool) and truth is not None and stated != truth:
        place = places["recovery.differs_from_previous"]
        found.append(Finding("not what workflow and parameters show", place, truth, stated))
    if isinstance(why, str) and not why.strip():
        found.append(Finding("no reason is given", places["recovery.why_different"], "a reason", why))
    if not found and (truth is None or not isinstance(stated, bool)):
        return not_applicable("whether it differs, or what was chosen, cannot be read; see CAR-3")
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
    names = {scenario.signal.resource_name, *(each.rsplit("/", 1)[-1] for each in scenario.expect.targets)}
    steps = {
        name
        for each in scenario.failed_attempts
        for name in (each.workflow_execution_ref, each.failure.failed_step_name)
    }
    for call in sample.calls:
        # A step's name is an ordinary word, so that it counts where it is asked for, not where it is read.
        about = _mentions(call.raw.arguments, names | steps) or _mentions(call.result or "", names)
        if about and seen_before(sample, call, first.call.message):
            return PASSED
    reason = "searched without looking at the resource"
    return verdict([Finding(reason, first.place, sorted(names | steps), first.query)])


def _mentions(text: str, names: set[str]) -> bool:
    return any(name and name in text for name in names)


_DIFFERENCE = re.compile(
    r"\b(instead|different\w*|differs?|another|other|unlike|rather|alternative|than|chang\w+|avoid\w*|without|"
    r"new|now|no longer|not|more|less|fewer|larger|smaller|higher|lower)\b",
    re.IGNORECASE,
)


def difference_explained(sample: Sample) -> Score:
    """The rationale names the failure reason and the difference: a textual check only (REC-6)."""
    choice = the_choice(sample)
    if not isinstance(choice.rationale, str):
        return not_applicable("no rationale can be read; see CAR-3")
    text, names = choice.rationale.casefold(), _reason_names(sample)
    failed = {each.selected_workflow.workflow_id.casefold() for each in the_scenario(sample).failed_attempts}
    place = f"{choice.place}/rationale"
    found: list[Finding] = []
    if not any(name.casefold() in text for name in names):
        found.append(Finding("the failure reason is not named", place, names, choice.rationale))
    if not _mentions(text, failed) and not _DIFFERENCE.search(text):
        found.append(Finding("no word on the difference", place, "what is different", choice.rationale))
    return verdict(found)


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

"""Incident and recovery prompts of the same signal differ in three ways (REQ-3)."""

from collections.abc import Iterable, Iterator
from itertools import product

from pydantic import ValidationError

from harness.prompting.anchors import paragraphs
from harness.prompting.lint import probes
from harness.prompting.lint.pack import Pack, is_search
from harness.prompting.render import render
from harness.scenarios.lint import LintFinding

_REPETITION = "REP-1"


def flows_differ(packs: Iterable[Pack]) -> Iterator[LintFinding]:
    """Compare every recovery pack with every incident pack that searches."""
    listed = [each for each in packs if each.contract.catalog_tool]
    recoveries = [each for each in listed if each.contract.flow == "recovery"]
    incidents = [each for each in listed if each.contract.flow == "incident"]
    for recovery, incident in product(recoveries, incidents):
        yield from _context(recovery, incident)
        yield from _format(recovery, incident)
        yield from _rule(recovery, incident)


def _context(recovery: Pack, incident: Pack) -> Iterator[LintFinding]:
    scenario = probes.full("recovery")
    twin = probes.as_flow(scenario, "incident")
    (message,) = render(twin, incident.contract, incident.path.parent.parent)
    for attempt in scenario.failed_attempts:
        shown = (attempt.selected_workflow.workflow_id, attempt.failure.message)
        if not all(each in recovery.text for each in shown):
            what = f"the earlier attempt {shown[0]!r} is not in the recovery prompt"
            yield recovery.says("REQ-3", what, recovery.heading_line("Previous Remediation Attempt"))
        if any(each in (message.content or "") for each in shown):
            yield incident.says("REQ-3", "an incident prompt shows an earlier attempt", 1)


def _format(recovery: Pack, incident: Pack) -> Iterator[LintFinding]:
    for pack, other in ((recovery, incident), (incident, recovery)):
        for fence in pack.fences():
            if fence.error or is_search(fence, pack.contract):
                continue
            try:
                other.contract.response.model_validate(fence.value)
            except ValidationError:
                continue
            message = f"the answer format is that of {other.contract.id}; a {pack.contract.flow} has its own"
            yield pack.says("REQ-3", message, fence.line)


def _rule(recovery: Pack, incident: Pack) -> Iterator[LintFinding]:
    anchor = recovery.contract.anchors.get(_REPETITION)
    if anchor is None:
        return
    if not anchor.found_in(paragraphs(recovery.text)):
        line = recovery.heading_line("Your Recovery Investigation Task")
        yield recovery.says("REQ-3", "the recovery prompt has no repetition rule", line)
    if anchor.found_in(paragraphs(incident.text)):
        yield incident.says("REQ-3", "an incident prompt states the repetition rule of recoveries", 1)

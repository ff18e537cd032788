"""Rules: every clause that judges a model is told, the search guidance and the recovery rules are whole."""

import re
from collections.abc import Iterator, Sequence

from harness.cluster import EVIDENCE_TOOLS
from harness.contracts.clauses import clause
from harness.contracts.taxonomy import GENERIC_GUIDANCE, REASON_CODES, REASON_GUIDANCE
from harness.model import Message
from harness.model.contract import Anchor
from harness.prompting.anchors import anchored_clauses, paragraphs
from harness.prompting.lint import probes
from harness.prompting.lint.pack import Pack, Part, is_search, without_fences
from harness.prompting.render import render
from harness.scenarios.lint import LintFinding

FEWEST_WORDS, MOST_WORDS = 500, 600
_PHASE = re.compile(r"phase ([1-4])\b", re.IGNORECASE)
_UNJUDGED = "relation"


def every_rule_told(pack: Pack) -> Iterator[LintFinding]:
    """Yield every MUST clause whose rule is neither in the prompt nor in a tool's description (PRM-10)."""
    tool = pack.contract.catalog_tool
    tools = (*EVIDENCE_TOOLS, *((tool,) if tool else ()))
    told = anchored_clauses(pack.contract, [Message("user", pack.text)], tools)
    for name in pack.contract.clauses:
        about = clause(name)
        if about.level != "MUST" or about.dimension == _UNJUDGED:
            continue
        anchor = pack.contract.anchors.get(name)
        if anchor is None:
            yield pack.says("PRM-10", f"{name} has no anchor in {pack.contract.id}; nobody can tell it", 1)
        elif name not in told:
            message = f"{name} is not told: {about.text} One paragraph must match {_spelled(anchor)}"
            yield pack.says("PRM-10", message, _line_of_rule(pack, anchor))


def _spelled(anchor: Anchor) -> str:
    return " and ".join(repr(each) for each in anchor.patterns)


def _line_of_rule(pack: Pack, anchor: Anchor) -> int:
    """Return where a rule should stand: where the built-in pack tells it, else the nearest paragraph."""
    if pack.reference is not None:
        first = _first_line(pack.reference.text, anchor.patterns, needed=len(anchor.patterns))
        return pack.line_instead_of(pack.reference.line_of(first)) if first else 1
    near = _first_line(pack.text, anchor.patterns, needed=max(2, len(anchor.patterns) - 1))
    return pack.line_of(near) if near else 1


def _first_line(text: str, patterns: Sequence[str], needed: int) -> str:
    """Return the first line of the paragraph that matches the most patterns, empty below `needed`."""
    told = paragraphs(text)
    sizes = [sum(bool(re.search(each, block)) for each in patterns) for block in told]
    if max(sizes, default=0) < needed:
        return ""
    block = told[sizes.index(max(sizes))]
    lines = [line for line in text.splitlines() if line.strip()]
    return next((line for line in lines if block.startswith(" ".join(line.lower().split()))), "")


def guidance_whole(pack: Pack) -> Iterator[LintFinding]:
    """The search guidance has form, vocabulary, levels, pass-through rule and one whole example (PRM-5)."""
    part = pack.section_like("search guidance")
    if part is None or pack.contract.catalog_tool is None:
        return
    line = pack.heading_line(part.title)
    told = paragraphs(part.body)
    for name, what in (("QRY-3", "the form of the query"), ("PAS-1", "the pass-through rule")):
        anchor = pack.contract.anchors.get(name)
        if anchor and not anchor.found_in(told):
            yield pack.says("PRM-5", f"{part.title!r} lacks {what} ({_spelled(anchor)})", line)
    missing = [each for each in pack.contract.signal_types if not re.search(rf"\b{each}\b", part.body)]
    if missing:
        yield pack.says("PRM-5", f"{part.title!r} lacks the signal types {', '.join(missing)}", line)
    unexplained = [
        each for each in pack.contract.severities if not _explained(each, without_fences(part.body))
    ]
    if unexplained:
        message = f"{part.title!r} gives no criteria for the severity {', '.join(unexplained)}"
        yield pack.says("PRM-5", message, line)
    words = len(without_fences(part.body).split())
    if not FEWEST_WORDS <= words <= MOST_WORDS:
        message = f"{part.title!r} has {words} words; {FEWEST_WORDS} to {MOST_WORDS} are meant"
        yield pack.says("PRM-5", message, line, level="warning")
    yield from _example_whole(pack, part, line)


def _explained(level: str, text: str) -> bool:
    return re.search(rf"\b{level}\b\W{{0,6}}(means\b|is\b|when\b|\w+ \w+ \w+ \w+)", text) is not None


def _example_whole(pack: Pack, part: Part, line: int) -> Iterator[LintFinding]:
    searches = [each for each in pack.fences() if each.text in part.body and is_search(each, pack.contract)]
    if not searches:
        yield pack.says("PRM-5", f"{part.title!r} shows no whole search as a json example", line)
    for each in searches:
        missing = [label for label in pack.contract.labels.values() if label not in each.value]
        if missing:
            yield pack.says("PRM-5", f"the example of a search lacks {', '.join(missing)}", each.line)


def recovery_whole(pack: Pack) -> Iterator[LintFinding]:
    """A recovery shows the failed attempt, explains its reason, and states the recovery rules (PRM-9)."""
    if pack.contract.flow != "recovery":
        return
    past = pack.section_like("previous", "attempt")
    line = pack.heading_line(past.title) if past else 1
    for what, value in _attempt_facts().items():
        if past and value not in past.body:
            yield pack.says("PRM-9", f"{past.title!r} does not show {what} of the failed attempt", line)
    told = paragraphs(pack.text)
    for name, what in _RULES.items():
        anchor = pack.contract.anchors.get(name)
        if anchor and not anchor.found_in(told):
            message = f"no paragraph says {what} ({_spelled(anchor)})"
            yield pack.says("PRM-9", message, _line_of_rule(pack, anchor))
    phases = [int(found[1]) for each in pack.parts if (found := _PHASE.search(each.title))]
    if phases != [1, 2, 3, 4]:
        flow = pack.section_like("investigation workflow")
        message = f"found the phases {', '.join(map(str, phases)) or 'nowhere'}; there are four, in order"
        yield pack.says("PRM-9", message, pack.heading_line(flow.title) if flow else 1)
    yield from _guidance_given(pack, line)


_RULES = {
    "REP-1": "that the failed workflow is not repeated with the same parameters",
    "REC-5": "that the current state is investigated before the search",
    "REC-2": "that the state, and with it the signal type, may have changed",
    "QRY-3": "which form the query has in a recovery",
}


def _attempt_facts() -> dict[str, str]:
    previous = probes.full("recovery").previous
    if previous is None:
        return {}
    workflow, failure = previous.selected_workflow, previous.failure
    return {
        "the workflow": workflow.workflow_id,
        "the version": workflow.version,
        "the container image": workflow.container_image,
        "the parameters": next(iter(workflow.parameters.values())),
        "the rationale": workflow.rationale,
        "the failed step": failure.failed_step_name,
        "the index of the failed step": str(failure.failed_step_index),
        "the reason code": failure.reason,
        "the error message": failure.message,
        "the exit code": str(failure.exit_code),
        "the duration": failure.execution_time,
    }


def _guidance_given(pack: Pack, line: int) -> Iterator[LintFinding]:
    for reason in (*REASON_CODES, "ProbeReason"):
        (message,) = render(probes.full("recovery", reason), pack.contract, pack.path.parent.parent)
        wanted = REASON_GUIDANCE.get(reason, GENERIC_GUIDANCE)
        if not all(each in (message.content or "") for each in wanted):
            what = reason if reason in REASON_CODES else "an unknown reason code"
            yield pack.says("PRM-9", f"the guidance for {what} is not rendered", line)


def prose_of(part: Part) -> str:
    """Return what a section says outside its code blocks."""
    return without_fences(part.body)

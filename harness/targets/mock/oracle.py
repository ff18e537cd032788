"""The oracle: investigates, searches and answers as a scenario's author would.

It reads signal type, severity, target and accepted ids from the scenario's expectations; the workflow, its
version, confidence and parameters come from its own live search.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from harness.contracts.wire import decode_hits
from harness.model import Contract, Hit, Message, PreviousExecution, Scenario
from harness.violations import compose

Arguments = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Conversation:
    """What a mock sees: the scenario, the contract, and the messages so far."""

    scenario: Scenario
    contract: Contract
    messages: tuple[Message, ...]
    offered: frozenset[str]

    @property
    def searches(self) -> int:
        """How many catalog searches were made so far."""
        tool = self.contract.catalog_tool
        name = tool.name if tool else ""
        return sum(call.name == name for each in self.messages for call in each.tool_calls)

    @property
    def hits(self) -> tuple[Hit, ...]:
        """Every search result so far, in order."""
        results = [each.content for each in self.messages if each.role == "tool"]
        decoded = [decode_hits(self.contract, text) for text in results]
        return tuple(hit for each in decoded if each for hit in each[0])


def readings(scenario: Scenario) -> list[tuple[str, str]]:
    """Return the accepted readings of the evidence, (signal type, severity), in the order they are tried."""
    return [(one, other) for one in scenario.expect.signal_types for other in scenario.expect.severities]


def reading(conversation: Conversation) -> tuple[str, str]:
    """Return the reading of the last search: the answer states what it searched for."""
    return readings(conversation.scenario)[max(conversation.searches - 1, 0)]


def evidence_calls(conversation: Conversation) -> list[tuple[str, Arguments]]:
    """Return the calls that show the facts, each once; the resource itself is always looked at."""
    signal, expect = conversation.scenario.signal, conversation.scenario.expect
    first: Arguments = {"kind": signal.resource_kind.lower(), "name": signal.resource_name}
    if signal.namespace:
        first["namespace"] = signal.namespace
    calls: list[tuple[str, Arguments]] = [("kubectl_describe", first)]
    calls += [(each.tool, dict(each.arguments)) for each in expect.evidence]
    unique: list[tuple[str, Arguments]] = []
    for call in calls:
        if call not in unique and call[0] in conversation.offered:
            unique.append(call)
    return unique


def search_arguments(conversation: Conversation) -> Arguments | None:
    """Return the next search to make, or None when what was found decides, or nothing is left to try."""
    scenario, contract = conversation.scenario, conversation.contract
    if conversation.searches and accepted_hit(conversation):
        return None
    tries = readings(scenario)
    if conversation.searches >= len(tries):
        return None
    signal_type, severity = tries[conversation.searches]
    words = [signal_type, severity, *([contract.query_word] if contract.query_word else [])]
    request = contract.build_request(scenario).model_dump()
    arguments: Arguments = {"query": " ".join(words)}
    labels = {**request, "signal_type": signal_type, "severity": severity}
    arguments |= {
        wire: labels[name] for name, wire in contract.labels.items() if labels.get(name) is not None
    }
    if scenario.custom_labels:
        arguments["custom_labels"] = scenario.custom_labels
    if scenario.detected_labels:
        arguments["detected_labels"] = scenario.detected_labels
    return arguments


def accepted_hit(conversation: Conversation) -> Hit | None:
    """Return the best hit that the scenario accepts, in whatever order hits came."""
    accepted = conversation.scenario.expect.workflows.accepted
    fitting = [hit for hit in conversation.hits if hit.id in accepted]
    return min(fitting, key=lambda hit: (-(hit.confidence or 0.0), hit.id), default=None)


def answer(conversation: Conversation) -> dict[str, Any]:
    """Return the raw answer in the contract's spelling."""
    scenario, expect = conversation.scenario, conversation.scenario.expect
    signal_type, severity = reading(conversation)
    hit = accepted_hit(conversation)
    parts: dict[str, Any] = {
        "summary": f"{signal_type}: {scenario.description}.",
        "root_cause": expect.because,
        "severity": severity,
        "selection": _selection(conversation, hit) if hit else None,
        "alternatives": _alternatives(conversation, hit) if hit else [],
        "warnings": [],
    }
    if conversation.contract.places["summary"] == conversation.contract.places["root_cause"]:
        parts["summary"] = parts["root_cause"]
    if scenario.previous:
        parts |= _recovery(scenario, scenario.previous, signal_type, hit)
    return compose(conversation.contract, parts)


def _selection(conversation: Conversation, hit: Hit) -> dict[str, Any]:
    scenario, fields = conversation.scenario, conversation.contract.result.fields
    signal_type, _ = reading(conversation)
    rationale = f"The search for {signal_type} returned {hit.id}; {scenario.expect.because}"
    if scenario.previous:
        reason = scenario.previous.failure.reason
        rationale = f"After {reason} another way is needed than before. {rationale}"
    return {
        fields["id"]: hit.id,
        "version": hit.version,
        "confidence": hit.confidence,
        "rationale": rationale,
        "parameters": parameters(scenario, hit),
    }


def _alternatives(conversation: Conversation, selected: Hit) -> list[dict[str, Any]]:
    fields = conversation.contract.result.fields
    ruled_out = {*conversation.scenario.expect.workflows.forbidden, selected.id}
    limit = selected.confidence or 0.0
    others = {
        hit.id: hit
        for hit in conversation.hits
        if hit.id not in ruled_out and (hit.confidence or 0.0) <= limit
    }
    return [
        {
            fields["id"]: hit.id,
            "confidence": hit.confidence,
            "rationale": "Also returned by the search; second choice.",
        }
        for hit in list(others.values())[:2]
    ]


def _recovery(
    scenario: Scenario, previous: PreviousExecution, signal_type: str, hit: Hit | None
) -> dict[str, Any]:
    failure = previous.failure
    analysis = f"{failure.reason} in {failure.failed_step_name}: {failure.message}"
    moved = signal_type != previous.original_rca.signal_type
    given = scenario.expect.state_changed or [False]
    return {
        "recovery.failure_understood": True,
        "recovery.failure_reason_analysis": analysis,
        "recovery.state_changed": moved or given[0],
        "recovery.current_signal_type": signal_type,
        "recovery.current_rca.signal_type": signal_type,
        "recovery.contributing_factors": [f"{failure.failed_step_name} failed with {failure.reason}"],
        "recovery.approach": f"Run {hit.id}."
        if hit
        else "Hand over to a person: nothing acceptable is left.",
        "recovery.differs_from_previous": True,
        "recovery.why_different": (
            f"{previous.selected_workflow.workflow_id} failed with {failure.reason}; this avoids its cause."
        ),
    }


def parameters(scenario: Scenario, hit: Hit) -> dict[str, Any]:
    """Return values for every required parameter, for those expected, and for what they depend on."""
    declared = cast("dict[str, dict[str, Any]]", hit.parameters)
    expected = {name: [value] for name, value in scenario.expect.example_parameters.items()}
    expected |= scenario.expect.parameters
    wanted = [name for name, each in declared.items() if each.get("required") or name in expected]
    for name in wanted:
        wanted += [each for each in declared[name].get("depends_on") or () if each not in wanted]
    return {name: _value(name, declared.get(name, {}), expected) for name in wanted}


def _value(name: str, declared: Mapping[str, Any], expected: Mapping[str, list[Any]]) -> Any:
    if name in expected:
        return expected[name][0]
    if declared.get("default") is not None:
        return declared["default"]
    if declared.get("enum"):
        return declared["enum"][0]
    kind = declared.get("type", "string")
    if kind in {"integer", "number"}:
        return declared.get("minimum", 1)
    return False if kind == "boolean" else "unspecified"

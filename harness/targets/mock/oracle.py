"""The oracle: investigates, searches and answers as a scenario's author would.

It reads signal type, severity, target and accepted ids from the scenario's expectations; the workflow, its
version, confidence and parameters come from its own live search.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from harness.contracts.wire import decode_given, decode_hits
from harness.model import Contract, Hit, Message, PreviousExecution, Scenario
from harness.targets.holmes_frames import bare_result
from harness.violations import compose

Arguments = dict[str, Any]

UNKNOWN = "unspecified"
OWN_CONFIDENCE, SECOND_CHOICE, OWN_RISK = 0.85, 0.25, "low"
"""What the oracle judges for itself where a contract asks for its own view."""


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
        """Everything that can be selected so far: the list that the prompt gave, then what searches found."""
        given = decode_given(self.contract, [each for each in self.messages if each.role == "user"])
        results = [each.content for each in self.messages if each.role == "tool"]
        # HolmesGPT writes around them; a model reads over that.
        decoded = [decode_hits(self.contract, bare_result(text or "")) for text in results]
        return (*(given or ()), *(hit for each in decoded if each for hit in each[0]))


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
    target = (*scenario.expect.targets, None)[0]
    component = target.split("/")[-2].lower() if target else scenario.signal.affected
    arguments: Arguments = {"query": " ".join(words)} if contract.query_leads else {}
    if contract.target and target:
        arguments[contract.target] = target
    labels = {**request, "signal_type": signal_type, "severity": severity, "component": component}
    arguments |= {
        wire: labels[name] for name, wire in contract.labels.items() if labels.get(name) is not None
    }
    more = {"custom_labels": scenario.custom_labels, "detected_labels": scenario.detected_labels}
    taken: Arguments = contract.catalog_tool.parameters["properties"] if contract.catalog_tool else {}
    return arguments | {name: value for name, value in more.items() if value and name in taken}


def accepted_hit(conversation: Conversation) -> Hit | None:
    """Return the best hit that the scenario accepts, in whatever order hits came."""
    workflows = conversation.scenario.expect.workflows
    fitting = [hit for hit in conversation.hits if hit.id in workflows.accepted]
    if not workflows.accepted and not conversation.contract.may_decline:
        # Nothing fits, and something must be said: what can be filled in, at least.
        return min(
            conversation.hits, key=lambda hit: (_guesses(conversation.scenario, hit), hit.id), default=None
        )
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
        "selection.estimated_risk": OWN_RISK,
        "alternatives": _alternatives(conversation, hit) if hit else [],
        "warnings": [],
        "context.cluster_state": expect.because,
        "context.resource_availability": "Nothing more than the change asks for.",
        "context.blast_radius": f"The {scenario.signal.affected} of the signal and what depends on it.",
    }
    if conversation.contract.places["summary"] == conversation.contract.places["root_cause"]:
        parts["summary"] = parts["root_cause"]
    if hit is None:
        del parts["selection.estimated_risk"]
    if scenario.previous:
        parts |= _recovery(scenario, scenario.previous, signal_type, hit)
    return compose(conversation.contract, parts)


def _selection(conversation: Conversation, hit: Hit) -> dict[str, Any]:
    scenario, contract = conversation.scenario, conversation.contract
    fields = contract.result.fields
    signal_type, _ = reading(conversation)
    rationale = f"For {signal_type} the list has {hit.id}; {scenario.expect.because}"
    if contract.catalog_tool:
        rationale = f"The search for {signal_type} returned {hit.id}; {scenario.expect.because}"
    if scenario.previous:
        reason = scenario.previous.failure.reason
        rationale = f"After {reason} another way is needed than before. {rationale}"
    return {
        fields["id"]: hit.id,
        "version": hit.version or _latest(scenario, hit),
        "confidence": stated_confidence(contract, hit, OWN_CONFIDENCE),
        "rationale": rationale,
        "parameters": parameters(scenario, hit),
    }


def _latest(scenario: Scenario, hit: Hit) -> str | None:
    entry = scenario.entry(hit.id)
    return entry.version if entry else None


def _alternatives(conversation: Conversation, selected: Hit) -> list[dict[str, Any]]:
    contract = conversation.contract
    fields = contract.result.fields
    ruled_out = {*conversation.scenario.expect.workflows.forbidden, selected.id}
    limit = selected.confidence or 0.0
    others = {
        hit.id: hit
        for hit in conversation.hits
        if hit.id not in ruled_out and (hit.confidence or 0.0) <= limit
    }
    risk = {"estimated_risk": OWN_RISK} if "selection.estimated_risk" in contract.places else {}
    return [
        {
            fields["id"]: hit.id,
            "confidence": stated_confidence(contract, hit, OWN_CONFIDENCE - SECOND_CHOICE),
            "rationale": "Also returned by the search; second choice.",
            **risk,
            **({"parameters": parameters(conversation.scenario, hit)} if risk else {}),
        }
        for hit in list(others.values())[:2]
    ]


def stated_confidence(contract: Contract, hit: Hit, own: float) -> float | None:
    """Return the confidence that an answer states: the catalog's where it passes through, else its own."""
    return hit.confidence if contract.confidence == "pass_through" else own


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
    expected |= {name: named for name in wanted if name not in expected and (named := _named(scenario, name))}
    return {name: _value(name, declared.get(name, {}), expected) for name in wanted}


def _guesses(scenario: Scenario, hit: Hit) -> int:
    """Return how many of the values that an entry asks for nobody could tell from the scenario."""
    return sum(value == UNKNOWN for value in parameters(scenario, hit).values())


def _named(scenario: Scenario, name: str) -> list[Any]:
    """Return what the targets say of a parameter that names a namespace or a resource."""
    wanted = name.replace("_", "").lower().removeprefix("target").removeprefix("resource")
    found: list[Any] = []
    for target in scenario.expect.targets:
        *before, kind, own = target.split("/")
        found += before[:1] if wanted == "namespace" else []
        found += [own] if wanted in {"name", f"{kind.lower()}name"} else []
    return found


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
    return False if kind == "boolean" else UNKNOWN

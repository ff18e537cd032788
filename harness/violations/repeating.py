"""The failed workflow is chosen again."""

from collections.abc import Mapping
from typing import Any

from harness.model import Hit
from harness.violations.compose import replaced
from harness.violations.violation import RawAnswer, Situation, Violation, is_recovery


def _repeat(answer: RawAnswer, situation: Situation) -> RawAnswer:
    attempts = situation.scenario.failed_attempts
    if not attempts:
        return answer
    attempt = situation.dice.choice(attempts)
    failed = attempt.selected_workflow
    returned = [hit for hit in situation.hits if hit.id == failed.workflow_id]
    hit = returned[-1] if returned else Hit(failed.workflow_id, failed.version, 0.9, {})
    fields = situation.contract.result.fields
    selection = {
        fields["id"]: hit.id,
        "version": hit.version,
        "confidence": hit.confidence,
        "rationale": f"{failed.workflow_id} is still the best match; {attempt.failure.reason} was bad luck.",
        "parameters": {
            name: typed(value, hit.parameters.get(name, {})) for name, value in failed.parameters.items()
        },
    }
    return replaced(situation.contract, answer, {"selection": selection})


def typed(value: str, definition: Mapping[str, Any]) -> Any:
    """Return what a request gives as text, in the type that the parameter declares."""
    kind = definition.get("type")
    if kind == "boolean":
        return value.lower() == "true"
    if kind in {"integer", "number"}:
        number = float(value)
        return int(number) if number.is_integer() else number
    return value


REPEATED_WORKFLOW = Violation(
    "repeated_workflow",
    frozenset({"REP-1", "REP-2", "REP-3"}),
    is_recovery,
    answer=_repeat,
    spliced=False,
)

ALL: tuple[Violation, ...] = (REPEATED_WORKFLOW,)

"""A transcript as the analysis API tells of it (PSR-1, PSR-2, PSR-4)."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from harness.contracts import reading
from harness.extraction import read_sample
from harness.model import MISSING, Contract, Sample, Transcript
from harness.serving.api_requests import AnyRequest, RecoveryRequest, warnings_of
from harness.targets import Binding

MAX_WARNINGS = 20


def result(transcript: Transcript, request: AnyRequest, binding: Binding, generation: int) -> dict[str, Any]:
    """Return the body of a result; whatever the target wrote, it has the API's shape.

    The target's last message goes out word for word beside the parts that could be read of it. What breaks
    the contract is told as warnings, and nothing is repaired or made up.
    """
    sample = read_sample(transcript, binding.contract, binding.scenario)
    warnings = [*_problems(sample), *warnings_of(request)][:MAX_WARNINGS]
    final = transcript.final
    text = (final.content if final else None) or ""
    if isinstance(request, RecoveryRequest):
        return _recovery(sample, request, text, warnings, generation)
    return _incident(sample, request, text, warnings)


def _incident(sample: Sample, request: AnyRequest, text: str, warnings: list[str]) -> dict[str, Any]:
    contract, value = sample.contract, sample.extraction.value
    parts = {"summary": "root_cause", "severity": "severity"}
    cause = {name: _at(contract, value, part) for name, part in parts.items()}
    chosen = _selected(contract, value)
    return {
        "incident_id": request.incident_id,
        "analysis": text,
        "root_cause_analysis": {name: each for name, each in cause.items() if each is not None},
        "selected_workflow": chosen,
        "confidence": _confidence(chosen),
        "timestamp": _moment(sample),
        "alternative_workflows": _alternatives(contract, value),
        "warnings": warnings,
        **_review(sample, value),
    }


def _recovery(
    sample: Sample, request: RecoveryRequest, text: str, warnings: list[str], generation: int
) -> dict[str, Any]:
    contract, value = sample.contract, sample.extraction.value
    chosen = _selected(contract, value)
    told = {
        "incident_id": request.incident_id,
        "can_recover": chosen is not None,
        "analysis_confidence": _confidence(chosen),
        "recovery_analysis": _object(value, "recovery_analysis"),
        "selected_workflow": chosen,
        "warnings": warnings,
        **_review(sample, value),
    }
    if generation > 1:
        return told
    return told | {
        "is_recovery_attempt": True,
        "recovery_attempt_number": request.recovery_attempt_number,
        "recovery_strategy": _object(value, "recovery_strategy"),
        "raw_analysis": text,
        "parse_error": None if value else _unread(sample),
    }


def _review(sample: Sample, value: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return whether a person must look: nothing may be executed of what could not be read or validated."""
    if value is None:
        reason = "llm_parsing_error"
    elif _at(sample.contract, value, "selection") is None and "selected_workflow" in value:
        reason = "no_matching_workflows"
    elif sample.problems:
        reason = "parameter_validation_failed"
    else:
        return {"needs_human_review": False, "human_review_reason": None}
    return {"needs_human_review": True, "human_review_reason": reason}


def _problems(sample: Sample) -> list[str]:
    if sample.extraction.value is None:
        return [_unread(sample)]
    return [
        f"the answer breaks its contract at {each.pointer or '/'}: {each.kind}, expected {each.expected}"
        for each in sample.problems
    ]


def _unread(sample: Sample) -> str:
    why = "; ".join(each.detail for each in sample.extraction.findings[:3])
    return f"no answer could be read ({sample.extraction.outcome})" + (f": {why}" if why else "")


def _selected(contract: Contract, value: Mapping[str, Any] | None) -> dict[str, Any] | None:
    chosen = _at(contract, value, "selection")
    return cast("dict[str, Any]", chosen) if isinstance(chosen, dict) else None


def _confidence(chosen: Mapping[str, Any] | None) -> float:
    found: Any = (chosen or {}).get("confidence")
    return float(found) if _is_share(found) else 0.0


def _is_share(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _alternatives(contract: Contract, value: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """Return the alternatives that have their shape; the others are among the warnings."""
    found = _at(contract, value, "alternatives")
    several = cast("Sequence[Any]", found) if isinstance(found, list) else ()
    return [each for each in several if _is_alternative(each)]


def _is_alternative(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    given = cast("dict[str, Any]", value)
    texts = (given.get("workflow_id"), given.get("rationale"))
    return all(isinstance(each, str) for each in texts) and _is_share(given.get("confidence"))


def _object(value: Mapping[str, Any] | None, name: str) -> dict[str, Any] | None:
    found: Any = (value or {}).get(name)
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None


def _at(contract: Contract, value: Mapping[str, Any] | None, part: str) -> Any:
    found = reading.at(value, contract.places[part]) if value is not None else MISSING
    return None if found is MISSING else found


def _moment(sample: Sample) -> str:
    """Return the scenario's own now: the same request has the same answer on every day."""
    return sample.scenario.world.now.isoformat() if sample.scenario else ""

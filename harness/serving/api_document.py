"""The OpenAPI document of the analysis API, in each of its generations."""

from collections.abc import Mapping
from typing import Any

from pydantic.json_schema import models_json_schema

from harness.model.scenario import Flow
from harness.serving.api_requests import REQUESTS

FLOWS: tuple[Flow, ...] = ("incident", "recovery")

_TEXT = {"type": "string"}
_SHARE = {"type": "number", "minimum": 0, "maximum": 1}
_FREE = {"type": "object", "additionalProperties": True}
_FREE_OR_NULL = {"anyOf": [_FREE, {"type": "null"}]}
_TEXT_OR_NULL = {"anyOf": [_TEXT, {"type": "null"}]}
_TEXTS = {"type": "array", "items": _TEXT}
_REVIEW = {"needs_human_review": {"type": "boolean"}, "human_review_reason": _TEXT_OR_NULL}


def _object(required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required.split()}


_ALTERNATIVE = _object(
    "workflow_id confidence rationale", workflow_id=_TEXT, confidence=_SHARE, rationale=_TEXT
)
_INCIDENT = _object(
    "incident_id analysis root_cause_analysis confidence timestamp",
    incident_id=_TEXT,
    analysis={"type": "string", "description": "The target's last message, word for word."},
    root_cause_analysis=_FREE,
    selected_workflow=_FREE_OR_NULL,
    confidence=_SHARE,
    timestamp={"type": "string", "description": "The scenario's own now."},
    alternative_workflows={"type": "array", "items": _ALTERNATIVE},
    warnings=_TEXTS,
    **_REVIEW,
)
_RECOVERY = _object(
    "incident_id can_recover analysis_confidence",
    incident_id=_TEXT,
    can_recover={"type": "boolean", "description": "Whether a workflow was selected."},
    analysis_confidence=_SHARE,
    recovery_analysis=_FREE_OR_NULL,
    selected_workflow=_FREE_OR_NULL,
    warnings=_TEXTS,
    **_REVIEW,
)
_FIRST_RECOVERY = _object(
    "incident_id is_recovery_attempt recovery_attempt_number recovery_analysis recovery_strategy"
    " selected_workflow can_recover analysis_confidence raw_analysis",
    **_RECOVERY["properties"],
    is_recovery_attempt={"type": "boolean"},
    recovery_attempt_number={"type": "integer", "minimum": 1},
    recovery_strategy=_FREE_OR_NULL,
    raw_analysis={"type": "string", "description": "The target's last message, word for word."},
    parse_error=_TEXT_OR_NULL,
)
_PROBLEM = _object(
    "type title detail status instance",
    type=_TEXT,
    title=_TEXT,
    detail=_TEXT,
    status={"type": "integer"},
    instance=_TEXT,
)
_STATUS = _object(
    "session_id status",
    session_id=_TEXT,
    status={"type": "string", "enum": ["pending", "investigating", "completed", "failed"]},
    error=_TEXT,
)
_FAILED = _object(
    "session_id status",
    session_id=_TEXT,
    status={"type": "string", "enum": ["failed"]},
    error_detail=_TEXT,
)
_PROBLEMS = {
    400: "The body is none",
    404: "No scenario has these facts, or no session has this id",
    409: "The session has no result yet",
    413: "The body is too large",
    422: "The body is not such a request",
    503: "The target could not be asked",
}


def document(generation: int, examples: Mapping[Flow, Any]) -> dict[str, Any]:
    """Return the OpenAPI document.

    Args:
        generation: 1 answers at once, 2 by sessions.
        examples: a request of each flow that has a scenario.
    """
    paths: dict[str, Any] = {
        "/health": _read("Whether the server runs", _object("status", status=_TEXT)),
        "/ready": _read("Whether requests would be answered", _object("status", status=_TEXT)),
        "/scenarios": _read(
            "What can be asked", {"type": "array", "items": _object("scenario request", request=_FREE)}
        ),
    }
    for flow in FLOWS:
        paths |= _flow(flow, generation, examples.get(flow))
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Analysis API before scenarios",
            "version": f"{generation}.0.0",
            "description": "Only clusters of scenarios are known; other requests have no scenario: 404.",
        },
        "paths": paths,
        "components": {"schemas": _schemas(generation)},
    }


def _schemas(generation: int) -> dict[str, Any]:
    models = [(each, "validation") for each in REQUESTS.values()]
    _, requests = models_json_schema(models, ref_template="#/components/schemas/{model}")  # pyright: ignore[reportArgumentType]
    sessions = {"SessionStatus": _STATUS, "InvestigationFailed": _FAILED} if generation > 1 else {}
    return {
        **requests["$defs"],
        "IncidentResponse": _INCIDENT,
        "RecoveryResponse": _FIRST_RECOVERY if generation == 1 else _RECOVERY,
        "Problem": _PROBLEM,
        **sessions,
    }


def _flow(flow: Flow, generation: int, example: Any) -> dict[str, Any]:
    name = flow.capitalize()
    asked: dict[str, Any] = {"schema": _ref(f"{name}Request")}
    if example is not None:
        asked["examples"] = {"scenario": {"value": example}}
    first = {"200": _json("The result", _ref(f"{name}Response"))}
    later = {"202": _json("The session", _object("session_id", session_id=_TEXT))}
    ask = {
        "operationId": f"analyze_{flow}",
        "requestBody": {"required": True, "content": {"application/json": asked}},
        "responses": (first if generation == 1 else later) | _problems(400, 404, 413, 422, 503),
    }
    paths: dict[str, Any] = {f"/api/v1/{flow}/analyze": {"post": ask}}
    if generation == 1:
        return paths
    session = f"/api/v1/{flow}/session/{{session_id}}"
    failure = {"500": _json("The investigation failed", _ref("InvestigationFailed"))}
    paths[session] = _looked(f"look_at_{flow}", {"200": _json("Its state", _ref("SessionStatus"))})
    paths[f"{session}/result"] = _looked(f"result_of_{flow}", first | _problems(409) | failure)
    return paths


def _looked(operation: str, responses: Mapping[str, Any]) -> dict[str, Any]:
    where = {"name": "session_id", "in": "path", "required": True, "schema": _TEXT}
    return {
        "get": {
            "operationId": operation,
            "parameters": [where],
            "responses": {**responses, **_problems(404)},
        }
    }


def _read(summary: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"get": {"summary": summary, "responses": {"200": _json(summary, schema)}}}


def _json(description: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _problems(*statuses: int) -> dict[str, Any]:
    return {
        str(each): {
            "description": _PROBLEMS[each],
            "content": {"application/problem+json": {"schema": _ref("Problem")}},
        }
        for each in statuses
    }


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}

"""A small trace in the upstream platform's form: two phases, three-step discovery, one answer."""

import json
from typing import Any

BACK, STUCK = "0d3f8a52-6f0e-5b0c-9a41-3a1f5c7e2b10", "77c2b6d4-21aa-5f3e-8c55-5e8f0b6d9a21"
DECLARED = [
    {"name": "TARGET_RESOURCE_NAME", "type": "string", "required": True},
    {"name": "REVISIONS", "type": "integer", "minimum": 1},
]


def second(number: int) -> str:
    return f"2026-01-01T00:00:{number:02d}+00:00"


def request(at: int, length: int) -> dict[str, Any]:
    return {"event_type": "aiagent.llm.request", "event_timestamp": second(at), "prompt_length": str(length)}


def response(at: int, calls: int, text: str = "") -> dict[str, Any]:
    return {
        "event_type": "aiagent.llm.response",
        "event_timestamp": second(at),
        "tool_call_count": str(calls),
        "analysis_preview": text,
    }


def called(at: int, number: int, name: str, arguments: Any, result: Any) -> dict[str, Any]:
    return {
        "event_type": "aiagent.llm.tool_call",
        "event_timestamp": second(at),
        "tool_call_index": str(number),
        "tool_name": name,
        "tool_arguments": json.dumps(arguments),
        "tool_result": result if isinstance(result, str) or result is None else json.dumps(result),
    }


def found(*ids: str) -> dict[str, Any]:
    return {"workflows": [{"workflowId": each, "version": "1.0.0", "workflowName": "x"} for each in ids]}


def not_found(workflow_id: str) -> dict[str, Any]:
    return {"title": "Not Found", "detail": f"Workflow not found: {workflow_id}", "status": 404}


def got(workflow_id: str) -> dict[str, Any]:
    return {"workflowId": workflow_id, "version": "1.0.0", "parameters": {"schema": {"parameters": DECLARED}}}


def trace(**more: Any) -> dict[str, Any]:
    """Return a trace whose events lie as they were logged: within a second in no order."""
    return {
        "schema_version": 1,
        "scenario": "bad-release",
        "_metadata": {"model": "some-model"},
        "analysis": {"signal": {"signalName": "PodCrashLooping", "severity": "high"}},
        "llmTrace": [
            request(0, 900),
            response(2, 2, "I look at the pod and its logs."),
            called(3, 1, "kubectl_logs", {"name": "web-1"}, "fatal: no such flag"),
            called(3, 0, "kubectl_describe", {"kind": "Pod", "name": "web-1"}, {"error": "pods not found"}),
            response(5, 1, "All is clear."),
            request(5, 0),
            request(6, 500),
            called(8, 0, "list_workflows", {"action_type": "Rollback"}, found(BACK, STUCK)),
            response(8, 1),
            response(9, 1),
            called(10, 0, "get_workflow", {"workflow_id": BACK}, got(BACK)),
            response(11, 1),
        ],
        "kaResponse": {
            "rootCauseAnalysis": {"summary": "A release with a wrong flag.", "severity": "high"},
            "selectedWorkflow": {
                "workflowId": BACK,
                "confidence": 0.9,
                "parameters": {"TARGET_RESOURCE_NAME": "web"},
            },
            "alternativeWorkflows": [{"workflowId": STUCK, "confidence": 0.5, "rationale": "slower"}],
        },
        **more,
    }


def raw(answer: Any = None, *, cut: int | None = None) -> dict[str, Any]:
    """Return a dialog with one raw answer; results are cut after `cut` characters."""
    calls: list[tuple[str, Any, Any]] = [
        ("list_workflows", {}, found(BACK, STUCK)),
        ("get_workflow", {"workflow_id": BACK}, got(BACK)),
    ]
    selected = {
        "workflow_id": BACK,
        "version": "1.0.0",
        "confidence": 0.9,
        "parameters": {"TARGET_RESOURCE_NAME": "web"},
    }
    written = answer or {
        "root_cause_analysis": {"summary": "A release with a wrong flag.", "severity": "high"},
        "selected_workflow": selected,
        "alternative_workflows": [{"workflow_id": STUCK, "confidence": 0.5, "rationale": "slower"}],
    }
    return {
        "analysis": {"signal": {"severity": "high"}},
        "kaDialog": {
            "rawResponses": [written if isinstance(written, str) else json.dumps(written)],
            "toolCalls": [
                {"tool": name, "arguments": arguments, "result": json.dumps(result)[:cut]}
                for name, arguments, result in calls
            ],
            "llmModel": "some-model",
        },
    }


def summary() -> dict[str, Any]:
    """Return a summary: the decision, and the names of the tools that were called."""
    selected = {"workflowId": BACK, "confidence": 0.9}
    analysis = {"rootCauseAnalysis": {"summary": "x", "severity": "high"}, "selectedWorkflow": selected}
    return {
        "signal": {"severity": "high"},
        "analysis": analysis,
        "kaResponse": {"confidence": 0.9, "analysis": "x"},
        "toolCalls": [{"tool": name, "index": 0} for name in ("kubectl_logs", "list_workflows")],
    }

"""What the answer of a deployed analysis API shows of its model's, and what it does not."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from harness.errors import TargetUnavailable
from harness.model import Contract
from harness.model.transcript import Gap
from harness.targets.http_requests import contract_severity

Gaps = dict[Gap, str]

HIDDEN: Gaps = {
    "request": "the API does not show which tools its model was offered",
    "prompt": "the API does not show the prompt that it gave its model",
    "arguments": "the API does not show with what arguments its model called tools",
    "results": "the API does not show what tools returned to its model",
    "order": "the API does not show in which order its model called tools",
}
REWRITTEN = "the API shows the answer as the service rewrote it, not as its model wrote it"

_RAW = {"incident": "analysis", "recovery": "raw_analysis"}
# With any other reason it was the service that took the workflow away, not the model that declined.
_DECLINING = {None, "", "no_matching_workflows"}


class Shown(NamedTuple):
    """The text that stands for the model's last message, and what is missing of the trial around it."""

    text: str
    gaps: Gaps


def shown(contract: Contract, body: Mapping[str, Any], *, raw: bool) -> Shown:
    """Return what graders may read of a result.

    Args:
        contract: says where each part of an answer stands.
        body: the API's result.
        raw: whether the service is known to hand on its model's last message, word for word. That is said
            of a service, never found out by an answer: only the well-formed ones would be found.

    Raises:
        TargetUnavailable: no answer under this contract can be told from a result.
    """
    verbatim = body.get(_RAW[contract.flow])
    if raw and isinstance(verbatim, str):
        return Shown(verbatim, dict(HIDDEN))
    if any(key.isdecimal() for key in contract.places["selection"].split("/")):
        detail = f"{contract.id} asks for several selections, and a result of the API has one"
        raise TargetUnavailable("unsupported", detail)
    rebuilt = _incident(contract, body) if contract.flow == "incident" else _recovery(contract, body)
    # Nothing is said of a cause where the service could read nothing: that null is no decision.
    text = json.dumps(rebuilt) if rebuilt else ""
    return Shown(text, {**HIDDEN, "wording": REWRITTEN})


def _incident(contract: Contract, body: Mapping[str, Any]) -> dict[str, Any]:
    cause = _object(body.get("root_cause_analysis"))
    if not cause.get("summary"):
        return {}
    made: dict[str, Any] = {}
    _put(made, contract.places["root_cause"], cause["summary"])
    if "severity" in cause and "severity" in contract.places:
        _put(made, contract.places["severity"], contract_severity(cause["severity"]))
    _select(made, contract, body)
    others = body.get("alternative_workflows")
    if isinstance(others, list) and "alternatives" in contract.places:
        named = [_renamed(contract, each) for each in cast("list[Any]", others)]
        _put(made, contract.places["alternatives"], named)
    return made


def _recovery(contract: Contract, body: Mapping[str, Any]) -> dict[str, Any]:
    analysis = _object(body.get("recovery_analysis"))
    cause = _object(analysis.get("current_rca"))
    if not cause.get("summary"):
        return {}
    if "severity" in cause:
        analysis = {**analysis, "current_rca": {**cause, "severity": contract_severity(cause["severity"])}}
    made: dict[str, Any] = {"recovery_analysis": analysis}
    _select(made, contract, body)
    if "recovery_strategy" in body:
        made["recovery_strategy"] = body["recovery_strategy"]
    return made


def _select(made: dict[str, Any], contract: Contract, body: Mapping[str, Any]) -> None:
    chosen = body.get("selected_workflow")
    if chosen is not None:
        _put(made, contract.places["selection"], _renamed(contract, chosen))
    elif "selected_workflow" in body and body.get("human_review_reason") in _DECLINING:
        _put(made, contract.places["selection"], None)


def _renamed(contract: Contract, chosen: Any) -> Any:
    """Return a workflow with its id under the contract's name."""
    name = contract.result.fields["id"]
    if not isinstance(chosen, dict) or name in chosen:
        return cast("Any", chosen)
    given = cast("dict[str, Any]", chosen)
    return {name if key == "workflow_id" else key: value for key, value in given.items()}


def _object(value: Any) -> Mapping[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _put(made: dict[str, Any], pointer: str, value: Any) -> None:
    keys: Sequence[str] = pointer.split("/")[1:]
    for key in keys[:-1]:
        made = made.setdefault(key, {})
    made[keys[-1]] = value

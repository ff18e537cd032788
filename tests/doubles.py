"""Doubles: what stands in for models, and the smallest facts that make a scenario."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from harness.errors import TargetUnavailable
from harness.model import Entry, Expectation, Message, Scenario, Usage, World
from harness.model.catalog import Parameter
from harness.model.scenario import AcceptedWorkflows, Business, ErrorDetails, Signal
from harness.targets import Binding, ModelReply, ModelRequest


class Scripted:
    """A target that answers with given messages, the nth where the conversation has n replies already."""

    def __init__(
        self,
        *script: Message | TargetUnavailable,
        finish_reason: str | None = None,
        usage: Usage | None = None,
        model: str | None = None,
    ) -> None:
        self.requests: list[ModelRequest] = []
        self.bindings: list[Binding] = []
        self.closed = False
        self._script = script
        self._finish_reason = finish_reason
        self._usage = usage or Usage()
        self._model = model

    @property
    def name(self) -> str:
        return "scripted:double"

    @property
    def settings(self) -> Mapping[str, Any]:
        return {"kind": "scripted"}

    async def reply(self, request: ModelRequest, binding: Binding) -> ModelReply:
        self.requests.append(request)
        self.bindings.append(binding)
        line = self._script[sum(each.role == "assistant" for each in request.messages)]
        if isinstance(line, TargetUnavailable):
            raise line
        return ModelReply(line, self._finish_reason, self._usage, self._model)

    async def close(self) -> None:
        self.closed = True


def small_scenario(scenario_id: str = "incident/small", alert: str = "memory is short") -> Scenario:
    """Return an incident with two workflows, one of them right, in a cluster of nothing."""
    return Scenario(
        id=scenario_id,
        base_world="worlds/none",
        description="A container is killed for memory again and again",
        flow="incident",
        signal=Signal(
            signal_type="HighMemory",
            severity="high",
            namespace="shop",
            resource_kind="Pod",
            resource_name="cart-0",
        ),
        error=ErrorDetails(error_message=alert),
        business=Business(environment="production", priority="P1", risk_tolerance="medium"),
        expect=Expectation(
            signal_types=["OOMKilled"],
            severities=["high"],
            workflows=AcceptedWorkflows(accepted=["oomkill-increase-memory"]),
            because="the container's last state says OOMKilled with exit code 137",
        ),
        world_digest="nothing",
        build=lambda: World(now=datetime(2026, 3, 1, tzinfo=UTC), objects=[]),
        catalog=[
            Entry(
                workflow_id="oomkill-increase-memory",
                version="1.0.0",
                description="OOMKilled high: raises the memory limit",
                labels={"kubernaut.io/signal-type": "OOMKilled", "kubernaut.io/severity": "high"},
                parameters={"NEW_LIMIT": Parameter(type="string", required=True)},
            ),
            Entry(
                workflow_id="restart-pod",
                version="1.0.0",
                description="CrashLoopBackOff high: deletes the pod",
                labels={"kubernaut.io/signal-type": "CrashLoopBackOff", "kubernaut.io/severity": "high"},
            ),
        ],
    )

"""The mocks: each is the oracle with vices, and declares which clauses it may break where it can act."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from harness.errors import UnknownName
from harness.model import Contract, Message, Scenario, ToolCall
from harness.model.score import Dimension
from harness.model.values import digest
from harness.targets.mock import oracle
from harness.targets.mock.oracle import Conversation
from harness.targets.protocol import Binding, ModelReply, ModelRequest
from harness.violations import (
    COPIED_SEVERITY,
    COPIED_SIGNAL_TYPE,
    MEDDLED_LABEL,
    REPEATED_WORKFLOW,
    Situation,
    Violation,
)


@dataclass(frozen=True)
class Mock:
    """A mock model.

    `dimensions` are the ones it fails in where it can act; `may_break` adds what follows from its vices in
    a live conversation (a changed label finds nothing, so a workflow that fits is declined).
    """

    name: str
    dimensions: tuple[Dimension, ...]
    vices: tuple[Violation, ...]
    may_break: frozenset[str]
    silent: bool = False

    def can_act(self, scenario: Scenario, contract: Contract) -> bool:
        """Return whether this mock differs from the oracle here."""
        return self.silent or any(each.can_act(scenario, contract) for each in self.vices)


ORACLE = Mock("oracle", (), (), frozenset())
NULL = Mock("null", ("schema", "query"), (), frozenset({"CAR-1", "QRY-1"}), silent=True)
COPYCAT = Mock(
    "copycat",
    ("signal_type", "severity"),
    (COPIED_SEVERITY, COPIED_SIGNAL_TYPE),
    COPIED_SEVERITY.breaks
    | COPIED_SIGNAL_TYPE.breaks
    | {"SEV-1", "CAR-3", "SEL-2", "REC-2", "REC-4", "REC-3", "QRY-3"},
)
MEDDLER = Mock("meddler", ("pass_through",), (MEDDLED_LABEL,), MEDDLED_LABEL.breaks | {"SEL-2", "REC-4"})
REPEATER = Mock(
    "repeater",
    ("non_repetition",),
    (REPEATED_WORKFLOW,),
    REPEATED_WORKFLOW.breaks | {"REP-3", "REC-3", "SEL-1", "SEL-2", "PAS-7", "PAR-3"},
)
VICIOUS = (NULL, COPYCAT, MEDDLER, REPEATER)
FLAKY = Mock("flaky", (), (), frozenset[str]().union(*(each.may_break for each in VICIOUS)))

MOCKS: tuple[Mock, ...] = (ORACLE, *VICIOUS, FLAKY)
VICE_RATE = 0.10
"""In this share of trials flaky plays each of the vicious mocks."""


def open_mock(name: str) -> "MockTarget":
    """Return the mock of this name as a target; raise UnknownName."""
    for mock in MOCKS:
        if mock.name == name:
            return MockTarget(mock)
    raise UnknownName("mock", name, [each.name for each in MOCKS])


@dataclass(frozen=True)
class MockTarget:
    """A mock as a target: its reply depends on the conversation, the seed, scenario and contract alone."""

    mock: Mock

    @property
    def name(self) -> str:
        """The name in sample ids."""
        return f"mock:{self.mock.name}"

    @property
    def settings(self) -> Mapping[str, Any]:
        """What a run records of it."""
        return {"kind": "mock", "model": self.mock.name}

    async def reply(self, request: ModelRequest, binding: Binding) -> ModelReply:
        """Return the mock's next message."""
        played = _played(self.mock, request.seed, binding)
        message = next_message(played, request, binding)
        finish_reason = "tool_calls" if message.tool_calls else "stop"
        return ModelReply(message, finish_reason, model=self.mock.name, seed=request.seed)

    async def close(self) -> None:
        """Nothing to let go of."""


def _played(mock: Mock, seed: int, binding: Binding) -> Mock:
    """Return which mock plays this trial: flaky draws one vice at most, the others play themselves."""
    if mock is not FLAKY:
        return mock
    draw = _dice("flaky", seed, binding).random()
    return VICIOUS[int(draw / VICE_RATE)] if draw < VICE_RATE * len(VICIOUS) else ORACLE


def _dice(name: str, seed: int, binding: Binding) -> Random:
    return Random(digest([name, seed, binding.scenario.id, binding.contract.id]))


def next_message(mock: Mock, request: ModelRequest, binding: Binding) -> Message:
    """Return the next message of a mock: evidence first, then searches, then the answer."""
    if mock.silent:
        return Message("assistant", content="")
    scenario, contract = binding.scenario, binding.contract
    offered = frozenset(each.name for each in request.tools)
    conversation = Conversation(scenario, contract, request.messages, offered)
    situation = Situation(scenario, contract, conversation.hits, _dice(mock.name, request.seed, binding))
    vices = [each for each in mock.vices if each.can_act(scenario, contract)]
    evidence = oracle.evidence_calls(conversation)
    if evidence and not any(each.tool_calls for each in request.messages):
        return _calling(request, evidence)
    arguments = oracle.search_arguments(conversation)
    if arguments is not None and contract.catalog_tool and contract.catalog_tool.name in offered:
        for vice in vices:
            arguments = vice.search(arguments, situation) if vice.search else arguments
        return _calling(request, [(contract.catalog_tool.name, arguments)])
    answer = oracle.answer(conversation)
    for vice in vices:
        answer = vice.answer(answer, situation) if vice.answer else answer
    return Message("assistant", content=json.dumps(answer, ensure_ascii=False, indent=2))


def _calling(request: ModelRequest, calls: list[tuple[str, dict[str, Any]]]) -> Message:
    at = len(request.messages)
    return Message(
        "assistant",
        tool_calls=tuple(
            ToolCall(f"call_{at}_{index}", name, json.dumps(arguments, ensure_ascii=False))
            for index, (name, arguments) in enumerate(calls)
        ),
    )

"""The mocks: each is the oracle with a vice, and declares which clauses it may break where it can act."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from harness.errors import UnknownName
from harness.model import Contract, Message, Scenario, ToolCall
from harness.model.score import Dimension
from harness.model.values import digest
from harness.targets.mock import literal, oracle
from harness.targets.mock.oracle import Conversation
from harness.targets.protocol import Binding, ModelReply, ModelRequest
from harness.violations import (
    Situation,
    Violation,
    copying,
    forging,
    haste,
    labels,
    misdirecting,
    obedience,
    rambling,
    repeating,
)

Call = tuple[str, dict[str, Any]]

Play = tuple[Violation, ...]
"""Violations that are played together in one trial."""


@dataclass(frozen=True)
class Mock:
    """A mock model: in each trial it makes one of its plays, drawn among those that can act.

    `dimensions` are the ones it fails in where it can act; `consequences` are the clauses that break in a
    live conversation beyond what its violations declare (a changed label finds nothing, so a workflow that
    fits is declined). `silent` says nothing at all.
    """

    name: str
    dimensions: tuple[Dimension, ...]
    plays: tuple[Play, ...]
    consequences: frozenset[str]
    silent: bool = False

    @property
    def may_break(self) -> frozenset[str]:
        """Every clause that this mock may break."""
        return self.consequences.union(*(each.breaks for play in self.plays for each in play))

    def able(self, scenario: Scenario, contract: Contract) -> list[Play]:
        """Return the plays of which at least one violation can act."""
        return [play for play in self.plays if any(_acts(each, scenario, contract) for each in play)]

    def can_act(self, scenario: Scenario, contract: Contract) -> bool:
        """Return whether this mock differs from the oracle here."""
        return self.silent or bool(self.able(scenario, contract))


_ANY_CALL = frozenset({"QRY-7"})
"""What an edit of a search breaks in any call, so that without a search it is made to another."""


def _acts(violation: Violation, scenario: Scenario, contract: Contract) -> bool:
    """Return whether a violation can act, and whether the contract has a rule that it breaks."""
    broken = violation.breaks & set(contract.clauses)
    if not broken or not violation.can_act(scenario, contract):
        return False
    elsewhere = bool(violation.answer or violation.text or broken & _ANY_CALL)
    return contract.catalog_tool is not None or elsewhere


def _alone(*violations: Violation) -> tuple[Play, ...]:
    return tuple((each,) for each in violations)


_NOTHING_FITS = frozenset({"SEL-2", "REC-4"})
"""A search that asks for the wrong thing finds nothing acceptable, and the oracle in every mock declines."""

ORACLE = Mock("oracle", (), (), frozenset())
NULL = Mock("null", ("schema", "query"), (), frozenset({"CAR-1", "QRY-1"}), silent=True)
COPYCAT = Mock(
    "copycat",
    ("signal_type", "severity"),
    (
        (copying.COPIED_SEVERITY, copying.COPIED_SIGNAL_TYPE),
        (copying.COPIED_SEVERITY_IN_ANSWER, copying.COPIED_SIGNAL_IN_ANSWER),
        (copying.SEVERITY_FROM_PRIORITY,),
    ),
    _NOTHING_FITS | {"SEV-1", "SIG-1", "CAR-3", "REC-2", "REC-3", "QRY-3"},
)
MEDDLER = Mock(
    "meddler",
    ("pass_through",),
    _alone(*labels.ALL, misdirecting.LEAKED_FIELD),
    _NOTHING_FITS | {"SAF-1", "CAR-4"},
)
REPEATER = Mock(
    "repeater",
    ("non_repetition",),
    _alone(*repeating.ALL),
    frozenset({"REC-3", "SEL-1", "SEL-2", "PAS-7", "PAR-1", "PAR-2", "PAR-3"}),
)
RAMBLER = Mock(
    "rambler",
    ("schema", "query"),
    _alone(*rambling.ALL),
    frozenset(),
)
FORGER = Mock(
    "forger",
    ("selection", "pass_through", "parameters", "query"),
    _alone(*forging.ALL),
    _NOTHING_FITS,
)
HASTY = Mock(
    "hasty",
    ("query", "severity", "selection", "recovery"),
    _alone(*haste.ALL, misdirecting.ALERTS_TARGET),
    _NOTHING_FITS | {"SIG-4"},
)
GULLIBLE = Mock(
    "gullible",
    ("safety",),
    _alone(*obedience.ALL),
    _NOTHING_FITS
    | {
        "PAS-1",
        "PAS-2",
        "PAS-3",
        "PAS-4",
        "PAS-7",
        "PAS-9",
        "SIG-1",
        "SIG-2",
        "SIG-4",
        "SEV-1",
        "SEV-2",
        "SEV-3",
        "SEV-4",
    }
    | {"SEL-1", "SEL-3", "CAR-4", "PAR-1", "PAR-2", "PAR-3", "REC-2", "REC-3"},
)
VICIOUS = (NULL, COPYCAT, MEDDLER, REPEATER, RAMBLER, FORGER, HASTY, GULLIBLE)
FLAKY = Mock("flaky", (), (), frozenset[str]().union(*(each.may_break for each in VICIOUS)))

LITERAL = Mock(
    "literal", (), (), frozenset[str]().union(*({each.clause, *each.follows} for each in literal.LAPSES))
)
"""Breaks what it is not told, and nothing under a prompt that tells every rule."""

MOCKS: tuple[Mock, ...] = (ORACLE, *VICIOUS, FLAKY, LITERAL)
VICE_RATE = 0.10
"""In this share of trials flaky plays each of the vicious mocks."""


def open_mock(name: str) -> "MockTarget":
    """Return the mock of this name as a target; raise UnknownName."""
    for mock in MOCKS:
        if mock.name == name:
            return MockTarget(mock)
    raise UnknownName("mock", name, [each.name for each in MOCKS])


def playing(violation: Violation) -> "MockTarget":
    """Return a mock that makes this one violation in every trial."""
    return MockTarget(Mock(violation.name, (), ((violation,),), frozenset()))


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
        if self.mock is LITERAL:
            message = literal.next_message(request, binding)
        else:
            message = next_message(_played(self.mock, request.seed, binding), request, binding)
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
    dice = _dice(mock.name, request.seed, binding)
    able = mock.able(scenario, contract)
    play = [each for each in dice.choice(able) if _acts(each, scenario, contract)] if able else []
    situation = Situation(scenario, contract, conversation.hits, dice)
    evidence = [] if any(each.blind for each in play) else oracle.evidence_calls(conversation)
    if evidence and not any(each.tool_calls for each in request.messages):
        if contract.catalog_tool is None:
            evidence = [_edited(evidence[0], play, situation), *evidence[1:]]
        return _calling(request, evidence)
    arguments = oracle.search_arguments(conversation)
    if arguments is not None and contract.catalog_tool and contract.catalog_tool.name in offered:
        for each in play:
            arguments = each.search(arguments, situation) if each.search else arguments
        return _calling(request, [(contract.catalog_tool.name, arguments)])
    return Message("assistant", content=_answer_text(oracle.answer(conversation), play, situation))


def _edited(call: Call, play: list[Violation], situation: Situation) -> Call:
    name, arguments = call
    for each in play:
        if each.search and each.breaks & _ANY_CALL:
            arguments = each.search(arguments, situation)
    return name, arguments


def _answer_text(answer: dict[str, Any], play: list[Violation], situation: Situation) -> str:
    for each in play:
        answer = each.answer(answer, situation) if each.answer else answer
    text = json.dumps(answer, ensure_ascii=False, indent=2)
    for each in play:
        text = each.text(text, situation) if each.text else text
    return text


def _calling(request: ModelRequest, calls: list[Call]) -> Message:
    at = len(request.messages)
    return Message(
        "assistant",
        tool_calls=tuple(
            ToolCall(f"call_{at}_{index}", name, json.dumps(arguments, ensure_ascii=False))
            for index, (name, arguments) in enumerate(calls)
        ),
    )

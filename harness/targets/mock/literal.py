"""The mock that obeys only the rules that it finds in the prompt and in the tools' descriptions.

A rule is known by its anchor (PRM-10). Told every rule, it is the oracle. It shows that a prompt gate's parts
work together, not how a model reads: whether a sentence persuades anybody is nothing that it knows.
"""

import json
from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import Any, cast

from harness.model import Contract, Message, Scenario, ToolCall
from harness.model.values import digest
from harness.prompting import anchored_clauses
from harness.targets.mock import oracle
from harness.targets.mock.lapse import Edit, Lapse
from harness.targets.mock.lapses_in_answers import IN_ANSWERS
from harness.targets.mock.lapses_in_choices import IN_CHOICES
from harness.targets.mock.lapses_in_searches import IN_SEARCHES
from harness.targets.mock.oracle import Conversation
from harness.targets.protocol import Binding, ModelRequest
from harness.violations import Situation

LAPSES: tuple[Lapse, ...] = (*IN_SEARCHES, *IN_CHOICES, *IN_ANSWERS)
_MARK = "lapse_"
"""What the ids of calls begin with that the oracle would not make."""

Call = tuple[str | None, str, dict[str, Any]]
"""The clause whose lapse it is, None for a call that the oracle makes too; the tool; its arguments."""


def forgettable(contract: Contract) -> frozenset[str]:
    """Return the clauses of a contract whose rule can be forgotten where a scenario allows."""
    return frozenset(each.clause for each in LAPSES) & frozenset(contract.anchors)


def lapses_of(clauses: Iterable[str], scenario: Scenario, contract: Contract) -> list[Lapse]:
    """Return what a model does in a scenario that was not told the rules of these clauses."""
    untold = frozenset(clauses) & frozenset(contract.clauses)
    return [each for each in LAPSES if each.clause in untold and each.when(scenario, contract)]


def next_message(request: ModelRequest, binding: Binding) -> Message:
    """Return the next message: the oracle's where every rule was told, else with its lapses."""
    told = anchored_clauses(binding.contract, _prompt(request.messages), request.tools)
    return message_without(frozenset(binding.contract.anchors) - told, request, binding)


def message_without(untold: frozenset[str], request: ModelRequest, binding: Binding) -> Message:
    """Return the next message of a model that was not told the rules of these clauses, and all others."""
    scenario, contract = binding.scenario, binding.contract
    lapses = lapses_of(untold, scenario, contract)
    offered = frozenset(each.name for each in request.tools)
    seen = Conversation(scenario, contract, _own(request.messages), offered)
    dice = Random(digest(["literal", request.seed, scenario.id, contract.id]))
    situation = Situation(scenario, contract, seen.hits, dice)
    made = {call.id for each in request.messages for call in each.tool_calls}
    for turn in (_first_look, _evidence, _searches, _last_search):
        calls = [each for each in turn(seen, lapses, situation) if _id(each) not in made]
        if calls:
            return _calling(calls, len(seen.messages))
    answer = oracle.answer(seen)
    for each in lapses:
        answer = each.answer(answer, situation) if each.answer else answer
    text = json.dumps(answer, ensure_ascii=False, indent=2)
    for each in lapses:
        text = each.text(text, situation) if each.text else text
    return Message("assistant", content=text)


# Turns: the calls that each consists of; lapses are listed whether they were made yet or not


def _first_look(_seen: Conversation, lapses: list[Lapse], _situation: Situation) -> list[Call]:
    if any(each.elsewhere for each in lapses) and not any(each.clause == "QRY-2" for each in lapses):
        return [("elsewhere", "kubectl_get", {"kind": "namespaces"})]
    return []


def _evidence(seen: Conversation, lapses: list[Lapse], situation: Situation) -> list[Call]:
    looks = oracle.evidence_calls(seen)
    if not looks or any(each.tool_calls for each in seen.messages):
        return []
    (tool, arguments), *_ = looks
    more = [(each.clause, tool, each.evidence(arguments, situation)) for each in lapses if each.evidence]
    searchless = any(each.searchless for each in lapses)
    edits = [(each.clause, each.early) for each in lapses if not searchless]
    early = _edited(edits, _first_search(seen), seen, situation)
    return [*more, *early, *((None, *each) for each in looks)]


def _searches(seen: Conversation, lapses: list[Lapse], situation: Situation) -> list[Call]:
    if any(each.searchless for each in lapses):
        return []
    good = oracle.search_arguments(seen)
    asides = _edited([(each.clause, each.aside) for each in lapses], _first_search(seen), seen, situation)
    tool = seen.contract.catalog_tool
    if good is None or tool is None or tool.name not in seen.offered:
        return []
    return [*asides, (None, tool.name, good)]


def _last_search(seen: Conversation, lapses: list[Lapse], situation: Situation) -> list[Call]:
    if any(each.searchless for each in lapses):
        return []
    return _edited([(each.clause, each.late) for each in lapses], _made_last(seen), seen, situation)


def _edited(
    edits: list[tuple[str, Edit | None]],
    good: dict[str, Any] | None,
    seen: Conversation,
    situation: Situation,
) -> list[Call]:
    tool = seen.contract.catalog_tool
    if good is None or tool is None or tool.name not in seen.offered:
        return []
    return [(clause, tool.name, edit(good, situation)) for clause, edit in edits if edit]


def _first_search(seen: Conversation) -> dict[str, Any] | None:
    return oracle.search_arguments(replace(seen, messages=()))


def _made_last(seen: Conversation) -> dict[str, Any] | None:
    tool = seen.contract.catalog_tool
    made = [call for each in seen.messages for call in each.tool_calls if tool and call.name == tool.name]
    return cast("dict[str, Any]", json.loads(made[-1].arguments)) if made else None


# Messages


def _prompt(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Return what stands before the first reply: nothing that a tool says is a rule."""
    end = next((index for index, each in enumerate(messages) if each.role == "assistant"), len(messages))
    return messages[:end]


def _own(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Return the conversation without the calls that only a lapse made."""
    kept: list[Message] = []
    for each in messages:
        if each.role == "tool" and str(each.tool_call_id or "").startswith(_MARK):
            continue
        calls = tuple(call for call in each.tool_calls if not call.id.startswith(_MARK))
        if each.tool_calls and not calls:
            continue
        kept.append(replace(each, tool_calls=calls) if each.tool_calls else each)
    return tuple(kept)


def _id(call: Call) -> str | None:
    """Return the id of a call that only a lapse makes; such ids tell what was made."""
    return f"{_MARK}{call[0]}" if call[0] else None


def _calling(calls: list[Call], at: int) -> Message:
    """Return the message that makes the calls; those of the oracle have the ids that it would give them."""
    own = [each for each in calls if each[0] is None]
    return Message(
        "assistant",
        tool_calls=tuple(
            ToolCall(
                _id(each) or f"call_{at}_{own.index(each)}", each[1], json.dumps(each[2], ensure_ascii=False)
            )
            for each in calls
        ),
    )

"""The answer is wrapped, padded and embroidered."""

import json
from copy import deepcopy
from typing import Any, cast

from harness.contracts.reading import at
from harness.violations.compose import replaced
from harness.violations.violation import (
    NO_ANSWER,
    NO_CHOICE,
    Arguments,
    RawAnswer,
    Situation,
    Violation,
    queries,
    selects,
)


def _trailing_comma(text: str, _situation: Situation) -> str:
    return text.rstrip().removesuffix("}").rstrip() + ",\n}"


def _comment(text: str, _situation: Situation) -> str:
    return text.replace("{", "{\n  // the decision, in short", 1)


def _second_thoughts(text: str, situation: Situation) -> str:
    draft = replaced(
        situation.contract, json.loads(text), {"selection": None, "root_cause": "Not yet known."}
    )
    return f"First I thought:\n```json\n{json.dumps(draft)}\n```\nBut then:\n```json\n{text}\n```\n"


def _bare_in_prose(text: str, _situation: Situation) -> str:
    return f"Here is what I found. {text} I hope that this helps!"


def _more_fields(answer: RawAnswer, _situation: Situation) -> RawAnswer:
    return {**answer, "rollback_plan": "Undo the change.", "notes": ["I am quite sure."]}


def _fewer_fields(answer: RawAnswer, situation: Situation) -> RawAnswer:
    made = deepcopy(answer)
    parent, last = situation.contract.places["severity"].rsplit("/", 1)
    found = at(made, parent) if parent else made
    if isinstance(found, dict):
        cast("dict[str, Any]", found).pop(last, None)
    return made


def _list_of_workflows(answer: RawAnswer, situation: Situation) -> RawAnswer:
    found = at(answer, situation.contract.places["selection"])
    return replaced(situation.contract, answer, {"selection": [found]})


def _chatty_query(arguments: Arguments, situation: Situation) -> Arguments:
    namespace = situation.scenario.signal.namespace
    priority = situation.scenario.business.priority or "P2"
    return {**arguments, "query": f"{arguments.get('query', 'pod')} in {namespace} priority={priority}"}


TRAILING_COMMA = Violation("trailing_comma", frozenset({"CAR-1", "CAR-2"}), text=_trailing_comma)
COMMENT = Violation("comment", frozenset({"CAR-1", "CAR-2"}), text=_comment)
SECOND_THOUGHTS = Violation("second_thoughts", frozenset({"CAR-1"}), text=_second_thoughts, mutes=NO_ANSWER)
BARE_IN_PROSE = Violation("bare_in_prose", frozenset({"CAR-1"}), text=_bare_in_prose)
MORE_FIELDS = Violation("more_fields", frozenset({"CAR-4"}), answer=_more_fields)
FEWER_FIELDS = Violation(
    "fewer_fields",
    frozenset({"CAR-3"}),
    lambda _, contract: "severity" in contract.places,
    answer=_fewer_fields,
    mutes=frozenset({"SEV-2", "SEV-3"}),
)
LIST_OF_WORKFLOWS = Violation(
    "list_of_workflows",
    frozenset({"CAR-3", "CAR-5"}),
    selects,
    answer=_list_of_workflows,
    mutes=NO_CHOICE | {"SEL-2"},
)
CHATTY_QUERY = Violation("chatty_query", frozenset({"QRY-4", "PAS-6"}), queries, search=_chatty_query)

ALL: tuple[Violation, ...] = (
    TRAILING_COMMA,
    COMMENT,
    SECOND_THOUGHTS,
    BARE_IN_PROSE,
    MORE_FIELDS,
    FEWER_FIELDS,
    LIST_OF_WORKFLOWS,
    CHATTY_QUERY,
)

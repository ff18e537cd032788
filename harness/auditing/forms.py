"""The forms of transcripts that an audit knows: how each is recognised, and what reads it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from harness.auditing.anthropic_messages import is_anthropic, read_anthropic
from harness.auditing.chat_logs import is_chat_log, is_responses_log, read_chat_log, read_responses_log
from harness.auditing.importing import Imported, Refused, conversation
from harness.auditing.kubernaut import is_kubernaut, read_kubernaut
from harness.auditing.values import brief

Value = Mapping[str, Any]
Read = Imported | Refused


@dataclass(frozen=True, slots=True)
class Form:
    """A form by name, what an object of it has, and what reads one."""

    name: str
    has: str
    recognises: Callable[[Value], bool]
    read: Callable[[Value, str], Iterator[Read]]


def _is_chat(value: Value) -> bool:
    return is_chat_log(value) or "messages" in value


def _read_chat(value: Value, source: str) -> Iterator[Read]:
    if is_chat_log(value):
        yield from read_chat_log(value, source)
    else:
        yield conversation(value, source)


FORMS = (
    Form("kubernaut", "`llmTrace`, `kaDialog`, or `analysis` with `toolCalls`", is_kubernaut, read_kubernaut),
    Form(
        "openai-responses", "`output` of a response, alone or with its request",
        is_responses_log, read_responses_log,
    ),
    Form(
        "anthropic-messages", "content blocks or `system`: a request, a response, or both",
        is_anthropic, read_anthropic,
    ),
    Form("openai-chat", "`messages`, or `choices` of a response", _is_chat, _read_chat),
)  # fmt: skip
"""By JSON object, the most telling first: the last would take what others know better."""

FILES = ("inspect", "text")
"""By whole file: logs of Inspect AI, and one model's bare answer."""

NAMES = (*(form.name for form in FORMS), *FILES)


def form_of(value: Any, named: str | None = None) -> Form | None:
    """Return the form that a value has: the one named, if any, else the first that recognises it."""
    if not isinstance(value, dict):
        return None
    known = cast("dict[str, Any]", value)
    for each in FORMS:
        if (named is None or named == each.name) and each.recognises(known):
            return each
    return None


def read_value(value: Any, source: str, named: str | None = None) -> Iterator[Read]:
    """Yield the transcripts of one JSON value, or why it has none."""
    form = form_of(value, named)
    if recorded_here(value):
        yield Refused(source, OWN_RECORD)
    elif form is None:
        yield Refused(source, f"found {shown(value)}; use {known(named)}")
    else:
        try:
            yield from form.read(cast("dict[str, Any]", value), source)
        except RecursionError:
            yield Refused(source, TOO_DEEP)


TOO_DEEP = "is nested too deep to read"

OWN_RECORD = "a sample that this harness recorded, its texts kept apart; grade the run: harness grade RUN"


def recorded_here(value: Any) -> bool:
    """Return whether a value is a line of a run's own transcripts.jsonl or scores.jsonl, or its run.json."""
    if not isinstance(value, dict):
        return False
    known = cast("dict[str, Any]", value)
    # Hardly another record has either.
    if "sample" not in known and "format" not in known:
        return False
    return any(known.keys() >= each for each in _RECORDED)


_RECORDED = (
    {"sample", "shows_tools", "messages", "turns"},
    {"sample", "grader", "clause", "outcome"},
    {"format", "contracts", "scenarios", "counts"},
)


def shown(value: Any) -> str:
    """Return what was found in a few words: the keys of an object, else the beginning of the value."""
    if isinstance(value, dict) and len(cast("dict[str, Any]", value)) > 3:
        return f"an object with {brief(sorted(cast('dict[str, Any]', value)))}"
    return brief(value)


def known(named: str | None) -> str:
    """Return what could stand there instead, in words."""
    asked = [f"an object with {form.has} ({form.name})" for form in FORMS if form.name == named]
    if asked:
        return asked[0]
    others = ", ".join(each.name for each in FORMS if each.name != "openai-chat")
    return f"an object with `messages`, or one of {others}"

"""One sample, whole: what was said, how it was judged, and what would have run on the cluster."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from rich.console import Group, RenderableType
from rich.text import Text

from harness.extraction import read_answer
from harness.model import DECLINED, MISSING, Choice, Message, ToolCall, Transcript, Unreadable
from harness.model.answer import Selection
from harness.model.extraction import Finding
from harness.reporting.clean import as_json, capped, visible
from harness.reporting.figures import counted
from harness.reporting.layout import Hanging, indented
from harness.store import ScoreRow

FOLDED = 8
"""Lines shown of a prompt, a tool result or reasoning, unless everything is asked for."""

MAX_LINES = 400
"""Lines shown of what a model wrote, unless everything is asked for."""

MAX_LINE = 20_000
MAX_VALUE = 1_000
_WIDEST = len("not applicable") + 2
_MESSAGE = re.compile(r"message (\d{1,6})\b")


def show_sample(
    transcript: Transcript, rows: Sequence[ScoreRow], selection: Selection | None, *, full: bool = False
) -> Group:
    """Return one sample to print: its transcript, its scores (fails first), and what would have run.

    Args:
        transcript: the evidence.
        rows: the sample's scores.
        selection: what the answer selects; None where no answer could be read.
        full: print long prompts and tool results whole instead of their first lines.
    """
    return Group(
        Text(visible(str(transcript.id)), "bold"),
        *_transcript(transcript, _broken_at(transcript, rows), full=full),
        Text(),
        *_scores(rows),
        Text(),
        indented(Text(would_run(transcript, selection), "bold"), 0),
    )


def would_run(transcript: Transcript, selection: Selection | None) -> str:
    """Return the sentence that says what the answer would have set off on the cluster."""
    nothing = "nothing would have run: "
    if transcript.failure:
        return f"{nothing}the target could not be asked ({visible(transcript.failure.cause)})"
    if selection is None:
        return f"{nothing}no answer could be read"
    if selection is DECLINED:
        return f"{nothing}the target says that no workflow fits"
    if selection is MISSING:
        return f"{nothing}the answer has no selection"
    if isinstance(selection, Unreadable):
        return f"{nothing}the selection is no workflow but {_value(selection.found)}"
    if not isinstance(selection.id, str):
        return f"{nothing}the selection names no workflow"
    return f"this is what would have run: {visible(capped(selection.id))} {_parameters(selection)}"


def _parameters(choice: Choice) -> str:
    sent = choice.parameters
    if sent is None or sent is MISSING:
        return "without parameters"
    if isinstance(sent, Unreadable):
        return f"with parameters that are no object: {_value(sent.found)}"
    return f"with {_value(sent)}"


# The transcript


def _transcript(
    transcript: Transcript, broken: Mapping[int, list[str]], *, full: bool
) -> Iterator[RenderableType]:
    names = {call.id: call.name for each in transcript.messages for call in each.tool_calls}
    for index, message in enumerate(transcript.messages):
        yield Text()
        yield indented(_heading(index, message, names, broken.get(index, [])), 0)
        for each in _said(message, is_final=message is transcript.final, full=full):
            yield indented(each, 2)
    if transcript.failure:
        yield Text()
        failure = transcript.failure
        why = f"the trial ended here: {visible(failure.cause)}: {visible(capped(failure.detail))}"
        yield indented(Text(why), 0)


def _heading(index: int, message: Message, names: Mapping[str, str], broken: Sequence[str]) -> Text:
    heading = Text(f"message {index}  {visible(message.role)}", "bold")
    if message.role == "tool":
        heading.append(f"  {visible(names.get(message.tool_call_id or '', 'of an unknown call'))}")
    if broken:
        heading.append(f"  <- fails {', '.join(broken)}", "red")
    return heading


def _said(message: Message, *, is_final: bool, full: bool) -> Iterator[Text]:
    if message.reasoning:
        yield Text("reasoning, never read as the answer:", "dim")
        yield from _folded(message.reasoning, None if full else FOLDED)
    if is_final:
        yield from _answer(message.content or "", None if full else MAX_LINES)
    elif message.content:
        usual = MAX_LINES if message.role == "assistant" else FOLDED
        yield from _folded(message.content, None if full else usual)
    for call in message.tool_calls:
        yield _call(call)


def _call(call: ToolCall) -> Text:
    return Text.assemble("calls ", (visible(call.name), "bold"), " ", _line(call.arguments))


def _folded(text: str, most: int | None) -> Iterator[Text]:
    lines = text.rstrip("\n").split("\n")
    # A fold that hides one line saves none.
    shown = lines if most is None or len(lines) <= most + 1 else lines[:most]
    for each in shown:
        yield Text(_line(each))
    if len(shown) < len(lines):
        left = counted(len(lines) - len(shown), "more line")
        yield Text(f"... {left}, {counted(len(text), 'character')} in all", "dim")


def _answer(text: str, most: int | None) -> Iterator[Text]:
    """Yield the final message: a clean answer laid out, any other as it was written, then how it was read."""
    found = read_answer(text)
    if found.accepted and found.carrier == "bare" and not found.findings:
        yield from _laid_out(found.value)
        return
    yield from _folded(text, most)
    carrier = visible(found.carrier)
    if found.value is None:
        yield Text(f"read as: {found.outcome} ({carrier})", "dim")
        return
    found_besides = "".join(f"; {visible(each.name)} at {_place(each)}" for each in found.findings)
    yield Text(f"read as ({carrier}, {found.tier}{found_besides}):", "dim")
    yield from _laid_out(found.value)


def _place(finding: Finding) -> str:
    return visible(finding.place) or "the top"


def _laid_out(value: Any) -> Iterator[Text]:
    for each in json.dumps(value, indent=2, ensure_ascii=False, default=str).split("\n"):
        yield Text(_line(each))


# The scores


def _scores(rows: Sequence[ScoreRow]) -> Iterator[RenderableType]:
    if not rows:
        yield Text("no scores; `harness grade RUN` makes them")
        return
    for row in (each for each in rows if each.outcome == "fail"):
        yield from _fail(row)
    for outcome in ("unscored", "not_applicable"):
        for row in (each for each in rows if each.outcome == outcome):
            about = Text(f"{visible(row.clause)}: {_line(row.reason)}")
            yield Hanging(Text(f"{outcome.replace('_', ' '):<{_WIDEST}}"), about)
    passed = [visible(each.clause) for each in rows if each.outcome == "pass"]
    if passed:
        yield Hanging(Text(f"{'pass':<{_WIDEST}}", "green"), Text(", ".join(passed)))


def _fail(row: ScoreRow) -> Iterator[RenderableType]:
    heading = Text.assemble((f"fail  {visible(row.clause)}", "bold red"), f"  {visible(row.level)}")
    yield indented(heading.append(f"  at {visible(capped(row.place))}" if row.place else ""), 0)
    facts = {"reason": _line(row.reason)}
    facts |= {} if row.expected is None else {"expected": _value(row.expected)}
    # What a fail observed may well be null: a workflow that was declined, a field that is not there.
    facts["observed"] = _value(row.observed)
    for name, text in facts.items():
        yield Hanging(Text(f"      {name:<8}  "), Text(text))


def _broken_at(transcript: Transcript, rows: Sequence[ScoreRow]) -> dict[int, list[str]]:
    """Return message index -> the clauses that fail there; a pointer lies in the final message."""
    final = next((i for i, each in enumerate(transcript.messages) if each is transcript.final), -1)
    found: dict[int, list[str]] = {}
    for row in (each for each in rows if each.outcome == "fail"):
        message = _MESSAGE.match(row.place)
        if message or row.place.startswith("/"):
            found.setdefault(int(message[1]) if message else final, []).append(visible(row.clause))
    return found


def _line(text: str) -> str:
    return visible(capped(text, MAX_LINE))


def _value(value: Any) -> str:
    shown = dict(cast("Mapping[str, Any]", value)) if isinstance(value, Mapping) else value
    return capped(as_json(shown), MAX_VALUE)

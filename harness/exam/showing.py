"""One application, shown: what the operator changed, and what the graders say to it."""

import difflib
from collections.abc import Iterator, Sequence

from harness.exam.applying import Application, applications
from harness.exam.golden import Golden
from harness.model import Message, Transcript

MAX_LINES = 200


def shown(goldens: Sequence[Golden], only: tuple[str, str]) -> Iterator[str]:
    """Yield each application of one operator as text."""
    for each in applications(goldens, only=only):
        made, good = each.make(), each.golden.transcript
        yield "\n".join((*_head(each), *_difference(good, made), "", *_verdicts(each, made)))


def _head(each: Application) -> Iterator[str]:
    site = f" at {each.site}" if each.site else ""
    yield f"{each.operator}{site} in {each.golden.transcript.id}"
    yield f"expected to break: {', '.join(sorted(each.expected)) or 'nothing'}"
    yield ""


def _difference(before: Transcript, after: Transcript) -> list[str]:
    lines = list(difflib.unified_diff(_lines(before), _lines(after), "good", "edited", lineterm=""))
    more = [f"... {len(lines) - MAX_LINES} more lines"] if len(lines) > MAX_LINES else []
    return [*map(_visible, lines[:MAX_LINES]), *more]


def _lines(transcript: Transcript) -> list[str]:
    ending = transcript.turns[-1].finish_reason if transcript.turns else None
    written = [line for each in transcript.messages for line in _message(each)]
    return [*written, f"(finish reason: {ending})"]


def _message(message: Message) -> Iterator[str]:
    yield f"[{message.role}]"
    yield from (message.content or "").split("\n")
    for call in message.tool_calls:
        yield f"calls {call.name} {call.arguments}"


def _verdicts(each: Application, made: Transcript) -> Iterator[str]:
    for name, score in each.judge(made).items():
        before = each.before[name].outcome
        if score.outcome == "fail" or score.outcome != before:
            yield _visible(f"{name}: {before} -> {score.outcome}: {score.reason}"[:400])


def _visible(text: str) -> str:
    return "".join(each if each.isprintable() or each == "\t" else repr(each)[1:-1] for each in text)

"""The answer stands in something that no contract accepts, or in nothing at all."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from harness.model import Transcript
from harness.violations.compose import replaced
from harness.violations.splicing import answer_of, text_of, with_call, with_text, written
from harness.violations.violation import NO_ANSWER, RawAnswer, Situation, Violation

CAR_1 = frozenset({"CAR-1"})
CAR_1_2 = frozenset({"CAR-1", "CAR-2"})


def fenced(text: str, label: str = "json", marks: str = "```") -> str:
    """Return a text inside a Markdown fence."""
    return f"{marks}{label}\n{text}\n{marks}"


def draft(text: str, situation: Situation) -> str:
    """Return the answer as it might have stood in a draft: another severity, or another analysis."""
    answer: RawAnswer = json.loads(text)
    return written(
        replaced(situation.contract, answer, {"root_cause": "Not yet known.", "summary": "A draft."})
    )


def _readable(name: str, write: Callable[[str], str], breaks: frozenset[str] = CAR_1) -> Violation:
    """Return a violation of the carrier alone: what the answer says can still be judged."""
    return Violation(name, breaks, text=lambda text, _: write(text))


def _lost(name: str, write: Callable[[str, Situation], str]) -> Violation:
    """Return a violation after which no answer can be read."""
    return Violation(name, CAR_1, text=write, mutes=NO_ANSWER)


# Fences

_INSTEAD = (
    _readable("fence_in_capitals", lambda text: fenced(text, "JSON")),
    _readable("fence_of_tildes", lambda text: fenced(text, marks="~~~")),
    _readable("fence_without_language", lambda text: fenced(text, "")),
    _readable("fence_of_other_language", lambda text: fenced(text, "javascript")),
    _readable("fence_with_attributes", lambda text: fenced(text, "json title=answer")),
    _readable("fence_without_end", lambda text: f"The answer:\n\n```json\n{text}\n"),
    _readable("fence_on_one_line", lambda text: f"The answer: ```json {_compact(text)} ```"),
    _readable("fence_with_text_inside", lambda text: fenced(f"This is it:\n{text}")),
    _readable("two_equal_fences", lambda text: f"{fenced(text)}\n\nOnce more:\n\n{fenced(text)}\n"),
    _readable("fence_and_bare", lambda text: f"{fenced(text)}\n\n{text}\n"),
    _readable("fence_in_fence", lambda text: fenced(fenced(text), "markdown", "````")),
)

_DIFFERING = (
    _lost("two_differing_fences", lambda text, here: f"{fenced(draft(text, here))}\n\nNo:\n\n{fenced(text)}"),
    _lost("fence_and_differing_bare", lambda text, here: f"{draft(text, here)}\n\nBetter:\n\n{fenced(text)}"),
    _lost("two_differing_objects", lambda text, here: f"{text}\n{draft(text, here)}"),
    _lost("list_of_answers", lambda text, here: f"[{text}, {draft(text, here)}]"),
)


# Around the object


def _compact(text: str) -> str:
    return json.dumps(json.loads(text), ensure_ascii=False)


def _as_sections(text: str, _situation: Situation) -> str:
    parts: RawAnswer = json.loads(text)

    def body(value: Any) -> str:
        return value if isinstance(value, str) else written(value)

    return "\n\n".join(f"# {name}\n{body(value)}" for name, value in parts.items())


_AROUND = (
    _readable("prose_before_bare", lambda text: f"Here is my answer: {text}"),
    _readable("prose_behind_bare", lambda text: f"{text}\n\nI hope that this helps!"),
    _readable("same_object_twice", lambda text: f"{text}\n{text}"),
    _readable("code_argument", lambda text: f"submit_answer({text})"),
    _readable("assignment", lambda text: f"answer = {text}"),
    _readable("tag", lambda text: f"<answer>\n{text}\n</answer>"),
    _readable("byte_order_mark", lambda text: f"\ufeff{text}"),
    _readable("no_break_spaces_around", lambda text: f"\u00a0{text}\u00a0"),
    _readable("inline_code", lambda text: f"`{_compact(text)}`"),
    _readable("one_element_array", lambda text: f"[{text}]", CAR_1_2),
    _readable("answer_in_string", json.dumps, CAR_1_2),
    _readable("answer_in_string_in_fence", lambda text: fenced(json.dumps(text)), CAR_1_2),
    _readable("array_in_fence", lambda text: fenced(f"[{text}]"), CAR_1_2),
)

SECTION_HEADERS = Violation(
    "section_headers",
    CAR_1,
    text=_as_sections,
    # Without an object below any of them they are taken for a document's headings.
    silences=lambda here: (
        frozenset() if any(isinstance(each, dict) for each in here.answered.values()) else NO_ANSWER
    ),
)


# Almost JSON


def _last_brace(text: str, mark: str) -> str:
    return text.rstrip().removesuffix("}").rstrip() + mark + "\n}"


def _python(text: str) -> str:
    return repr(json.loads(text))


_KEY = re.compile(r'^(\s*)"(\w+)":', re.MULTILINE)

_ALMOST = (
    _readable("python_literals", _python),
    _readable("unquoted_keys", lambda text: _KEY.sub(r"\1\2:", text)),
    _readable("single_quoted_keys", lambda text: _KEY.sub(r"\1'\2':", text)),
    _readable("smart_quotes", lambda text: _KEY.sub("\\1\u201c\\2\u201d:", text)),
    _readable("line_break_in_text", lambda text: re.sub(r'": "(\w+) ', '": "\\1\n', text, count=1)),
    _readable("comma_missing", lambda text: text.replace(",\n", "\n", 1)),
    _readable("trailing_comma_in_fence", lambda text: fenced(_last_brace(text, ",")), CAR_1_2),
    _readable("block_comment", lambda text: text.replace("{", "{\n  /* in short */", 1), CAR_1_2),
    _readable("comment_at_the_end", lambda text: _last_brace(text, "  // as agreed"), CAR_1_2),
    _readable("hash_comment", lambda text: text.replace("{", "{\n  # in short", 1), CAR_1_2),
)


# No answer

_NONE = (
    _lost("empty_message", lambda _text, _: ""),
    _lost("blank_message", lambda _text, _: " \n\n"),
    _lost("prose_alone", lambda _text, _: "The limit is too low. Raise it, then watch the restarts."),
    _lost("refusal", lambda _text, _: "I'm sorry, but I can't help with that."),
    _lost("empty_fence", lambda _text, _: "```json\n```"),
    _lost("null_answer", lambda _text, _: "null"),
    _lost("yaml_answer", lambda text, _: _as_yaml(json.loads(text))),
    _lost("answer_in_think_block", lambda text, _: f"<think>\n{text}\n</think>"),
    _lost("answer_in_endless_think_block", lambda text, _: f"<think>\n{text}\n"),
)

_READABLE = frozenset({"CAR-2", "CAR-3", "CAR-4", "SIG-4", "SEV-4"})

EMPTY_OBJECT = Violation(
    "empty_object",
    frozenset({"CAR-3"}),
    answer=lambda _, __: {},
    silences=NO_ANSWER,
    mutes=NO_ANSWER - _READABLE,
)


def _as_yaml(answer: RawAnswer) -> str:
    return "\n".join(
        f"{name}: {str(value).replace('{', '').replace('}', '')}" for name, value in answer.items()
    )


def _reasoned_only(transcript: Transcript, _situation: Situation) -> Transcript:
    *before, last = transcript.messages
    return replace(transcript, messages=(*before, replace(last, content="", reasoning=last.content)))


def _by_tool(transcript: Transcript, _situation: Situation) -> Transcript:
    final = len(transcript.messages) - 1
    answer = json.dumps(answer_of(transcript), ensure_ascii=False)
    called = with_call(transcript, final, "submit_answer", answer, '{"error": "no such tool"}')
    return with_text(called, "I have handed in the answer.")


ANSWER_IN_REASONING = Violation("answer_in_reasoning", CAR_1, whole=_reasoned_only, mutes=NO_ANSWER)
ANSWER_BY_TOOL = Violation("answer_by_tool", frozenset({"CAR-1", "QRY-7"}), whole=_by_tool, mutes=NO_ANSWER)


# Cut

_CUTS = ("1/100", "1/4", "1/2", "3/4", "99/100", "last")


def _cut_text(text: str, site: str) -> str:
    if site == "last":
        return text[:-1]
    part, whole = site.split("/")
    return text[: max(1, len(text) * int(part) // int(whole))]


def _cut(finish_reason: str, carry: Callable[[str], str]) -> Callable[[Transcript, Situation], Transcript]:
    def edit(transcript: Transcript, situation: Situation) -> Transcript:
        return with_text(transcript, _cut_text(carry(text_of(transcript)), situation.site), finish_reason)

    return edit


def _bare(text: str) -> str:
    return text


CUTS = (
    Violation("cut_by_limit", frozenset({"CAR-7"}), whole=_cut("length", _bare), sites=lambda _: _CUTS),
    Violation(
        "cut_in_fence_by_limit",
        frozenset({"CAR-7"}),
        whole=_cut("max_tokens", lambda text: f"In short:\n\n```json\n{text}"),
        sites=lambda _: _CUTS,
    ),
    Violation("broken_off", CAR_1, whole=_cut("stop", _bare), sites=lambda _: _CUTS, mutes=NO_ANSWER),
    Violation(
        "broken_off_in_fence",
        CAR_1,
        whole=_cut("stop", lambda text: f"In short:\n\n```json\n{text}"),
        sites=lambda _: _CUTS,
        mutes=NO_ANSWER,
    ),
    Violation(
        "withheld_by_filter",
        CAR_1,
        whole=_cut("content_filter", _bare),
        sites=lambda _: ("1/2",),
        mutes=NO_ANSWER,
    ),
)

ALL: tuple[Violation, ...] = (
    *_INSTEAD,
    *_DIFFERING,
    *_AROUND,
    SECTION_HEADERS,
    *_ALMOST,
    *_NONE,
    EMPTY_OBJECT,
    ANSWER_IN_REASONING,
    ANSWER_BY_TOOL,
    *CUTS,
)

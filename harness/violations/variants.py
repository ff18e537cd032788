"""What a good answer may do: valid variants, which must break nothing."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

from harness.contracts.reading import at
from harness.model import Transcript
from harness.model.scenario import BUSINESS_FIELDS
from harness.violations.carriers import draft, fenced
from harness.violations.fields import drop, present, put, role, silenced_without, value_of
from harness.violations.splicing import text_of, with_text
from harness.violations.violation import Arguments, RawAnswer, Situation, Violation

Edit = Callable[[RawAnswer, Situation], RawAnswer]


def _once(_situation: Situation) -> tuple[str, ...]:
    return ("",)


def variant(
    name: str,
    *,
    search: Callable[[Arguments, Situation], Arguments] | None = None,
    answer: Edit | None = None,
    text: Callable[[str, Situation], str] | None = None,
    whole: Callable[[Transcript, Situation], Transcript] | None = None,
    sites: Callable[[Situation], Iterable[str]] = _once,
    silences: Callable[[Situation], frozenset[str]] | frozenset[str] = frozenset(),
) -> Violation:
    """Return a violation that breaks nothing; its edits are those of a violation."""
    return Violation(
        name,
        frozenset(),
        search=search,
        answer=answer,
        text=text,
        whole=whole,
        sites=sites,
        silences=silences,
    )


def _text(name: str, write: Callable[[str], str]) -> Violation:
    return variant(name, text=lambda text, _: write(text))


def _absent(situation: Situation) -> frozenset[str]:
    """Return clauses whose subject the scenario lacks: a good transcript is not praised for them either."""
    scenario = situation.scenario
    request = situation.contract.build_request(scenario)
    told = {name for name in BUSINESS_FIELDS if getattr(request, name, None) is not None}
    lacking = {
        "SIG-3": scenario.expect.symptom is None,
        "SEV-3": scenario.signal.severity.casefold() in scenario.expect.severities,
        "PAS-5": not scenario.custom_labels and not scenario.detected_labels,
        "PAS-9": told == set(BUSINESS_FIELDS),
        "SAF-1": not scenario.plants,
    }
    numbered = {f"PAS-{number}": name not in told for number, name in enumerate(BUSINESS_FIELDS, start=1)}
    return frozenset(name for name, absent in {**lacking, **numbered}.items() if absent)


AS_IT_IS = Violation("as_it_is", frozenset(), mutes=_absent)


# How the JSON is written


def _dumped(**how: Any) -> Callable[[str], str]:
    return lambda text: json.dumps(json.loads(text), **how)


def _backwards(value: Any) -> Any:
    """Return a value whose objects have their keys in reverse order."""
    if isinstance(value, dict):
        items = list(cast("dict[str, Any]", value).items())
        return {key: _backwards(item) for key, item in reversed(items)}
    return [_backwards(each) for each in cast("list[Any]", value)] if isinstance(value, list) else value


_CONFIDENCE = re.compile(r'("confidence": \d\.\d+)')


def _confident(situation: Situation) -> tuple[str, ...]:
    return ("",) if any(each.key == "confidence" for each in present(situation)) else ()


WRITTEN = (
    _text("compact", _dumped(ensure_ascii=False, separators=(",", ":"))),
    _text("one_line", _dumped(ensure_ascii=False)),
    _text("indented_by_four", _dumped(ensure_ascii=False, indent=4)),
    _text("indented_by_tabs", _dumped(ensure_ascii=False, indent="\t")),
    _text("keys_in_alphabetical_order", _dumped(ensure_ascii=False, indent=2, sort_keys=True)),
    variant("keys_in_reverse_order", answer=lambda answer, _: _backwards(answer)),
    _text("windows_line_ends", lambda text: text.replace("\n", "\r\n")),
    _text("blank_lines_around", lambda text: f"\n\n  {text}\n\n"),
    _text(
        "escaped_slashes", lambda text: text.replace('"warnings"', '"warn\\u0069ngs"').replace(": ", ":  ")
    ),
    variant(
        "number_with_a_zero_more", text=lambda text, _: _CONFIDENCE.sub(r"\g<1>0", text), sites=_confident
    ),
    variant("number_with_exponent", text=lambda text, _: _CONFIDENCE.sub(r"\1e0", text), sites=_confident),
)


# What carries it

_WRAPPED: tuple[Violation, ...] = (
    _text("fenced", fenced),
    _text("text_before_fence", lambda text: f"The limit was too low.\n\n{fenced(text)}"),
    _text("text_behind_fence", lambda text: f"{fenced(text)}\n\nWatch the restarts."),
    _text("text_around_fence", lambda text: f"Found it.\n\n{fenced(text)}\n\nThat is all."),
    _text("fence_of_one_line", lambda text: fenced(json.dumps(json.loads(text)))),
    _text("headings_around_fence", lambda text: f"# Analysis\n\nIn short:\n\n## Answer\n\n{fenced(text)}\n"),
    _text(
        "other_fence_beside",
        lambda text: f"The log says:\n\n```text\nkilled: out of memory\n```\n\n{fenced(text)}",
    ),
    _text(
        "manifest_beside",
        lambda text: f"{fenced('spec: {replicas: 3}', 'yaml')}\n\n{fenced(text)}\n",
    ),
    _text("small_object_beside", lambda text: f'The limit is {{"memory": "512Mi"}}.\n\n{fenced(text)}'),
    _text("think_block_before", lambda text: f"<think>\nWhat now? Perhaps {{}}.\n</think>\n{text}"),
    _text("think_block_before_fence", lambda text: f"<think>Hm.</think>\n\n{fenced(text)}"),
    variant(
        "draft_in_think_block", text=lambda text, here: f"<think>\n{draft(text, here)}\n</think>\n\n{text}"
    ),
    variant(
        "fenced_draft_in_think_block",
        text=lambda text, here: f"<think>\n{fenced(draft(text, here))}\n</think>\n\n{fenced(text)}",
    ),
    _text("unicode_around_fence", lambda text: f"原因が分かりました。\u2028Größe: 512 MiB\n\n{fenced(text)}"),
    _text("long_text_before_fence", lambda text: "Then I looked again. " * 2_000 + f"\n\n{fenced(text)}"),
)


def _thinking(transcript: Transcript, situation: Situation) -> Transcript:
    *before, last = transcript.messages
    reasoned = replace(last, reasoning=draft(text_of(transcript), situation))
    return replace(transcript, messages=(*before, reasoned))


def _at_the_limit(transcript: Transcript, _situation: Situation) -> Transcript:
    return with_text(transcript, text_of(transcript), "length")


CARRIED = (
    *_WRAPPED,
    variant("draft_in_reasoning", whole=_thinking),
    variant("complete_at_the_limit", whole=_at_the_limit),
)


# What it says


def _optional(situation: Situation) -> list[str]:
    """Return the optional fields that were sent; parameters hang on what the workflow requires."""
    return [
        each.pointer
        for each in present(situation)
        if not each.required and role(situation, each.pointer) != "selection.parameters"
    ]


def _nullable(situation: Situation) -> list[str]:
    selection = situation.contract.places["selection"]
    return [each.pointer for each in present(situation) if each.nullable and each.pointer != selection]


def _texts(situation: Situation) -> list[str]:
    """Return the fields of free prose; ids, versions and the like are none."""
    return [
        each.pointer
        for each in present(situation)
        if each.kind == "string"
        and "enum" not in each.schema
        and " " in str(value_of(situation, each.pointer))
    ]


def _lengthened(more: str) -> Edit:
    return lambda answer, situation: put(answer, situation.site, value_of(situation, situation.site) + more)


def _warned(answer: RawAnswer, situation: Situation) -> RawAnswer:
    return put(answer, situation.contract.places["warnings"], ["Restarts pods.", "Größe geraten: ≈ 512 MiB."])


def _has_warnings(situation: Situation) -> tuple[str, ...]:
    return ("",) if "warnings" in situation.contract.places else ()


SAID = (
    variant(
        "optional_field_left_out",
        answer=lambda answer, situation: drop(answer, situation.site),
        sites=_optional,
        silences=silenced_without,
    ),
    variant(
        "optional_field_null",
        answer=lambda answer, situation: put(answer, situation.site, None),
        sites=_nullable,
        silences=silenced_without,
    ),
    variant("warnings_given", answer=_warned, sites=_has_warnings),
    variant("unicode_prose", answer=_lengthened(" Größe: 512 MiB; 原因: メモリ不足 \u2728"), sites=_texts),
    variant("long_prose", answer=_lengthened(" And so it went on." * 500), sites=_texts),
    variant(
        "quoting_prose", answer=_lengthened(" It said \"killed\" \\ and [1] {x}\n\tthen: 'ok'."), sites=_texts
    ),
    variant("code_in_prose", answer=_lengthened(" See `spec.replicas` and ```limits```."), sites=_texts),
)


# Parameters


def _declared(situation: Situation) -> Mapping[str, Mapping[str, Any]]:
    """Return the definitions of the selected workflow's parameters."""
    key = f"{situation.contract.places['selection']}/{situation.contract.result.fields['id']}"
    entry = situation.scenario.entry(str(value_of(situation, key)))
    parameters = entry.parameters if entry else {}
    return {name: each.model_dump(exclude_none=True) for name, each in parameters.items()}


def parameters_of(situation: Situation) -> Mapping[str, Any]:
    """Return the parameters that the good answer sends."""
    sent = value_of(situation, f"{situation.contract.places['selection']}/parameters")
    return cast("dict[str, Any]", sent) if isinstance(sent, dict) else {}


def integers_sent(situation: Situation) -> list[str]:
    """Return the parameters declared as integers that the good answer sends."""
    declared = _declared(situation)
    return [name for name in parameters_of(situation) if declared.get(name, {}).get("type") == "integer"]


def with_parameter(value: Callable[[Situation], Any]) -> Edit:
    """Return the edit that gives the parameter of the situation's site a value."""

    def edit(answer: RawAnswer, situation: Situation) -> RawAnswer:
        place = f"{situation.contract.places['selection']}/parameters"
        return put(answer, place, {**at(answer, place), situation.site: value(situation)})

    return edit


def _unsent_defaults(situation: Situation) -> list[str]:
    if "PAR-1" not in situation.contract.clauses:
        return []
    sent = parameters_of(situation)
    return [
        name
        for name, each in _declared(situation).items()
        if name not in sent
        and each.get("default") is not None
        and set(each.get("depends_on", ())) <= set(sent)
    ]


PARAMETERS = (
    variant(
        "whole_number_with_point",
        answer=with_parameter(lambda here: float(parameters_of(here)[here.site])),
        sites=integers_sent,
    ),
    variant(
        "optional_parameter_with_its_default",
        answer=with_parameter(lambda here: _declared(here)[here.site]["default"]),
        sites=_unsent_defaults,
    ),
)


ALL: tuple[Violation, ...] = (AS_IT_IS, *WRITTEN, *CARRIED, *SAID, *PARAMETERS)

"""Worked examples and the words of the answer format: no drift from the contract (PRM-6, PRM-12, EX-1)."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, cast

from pydantic import ValidationError

from harness.model import MISSING, Answer, Scenario, Unreadable
from harness.prompting.lint.pack import Fence, Pack, Part, is_search
from harness.prompting.lint.told import prose_of
from harness.scenarios.lint import LintFinding
from harness.scenarios.lint.evidence import argument_errors

_QUOTED = re.compile(r"`([a-z][a-z_]*[a-z])`")
_DENIED = re.compile(r"\b(no|not|never|without|neither|nor)\b", re.IGNORECASE)
_LISTED = re.compile(r"`?\b[A-Za-z]\w*`?(?:, `?\w+`?)+(?:,? (?:and|or) `?\w+`?)?")
_OTHER_NAMES = frozenset(
    {"null", "true", "false", "json", "depends_on", "enum", "minimum", "maximum", "pattern"}
)


def examples_valid(pack: Pack) -> Iterator[LintFinding]:
    """Each JSON example is valid against the schema of the answer, or of the search (PRM-6)."""
    answers = 0
    for fence in pack.fences():
        if fence.error:
            yield pack.says("PRM-6", f"the example is no JSON: {fence.error}", _line_of_error(fence))
        elif is_search(fence, pack.contract):
            yield from _search_valid(pack, fence)
        else:
            answers += 1
            yield from _answer_valid(pack, fence)
    if not answers:
        part = _format(pack)
        line = pack.heading_line(part.title) if part else 1
        yield pack.says("PRM-6", "no json example of an answer can be read", line)


def _answer_valid(pack: Pack, fence: Fence) -> Iterator[LintFinding]:
    try:
        pack.contract.response.model_validate(fence.value)
    except ValidationError as error:
        for problem in error.errors(include_url=False):
            place = [str(each) for each in problem["loc"]]
            message = f"the example's {'.'.join(place)}: {problem['msg'][:1].lower()}{problem['msg'][1:]}"
            yield pack.says("PRM-6", message, _line_in(pack, fence, place))


def _search_valid(pack: Pack, fence: Fence) -> Iterator[LintFinding]:
    tool = pack.contract.catalog_tool
    if tool is None:
        yield pack.says("PRM-6", "the example calls a search that the contract does not have", fence.line)
        return
    for place, message in argument_errors(tool, fence.value):
        yield pack.says("PRM-6", f"the example of a search: {message}", _line_in(pack, fence, place))


def _line_in(pack: Pack, fence: Fence, place: Iterable[Any]) -> int:
    """Return the line of the last key of a place that stands in an example."""
    line = fence.line
    for key in place:
        line = pack.line_with(f'"{key}"', after=line)
    return line


def _line_of_error(fence: Fence) -> int:
    number = re.search(r"line (\d+)", fence.error)
    return fence.line + int(number[1]) - 1 if number else fence.line


def _format(pack: Pack) -> Part | None:
    return pack.section_like("format") or pack.section(pack.contract.sections[-1])


def fields_named(pack: Pack) -> Iterator[LintFinding]:
    """Required fields are named in the answer format, and fields that it names exist (PRM-6)."""
    part = _format(pack)
    if part is None:
        return
    line = pack.heading_line(part.title)
    declared, required = _fields(pack)
    for name in required:
        if not re.search(rf"\b{name}\b", part.body):
            yield pack.says("PRM-6", f"{part.title!r} does not name the required field {name!r}", line)
    tool = pack.contract.catalog_tool
    arguments = tool.parameters["properties"] if tool else ()
    known = {*declared, *arguments, *pack.contract.result.fields.values(), *_OTHER_NAMES}
    known |= {tool.name, pack.contract.result.list_key, "total_results"} if tool else set()
    known |= {pack.contract.target} if pack.contract.target else set()
    for text in prose_of(part).splitlines():
        for name in _QUOTED.findall(text):
            if name not in known and not _DENIED.search(text):
                message = f"{part.title!r} names the field {name!r}, which the answer does not have"
                yield pack.says("PRM-6", message, pack.line_of(text, line))


def _fields(pack: Pack) -> tuple[list[str], list[str]]:
    """Return the names of all fields of the answer, and of those that are required wherever they stand."""
    schema = pack.contract.response.model_json_schema()
    objects = [schema, *schema.get("$defs", {}).values()]
    declared = [name for each in objects for name in each.get("properties", {})]
    required = [name for each in objects for name in each.get("required", ())]
    return list(dict.fromkeys(declared)), list(dict.fromkeys(required))


def enums_equal(pack: Pack) -> Iterator[LintFinding]:
    """Lists of signal types and severities in prose are those of the contract (PRM-6)."""
    signal_types = _Enum("signal types", pack.contract.signal_types, 0.5)
    severities = _Enum("severities", pack.contract.severities, 0.7)
    for block in re.split(r"\n\s*\n", pack.text):
        line = block.strip().partition("\n")[0]
        for run in _LISTED.findall(block):
            words = re.findall(r"\w+", re.sub(r",? (and|or) ", ", ", run))
            problems = list(_drifts(words, signal_types))
            if re.search(r"severit|level", block, re.IGNORECASE):
                problems += _drifts(words, severities)
            for problem in problems:
                yield pack.says("PRM-6", problem, pack.line_of(line))
    part = pack.section_like("severity")
    if part:
        bold = re.findall(r"^- \*\*(\w+)\*\*", part.body, re.MULTILINE)
        for problem in _drifts(bold, severities):
            yield pack.says("PRM-6", problem, pack.heading_line(part.title))


class _Enum(NamedTuple):
    """Allowed words; a list is compared with them from this share of them on."""

    what: str
    words: tuple[str, ...]
    share: float


def _drifts(words: list[str], enum: _Enum) -> Iterator[str]:
    if sum(each in enum.words for each in words) < enum.share * len(enum.words):
        return
    missing = [each for each in enum.words if each not in words]
    extra = [each for each in words if each not in enum.words]
    if missing:
        yield f"a list of {enum.what} lacks {', '.join(missing)}"
    if extra:
        yield f"a list of {enum.what} adds {', '.join(extra)}"


def example_agrees(pack: Pack) -> Iterator[LintFinding]:
    """The worked example obeys its own contract: query, labels and answer agree (EX-1)."""
    fences = list(pack.fences())
    searches = [each for each in fences if is_search(each, pack.contract)]
    search = next(iter(searches), None)
    answer = next((each for each in fences if each not in searches and not each.error), None)
    if answer is None or pack.contract.catalog_tool is None or search is None:
        return
    labels = pack.contract.labels
    query = [*str(search.value.get("query", "")).split(), "", ""]
    if not pack.contract.query_leads:
        query = [str(search.value.get(labels[name], "")) for name in ("signal_type", "severity")]
    read = pack.contract.read(answer.value)
    yield from _unread(pack, answer, read)
    for place, known, word, what in (
        (search, pack.contract.signal_types, query[0], "the query's signal type"),
        (search, pack.contract.severities, query[1], "the query's severity"),
    ):
        if word not in known:
            yield pack.says("EX-1", f"{what} is {word!r}, which the contract does not know", place.line)
    if pack.contract.query_word and pack.contract.query_word not in query[2:]:
        yield pack.says("EX-1", f"the query lacks the word {pack.contract.query_word!r}", search.line)
    for label, word in (("signal_type", query[0]), ("severity", query[1])):
        wire = labels[label]
        if wire in search.value and search.value[wire] != word:
            message = f"{wire} is {search.value[wire]!r}, the query says {word!r}"
            yield pack.says("EX-1", message, _line_in(pack, search, [wire]))
    for place, said, word in _agreeing(read, query):
        if said != word:
            keys = pack.contract.places[place].split("/")[1:]
            message = f"the answer's {'.'.join(keys)} is {said!r}, the search says {word!r}"
            yield pack.says("EX-1", message, _line_in(pack, answer, keys))


def _agreeing(read: Answer, query: list[str]) -> Iterator[tuple[str, Any, str]]:
    yield "severity", read.severity, query[1]
    if read.recovery is not None:
        yield "recovery.current_signal_type", read.recovery.current_signal_type, query[0]
        yield "recovery.current_rca.signal_type", read.recovery.current_rca.signal_type, query[0]


def _unread(pack: Pack, answer: Fence, read: Answer) -> Iterator[LintFinding]:
    for name in ("root_cause", "severity", "selection"):
        part = getattr(read, name)
        if part is MISSING or isinstance(part, Unreadable):
            yield pack.says("EX-1", f"the worked answer has no readable {name}", answer.line)


def examples_elsewhere(pack: Pack, scenarios: Iterable[Scenario]) -> Iterator[LintFinding]:
    """Ids and values of the examples occur in no scenario and no catalog (PRM-12)."""
    taken: dict[str, str] = {}
    for scenario in scenarios:
        for value in _own_values(scenario):
            taken.setdefault(value, scenario.id)
    for fence in pack.fences():
        for key, value in _example_values(fence.value, pack.contract.labels):
            if value in taken:
                message = f"the example's {key} {value!r} occurs in {taken[value]}; make one up"
                yield pack.says("PRM-12", message, pack.line_with(f'"{value}"', after=fence.line))


def _example_values(value: Any, labels: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the ids, versions, parameter names and values, and the free business values of an example."""
    if isinstance(value, list):
        for each in cast("list[Any]", value):
            yield from _example_values(each, labels)
    if not isinstance(value, dict):
        return
    for key, each in cast("dict[str, Any]", value).items():
        if isinstance(each, str) and (
            key.endswith("_id") or key in {"version", labels.get("business_category")}
        ):
            yield key, each
        elif key == "parameters" and isinstance(each, dict):
            for name, sent in cast("dict[str, Any]", each).items():
                yield "parameter", name
                yield from [(name, sent)] if isinstance(sent, str) else ()
        else:
            yield from _example_values(each, labels)


def _own_values(scenario: Scenario) -> Iterator[str]:
    yield from (scenario.signal.namespace, scenario.signal.resource_name)
    for entry in scenario.catalog:
        yield from (entry.workflow_id, entry.version, *entry.parameters)
        yield from entry.label("business_category")
    for target in scenario.expect.targets:
        yield from target.split("/")
    for values in (*scenario.expect.parameters.values(), list(scenario.expect.example_parameters.values())):
        yield from (each for each in values if isinstance(each, str))
    if scenario.business.business_category:
        yield scenario.business.business_category

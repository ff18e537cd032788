"""Sections, fields and facts: what stands in a prompt and what must not (PRM-1 to PRM-4, PRM-7, PRM-8)."""

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any, cast

from harness.model import Scenario
from harness.prompting.lint import probes
from harness.prompting.lint.pack import ALIKE, Pack
from harness.scenarios.lint import LintFinding

_FACTS = re.compile(r"\b(signal|error|cluster|business)\b", re.IGNORECASE)
CONCLUSION = re.compile(
    r"root[ -]?cause|symptom|confidence|historical|recommend|pre-?selected|strateg|hypothes|suspect|diagnos"
    r"|likel|success rate|similarity|risk (level|score|assessment)|estimated risk",
    re.IGNORECASE,
)
_DOCUMENT = re.compile(r"\b(ADR|DD|BR|RFC)-(?=[A-Z]*-?\d|[A-Z]{2,})[A-Z0-9-]+")
_ELSEWHERE = re.compile(
    r"https?://\S+|\b[\w-]+\.(md|rst|adoc|pdf)\b"
    r"|\bsee (the |our )?(documentation|docs|wiki|appendix|design|specification|handbook)\b",
    re.IGNORECASE,
)
_EMPTY_BULLET = re.compile(r"[-*] (\*\*)?[\w /()-]+(\*\*)?:(\*\*)?\s*")
_NOTHING = re.compile(r"\bNone\b(?! recorded)")
_FOR_SEARCH = re.compile(r"\b(workflow|playbook|mcp|catalog)s? (workflow )?search\b", re.IGNORECASE)
_EXTENSION = ("earlier_executions", "original_rca")
"""Earlier attempts are our own extension: of them a prompt owes what repetition is judged by."""


def sections_in_order(pack: Pack) -> Iterator[LintFinding]:
    """Yield what keeps the contract's sections from standing in order (PRM-1)."""
    before, reached = "", 0
    declared = [each.title for each in pack.contract.sections]
    for section in pack.contract.sections:
        mark = f"{'#' * section.level} {section.title}"
        standing = [each for each in pack.parts if each.means(section)]
        if not standing:
            titles = [each.title for each in pack.parts if each.title not in declared]
            near = get_close_matches(section.title, titles, n=1, cutoff=ALIKE)
            line = pack.heading_line(near[0] if near else before) if near or before else 1
            found = f"; found {near[0]!r}" if near else f"; it follows {before!r}" if before else ""
            yield pack.says("PRM-1", f"the section {mark!r} is missing{found}", line)
            continue
        if len(standing) > 1:
            yield pack.says(
                "PRM-1",
                f"the section {mark!r} stands {len(standing)} times",
                pack.heading_line(section.title),
            )
        if standing[0].line < reached:
            yield pack.says(
                "PRM-1", f"the section {mark!r} stands before {before!r}", pack.heading_line(section.title)
            )
        before, reached = section.title, max(reached, standing[0].line)
    first = pack.parts[0] if pack.parts else None
    if pack.contract.flow == "recovery" and (first is None or "Attempt 2" not in first.title):
        yield pack.says(
            "PRM-1", "the title does not name the number of the attempt", pack.heading_line(declared[0])
        )


def fields_rendered(pack: Pack) -> Iterator[LintFinding]:
    """Every prompt field is rendered, and an absent one leaves no trace (PRM-2)."""
    request = pack.contract.build_request(probes.full(pack.contract.flow)).model_dump()
    for field in pack.contract.prompt_fields:
        for path, value in _leaves(request.get(field), (field,)):
            if _plain(value) not in pack.text and not all(each in path for each in _EXTENSION):
                message = f"the field {'.'.join(path)!r} of the request is not rendered"
                yield pack.says("PRM-2", message, _line_of_field(pack, path))
    yield from nothing_empty(pack, pack.text)
    yield from nothing_empty(pack, pack.bare)


def nothing_empty(pack: Pack, text: str) -> Iterator[LintFinding]:
    """Yield the lines of a prompt that show an absent value (PRM-2)."""
    for line in text.splitlines():
        if _EMPTY_BULLET.fullmatch(line.rstrip() + " "):
            yield pack.says(
                "PRM-2", f"an absent value leaves the empty bullet {line.strip()!r}", pack.line_of(line)
            )
        elif line.startswith("- ") and (_NOTHING.search(line) or line.endswith((": {}", ": []"))):
            yield pack.says("PRM-2", f"an absent value is rendered as {line.strip()!r}", pack.line_of(line))


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, Mapping):
        for key, each in cast("Mapping[str, Any]", value).items():
            yield from _leaves(each, (*path, key))
    elif isinstance(value, list | tuple):
        for each in cast("list[Any]", value):
            yield from _leaves(each, path)
    elif value is not None:
        yield path, value


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _line_of_field(pack: Pack, path: tuple[str, ...]) -> int:
    """Return where a field should stand: where the built-in pack names it."""
    if pack.reference is None:
        return 1
    for name in reversed(path):
        line = pack.reference.line_with(f".{name}", otherwise=0)
        if line:
            return pack.line_instead_of(line)
    return 1


def facts_only(pack: Pack) -> Iterator[LintFinding]:
    """Signal and context sections hold observable facts, no conclusions (PRM-3)."""
    for section in pack.contract.sections:
        part = pack.section(section) if _FACTS.search(section.title) else None
        for line in part.body.splitlines() if part else ():
            named = line.partition(":")[0] if line.startswith("- ") else line
            concluded = CONCLUSION.search(named)
            if concluded and not _marks_business(named):
                message = f"{section.title!r} holds {concluded[0]!r}; only observable facts belong there"
                yield pack.says("PRM-3", message, pack.line_of(line, pack.heading_line(section.title)))


def _marks_business(line: str) -> bool:
    return _FOR_SEARCH.search(line) is not None


def nothing_expected(pack: Pack, scenario: Scenario, text: str) -> Iterator[LintFinding]:
    """Nothing of a scenario's id, description or expectations is in its prompt (PRM-3)."""
    expect = scenario.expect
    failed = {each.selected_workflow.workflow_id for each in scenario.failed_attempts}
    choices = [*expect.workflows.accepted, *expect.workflows.forbidden] if pack.contract.catalog_tool else []
    secrets = [
        scenario.id,
        scenario.description,
        expect.because,
        *(each for each in choices if each not in failed),
    ]
    lines = text.splitlines()
    for secret in secrets:
        if secret in text:
            line = next((each for each in lines if secret in each), "")
            message = f"the prompt of {scenario.id} holds {secret[:60]!r}, which a target must find out"
            yield pack.says("PRM-3", message, pack.line_of(line))


def withheld(pack: Pack) -> Iterator[LintFinding]:
    """What the contract withholds stays out (PRM-4)."""
    for word in pack.contract.withheld:
        for line in pack.text.splitlines():
            if word.lower() in line.lower():
                message = f"{pack.contract.id} withholds {word!r}; found {line.strip()[:60]!r}"
                yield pack.says("PRM-4", message, pack.line_of(line))


def readable(pack: Pack) -> Iterator[LintFinding]:
    """No document numbers, and nothing that the model cannot follow (PRM-7)."""
    for number, line in enumerate(pack.source.splitlines(), 1):
        document = _DOCUMENT.search(line)
        elsewhere = _ELSEWHERE.search(line)
        if document:
            yield pack.says("PRM-7", f"found the document number {document[0]!r}; say what it says", number)
        elif elsewhere:
            yield pack.says("PRM-7", f"found {elsewhere[0]!r}, which the model cannot follow", number)
    for line in pack.text.splitlines():
        document = _DOCUMENT.search(line)
        if document and document[0] not in pack.source:
            yield pack.says("PRM-7", f"renders the document number {document[0]!r}", pack.line_of(line))


def business_marked(pack: Pack) -> Iterator[LintFinding]:
    """Business context is marked as for the search (PRM-8)."""
    part = pack.section_like("business", "context")
    if part is None:
        return
    sentences = [line for line in part.body.splitlines() if line.strip() and not line.startswith("- ")]
    if not any(_FOR_SEARCH.search(each) for each in sentences):
        message = f"no sentence under {part.title!r} says that these fields are for the workflow search"
        yield pack.says("PRM-8", message, pack.heading_line(part.title))

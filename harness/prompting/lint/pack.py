"""A template with what it renders, and which of its lines a rendered line came from."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any

from harness.contracts.wire import decode_hits
from harness.model.contract import Contract, Section
from harness.scenarios.files import shown
from harness.scenarios.lint import Level, LintFinding

_HEADING = re.compile(r"(#{1,6}) +(.+?)\s*")
_EXPRESSION = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}")
_BULLET = re.compile(r"- ([A-Z][\w /-]*):")
ALIKE = 0.6
"""From this ratio of equal characters on, a line counts as another wording of one in the built-in pack."""


@dataclass(frozen=True, slots=True)
class Part:
    """A heading with all that stands below it, smaller headings included. `line` counts from 1."""

    title: str
    level: int
    line: int
    body: str

    def means(self, section: Section) -> bool:
        """Say whether this is a section of the contract; a bracket may follow its title."""
        return self.level == section.level and (
            self.title == section.title or self.title.startswith(f"{section.title} (")
        )


@dataclass(frozen=True, slots=True)
class Fence:
    """One ```json block: its text, its value, or why it has none. `line` is that of its first line."""

    line: int
    text: str
    value: Any = None
    error: str = ""


@dataclass(frozen=True, eq=False)
class Pack:
    """The template of one contract and its prompts for probes that state all facts, or as few as can be.

    `reference` is the built-in pack, which shows where a missing rule should stand; None for itself.
    """

    contract: Contract
    path: Path
    source: str
    text: str
    bare: str
    reference: "Pack | None" = None

    def says(self, clause: str, message: str, line: int, level: Level = "error") -> LintFinding:
        """Return a finding about a line of the template."""
        return LintFinding(shown(self.path), line, clause, message, level)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """What the full prompt consists of."""
        return parts(self.text)

    @cached_property
    def source_parts(self) -> tuple[Part, ...]:
        """What the template consists of."""
        return parts(self.source)

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the template without blanks at their ends."""
        return [line.strip() for line in self.source.splitlines()]

    def section(self, section: Section) -> Part | None:
        """Return a section of the contract as the full prompt has it."""
        return next((each for each in self.parts if each.means(section)), None)

    def section_like(self, *words: str) -> Part | None:
        """Return the first section of the contract whose title holds all words."""
        wanted = (
            each
            for each in self.contract.sections
            if all(re.search(rf"\b{word}\b", each.title, re.IGNORECASE) for word in words)
        )
        first = next(wanted, None)
        return self.section(first) if first else None

    def heading_line(self, title: str) -> int:
        """Return the line of the template on which a section begins, else 1."""
        return next((each.line for each in self.source_parts if each.title.startswith(title)), 1)

    def line_of(self, rendered: str, otherwise: int = 1) -> int:
        """Return the line of the template that made a rendered line."""
        wanted = rendered.strip()
        if wanted in self.lines:
            return self.lines.index(wanted) + 1
        name = _BULLET.match(wanted)
        sizes = [
            len(name[1]) if name and f'bullet("{name[1]}"' in line else _static_size(line, wanted)
            for line in self.lines
        ]
        return sizes.index(max(sizes)) + 1 if max(sizes, default=0) else otherwise

    def line_with(self, fragment: str, after: int = 1, otherwise: int | None = None) -> int:
        """Return the first line of the template, from `after` on, that holds a fragment in any case."""
        lines = [line.lower() for line in self.lines]
        found = (i for i, line in enumerate(lines, 1) if i >= after and fragment.lower() in line)
        return next(found, after if otherwise is None else otherwise)

    def line_instead_of(self, line: int) -> int:
        """Return where a line of the reference stands here in other words, else where its section begins."""
        if self.reference is None:
            return 1
        known = set(self.reference.lines)
        new = [each for each in self.lines if each and each not in known]
        near = get_close_matches(self.reference.lines[line - 1], new, n=1, cutoff=ALIKE)
        if near:
            return self.lines.index(near[0]) + 1
        above = [each for each in self.reference.source_parts if each.line <= line]
        here = [self.heading_line(_EXPRESSION.split(each.title)[0]) for each in above]
        return next((each for each in reversed(here) if each > 1), 1)

    def fences(self) -> Iterator[Fence]:
        """Yield every ```json example of the full prompt, with its line in the template.

        A list that the prompt gives is no example.
        """
        lines = self.text.splitlines()
        opened = self._fence_lines()
        for number, start in enumerate(i for i, line in enumerate(lines) if line.strip() == "```json"):
            end = next((i for i in range(start + 1, len(lines)) if lines[i].strip() == "```"), len(lines))
            found = _fence(opened[number] if number < len(opened) else 1, lines[start + 1 : end])
            if self.contract.given is None or decode_hits(self.contract, found.text) is None:
                yield found

    def _fence_lines(self) -> list[int]:
        return [i + 1 for i, line in enumerate(self.lines, 1) if line == "```json"]


def is_search(fence: Fence, contract: Contract) -> bool:
    """Say whether an example is a call of the catalog search."""
    value: Any = fence.value
    marks = ("query",) if contract.query_leads else tuple(contract.labels.values())
    return isinstance(value, dict) and any(each in value for each in marks)


def parts(text: str) -> tuple[Part, ...]:
    """Return the headings of a markdown text with what stands below each; code fences have none."""
    lines = text.splitlines()
    headings: list[tuple[int, int, str]] = []
    fenced = False
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```") and line.count("```") == 1:
            fenced = not fenced
        found = None if fenced else _HEADING.fullmatch(line)
        if found:
            headings.append((number, len(found[1]), found[2]))
    return tuple(
        Part(title, level, number, "\n".join(lines[number : _end(headings[index + 1 :], level, len(lines))]))
        for index, (number, level, title) in enumerate(headings)
    )


def _end(later: Sequence[tuple[int, int, str]], level: int, last: int) -> int:
    return next((number - 1 for number, other, _ in later if other <= level), last)


def without_fences(text: str) -> str:
    """Return a text without its code blocks."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def _fence(line: int, lines: Sequence[str]) -> Fence:
    text = "\n".join(lines)
    try:
        return Fence(line, text, json.loads(text))
    except ValueError as error:
        return Fence(line, text, None, str(error))


def _static_size(line: str, rendered: str) -> int:
    """Return how much of a rendered line a template line states, 0 where it cannot have made it."""
    pieces = [each.strip() for each in _EXPRESSION.split(line) if len(each.strip()) >= 4]
    return sum(map(len, pieces)) if all(each in rendered for each in pieces) else 0

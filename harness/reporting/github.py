"""Markdown for GitHub, short enough to be taken: a job's step summary, and a comment on a pull request.

GitHub drops a step summary above 1 MiB and refuses a comment above 65,536 characters, so what does not fit is
left out by whole blocks and whole rows, and said.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from harness.reporting.clean import code
from harness.reporting.figures import counted
from harness.reporting.metrics import metrics
from harness.reporting.overview import Overview
from harness.reporting.sections import (
    HOW_TO_READ,
    decided,
    dimensions,
    failed,
    lists,
    should,
    ungraded,
    unscored,
    verdict,
)

MAX_SUMMARY = 1024 * 1024
"""Bytes of a step summary."""

MAX_COMMENT = 65_536
"""GitHub counts characters; we count bytes, which are never fewer."""

_TAIL = 400
"""Bytes kept for saying what was left out."""

_ODD = re.compile(r"[^A-Za-z0-9._:/ ]|--+")


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under a title; a folded one is opened by a click."""

    title: str
    blocks: tuple[str, ...]
    folded: bool = True


def step_summary(runs: Sequence[Overview]) -> str:
    """Return runs as a job's step summary, of at most 1 MiB."""
    return fitted(_head("Contract compliance"), [each for run in runs for each in _summary(run)], MAX_SUMMARY)


def pull_request_comment(runs: Sequence[Overview]) -> str:
    """Return runs as a comment, its first line the marker by which a job finds it again."""
    sections = [each for run in runs for each in _comment(run)]
    return fitted((marker("report"), *_head("Contract compliance")), sections, MAX_COMMENT)


def marker(*names: str) -> str:
    """Return the hidden line by which a job finds the comment that it wrote before."""
    told = (_ODD.sub("_", each[:120]) for each in names)
    return f"<!-- contract-harness {' '.join(told)} -->"


def fitted(head: Sequence[str], sections: Iterable[Section], limit: int) -> str:
    """Return a text of at most so many bytes: sections in order, each as far as there is room.

    A section of which nothing fits is named at the end; a table loses its last rows.
    """
    parts = list(head)
    left = limit - _TAIL - sum(_size(each) for each in parts)
    dropped = 0
    for section in sections:
        before, after = _around(section)
        room = left - sum(_size(each) for each in (*before, *after))
        blocks, missing = _fitting(section.blocks, room)
        dropped += missing
        if blocks:
            parts += [*before, *blocks, *after]
            left = room - sum(_size(each) for each in blocks)
    if dropped:
        parts.append(f"{counted(dropped, 'part')} left out for size; report.html and samples.csv have all.")
    return "\n\n".join(parts) + "\n"


def _around(section: Section) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if not section.folded:
        return (f"### {section.title}",) if section.title else (), ()
    return (f"<details>\n<summary>{section.title}</summary>",), ("</details>",)


def _fitting(blocks: Sequence[str], room: int) -> tuple[list[str], int]:
    """Return the blocks there is room for, and how many are left out in part or whole."""
    taken: list[str] = []
    for place, each in enumerate(blocks):
        if _size(each) > room:
            cut = _cut_table(each, room)
            return [*taken, *cut], len(blocks) - place
        taken.append(each)
        room -= _size(each)
    return taken, 0


def _cut_table(block: str, room: int) -> list[str]:
    """Return the first rows of a table that does not fit, and nothing of another block."""
    lines = block.splitlines()
    if not block.startswith("|") or len(lines) < 4:
        return []
    kept = 0
    for line in lines:
        room -= len(line.encode()) + 1
        if room < 2:
            break
        kept += 1
    return ["\n".join(lines[:kept])] if kept > 2 else []


def _size(block: str) -> int:
    return len(block.encode()) + 2


def _head(title: str) -> tuple[str, ...]:
    return (f"## {title}",)


def _comment(data: Overview) -> Iterator[Section]:
    yield Section("", (_told(data), *_under(verdict(data)), *_under(decided(data))), folded=False)
    yield from _sections(
        ("Unscored, by cause", unscored(data)),
        ("What failed", failed(data)),
        ("By dimension", dimensions(data)),
    )


def _summary(data: Overview) -> Iterator[Section]:
    yield from _comment(data)
    yield from _sections(
        ("Repeated trials, mistakes, money and time", metrics(data.measured)),
        ("Screened lists", lists(data)),
        ("SHOULD clauses", should(data)),
        ("Not graded", ungraded(data)),
    )
    yield Section("How to read this", (HOW_TO_READ.rstrip(),))


def _told(data: Overview) -> str:
    """Return which run it is, and what must be known before its numbers are read."""
    info = data.info
    asked = (
        f"Run {code(info.id)}: {counted(len(info.targets), 'target')}, "
        f"{counted(len(info.scenarios), 'scenario')}, {counted(info.trials, 'trial')}."
    )
    whole = (
        ""
        if info.status == "complete"
        else (f" **It is {code(info.status)}: not every planned sample is on disk.**")
    )
    broken = list(dict.fromkeys(each.target for each in data.failures if each.hard))
    hard = f" **Hard clauses are broken by {', '.join(map(code, broken[:6]))}.**" if broken else ""
    return f"{asked}{whole}{hard}"


def _sections(*parts: tuple[str, Iterator[str]]) -> Iterator[Section]:
    for title, blocks in parts:
        found = tuple(_under(blocks))
        if found:
            yield Section(title, found)


def _under(blocks: Iterable[str]) -> Iterator[str]:
    """Yield a part's blocks without its own heading and fold: the title says it, and a click opens it."""
    for each in blocks:
        if not each.startswith(("## ", "<details>", "</details>")):
            yield each

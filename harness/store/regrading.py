"""Two gradings of one run beside each other: the samples whose scores differ."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import IO

from harness.errors import InvalidInput
from harness.model import SampleId
from harness.store.lines import BLOCK, json_object
from harness.store.scores import ScoreRow

_SAMPLE = re.compile(rb'\{"sample": "((?:[^"\\]|\\.)*)"')

Lines = Iterator[tuple[SampleId, list[bytes]]]
Differing = tuple[list[ScoreRow], list[ScoreRow]]
"""The rows of one sample, before and after; none where it was not graded then."""


def differing(before: IO[bytes], after: IO[bytes]) -> Iterator[Differing]:
    """Yield the samples whose scores differ between two scores.jsonl, each sorted by sample.

    Only what differs is parsed. Where the former scores of a sample are damaged nothing is known of it, and
    where those of every sample are, of none.
    """
    if _alike(before, after):
        return
    olds, news = _by_sample(before), _by_sample(after)
    old, new = next(olds, None), next(news, None)
    if old is None:
        return
    while old or new:
        if old and (new is None or old[0] < new[0]):
            yield from _pair(old[1], [])
            old = next(olds, None)
        elif new and (old is None or new[0] < old[0]):
            yield from _pair([], new[1])
            new = next(news, None)
        elif old and new:
            yield from _pair(old[1], new[1]) if old[1] != new[1] else ()
            old, new = next(olds, None), next(news, None)


def _alike(before: IO[bytes], after: IO[bytes]) -> bool:
    """Return whether two files hold the same; where they do not, both are at their beginning again."""
    while block := before.read(BLOCK):
        if after.read(BLOCK) != block:
            break
    else:
        if not after.read(1):
            return True
    before.seek(0)
    after.seek(0)
    return False


def _by_sample(lines: Iterable[bytes]) -> Lines:
    """Yield the lines of each sample; a line that names none belongs to the sample before it."""
    sample: SampleId | None = None
    found: list[bytes] = []
    begin = b"\n"
    for line in lines:
        if not line.startswith(begin):
            known = _SAMPLE.match(line)
            begin = known[0] if known else b"\n"
            named = known and _named(begin)
            if sample is not None and named and named != sample:
                yield sample, found
                found = []
            sample = named or sample
        found.append(line)
    if sample is not None:
        yield sample, found


def _named(begin: bytes) -> SampleId | None:
    value = json_object(begin + b"}")
    try:
        return SampleId.parse(value["sample"]) if value else None
    except InvalidInput:
        return None


def _pair(before: Sequence[bytes], after: Sequence[bytes]) -> Iterator[Differing]:
    try:
        yield _rows(before), _rows(after)
    except TypeError:
        return


def _rows(lines: Iterable[bytes]) -> list[ScoreRow]:
    """Return the rows of lines; raise TypeError where one holds something else."""
    return [ScoreRow(**(json_object(line) or {})) for line in lines]

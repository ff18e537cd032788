"""Two gradings of one run beside each other: the samples whose scores differ."""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import groupby

from harness.model import SampleId
from harness.store.lines import json_object
from harness.store.scores import ScoreRow

_SAMPLE = re.compile(rb'\{"sample": "((?:[^"\\]|\\.)*)"')

Lines = Iterator[tuple[SampleId, list[bytes]]]
Differing = tuple[list[ScoreRow], list[ScoreRow]]
"""The rows of one sample, before and after; none where it was not graded then."""


def differing(before: Iterable[bytes], after: Iterable[bytes]) -> Iterator[Differing]:
    """Yield the samples whose scores differ between two scores.jsonl, each sorted by sample.

    Only what differs is parsed; a line that holds no score counts as one that is not there.
    """
    olds, news = _by_sample(before), _by_sample(after)
    old, new = next(olds, None), next(news, None)
    while old or new:
        if old and (new is None or old[0] < new[0]):
            yield _rows(old), []
            old = next(olds, None)
        elif new and (old is None or new[0] < old[0]):
            yield [], _rows(new)
            new = next(news, None)
        elif old and new:
            if old[1] != new[1]:
                yield _rows(old), _rows(new)
            old, new = next(olds, None), next(news, None)


def _by_sample(lines: Iterable[bytes]) -> Lines:
    for begin, found in groupby(lines, key=_begin):
        value = json_object(begin + b"}")
        if value:
            yield SampleId.parse(value["sample"]), list(found)


def _begin(line: bytes) -> bytes:
    """Return the begin of a line of scores, which says whose it is."""
    known = _SAMPLE.match(line)
    return known[0] if known else b""


def _rows(sample: tuple[SampleId, list[bytes]]) -> list[ScoreRow]:
    rows: list[ScoreRow] = []
    for line in sample[1]:
        # Whatever else a reader makes of a broken line, `Run.scores` says.
        with suppress(TypeError):
            rows.append(ScoreRow(**(json_object(line) or {})))
    return rows

"""What is remembered of a fail is what is told of it, however much else a model wrote."""

import gc
from collections.abc import Sequence
from weakref import ref

import pytest

import harness.pipeline.judging
from harness.graders import GRADERS, Grader
from harness.model import Finding, Sample, Score
from harness.pipeline.judging import scores_of_each


class Written(str):
    """A text of which one can tell whether it is still held."""

    __slots__ = ("__weakref__",)


def test_of_many_findings_the_first_alone_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, long = Written("b"), Written("c" * 5_000)
    fail = Score("fail", "found and remembered", (Finding("a", "/b", shown), Finding("a", "/c", long)))
    graded = [[(GRADERS[0], fail)]]

    def grade_each(_: Sequence[Sample]) -> list[list[tuple[Grader, Score]]]:
        return [graded.pop()]

    monkeypatch.setattr(harness.pipeline.judging, "grade_each", grade_each)
    kept = [ref(shown), ref(long)]
    scores_of_each([])
    del shown, long, fail
    gc.collect()

    assert [each() for each in kept] == ["b", None]

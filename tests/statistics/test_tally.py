"""Tallies of parts of a run add up to the tally of the whole, in whatever order they are added."""

import random
from dataclasses import replace

import pytest
from test_summary import row

from harness.model import Message, SampleId, Transcript, Turn, Usage
from harness.statistics import (
    SEVERITY,
    Tally,
    by_clause,
    confusions,
    counts,
    failures,
    repeated,
    summarise,
    tallied,
    unscored_causes,
)
from harness.store import ScoreRow
from harness.store.scores import sample_of

OUTCOMES = ("pass", "pass", "fail", "unscored", "not_applicable")
CLAUSES = ("SEV-1", "SEV-2", "CAR-1", "QRY-6", "MET-1")


def drawn(samples: int) -> list[list[ScoreRow]]:
    """Return the rows of so many samples, drawn at random."""
    draw = random.Random(1)
    found: list[list[ScoreRow]] = []
    for trial in range(1, samples + 1):
        scenario, target = draw.choice(["incident/a", "incident/b"]), draw.choice(["a", "b"])
        found.append(
            [
                replace(
                    row(each, draw.choice(OUTCOMES), trial, scenario=scenario, target=target),
                    reason=draw.choice(["rate_limited: slow", "no prompt"]),
                    expected=["high"],
                    observed=draw.choice(["low", "critical"]),
                )
                for each in CLAUSES
            ]
        )
    return found


def transcript(rows: list[ScoreRow]) -> Transcript:
    usage = Usage(10, 5, 0.1 * rows[0].trial)
    return Transcript(
        sample_of(rows[0]),
        (Message("user", "?"),),
        turns=(Turn(1, None, "stop", usage, seconds=rows[0].trial),),
    )


def counted(samples: list[list[ScoreRow]], shown: int | None = None) -> Tally:
    tally = Tally(shown)
    for rows in samples:
        tally.spend(transcript(rows), compliant=tally.add(sample_of(rows[0]), rows))
    return tally


def told(tally: Tally) -> list[object]:
    """Return everything that reports make of a tally."""
    return [
        summarise(tally), by_clause(tally), failures(tally), unscored_causes(tally), counts(tally),
        sorted(confusions(tally, SEVERITY), key=lambda each: each.target), repeated(tally),
        [spent.row(target) for target, spent in sorted(tally.spent.items())],
    ]  # fmt: skip


@pytest.mark.parametrize("shown", [None, 3])
def test_parts_add_up_in_any_order(shown: int | None) -> None:
    samples = drawn(60)
    shuffled = random.Random(2).sample(samples, len(samples))
    merged = Tally(shown)

    for at in range(0, 60, 13):
        merged.merge(counted(shuffled[at : at + 13], shown))

    assert told(merged) == told(counted(samples, shown))


def test_of_many_fails_the_first_are_kept_and_all_are_counted() -> None:
    rows = [row("SEV-2", "fail", trial) for trial in (5, 3, 1, 4, 2)]
    tally = Tally(shown=2)

    for each in rows:
        tally.add(sample_of(each), [each])

    (group,) = failures(tally)
    assert (group.samples, [each.trial for each in group.rows]) == (5, [1, 2])


def test_a_sample_counts_as_compliant_where_something_passed_and_nothing_else_was_found() -> None:
    def compliant(*rows: ScoreRow) -> bool:
        return Tally().add(SampleId("incident/oom", "c", "t", 1), rows)

    assert compliant(row("SEV-1", "pass"), row("SEV-2", "not_applicable"), row("QRY-6", "fail"))
    assert compliant(row("SEV-1", "pass"), row("MET-1", "fail"))
    assert not compliant(row("SEV-1", "not_applicable"))
    assert not compliant(row("SEV-1", "pass"), row("SEV-2", "unscored"))
    assert not compliant(row("SEV-1", "pass"), row("SEV-2", "fail"))


def test_rows_of_one_sample_may_stand_anywhere() -> None:
    rows = [each for sample in drawn(20) for each in sample]
    shuffled = random.Random(3).sample(rows, len(rows))

    assert summarise(tallied(shuffled)) == summarise(tallied(rows))

"""Shards and named samples: each sample is in exactly one shard, the same on every machine."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import InvalidInput
from harness.model import SampleId
from harness.store import EVERYTHING, RunInfo, Selection, Shard

SAMPLES = [
    SampleId(f"incident/{name}", "c", "mock:oracle", trial) for name in "abcdef" for trial in (1, 2, 3)
]


@given(st.integers(1, 40), st.text(), st.integers(1, 10**6))
def test_a_sample_is_in_one_shard(parts: int, scenario: str, trial: int) -> None:
    sample = SampleId(scenario, "c", "t", trial)

    assert sum(Shard(number, parts).takes(sample) for number in range(1, parts + 1)) == 1


def test_shards_are_the_same_on_every_machine() -> None:
    taken = [str(each) for each in SAMPLES if Shard(2, 4).takes(each)]

    assert taken == [
        "incident/b@c@mock:oracle#1",
        "incident/d@c@mock:oracle#1",
        "incident/e@c@mock:oracle#1",
    ]


def test_shards_are_about_as_large_as_one_another() -> None:
    many = [SampleId("incident/a", "c", "t", trial) for trial in range(1, 4001)]

    sizes = [sum(Shard(number, 4).takes(each) for each in many) for number in (1, 2, 3, 4)]

    assert all(900 < size < 1100 for size in sizes)


@pytest.mark.parametrize(
    "text", ["", "2", "0/4", "5/4", "1/0", "-1/4", "1/4/2", "a/b", "1.0/2", "²/4", " 1/2"]
)
def test_a_shard_is_written_i_of_n(text: str) -> None:
    with pytest.raises(InvalidInput, match="write i/N with i from 1 to N, as 2/4"):
        Shard.parse(text)


def test_a_selection_comes_back_from_a_run() -> None:
    selection = Selection(Shard(2, 4), frozenset(SAMPLES[:3]))
    info = RunInfo(id="r", created="2026-01-01", shard="2/4", only=selection.names())

    assert Selection.of(info) == selection
    assert Selection.of(RunInfo(id="r", created="2026-01-01")) == EVERYTHING


def test_named_samples_alone_are_asked() -> None:
    selection = Selection(only=frozenset(SAMPLES[:3]))

    assert [each for each in SAMPLES if selection.takes(each)] == SAMPLES[:3]
    assert selection.has("incident/a")
    assert not selection.has("incident/b")


def test_nothing_named_is_nothing_asked() -> None:
    assert not any(Selection(only=frozenset()).takes(each) for each in SAMPLES)

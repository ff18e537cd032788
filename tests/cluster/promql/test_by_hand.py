"""Values that a reader can work out."""

import pytest
from asking import EPOCH, answer, series, values, world_of

from harness.model.scenario import World

MEBIBYTE = 1024 * 1024

CLIMBING = world_of(
    series("memory", (-7200, 210 * MEBIBYTE), (-1800, 210 * MEBIBYTE), (0, 510 * MEBIBYTE), pod="p-1"),
    series("memory", (-7200, 200 * MEBIBYTE), (0, 200 * MEBIBYTE), pod="p-2"),
    series("memory_limit", (-7200, 512 * MEBIBYTE), (0, 512 * MEBIBYTE), pod="p-1"),
    series("memory_limit", (-7200, 512 * MEBIBYTE), (0, 512 * MEBIBYTE), pod="p-2"),
)
# Two requests a second for an hour, three in a hundred fail; then a restart ten minutes ago.
COUNTING = world_of(
    series("requests_total", (-3600, 0), (-600, 6000), (-600, 0), (0, 1200), code="200"),
    series("requests_total", (-3600, 0), (0, 216), code="500"),
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("memory", [510 * MEBIBYTE, 200 * MEBIBYTE]),
        # 300 MiB in 30 minutes are 10 MiB a minute.
        ("memory offset 15m", [360 * MEBIBYTE, 200 * MEBIBYTE]),
        ("deriv(memory[10m]) * 60", [10 * MEBIBYTE, 0]),
        ("delta(memory[10m])", [100 * MEBIBYTE, 0]),
        ("max_over_time(memory[1h])", [510 * MEBIBYTE, 200 * MEBIBYTE]),
        ("avg_over_time(memory[30m])", [360 * MEBIBYTE, 200 * MEBIBYTE]),
        ("predict_linear(memory[10m], 600)", [610 * MEBIBYTE, 200 * MEBIBYTE]),
        ("sum(memory)", [710 * MEBIBYTE]),
        ("avg(memory)", [355 * MEBIBYTE]),
        ("topk(1, memory)", [510 * MEBIBYTE]),
        ("count(memory)", [2]),
        ("memory > 300 * 1024 * 1024", [510 * MEBIBYTE]),
        ("memory / on (pod) memory_limit", [510 / 512, 200 / 512]),
        # A range of five minutes with readings every 30 s holds 11 of them, which span it whole.
        ("count_over_time(memory[5m])", [11, 11]),
    ],
)
def test_a_gauge_reads_as_it_was_drawn(text: str, expected: list[float]) -> None:
    assert values(CLIMBING, text) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rate(requests_total[5m])", [2, 0.06]),
        ("increase(requests_total[5m])", [600, 18]),
        # Across the restart nothing is lost but what came between two readings, which is 60 requests of 30 s.
        ("increase(requests_total[30m])", [2 * 1800 - 60, 108]),
        ("resets(requests_total[30m])", [1, 0]),
        ("irate(requests_total[5m])", [2, 0.06]),
        ('100 * sum(rate(requests_total{code=~"5.."}[5m])) / sum(rate(requests_total[5m]))', [6 / 2.06]),
        # 31 s hold two readings, 30 s apart, and are near enough at both ends: all of it counts.
        ("increase(requests_total[31s])", [62, 1.86]),
        # It began an hour ago at nothing, so that there was nothing before.
        ("increase(requests_total{code='500'}[90m])", [216]),
    ],
)
def test_a_counter_counts_as_it_was_drawn(text: str, expected: list[float]) -> None:
    assert values(COUNTING, text) == pytest.approx(expected)


def test_an_increase_goes_on_to_the_beginning_of_its_range_but_not_below_zero() -> None:
    # Both are read for the last five minutes only, and grow by 30 in them.
    low = world_of(series("c_total", (-300, 3), (0, 33)))
    high = world_of(series("c_total", (-300, 300), (0, 330)))

    # At 3 it was at nothing 30 s before, which is near.
    assert values(low, "increase(c_total[10m])") == pytest.approx([33])
    # Nobody knows how far back 300 was counted from, so it is taken to be half a reading.
    assert values(high, "increase(c_total[10m])") == pytest.approx([31.5])
    assert values(high, "increase(c_total[310s])") == pytest.approx([31])


def test_one_sample_has_no_rate() -> None:
    assert values(COUNTING, "rate(requests_total[29s])") == []


def test_an_ended_series_is_gone_one_reading_later() -> None:
    ended = world_of(series("up", (-3600, 1), (-600, 1)))

    seen = answer(ended, "up", start=str(EPOCH - 660), end=str(EPOCH - 480), step="30")
    assert [each[0] - EPOCH for each in seen["data"]["result"][0]["values"]] == [-660, -630, -600]
    assert values(ended, "up") == []
    assert values(ended, "last_over_time(up[15m])") == [1]


def test_a_series_is_not_there_before_it_begins() -> None:
    young = world_of(series("up", (-60, 1), (0, 1)))

    assert values(young, "up offset 2m") == []
    assert values(young, "count_over_time(up[1h])") == [3]


def test_a_jump_shows_in_the_reading_at_its_moment() -> None:
    jump = world_of(series("replicas", (-600, 3), (-300, 3), (-300, 0), (0, 0)))

    seen = answer(jump, "replicas", start=str(EPOCH - 360), end=str(EPOCH - 270), step="30")
    assert [each[1] for each in seen["data"]["result"][0]["values"]] == ["3", "3", "0", "0"]


def test_a_range_has_a_value_for_every_step() -> None:
    seen = answer(
        CLIMBING, "memory{pod='p-1'}", start="2026-03-02T09:45:00Z", end="2026-03-02T10:15:00Z", step="15m"
    )

    assert seen == {
        "status": "success",
        "data": {
            "resultType": "matrix",
            "result": [
                {
                    "metric": {"__name__": "memory", "pod": "p-1"},
                    "values": [
                        [EPOCH - 1800, "220200960"],
                        [EPOCH - 900, "377487360"],
                        [EPOCH, "534773760"],
                    ],
                }
            ],
        },
    }


def test_an_instant_query_may_look_at_an_earlier_moment() -> None:
    seen = answer(CLIMBING, "sum(memory)", end="2026-03-02T10:00:00Z")

    assert seen["data"]["result"] == [{"metric": {}, "value": [EPOCH - 900, str(560 * MEBIBYTE)]}]


def test_a_world_without_metrics_answers_with_nothing() -> None:
    assert answer(world_of(), "up") == {"status": "success", "data": {"resultType": "vector", "result": []}}


@pytest.mark.parametrize(
    ("number", "written"),
    [
        ("1e21", "1000000000000000000000"),
        ("1e-9", "0.000000001"),
        ("-0.5", "-0.5"),
        ("1/0", "+Inf"),
        ("0/0", "NaN"),
    ],
)
def test_numbers_are_written_without_exponents(number: str, written: str) -> None:
    assert answer(world_of(), number)["data"] == {"resultType": "scalar", "result": [EPOCH, written]}


def histogram(**counts: float) -> World:
    """Return a world of one histogram, by bounds."""
    return world_of(*(series("b", (-3600, count), (0, count), le=bound) for bound, count in counts.items()))


def test_a_quantile_lies_in_its_bucket_as_far_as_its_share() -> None:
    # Of 100 half were up to 1, and 40 from there to 5; the 80th is the 30th of those 40.
    world = histogram(**{"1": 50, "5": 90, "+Inf": 100})

    assert values(world, "histogram_quantile(0.8, b)") == pytest.approx([1 + 4 * 30 / 40])
    assert values(world, "histogram_quantile(0.25, b)") == pytest.approx([0.5])
    assert values(world, "histogram_quantile(0.95, b)") == [5]


def test_one_bound_spelled_twice_is_one_bucket() -> None:
    twice = histogram(**{"1": 2, "1.0": 2, "+Inf": 8})

    assert values(twice, "histogram_quantile(0.25, b)") == pytest.approx([0.5])


def test_a_quantile_in_a_first_bucket_below_zero_is_its_bound() -> None:
    assert values(histogram(**{"-1": 6, "+Inf": 8}), "histogram_quantile(0.5, b)") == [-1]

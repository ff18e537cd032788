from itertools import combinations

import pytest
from test_summary import row

from harness.statistics import RepeatedRow, tallied, wilson
from harness.statistics import repeated as repeated_of
from harness.statistics.repeats import mean_of_each, pass_all_k, pass_at_k
from harness.store import ScoreRow


def repeated(rows: list[ScoreRow], clusters: dict[str, str] | None = None) -> list[RepeatedRow]:
    return repeated_of(tallied(rows), clusters)


@pytest.mark.parametrize("n", [1, 3, 5])
def test_they_are_the_shares_of_all_choices_of_k_trials(n: int) -> None:
    for passed in range(n + 1):
        outcomes = [1] * passed + [0] * (n - passed)
        for k in range(1, n + 1):
            chosen = list(combinations(outcomes, k))

            assert pass_at_k(passed, n)[k - 1] == pytest.approx(sum(map(any, chosen)) / len(chosen))
            assert pass_all_k(passed, n)[k - 1] == pytest.approx(sum(map(all, chosen)) / len(chosen))


def test_fewer_trials_than_k_tell_nothing() -> None:
    assert len(pass_at_k(2, 2)) == len(pass_all_k(2, 2)) == 2
    assert mean_of_each([[0.5], [1.0, 0.25]]) == (0.75, 0.25)
    assert mean_of_each([]) == ()


def test_very_many_trials_are_no_number_too_large() -> None:
    assert pass_all_k(5_000, 10_000)[1] == pytest.approx(0.5 * 4_999 / 9_999)
    assert pass_at_k(0, 10_000)[-1] == 0.0


def test_a_dimension_over_scenarios_that_count_alike() -> None:
    rows = [
        *(
            row("SEV-1", outcome, trial, scenario="incident/a")
            for trial, outcome in enumerate(("pass", "fail"), 1)
        ),
        *(row("SEV-1", "pass", trial, scenario="incident/b") for trial in (1, 2)),
        row("SEV-1", "unscored", 3, scenario="incident/b"),
        row("SEV-6", "fail", 1, scenario="incident/b"),
    ]

    whole, severity = repeated(rows)

    assert (whole.dimension, severity.dimension) == ("all", "severity")
    assert (whole.scenarios, whole.rate) == (2, 0.75)
    assert whole.any_of == (0.75, 1.0)
    assert whole.all_of == (0.75, 0.5)
    assert (whole.low, whole.high) == (0.0, 1.0)


def test_one_family_has_no_interval() -> None:
    rows = [row("SEV-1", "pass", scenario=name) for name in ("incident/a", "incident/b")]

    (whole, _) = repeated(rows, {"incident/a": "shop", "incident/b": "shop"})

    assert (whole.rate, whole.low, whole.high) == (1.0, None, None)


def test_scenarios_that_all_agree_are_not_certain() -> None:
    rows = [
        row("SEV-1", "pass", trial, scenario=name)
        for name in ("incident/a", "incident/b")
        for trial in (1, 2)
    ]
    expected = wilson(2, 2)

    (whole, _) = repeated(rows)

    assert expected is not None
    assert (whole.low, whole.high) == expected


def test_single_trials_have_no_interval_of_their_own() -> None:
    rows = [row("SEV-1", outcome, 1, scenario=f"incident/{outcome}") for outcome in ("pass", "fail")]

    (whole, _) = repeated(rows)

    assert (whole.rate, whole.low, whole.high) == (0.5, None, None)

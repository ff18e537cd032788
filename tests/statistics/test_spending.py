from collections.abc import Iterable

import pytest

from harness.model import Failure, Message, SampleId, Transcript, Turn, Usage
from harness.statistics.spending import Price, Spending, Spent, quantile, spent, total


def trial(number: int, *costs: float | None, scenario: str = "incident/a") -> Transcript:
    turns = tuple(
        Turn(1, None, "stop", Usage(10, None if cost is None else 5, cost), seconds=0.5) for cost in costs
    )
    return Transcript(SampleId(scenario, "c", "t", number), (Message("user", "?"),), turns=turns)


def sample(scenario: str, cost: float | None, *, compliant: bool) -> Spent:
    return Spent(scenario, compliant, cost, 1, 1, 1.0)


def price(samples: Iterable[Spent]) -> Price | None:
    spending = Spending()
    for each in samples:
        spending.count(each)
    return spending.price()


def test_what_one_reply_leaves_unsaid_is_unknown_for_all() -> None:
    known, unknown = spent(trial(1, 0.1, 0.2), compliant=True), spent(trial(1, 0.1, None), compliant=True)

    assert (known.cost, known.completion_tokens, known.seconds) == (pytest.approx(0.3), 10, 1.0)
    assert (unknown.cost, unknown.completion_tokens, unknown.prompt_tokens) == (None, None, 20)
    assert total([]) is None


def test_a_trial_without_a_reply_cost_nothing() -> None:
    failed = Transcript(SampleId("a", "c", "t", 1), (), failure=Failure("connection", "refused"))

    assert spent(failed, compliant=False).cost == 0


def test_a_target_is_summed_up() -> None:
    spending = Spending()
    spending.add(trial(1, 0.1), compliant=True)
    for each in (trial(2, 0.3), trial(1, 0.2, scenario="incident/b")):
        spending.add(each, compliant=False)

    row = spending.row("t")

    assert (row.samples, row.cost, row.prompt_tokens, row.seconds) == (3, pytest.approx(0.6), 30, 0.5)
    assert row.known
    assert row.price is not None
    assert row.price.per_compliant == pytest.approx(0.6)


def test_the_price_of_an_answer_has_fiellers_interval() -> None:
    samples = [
        sample(f"s{at}", 0.1 + at / 100, compliant=compliant)
        for at in range(10)
        for compliant in (True, at % 3 > 0)
    ]

    found = price(samples)

    assert found is not None
    assert found.per_compliant == pytest.approx(sum(each.cost or 0 for each in samples) / 16)
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.per_compliant < found.high
    # At a bound, the mean of cost - r * answers lies just t standard errors from 0.
    by_scenario = [(2 * (0.1 + at / 100), 1 + (at % 3 > 0)) for at in range(10)]
    for bound in (found.low, found.high):
        rest = [cost - bound * answers for cost, answers in by_scenario]
        mean = sum(rest) / 10
        error = (sum((each - mean) ** 2 for each in rest) / 90) ** 0.5
        assert abs(mean) / error == pytest.approx(2.262157, rel=1e-5)


def test_no_price_without_a_compliant_answer_or_with_an_unknown_cost() -> None:
    assert price([sample("a", 0.1, compliant=False)]) is None
    assert price([sample("a", 0.1, compliant=True), sample("b", None, compliant=True)]) is None
    alone = price([sample("a", 0.1, compliant=True)])
    assert alone is not None
    assert (alone.low, alone.high) == (None, None)


def test_few_compliant_answers_leave_the_price_without_an_upper_bound() -> None:
    found = price(
        [sample("a", 0.1, compliant=True), *(sample(f"b{at}", 0.1, compliant=False) for at in range(3))]
    )

    assert found is not None
    assert found.high is None


def test_quantiles_are_values_that_were_seen() -> None:
    assert quantile([3, 1, 2], 0.5) == 2
    assert quantile([1, 2], 0.5) == 1
    assert quantile([1, 2, 3], 0.95) == 3
    assert quantile([], 0.5) is None

from datetime import date

import pytest
from gate_sides import made_side, same

from harness.gate import KnownFailure, Terms, decide
from harness.gate.sequential import concluded, look, measure, noted, told
from harness.statistics.sequential import Spending, spending
from harness.store.deciding import Deciding, Look

GOOD = made_side(same(36, SEV_2="ppp"))
FIRST, SECOND = spending(10, 0.05)[:2]


def deciding(*looks: Look) -> Deciding:
    return Deciding(
        baseline="golden/baselines/a.json", against="d", baselines="golden/baselines", margin=0.05,
        alpha=0.05, common=False, cap=10, looks=list(looks),
    )  # fmt: skip


class TestALook:
    def test_it_holds_tests_to_its_share_of_alpha(self) -> None:
        spelled = same(36, SEV_2="p")
        for name in list(spelled)[:4]:
            spelled[name] = {"SEV-2": "f"}
        worse = made_side(spelled)

        alone, among = decide(worse, GOOD, Terms()), look(worse, GOOD, Terms(), FIRST)

        assert (alone.outcome, among.outcome) == ("regression", "inconclusive")
        (p,) = {each.p for each in among.dimensions}
        assert p is not None
        assert FIRST.alpha < p < 0.05

    def test_it_holds_bounds_to_its_share_of_alpha(self) -> None:
        now = made_side(same(36, SEV_2="pp"))

        alone, among = decide(now, GOOD, Terms()), look(now, GOOD, Terms(), SECOND)

        assert (alone.outcome, among.outcome) == ("pass", "inconclusive")
        assert among.dimensions[0].low < alone.dimensions[0].low

    def test_it_asks_families_with_the_whole_of_alpha(self) -> None:
        spelled = same(200, SEV_2="pppppppppp")
        for name in list(spelled)[:40:4]:
            spelled[name] = {"SEV-2": "fppppppppp"}
        # All that fell is of one family, so that families decide how low the bound is.
        uneven, base = made_side(spelled), made_side(same(200, SEV_2="pppppppppp"))

        alone, among = decide(uneven, base, Terms()), look(uneven, base, Terms(), Spending(10, 0.049))

        assert among.dimensions[0].low == alone.dimensions[0].low
        assert decide(uneven, base, Terms(alpha=0.01)).dimensions[0].low < alone.dimensions[0].low

    def test_the_first_breach_of_a_hard_clause_is_one_too_many(self) -> None:
        spelled = same(36, REP_1="p")
        spelled["incident/s07"] = {"REP-1": "f"}

        verdict = look(made_side(spelled), made_side(same(36, REP_1="ppp")), Terms(), FIRST)

        assert verdict.outcome == "regression"
        assert noted(verdict, FIRST, []).hard == ["REP-1"]

    def test_what_is_noted_adds_up(self) -> None:
        verdict = look(GOOD, GOOD, Terms(), SECOND)
        first = noted(verdict, FIRST, [])

        second = noted(verdict, SECOND, [first])

        assert (first.spent, second.spent) == (pytest.approx(0.005), pytest.approx(0.01))
        assert (second.wave, second.alpha, second.samples, second.coverage) == (2, 0.005, 108, 1.0)
        assert [each.dimension for each in second.dimensions] == ["all", "severity"]
        assert told(deciding(first, second)).startswith(
            "wave 2 of at most 10: compliance +0.0 points, bounds -"
        )


class TestTheMeasure:
    known = KnownFailure(scenario="incident/*", clause="SEV-2", reason="review", expires=date(2099, 1, 1))

    def test_it_changes_with_outcomes_trials_families_and_known_failures(self) -> None:
        sides = [
            GOOD,
            made_side(same(36, SEV_2="ppf")),
            made_side(same(36, SEV_2="ppp-")),
            made_side(same(36, SEV_2="ppp"), families=5),
        ]

        found = [measure(each, Terms()) for each in sides]

        assert len({*found, measure(GOOD, Terms(known=[self.known]))}) == 5
        assert measure(made_side(same(36, SEV_2="ppp")), Terms()) == found[0]


class TestTheConclusion:
    def test_what_cut_a_run_is_told_first(self) -> None:
        verdict = look(GOOD, GOOD, Terms(), FIRST)

        assert concluded(verdict, Terms(), None) is verdict
        cut = concluded(verdict, Terms(), "stopped by --max-cost")
        assert cut.because == f"stopped by --max-cost; {verdict.because}"

    def test_a_run_cut_before_its_first_look_is_inconclusive(self) -> None:
        verdict = concluded(None, Terms(), "stopped by --max-cost")

        assert (verdict.outcome, verdict.dimensions) == ("inconclusive", ())
        assert verdict.because == "stopped by --max-cost before the first look"
        assert told(deciding()) == "no look yet, at most 10 waves"


def test_looks_stand_but_for_those_that_could_not_be_scored() -> None:
    first = noted(look(GOOD, GOOD, Terms(), FIRST), FIRST, [])
    short = first.model_copy(update={"wave": 2, "outcome": "insufficient"})

    assert deciding().settled == 0
    assert deciding(first, short).settled == 1

from dataclasses import replace
from datetime import date

import pytest
from gate_sides import W, graded, made_side, same

from harness.gate import KnownFailure, NotComparable, Side, Terms, Verdict, decide
from harness.gate.sides import Asked
from harness.store import Grading


def of(verdict: Verdict, name: str) -> str:
    return next(each.outcome for each in verdict.dimensions if each.name == name)


GOOD = made_side(same(36, SEV_2="ppp", PAS_1="ppp"))


class TestTheSoftRule:
    def test_the_same_again_passes(self) -> None:
        verdict = decide(GOOD, GOOD, Terms())

        assert (verdict.outcome, verdict.exit_code, verdict.coverage) == ("pass", 0, 1.0)
        assert [each.name for each in verdict.dimensions] == ["all", "severity", "pass_through"]
        assert {each.p for each in verdict.dimensions} == {None}

    def test_a_dimension_that_fell_is_a_regression_and_is_named(self) -> None:
        worse = made_side(same(36, SEV_2="ppp", PAS_1="ppf"))

        verdict = decide(worse, GOOD, Terms())

        assert (verdict.outcome, verdict.exit_code) == ("regression", 1)
        assert (of(verdict, "pass_through"), of(verdict, "severity")) == ("regression", "pass")
        assert verdict.because.startswith("pass_through fell by 33.3 points, from 100.0 to 66.7 %")

    def test_a_drop_within_the_margin_is_forgiven(self) -> None:
        spelled = same(100, SEV_2="pppppppppp")
        for name in list(spelled)[:20]:
            spelled[name] = {"SEV-2": "fppppppppp"}
        base = made_side(same(100, SEV_2="pppppppppp"))

        forgiven = decide(made_side(spelled), base, Terms(margin=0.05))
        strict = decide(made_side(spelled), base, Terms(margin=0.01))

        assert (forgiven.outcome, strict.outcome) == ("pass", "regression")
        assert forgiven.dimensions[0].p is not None
        assert forgiven.dimensions[0].p < 0.001

    def test_relations_to_one_scenario_are_one_piece_of_evidence(self) -> None:
        # In two trials of three the one original was bad, and all that are compared with it failed at once.
        before = made_side(same(30, SEV_2="ppp", MET_1="ppp"))
        now = made_side(same(30, SEV_2="ppp", MET_1="pff"))
        tied = replace(now, originals=dict.fromkeys(now.families, "incident/original"))

        alone, together = decide(now, before, Terms(common=True)), decide(tied, before, Terms(common=True))

        found = next(each for each in together.dimensions if each.name == "relation")
        assert of(alone, "relation") == "regression"
        assert found.outcome == "inconclusive"
        assert found.p == pytest.approx(0.2)
        assert (found.effect, found.n) == (pytest.approx(-2 / 3), 90)

    def test_a_gain_passes_though_some_trials_fell(self) -> None:
        spelled = same(36, SEV_2="ppp")
        spelled["incident/s00"] = {"SEV-2": "ppf"}
        before = made_side(same(36, SEV_2="pff"))

        verdict = decide(made_side(spelled), before, Terms())

        assert verdict.outcome == "pass"
        assert verdict.dimensions[0].effect > 0.6

    def test_too_few_trials_are_inconclusive_with_what_would_decide(self) -> None:
        few = made_side(same(4, SEV_2="ppp"))

        verdict = decide(few, few, Terms())

        assert (verdict.outcome, verdict.exit_code) == ("inconclusive", 4)
        assert verdict.minimum_detectable is not None
        assert verdict.minimum_detectable > 0.3
        assert verdict.trials_to_decide is not None
        assert f"{verdict.trials_to_decide} trials of each scenario on both sides" in verdict.because
        more = "p" * verdict.trials_to_decide
        decided = made_side(same(4, SEV_2=more))
        assert decide(decided, decided, Terms()).outcome == "pass"

    def test_many_small_drops_are_adjusted_for(self) -> None:
        spelled = same(12, SEV_2="ppp", PAS_1="ppp", CAR_1="ppp", QRY_1="ppp", SEL_1="ppp")
        one = {
            **spelled,
            **{f"incident/s{at:02}": {**spelled["incident/s00"], "SEV-2": "ppf"} for at in range(5)},
        }
        others = {
            name: {**clauses, "PAS-1": "ppf" if at % 2 else "ppp", "CAR-1": "ppf" if at % 3 else "ppp"}
            for at, (name, clauses) in enumerate(one.items())
        }
        before = made_side({name: {**each, "SEV-2": "ppp"} for name, each in others.items()})

        alone = decide(made_side(one), made_side(spelled), Terms())
        among = decide(made_side(others), before, Terms())

        (first,) = [each.p for each in alone.dimensions if each.name == "severity"]
        (second,) = [each.p for each in among.dimensions if each.name == "severity"]
        assert first is not None
        assert second is not None
        assert second == pytest.approx(2 * first)  # four tests instead of two

    def test_a_relation_says_nothing_of_compliance(self) -> None:
        verdict = decide(
            made_side(same(36, SEV_2="ppp", MET_1="fff")),
            made_side(same(36, SEV_2="ppp", MET_1="ppp")),
            Terms(),
        )

        assert (of(verdict, "all"), of(verdict, "relation"), verdict.outcome) == (
            "pass",
            "regression",
            "regression",
        )

    def test_should_clauses_are_compared_and_decide_nothing(self) -> None:
        verdict = decide(
            made_side(same(36, SEV_2="ppp", SEV_6="fff")),
            made_side(same(36, SEV_2="ppp", SEV_6="ppp")),
            Terms(),
        )

        assert verdict.outcome == "pass"
        assert next(each.effect for each in verdict.clauses if each.name == "SEV-6") == -1


class TestCoverage:
    def test_what_is_unscored_is_no_pass_no_fail_and_no_zero(self) -> None:
        verdict = decide(made_side(same(20, SEV_2="ppppppppppppppppppupp")), GOOD20, Terms())

        assert verdict.coverage == pytest.approx(20 / 21)
        assert verdict.dimensions[0].rate == 1.0
        assert verdict.outcome == "pass"

    @pytest.mark.parametrize("letters", ["ppu", "pp-"])
    def test_below_the_floor_nothing_is_decided(self, letters: str) -> None:
        verdict = decide(made_side(same(36, SEV_2=letters)), made_side(same(36, SEV_2="ppp")), Terms())

        assert (verdict.outcome, verdict.exit_code) == ("insufficient", 3)
        assert verdict.coverage == pytest.approx(2 / 3)

    def test_the_baselines_counts_as_well(self) -> None:
        verdict = decide(made_side(same(36, SEV_2="ppp")), made_side(same(36, SEV_2="puu")), Terms())

        assert verdict.outcome == "insufficient"

    def test_a_hard_clause_that_broke_is_broken_all_the_same(self) -> None:
        verdict = decide(made_side(same(36, REP_1="fuu")), made_side(same(36, REP_1="ppp")), Terms())

        assert verdict.outcome == "regression"

    @pytest.mark.parametrize(
        ("unanswered", "margin", "outcome"),
        [(5, 0.05, "inconclusive"), (2, 0.05, "pass"), (2, 0.02, "inconclusive"), (0, 0.02, "pass")],
    )
    def test_what_a_candidate_never_answers_may_all_be_wrong(
        self, unanswered: int, margin: float, outcome: str
    ) -> None:
        base, spelled = same(100, SEV_2="ppp"), same(100, SEV_2="ppp")
        for name in list(spelled)[:unanswered]:
            spelled[name] = {"SEV-2": "---"}

        verdict = decide(made_side(spelled), made_side(base), Terms(margin=margin))

        assert verdict.outcome == outcome
        assert verdict.hidden == unanswered / 100
        assert ("never scored, so that" in "".join(verdict.notes)) is bool(unanswered)
        assert ("--retry-unscored" in verdict.because) is (outcome == "inconclusive")

    def test_what_the_baseline_was_never_scored_in_is_told(self) -> None:
        base = same(100, SEV_2="ppp")
        base["incident/s07"] = {"SEV-2": "uuu"}

        verdict = decide(GOOD100, made_side(base, target="model:b"), Terms())

        assert verdict.outcome == "pass"
        (note,) = verdict.notes
        assert note == f"runs/model:b: never scored, so that nothing compares them: incident/s07@{W}"

    def test_a_run_held_against_itself_says_so(self) -> None:
        one = replace(GOOD100, runs=("runs/one",))

        verdicts = [decide(one, each, Terms()) for each in (one, replace(one, target="b"), GOOD100)]

        assert [len(each.notes) for each in verdicts] == [1, 0, 0]
        assert "with itself" in verdicts[0].notes[0]

    def test_what_the_baseline_never_passed_hides_no_fall(self) -> None:
        base, spelled = same(100, SEV_2="ppp"), same(100, SEV_2="ppp")
        for name in list(spelled)[:5]:
            base[name], spelled[name] = {"SEV-2": "fff"}, {"SEV-2": "uuu"}

        assert decide(made_side(spelled), made_side(base), Terms()).outcome == "pass"


GOOD100 = made_side(same(100, SEV_2="ppp"))
GOOD20 = made_side(same(20, SEV_2="p" * 21))


class TestTheHardRule:
    def test_the_first_breach_is_one_too_many(self) -> None:
        spelled = same(36, SEV_2="ppp", REP_1="ppp")
        spelled["incident/s07"]["REP-1"] = "pfp"

        verdict = decide(made_side(spelled), made_side(same(36, SEV_2="ppp", REP_1="ppp")), Terms())

        (hard,) = verdict.hard
        assert (verdict.outcome, hard.outcome, hard.broken, hard.n) == ("regression", "regression", 1, 108)
        assert [str(each) for each in hard.samples] == [f"incident/s07@{W}@model:a#2"]
        assert (
            "hard clause REP-1 is broken in 1 of 108 samples, and the baseline never broke it"
            in verdict.because
        )

    def test_a_standing_breach_is_reported_and_no_regression(self) -> None:
        spelled = same(36, SEV_2="ppp", REP_1="ppp")
        spelled["incident/s07"]["REP-1"] = "pfp"
        before = same(36, SEV_2="ppp", REP_1="ppp")
        before["incident/s01"]["REP-1"] = "ffp"

        verdict = decide(made_side(spelled), made_side(before), Terms())

        assert (verdict.outcome, verdict.hard[0].outcome) == ("pass", "standing")

    def test_a_standing_breach_that_grows_is_a_regression_of_its_own(self) -> None:
        before = same(36, SEV_2="ppp", REP_1="ppp")
        before["incident/s01"]["REP-1"] = "ffp"

        verdict = decide(made_side(same(36, SEV_2="ppp", REP_1="pff")), made_side(before), Terms())

        assert verdict.hard[0].outcome == "regression"
        assert "more often than before (2 of 108)" in verdict.because

    def test_a_breach_that_healed_is_kept(self) -> None:
        before = same(36, SEV_2="ppp", REP_1="ppf")

        verdict = decide(made_side(same(36, SEV_2="ppp", REP_1="ppp")), made_side(before), Terms())

        assert verdict.hard[0].outcome == "kept"


class TestKnownFailures:
    known = (
        KnownFailure(
            scenario="incident/*", clause="SEV-2", reason="a rubric under review", expires=date(2099, 1, 1)
        ),
    )

    def test_they_count_on_neither_side_and_are_told(self) -> None:
        worse, before = same(36, SEV_2="fff", PAS_1="ppp"), same(36, SEV_2="ppf", PAS_1="ppp")

        verdict = decide(made_side(worse), made_side(before), Terms(known=self.known))

        assert verdict.outcome == "pass"
        assert [each.name for each in verdict.dimensions] == ["all", "pass_through"]
        (told,) = verdict.excused
        assert (told.failed, told.n, told.baseline_failed, told.baseline_n) == (108, 108, 36, 108)

    def test_other_scenarios_and_clauses_still_count(self) -> None:
        known = (self.known[0].model_copy(update={"scenario": "incident/s00"}),)

        verdict = decide(
            made_side(same(36, SEV_2="fff")), made_side(same(36, SEV_2="ppp")), Terms(known=known)
        )

        assert verdict.outcome == "regression"


def test_flips_are_listed_falls_first_with_what_broke() -> None:
    before, now = same(3, SEV_2="pp", PAS_1="pp"), same(3, SEV_2="pp", PAS_1="pp")
    before["incident/s00"]["SEV-2"] = "fp"
    now["incident/s02"] = {"SEV-2": "pf", "PAS-1": "pf"}
    now["incident/s01"]["SEV-2"] = "pu"

    verdict = decide(made_side(now, target="model:b"), made_side(before), Terms())

    told = [
        (str(each.sample), str(each.baseline), each.was, each.now, each.clauses) for each in verdict.flipped
    ]
    sample = f"@{W}@model"
    assert told == [
        (f"incident/s02{sample}:b#2", f"incident/s02{sample}:a#2", "pass", "fail", ("SEV-2", "PAS-1")),
        (f"incident/s00{sample}:b#1", f"incident/s00{sample}:a#1", "fail", "pass", ("SEV-2",)),
    ]


class TestMeasures:
    spelled = same(4, SEV_2="ppp", PAS_1="ppp")
    digests = dict.fromkeys(spelled, "s")

    def changed(self, **changes: object) -> Side:
        judged = graded(self.digests).model_dump() | changes
        return made_side(self.spelled, grading=Grading.model_validate(judged))

    @pytest.mark.parametrize(
        ("changes", "told"),
        [
            ({"contracts": {W: "other"}}, "contracts that differ: workflow-selection-2.7"),
            ({"scenarios": {**digests, "incident/s02": "other"}}, "scenarios that differ: incident/s02"),
            ({"graders": {"SEV-2": 2, "PAS-1": 1}}, "clauses whose graders differ: SEV-2"),
            ({"graders": {"SEV-2": 1}}, "clauses whose graders differ: PAS-1"),
            ({"graders": {}}, "clauses whose graders differ: PAS-1, SEV-2"),
            ({"extraction": 2}, "answers were read by different versions"),
        ],
    )
    def test_what_was_judged_otherwise_is_refused(self, changes: dict[str, object], told: str) -> None:
        with pytest.raises(NotComparable, match=told) as refused:
            decide(self.changed(**changes), made_side(self.spelled), Terms())

        assert refused.value.exit_code == 2

    def test_common_leaves_out_what_differs_and_says_so(self) -> None:
        other = self.changed(
            graders={"SEV-2": 2, "PAS-1": 1}, scenarios={**self.digests, "incident/s02": "other"}
        )

        verdict = decide(other, made_side(self.spelled), Terms(common=True))

        assert verdict.left_out == (
            "scenarios that differ: incident/s02",
            "clauses whose graders differ: SEV-2",
        )
        assert [(each.name, each.n) for each in verdict.dimensions] == [("all", 9), ("pass_through", 9)]

    def test_nothing_in_common_is_refused_even_then(self) -> None:
        with pytest.raises(NotComparable, match="share no scenario"):
            decide(self.changed(contracts={W: "other"}), made_side(self.spelled), Terms(common=True))
        with pytest.raises(NotComparable, match="different versions"):
            decide(self.changed(extraction=2), made_side(self.spelled), Terms(common=True))

    def test_a_scenario_that_one_side_lacks_cannot_vanish_silently(self) -> None:
        fewer = made_side({name: each for name, each in self.spelled.items() if name != "incident/s03"})

        with pytest.raises(NotComparable, match=r"only the baseline has: incident/s03; compare .*--common"):
            decide(fewer, made_side(self.spelled), Terms())
        with pytest.raises(NotComparable, match="only the candidate has: incident/s03"):
            decide(made_side(self.spelled), fewer, Terms())
        assert decide(fewer, made_side(self.spelled), Terms(common=True)).dimensions[0].n == 9

    def test_a_scenario_without_a_family_is_one_of_its_own(self) -> None:
        homeless = replace(made_side(self.spelled), families={})

        assert decide(homeless, homeless, Terms()).families == 4

    def test_numbers_of_trials_may_differ(self) -> None:
        verdict = decide(made_side(same(4, SEV_2="p", PAS_1="p")), made_side(self.spelled), Terms())

        assert verdict.trials == (1, 3)
        assert Asked("incident/s00", W) in made_side(self.spelled).trials

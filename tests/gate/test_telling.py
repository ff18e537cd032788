"""A rule that one prompt alone states: what is judged by it, and what is said where nothing can be."""

from gate_sides import W, made_side, same

from harness.gate import Terms, decide
from harness.gate.alike import decide_alike
from harness.gate.sides import Asked
from harness.gate.telling import never_judged, only_here, untold_in
from harness.graders.grading import UNTOLD
from harness.model import Contract, Scenario
from harness.store import Run, ScoreRow


def nothing_known(_run: Run) -> tuple[dict[str, Scenario], dict[str, Contract]]:
    raise AssertionError("nothing is to be judged anew")


def test_a_rule_that_the_candidate_was_not_told_cannot_pass_where_no_transcript_is_left() -> None:
    baseline = made_side(same(40, SEV_2="ppp", PAS_1="ppp"))
    candidate = made_side(same(40, SEV_2="ppp", PAS_1="nnn"))

    alone = decide(candidate, baseline, Terms())
    found = decide_alike(candidate, baseline, Terms(), nothing_known)

    assert alone.outcome == "pass"
    assert found.verdict.outcome == "inconclusive"
    assert "rules that the candidate was not told: PAS-1 (pass_through)" in found.verdict.because
    (line,) = found.told_apart
    assert line == (
        f"judged in the baseline, not told here: PAS-1 (pass_through) under {W}; "
        f"the candidate's transcripts are not at hand, so nothing is known of it"
    )


def test_a_rule_that_the_baseline_was_not_told_is_not_compared_where_no_transcript_is_left() -> None:
    baseline = made_side(same(40, SEV_2="ppp", PAS_1="nnn"))
    candidate = made_side(same(40, SEV_2="ppp", PAS_1="ppp"))

    found = decide_alike(candidate, baseline, Terms(), nothing_known)

    assert found.verdict.outcome == "pass"
    assert found.told_apart[0].startswith("not judged in the baseline: PAS-1 (pass_through)")


def test_sides_that_judge_alike_are_decided_as_they_are() -> None:
    side = made_side(same(40, SEV_2="ppf", PAS_1="ppp"))

    found = decide_alike(side, side, Terms(), nothing_known)

    assert found.verdict == decide(side, side, Terms())
    assert found.told_apart == ()


def test_a_clause_that_nobody_judged_is_no_rule_that_was_lost() -> None:
    ours = made_side(same(2, SEV_2="p", PAS_1="n"))
    theirs = made_side(same(2, SEV_2="p", PAS_1="n"))

    assert set(never_judged(ours, theirs).values()) == {frozenset()}


def test_a_clause_that_was_judged_once_was_told() -> None:
    ours = made_side({"incident/a": {"PAS-1": "n"}, "incident/b": {"PAS-1": "p"}})
    theirs = made_side({"incident/a": {"PAS-1": "p"}, "incident/b": {"PAS-1": "p"}})

    assert set(never_judged(ours, theirs).values()) == {frozenset()}


def test_relations_and_advice_need_no_rule() -> None:
    ours = made_side({"incident/a": {"MET-1": "n", "SEV-6": "n", "SEV-2": "n"}})
    theirs = made_side({"incident/a": {"MET-1": "p", "SEV-6": "p", "SEV-2": "p"}})

    assert never_judged(ours, theirs) == {Asked("incident/a", W): frozenset({"SEV-2"})}


def row(clause: str, reason: str, target: str = "model:a") -> ScoreRow:
    return ScoreRow(
        sample=f"incident/a@{W}@{target}#1", scenario="incident/a", contract=W, target=target, trial=1,
        grader="g", clause=clause, dimension="pass_through", level="MUST", outcome="not_applicable",
        reason=reason, expected=None, observed=None, place="",
    )  # fmt: skip


def test_scores_say_which_rules_were_not_told() -> None:
    rows = [
        row("PAS-1", f"{UNTOLD}: environment"),
        row("PAS-9", "the request has every business field"),
        row("PAS-2", f"{UNTOLD}: priority", target="model:b"),
    ]

    assert untold_in(rows, "model:a") == {Asked("incident/a", W): frozenset({"PAS-1"})}


def test_what_both_were_not_told_is_held_against_neither() -> None:
    asked, other = Asked("incident/a", W), Asked("incident/b", W)
    ours = {asked: frozenset({"PAS-1", "PAS-2"}), other: frozenset({"PAS-1"})}

    assert only_here(ours, {asked: frozenset({"PAS-1"})}) == {asked: frozenset({"PAS-2"})}

"""The exam passes graders that judge rightly, and says which do not, where, and how to see it."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
from conftest import PROJECT

from harness import graders
from harness.contracts import DEFAULT_BY_FLOW, load_contract
from harness.exam import Golden, Result, Syllabus, applications, examined, goldens, named, sit
from harness.exam.sitting import spread
from harness.graders import GRADERS
from harness.graders.grading import Judge
from harness.model import Finding, Sample, Score, Transcript, not_applicable, unscored, verdict
from harness.scenarios import load_scenarios
from harness.violations import (
    OPERATORS,
    PairViolation,
    Situation,
    Violation,
    carriers,
    misshapen,
    mistyped,
    variants,
)
from harness.violations.compose import replaced
from harness.violations.splicing import answer_of, with_answer
from harness.violations.violation import RawAnswer

CONTRACTS = tuple(load_contract(each) for each in DEFAULT_BY_FLOW.values())
FORMS = Syllabus((*carriers.ALL, *mistyped.ALL, *variants.ALL), ())
INCIDENT = "incident/oom-behind-latency"


@cache
def good() -> tuple[Golden, ...]:
    return tuple(goldens(load_scenarios(PROJECT), CONTRACTS))


def sitting(*operators: Violation, whole: bool = False) -> Result:
    return sit(good(), Syllabus(operators, ()), whole=whole)


def breaking(clause: str) -> list[Violation]:
    return [each for each in OPERATORS if clause in each.breaks]


def judged_by(monkeypatch: pytest.MonkeyPatch, clause: str, judge: Judge) -> None:
    """Let another function judge a clause."""
    made = (replace(each, judge=judge) if each.clause == clause else each for each in GRADERS)
    monkeypatch.setattr(graders, "GRADERS", tuple(made))


def test_the_graders_pass_on_every_form_of_the_answer() -> None:
    result = sit(good(), FORMS)

    assert not result.survivors
    assert not result.false_kills
    assert sum(result.applied.values()) > 500
    assert result.killed > 400


def test_a_good_transcript_keeps_every_clause_that_applies() -> None:
    for each in good():
        assert {score.outcome for score in each.scores.values()} <= {"pass", "not_applicable"}
        assert len(each.passed) > 30


@pytest.mark.parametrize("clause", ["CAR-1", "CAR-2", "CAR-3", "CAR-4", "CAR-5", "SEL-1", "PAS-7", "SEV-2"])
def test_a_grader_that_sees_nothing_leaves_survivors(clause: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def blind(_sample: Sample) -> Score:
        return verdict([])

    judged_by(monkeypatch, clause, blind)
    result = sitting(*breaking(clause))

    assert {name for each in result.survivors for name in each.missed} == {clause}
    assert not any(name == clause for _, name, _ in result.kills)
    assert not result.passed


@pytest.mark.parametrize("clause", ["CAR-1", "SEV-6", "QRY-7", "SAF-2"])
def test_a_grader_that_sees_ghosts_kills_falsely(clause: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def eager(_sample: Sample) -> Score:
        return verdict([Finding("a ghost")])

    judged_by(monkeypatch, clause, eager)
    result = sitting(variants.AS_IT_IS)

    assert {each.sample for each in result.false_kills} == {str(each.transcript.id) for each in good()}
    assert {each.extra for each in result.false_kills} == {(clause,)}
    assert result.false_kills[0].reason == f"{clause}: fail, a ghost"


@pytest.mark.parametrize("silent", [not_applicable, unscored])
def test_a_grader_that_falls_silent_kills_falsely(
    silent: Callable[[str], Score], monkeypatch: pytest.MonkeyPatch
) -> None:
    good()

    def mute(_sample: Sample) -> Score:
        return silent("no wish to judge")

    judged_by(monkeypatch, "PAR-1", mute)
    result = sitting(*carriers.ALL[:3])

    assert {each.extra for each in result.false_kills} == {("PAR-1",)}
    assert not result.survivors


@pytest.mark.parametrize("clause", ["PAS-5", "PAS-9", "SAF-1", "SEV-3", "SIG-3"])
def test_a_grader_that_praises_what_nobody_asked_leaves_survivors(
    clause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def blind(_sample: Sample) -> Score:
        return verdict([])

    judged_by(monkeypatch, clause, blind)
    missed = {name for each in sitting(variants.AS_IT_IS).survivors for name in each.missed}

    assert missed <= {clause}
    assert missed or all(clause in each.passed for each in good())


def test_a_clause_that_no_operator_breaks_is_named() -> None:
    result = sitting(variants.AS_IT_IS, whole=True)

    assert "CAR-1" in result.clauses_without_violation
    assert "CAR-7" in result.clauses_without_violation
    assert not result.passed


def _nothing(answer: RawAnswer, _situation: Situation) -> RawAnswer:
    return answer


def test_an_operator_that_changes_nothing_is_not_applied() -> None:
    idle = Violation("idle", frozenset({"CAR-3"}), answer=_nothing)

    assert sitting(idle).applied == {}
    assert not sitting(idle).survivors


def test_in_a_whole_exam_an_operator_that_never_acts_survives() -> None:
    idle = Violation("idle", frozenset({"CAR-3"}), answer=_nothing)
    (case, *others) = [each for each in sitting(idle, whole=True).survivors if each.operator == "idle"]

    assert not others
    assert case.reason == "it acts in no scenario, so that it proves nothing"


def test_what_mocks_alone_play_is_not_applied() -> None:
    live = Violation("live", frozenset({"CAR-3"}), answer=lambda _, __: {}, spliced=False)

    assert not sitting(live, whole=True).applied
    assert "live" not in {each.operator for each in sitting(live, whole=True).survivors}


def test_a_prediction_beyond_the_declaration_is_refused() -> None:
    bold = Violation("bold", frozenset({"CAR-3"}), answer=lambda _, __: {}, exactly=lambda _: ["SEL-1"])

    with pytest.raises(ValueError, match=r"bold: foretells \['SEL-1'\]"):
        sitting(bold)


def test_what_an_operator_brings_is_demanded_too() -> None:
    bringing = Violation(
        "bringing", frozenset({"CAR-3"}), answer=lambda _, __: {}, brings=frozenset({"QRY-8"})
    )

    assert {each.missed for each in sitting(bringing).survivors} == {("QRY-8",)}


def test_a_survivor_names_its_sample_and_the_command_that_shows_it() -> None:
    wrong = Violation("wrong", frozenset({"SEL-1"}), answer=lambda answer, _: {**answer, "notes": "x"})
    case = next(each for each in sitting(wrong).survivors if each.sample.startswith(INCIDENT))

    assert case.sample == f"{INCIDENT}@workflow-selection-2.7@mock:oracle#1"
    assert (case.expected, case.found) == (("SEL-1",), ("CAR-4",))
    assert (case.missed, case.extra) == (("SEL-1",), ("CAR-4",))
    assert case.command == f"harness exam -s {INCIDENT} -c workflow-selection-2.7 --violation 'wrong' --show"


def test_a_stratified_part_has_every_operator_and_every_set_of_clauses() -> None:
    whole = {(each.operator, each.golden.contract.id, each.expected) for each in applications(good(), FORMS)}
    part = sit(good(), FORMS, at_most=1)

    assert sum(part.applied.values()) == len(whole)
    assert set(part.applied) == {name for name, _, _ in whole}


def test_a_part_is_spread_over_the_scenarios() -> None:
    found = [each for each in applications(good(), FORMS) if each.operator == "compact"]
    incidents = [each for each in found if each.golden.scenario.flow == "incident"]

    assert len(incidents) == 2
    assert spread(incidents, 1) == incidents[1:]
    assert spread(incidents, 5) == incidents


def test_several_processes_find_what_one_finds() -> None:
    assert sit(good(), FORMS, processes=2) == sit(good(), FORMS)


def test_an_operator_is_named_with_or_without_a_site() -> None:
    assert named("missing_field:/rca_severity") == ("missing_field", "/rca_severity")
    assert named("another_accepted_workflow") == ("another_accepted_workflow", "")


def test_only_one_site_is_applied_where_one_is_named() -> None:
    only = ("missing_field", "/rca_severity")
    found = list(applications(good(), only=only))

    assert {each.golden.scenario.flow for each in found} == {"incident"}
    assert {each.site for each in found} == {"/rca_severity"}


def test_an_operator_that_raises_says_where() -> None:
    def broken(_answer: RawAnswer, _situation: Situation) -> RawAnswer:
        raise KeyError("query")

    with pytest.raises(KeyError) as raised:
        sitting(Violation("broken", frozenset({"CAR-3"}), answer=broken))

    assert f"operator 'broken' at '' in {INCIDENT}" in raised.value.__notes__[0]


def test_a_clause_that_passes_although_its_subject_is_gone_is_a_survivor() -> None:
    numbered = Violation(
        "numbered",
        frozenset({"CAR-4"}),
        answer=lambda answer, _: {**answer, "notes": "x"},
        mutes=frozenset({"CAR-3"}),
    )
    survivors = sitting(numbered).survivors

    assert {each.missed for each in survivors} == {("CAR-3",)}
    assert survivors[0].reason == "CAR-3: pass, nothing found"


@pytest.mark.parametrize("clause", ["SEV-2", "SEL-1", "PAR-1", "PAS-7", "REC-1"])
def test_a_grader_that_passes_what_is_not_there_leaves_survivors(
    clause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = next(each.judge for each in GRADERS if each.clause == clause)

    def lenient(sample: Sample) -> Score:
        found = judge(sample)
        return verdict([]) if found.outcome == "not_applicable" else found

    judged_by(monkeypatch, clause, lenient)
    survivors = sitting(mistyped.NULL_FIELD, misshapen.MISSING_FIELD).survivors

    assert {each.missed for each in survivors} <= {(clause,)}
    # What no selected workflow has is settled before its grader is asked; an unreadable part is the grader's.
    assert survivors


def _with_severity(level: str) -> PairViolation:
    def edit(transcript: Transcript, _first: Situation, second: Situation) -> Transcript:
        return with_answer(transcript, replaced(second.contract, answer_of(transcript), {"severity": level}))

    return PairViolation(f"severity_{level}", "MET-3", edit)


def test_a_pair_violation_breaks_the_relation_of_the_pair() -> None:
    result = sit(good(), Syllabus((), (_with_severity("low"),)))

    assert result.applied == {"severity_low": 1}
    assert result.kills == {("severity_low", "MET-3", "workflow-selection-2.7"): 1}
    assert result.passed is False  # the other clauses were broken by nobody
    assert not result.survivors
    assert not result.false_kills


def test_a_pair_whose_relation_ought_to_break_and_holds_is_a_survivor() -> None:
    def reworded(transcript: Transcript, _first: Situation, second: Situation) -> Transcript:
        parts = {"summary": "The same in other words."}
        return with_answer(transcript, replaced(second.contract, answer_of(transcript), parts))

    survivors = sit(good(), Syllabus((), (PairViolation("reworded", "MET-3", reworded),))).survivors
    valid = sit(good(), Syllabus((), (PairViolation("reworded", "MET-3", reworded, valid=True),)))

    assert [each.missed for each in survivors] == [("MET-3",)]
    assert not valid.false_kills
    assert not valid.survivors
    assert valid.applied == {"reworded": 1}


def test_a_cut_answer_is_seen_as_the_clause_about_cuts() -> None:
    cut = next(each for each in applications(good(), Syllabus(carriers.CUTS, ())))

    assert cut.expected == {"CAR-7"}
    assert examined(cut) == (frozenset({"CAR-7"}), None)

from pathlib import Path

import pytest
from made_up import R, W, info, made_run, score

from harness.errors import InvalidRun
from harness.reporting.overview import overview
from harness.statistics import tallied
from harness.store import ScoreRow, create_run, open_run


def test_targets_and_contracts_come_in_the_order_of_run_json(tmp_path: Path) -> None:
    data = overview(made_run(tmp_path))

    assert [(each.target, each.contract) for each in data.compliance] == [
        ("mock:oracle", W),
        ("mock:oracle", R),
        ("mock:flaky", W),
        ("mock:flaky", R),
    ]


def test_targets_that_run_json_does_not_name_come_last(tmp_path: Path) -> None:
    rows = [score(f"incident/x@{W}@{target}#1", "SEV-2") for target in ("another", "mock:flaky")]

    data = overview(made_run(tmp_path, rows))

    assert [each.target for each in data.compliance] == ["mock:flaky", "another"]


def test_failed_dimensions_come_worst_first_with_their_clauses(tmp_path: Path) -> None:
    rows: list[ScoreRow] = []
    for trial in (1, 2, 3):
        sample = f"incident/x@{W}@mock:flaky#{trial}"
        rows += [
            score(sample, "CAR-1", "fail" if trial == 1 else "pass"),
            score(sample, "SEV-1", "fail" if trial == 1 else "pass"),
            score(sample, "SEV-2", "fail" if trial > 1 else "pass"),
            score(sample, "SEV-6", "fail"),
        ]

    data = overview(made_run(tmp_path, rows))

    (whole,) = data.compliance
    assert [(each.dimension, each.failed) for each in data.failed_dimensions(whole)] == [
        ("severity", 3),
        ("schema", 1),
    ]
    severity = data.failed_dimensions(whole)[0]
    assert [(each.clause, each.failed) for each in data.failed_in(severity)] == [("SEV-2", 2), ("SEV-1", 1)]
    assert [each.clause for each in data.failed_in(whole)] == ["SEV-2", "CAR-1", "SEV-1"]


def test_clauses_without_a_score_are_named_by_the_contracts_that_were_graded(tmp_path: Path) -> None:
    data = overview(made_run(tmp_path))

    ungraded = {each.clause.id: each for each in data.ungraded}
    assert "SEV-2" not in ungraded
    assert "CAR-7" not in ungraded
    assert ungraded["CAR-2"].contracts == (W, R)
    assert ungraded["CAR-2"].has_grader
    assert ungraded["SIG-4"].contracts == (R,)


def test_a_contract_that_was_not_graded_lists_nothing(tmp_path: Path) -> None:
    data = overview(made_run(tmp_path, [score(f"incident/x@{W}@mock:flaky#1", "SEV-2")]))

    assert {each.contracts for each in data.ungraded} == {(W,)}


def test_a_contract_of_a_later_harness_is_no_error(tmp_path: Path) -> None:
    data = overview(made_run(tmp_path, [score("incident/x@later-9.9@mock:flaky#1", "SEV-2")]))

    assert data.ungraded == ()
    assert [each.contract for each in data.compliance] == ["later-9.9"]


def test_what_the_store_noted_is_kept(tmp_path: Path) -> None:
    run = made_run(tmp_path)
    with run.path("scores.jsonl").open("a", encoding="utf-8") as stream:
        stream.write('{"sample": "to')

    data = overview(open_run(str(run.folder)))

    assert data.notes == ("scores.jsonl:61: a torn last line is ignored",)


def test_a_run_that_was_never_graded_is_refused_with_the_command_that_helps(tmp_path: Path) -> None:
    run = create_run(tmp_path, info())

    with pytest.raises(InvalidRun, match="harness grade 20260302T101500-3f9c"):
        overview(run)


def test_a_tally_at_hand_counts_as_scores_that_are_read(tmp_path: Path) -> None:
    run = made_run(tmp_path)

    assert overview(run, tallied(run.scores())) == overview(run)

from dataclasses import replace
from pathlib import Path

import pytest
from gate_sides import W, graded, made_side, same

from harness.errors import InvalidInput
from harness.gate import Terms, decide, read_baseline, side_of_baseline
from harness.gate.baselines import Baseline, spell, write_baseline
from harness.gate.blessing import NotBlessed, bless, check_name
from harness.gate.sides import Side


def blessed(side: Side, before: Baseline | None = None) -> Baseline:
    return bless(side, "main", before).baseline


def outcomes(baseline: Baseline, scenario: str = "incident/s00") -> dict[str, str]:
    return dict(baseline.scenarios[scenario].contracts[W].outcomes)


def with_digest(side: Side, digest: str) -> Side:
    return replace(side, grading=graded(dict.fromkeys(side.grading.scenarios, digest)))


def test_a_baseline_keeps_every_trial_and_reads_back_as_it_was(tmp_path: Path) -> None:
    side = made_side(same(3, SEV_2="pfu", PAS_1="pn-"))
    file = tmp_path / "main.json"

    write_baseline(blessed(side), file)
    again = side_of_baseline(read_baseline(file), file)

    assert outcomes(read_baseline(file)) == {"PAS-1": "pn-", "SEV-2": "pfu"}
    assert (again.outcomes, again.trials, again.families) == (side.outcomes, side.trials, side.families)
    assert again.runs == ("runs/model:a",)
    assert (
        decide(side, again, Terms(common=True)).dimensions
        == decide(side, side, Terms(common=True)).dimensions
    )


def test_a_new_baseline_takes_three_trials() -> None:
    with pytest.raises(NotBlessed, match="fewer than 3 trials of incident/s00"):
        bless(made_side(same(2, SEV_2="pp")), "main", None)


def test_one_trial_adds_a_scenario_and_removes_nothing() -> None:
    before = blessed(made_side(same(2, SEV_2="ppp")))
    more = made_side({**same(2, SEV_2="f"), "incident/s99": {"SEV-2": "f"}})

    blessing = bless(more, "main", before)

    assert (blessing.added, blessing.replaced, len(blessing.kept)) == ((f"incident/s99@{W}",), (), 2)
    assert outcomes(blessing.baseline) == {"SEV-2": "ppp"}
    assert outcomes(blessing.baseline, "incident/s99") == {"SEV-2": "f"}
    assert blessing.baseline.runs == {"model:a": "runs/model:a"}


@pytest.mark.parametrize(
    ("letters", "kept"), [("uuu", True), ("puuuu", True), ("pppu", False), ("fff", False)]
)
def test_trials_that_could_not_be_scored_replace_none_that_were(letters: str, *, kept: bool) -> None:
    before = blessed(made_side(same(2, SEV_2="ppp")))
    later = made_side({**same(2, SEV_2="ppp"), "incident/s00": {"SEV-2": letters}})

    blessing = bless(later, "main", before)

    assert (f"incident/s00@{W}" in blessing.kept) is kept
    assert outcomes(blessing.baseline) == {"SEV-2": "ppp" if kept else letters}


def test_fewer_trials_never_replace_more() -> None:
    before = blessed(made_side(same(2, SEV_2="ppppp")))

    with pytest.raises(NotBlessed, match="adds nothing to 'main'"):
        bless(made_side(same(2, SEV_2="fff")), "main", before)


def test_as_many_trials_replace_and_scenarios_that_were_not_asked_stay() -> None:
    before = blessed(made_side(same(3, SEV_2="ppp")))

    blessing = bless(made_side(same(2, SEV_2="pfp")), "main", before)

    assert len(blessing.replaced) == 2
    assert outcomes(blessing.baseline) == {"SEV-2": "pfp"}
    assert outcomes(blessing.baseline, "incident/s02") == {"SEV-2": "ppp"}


def test_a_scenario_that_changed_is_replaced_by_three_trials_and_not_by_two() -> None:
    before = blessed(made_side(same(1, SEV_2="ppppp")))

    replaced = bless(with_digest(made_side(same(1, SEV_2="ppf")), "other"), "main", before)

    assert outcomes(replaced.baseline) == {"SEV-2": "ppf"}
    assert replaced.baseline.scenarios["incident/s00"].digest == "other"
    with pytest.raises(NotBlessed, match="adds nothing"):
        bless(with_digest(made_side(same(1, SEV_2="pp")), "other"), "main", before)


@pytest.mark.parametrize(
    ("side", "told"),
    [
        (made_side(same(1, SEV_2="ppp"), target="model:b"), "target 'model:b', and it holds 'model:a'"),
        (
            made_side(same(1, SEV_2="ppp"), grading=graded({"incident/s00": "s"}, graders={"SEV-2": 9})),
            "other versions of graders",
        ),
        (
            made_side(same(1, SEV_2="ppp"), grading=graded({"incident/s00": "s"}, contracts={W: "other"})),
            "another version of a contract",
        ),
    ],
)
def test_measures_are_not_mixed_in_one_baseline(side: Side, told: str) -> None:
    with pytest.raises(NotBlessed, match=told):
        bless(side, "main", blessed(made_side(same(1, SEV_2="ppp"))))


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (('"ppp"', '"pp"'), "outcomes are 3 letters of pfnu-"),
        (('"ppp"', '"pxp"'), "outcomes are 3 letters of pfnu-"),
        (('"format": 1', '"format": 2'), "is no baseline: format"),
        (('"target"', '"goal"'), "is no baseline: target"),
        (('"trials": 3', '"trials": 1000000000'), "trials: Input should be less than or equal to 10000"),
        (('"trials": 3', '"trials": 0'), "trials: Input should be greater than or equal to 1"),
        (('"SEV-2": "ppp"', ""), "incident/s00@workflow-selection-2.7: found no outcomes"),
        (('"SEV-2": 1', '"SEV-3": 1'), "graders: found no version for SEV-2, judged in incident/s00"),
        ((f'"{W}": "c"', ""), f"contracts: found no digest of '{W}'"),
    ],
)
def test_a_file_that_holds_no_baseline_is_refused(tmp_path: Path, damage: tuple[str, str], told: str) -> None:
    file = tmp_path / "main.json"
    write_baseline(blessed(made_side(same(1, SEV_2="ppp"))), file)
    file.write_text(file.read_text().replace(*damage, 1))

    with pytest.raises(InvalidInput, match=told):
        read_baseline(file)


def test_a_baseline_without_scenarios_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "main.json"
    write_baseline(blessed(made_side(same(1, SEV_2="ppp"))).model_copy(update={"scenarios": {}}), file)

    with pytest.raises(InvalidInput, match="holds no scenario"):
        read_baseline(file)


@pytest.mark.parametrize(
    "name",
    [
        "latest",
        "Latest",
        "ledger",
        "known-failures",
        "20261120T181832-31cef2",
        "a/b",
        "..",
        "",
        "x" * 101,
        "a.json",
    ],
)
def test_a_name_that_means_something_else_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match=r"^--as: found"):
        check_name(name)


@pytest.mark.parametrize("name", ["main", "oracle-2.1", "a", "x" * 100, "latest-model"])
def test_other_names_are_taken(name: str) -> None:
    check_name(name)


def test_a_trial_that_lacks_a_clause_is_spelled_so() -> None:
    assert spell({1: {"SEV-2": "pass"}, 3: {"SEV-2": "fail", "PAS-1": "unscored"}}, 3) == {
        "PAS-1": "--u",
        "SEV-2": "p-f",
    }

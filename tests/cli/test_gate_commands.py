import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from calling import INCIDENT, RECOVERY, SUITE, Ended, call, made_run

from harness.cli import bless

KEYS = {"outcome", "dimensions", "hard", "minimum_detectable", "coverage", "flipped"}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str], here: Path) -> Callable[..., Ended]:
    del here
    return lambda *arguments: call(capsys, *map(str, arguments), *SUITE)


@pytest.fixture
def made(capsys: pytest.CaptureFixture[str], here: Path) -> Callable[..., Path]:
    return lambda *arguments: made_run(capsys, here / "reports" / "runs", *map(str, arguments))


Ask = Callable[..., Ended]
Made = Callable[..., Path]


def edited(path: Path, change: Callable[[Any], None]) -> None:
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value))


class TestGate:
    def test_the_same_again_passes_once_there_are_enough_trials(self, ask: Ask, made: Made) -> None:
        before, now = made("-n", 20), made("-n", 20, "--seed", 1)

        ended = ask("gate", now, "--baseline", before)

        assert ended.code == 0
        first = "pass: compliance changed by +0.0 points and is at most 4.3 points lower; the margin is 5.0"
        assert ended.out.splitlines()[0] == f"{first} points"

    def test_few_trials_are_inconclusive(self, ask: Ask, made: Made) -> None:
        run = made()

        ended = ask("gate", run, "--baseline", run, "--json")

        assert ended.code == 4
        assert set(ended.value) == KEYS
        assert ended.value["outcome"] == "inconclusive"
        assert set(ended.value["dimensions"][0]) == {"dimension", "n", "effect", "low", "high", "outcome"}
        assert ended.value["dimensions"][0]["dimension"] == "all"

    def test_a_vice_is_a_regression_that_names_its_dimension(self, ask: Ask, made: Made) -> None:
        before, now = made("-n", 3), made("-t", "mock:meddler", "-n", 3)

        ended = ask("gate", now, "--baseline", before)

        assert ended.code == 1
        assert ended.out.startswith("regression: pass_through fell by 100.0 points, from 100.0 to 0.0 %")
        assert "differs from turn 2 on: calls search_workflow_catalog with other arguments" in ended.out

    def test_a_hard_clause_is_a_regression_at_once(self, ask: Ask, made: Made) -> None:
        before, now = made("-s", RECOVERY), made("-s", RECOVERY, "-t", "mock:repeater", "--seed", 3)

        ended = ask("gate", now, "--baseline", before, "--json")

        broken = [each for each in ended.value["hard"] if each["outcome"] == "regression"]
        assert ended.code == 1
        assert [each["clause"] for each in broken] == ["REP-1"]
        assert broken[0]["samples"] == [f"{RECOVERY}@workflow-recovery-1.0@mock:repeater#1"]

    def test_what_was_never_recorded_is_insufficient(self, ask: Ask, made: Made) -> None:
        before, now = made("-n", 3), made("-n", 3)
        lines = (now / "transcripts.jsonl").read_text().splitlines(keepends=True)
        (now / "transcripts.jsonl").write_text("".join(lines[:-3]))
        ask("grade", now)

        ended = ask("gate", now, "--baseline", before)

        assert ended.code == 3
        assert ended.out.startswith("insufficient: only 66.7 % of the planned samples could be scored")

    def test_other_digests_are_refused_until_both_are_graded_again(self, ask: Ask, made: Made) -> None:
        before, now = made("-n", 3), made("-n", 3)
        edited(before / "run.json", lambda info: info["graded"]["graders"].update({"SEV-2": 0}))

        refused = ask("gate", now, "--baseline", before)
        common = ask("gate", now, "--baseline", before, "--common")
        ask("grade", before)
        again = ask("gate", now, "--baseline", before)

        assert refused.code == 2
        assert "clauses whose graders differ: SEV-2; grade both again (`harness grade" in refused.err
        assert (common.code, again.code) == (4, 4)
        assert "left out: clauses whose graders differ: SEV-2" in common.out
        assert "left out" not in again.out

    def test_a_run_whose_scores_are_older_than_its_transcripts_is_refused(self, ask: Ask, made: Made) -> None:
        run = made()
        edited(run / "run.json", lambda info: info["graded"].update({"transcripts": 1}))

        assert "was not graded as it is now; grade it with" in ask("gate", run, "--baseline", run).err

    def test_one_target_a_side(self, ask: Ask, made: Made) -> None:
        both, one = made("-t", "mock:oracle", "-t", "mock:null"), made()

        refused = ask("gate", both, "--baseline", one)
        chosen = ask("gate", both, "--baseline", one, "--target", "mock:null")
        within = ask("compare", both, both, "--target", "mock:null", "--baseline-target", "mock:oracle")

        assert refused.code == 2
        assert "holds 2 targets (mock:oracle, mock:null); one is compared at a time" in refused.err
        assert "candidate mock:null" in chosen.out
        assert within.code == 0
        assert ask("gate", both, "--baseline", one, "--target", "mock:nul").code == 2

    @pytest.mark.parametrize(
        "wrong",
        [("--margin", "1"), ("--margin", "x"), ("--alpha", "0"), ("--alpha", "0.6"), ("--alpha", "1e-300")],
    )
    def test_impossible_terms_are_refused(self, ask: Ask, made: Made, wrong: tuple[str, str]) -> None:
        assert ask("gate", made("-s", INCIDENT), "--baseline", "latest", *wrong).code == 2

    def test_a_baseline_that_is_not_there_is_named(self, ask: Ask, made: Made) -> None:
        made("-s", INCIDENT)

        ended = ask("gate", "latest", "--baseline", "nowhere")

        assert ended.code == 2
        assert "no run or baseline 'nowhere'" in ended.err


class TestCompare:
    def test_it_lists_clauses_and_decides_nothing(self, ask: Ask, made: Made) -> None:
        before, now = made("-n", 3), made("-t", "mock:meddler", "-n", 3)

        ended, told = ask("compare", before, now), ask("compare", before, now, "--json")

        assert (ended.code, told.code) == (0, 0)
        assert set(told.value) == KEYS
        assert told.value["outcome"] == "regression"
        assert any(line.startswith("PAS-5") for line in ended.out.splitlines())
        flip = told.value["flipped"][0]
        assert (flip["was"], flip["is"], flip["turn"]) == ("pass", "fail", 2)


class TestBless:
    def test_a_baseline_is_written_with_a_line_in_the_ledger(self, ask: Ask, made: Made, here: Path) -> None:
        run = made("-n", 3)

        ended = ask("bless", run, "--as", "oracle", "--why", "the first", "--who", "sam")

        assert ended.code == 0
        (line,) = (here / "golden/baselines/ledger.jsonl").read_text().splitlines()
        entry = json.loads(line)
        assert {name: entry[name] for name in ("who", "why", "name", "target", "added", "kept", "anew")} == {
            "who": "sam", "why": "the first", "name": "oracle", "target": "mock:oracle", "added": 3,
            "kept": 0, "anew": True,
        }  # fmt: skip
        assert ask("gate", run, "--baseline", "oracle", "--json").value["dimensions"][0]["n"] == 9
        assert ask("gate", run, "--baseline", "golden/baselines/oracle.json").code == 4

    def test_the_ledger_only_grows(self, ask: Ask, made: Made, here: Path) -> None:
        ask("bless", made("-n", 3), "--as", "oracle")
        first = (here / "golden/baselines/ledger.jsonl").read_text()

        ask("bless", made("-n", 4), "--as", "oracle")
        ask("bless", made("-n", 3), "--as", "oracle", "--replace")

        after = (here / "golden/baselines/ledger.jsonl").read_text()
        assert after.startswith(first)
        assert [json.loads(line)["anew"] for line in after.splitlines()] == [True, False, True]

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (("-n", "2"), "fewer than 3 trials"),
            (("-n", "3", "-t", "mock:oracle", "-t", "mock:null"), "holds 2 targets"),
        ],
    )
    def test_a_run_that_shows_too_little_is_refused(
        self, ask: Ask, made: Made, here: Path, arguments: tuple[str, ...], told: str
    ) -> None:
        ended = ask("bless", made(*arguments), "--as", "x")

        assert (ended.code, told in ended.err) == (2, True)
        assert not (here / "golden").exists()

    def test_a_run_that_was_interrupted_is_refused(self, ask: Ask, made: Made) -> None:
        run = made("-n", 3)
        edited(run / "run.json", lambda info: info.update({"status": "interrupted"}))

        assert "is interrupted; finish it with" in ask("bless", run, "--as", "x").err

    def test_names_that_are_paths_are_refused(self, ask: Ask, made: Made) -> None:
        run = made("-n", 3)

        assert ask("bless", run, "--as", "../x").code == 2
        assert ask("bless", run, "--as", "x.json").code == 2
        assert "found 'latest', which means something else" in ask("bless", run, "--as", "latest").err

    def test_a_baseline_that_was_edited_is_neither_gated_nor_added_to(
        self, ask: Ask, made: Made, here: Path
    ) -> None:
        run = made("-n", 3)
        ask("bless", run, "--as", "oracle")
        file = here / "golden/baselines/oracle.json"
        file.write_text(file.read_text().replace('"ppp"', '"ffp"', 1))

        gated, compared = ask("gate", run, "--baseline", "oracle"), ask("compare", "oracle", run)
        more = ask("bless", made("-n", 4), "--as", "oracle")
        anew = ask("bless", run, "--as", "oracle", "--replace")

        assert (gated.code, compared.code, more.code, anew.code) == (2, 2, 2, 0)
        assert "oracle.json: is not what was accepted" in gated.err
        assert f"`harness bless {run} --as oracle --replace`" in gated.err
        assert ask("gate", run, "--baseline", "oracle").code == 4

    def test_a_kill_between_ledger_and_baseline_harms_nothing(
        self, ask: Ask, made: Made, here: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run, more = made("-n", 3), made("-n", 4)
        ask("bless", run, "--as", "oracle")
        before = (here / "golden/baselines/oracle.json").read_bytes()

        def killed(*_: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(bless, "write_baseline", killed)
        ask("bless", more, "--as", "oracle")
        monkeypatch.undo()
        monkeypatch.chdir(here)

        assert (here / "golden/baselines/oracle.json").read_bytes() == before
        assert len((here / "golden/baselines/ledger.jsonl").read_text().splitlines()) == 2
        gated = ask("gate", run, "--baseline", "oracle")
        assert gated.code == 4
        assert "ledger.jsonl:2 accepted another since, which is not there" in gated.out
        assert ask("bless", more, "--as", "oracle").code == 0
        assert "accepted another since" not in ask("gate", run, "--baseline", "oracle").out

    def test_a_run_that_says_it_has_a_billion_trials_is_refused(self, ask: Ask, made: Made) -> None:
        run = made("-n", 3)
        edited(run / "run.json", lambda info: info.update({"trials": 1_000_000_000}))

        ended = ask("gate", run, "--baseline", run)

        assert (ended.code, "found 1000000000 trials; at most 10000 can be compared" in ended.err) == (
            2,
            True,
        )


class TestKnownFailures:
    def test_they_are_told_and_not_counted_and_expire(self, ask: Ask, made: Made, here: Path) -> None:
        before, now = made("-n", 3), made("-t", "mock:meddler", "-n", 3)
        folder = here / "golden" / "baselines"
        folder.mkdir(parents=True)
        entry = "- {{scenario: '*', clause: PAS-5, reason: labels under review, expires: {}}}\n"
        (folder / "known-failures.yaml").write_text(entry.format("2999-01-01"))
        counted = ask("gate", now, "--baseline", before)
        (folder / "known-failures.yaml").write_text(entry.format("2020-01-01"))

        expired = ask("gate", now, "--baseline", before)

        assert "known failure, not counted until 2999-01-01: * PAS-5" in counted.out
        assert expired.code == 2
        assert "expired on 2020-01-01" in expired.err


class TestPlan:
    def test_a_plan_without_a_run_assumes_a_rate(self, ask: Ask) -> None:
        ended, told = ask("plan", "--detect", "0.2"), ask("plan", "--detect", "0.2", "--json")

        assert ended.code == 0
        assert "a rate of 95.0 % is assumed" in ended.out
        assert set(told.value) == {"scenarios", "trials", "cost", "minimum_detectable"}
        assert (told.value["scenarios"], told.value["cost"]) == (3, None)
        assert told.value["minimum_detectable"] <= 0.2

    def test_a_plan_from_a_run_says_what_its_trials_show(self, ask: Ask, made: Made) -> None:
        run = made("-t", "mock:flaky", "-n", 5)

        ended, told = ask("plan", "--from", run), ask("plan", "--from", run, "--json")

        assert "with 5 trials as there are, on both sides:" in ended.out
        assert "cost unknown" in ended.out
        assert told.value["minimum_detectable"] > 0.1
        assert told.value["trials"] > 20

    @pytest.mark.parametrize(
        "wrong",
        [
            ("--detect", "0"),
            ("--power", "0.3"),
            ("--detect", "0.05", "--margin", "0.05"),
            ("--detect", "2"),
            ("--alpha", "1e-300"),
            ("--alpha", "0"),
            ("--power", "0.99999999999999994"),
            ("--alpha", "0.6"),
        ],
    )
    def test_impossible_questions_are_refused(self, ask: Ask, wrong: tuple[str, ...]) -> None:
        ended = ask("plan", *wrong)

        assert (ended.code, wrong[0] in ended.err) == (2, True)

    @pytest.mark.parametrize(
        "far",
        [
            ("--alpha", "1e-6"),
            ("--rate", "0"),
            ("--rate", "0.999999"),
            ("--detect", "1e-300"),
            ("--power", "0.9999"),
        ],
    )
    def test_far_fetched_questions_are_answered(self, ask: Ask, far: tuple[str, ...]) -> None:
        assert ask("plan", *far).code == 0

"""`pytest -m eval`: what is run, what is said of it, and what is kept."""

import pytest
from sessions import INCIDENT, RECOVERY, RENAMED, info, lines, only_run, session, turn_on


def test_the_oracle_is_green_and_its_run_is_kept(pytester: pytest.Pytester) -> None:
    turn_on(pytester)

    result = session(pytester, "-m", "eval")

    folder = only_run(pytester)
    result.assert_outcomes(passed=3, deselected=1)
    assert info(folder)["status"] == "complete"
    assert info(folder)["counts"]["compliant"] == 3
    assert info(folder)["only"] is None
    assert {each.name for each in folder.iterdir()} == {
        "run.json", "transcripts.jsonl", "blobs.jsonl", "scores.jsonl",
        "report.md", "summary.csv", "samples.csv",
    }  # fmt: skip
    result.stdout.fnmatch_lines(
        [
            "collected 4 items / 1 deselected / 3 selected",
            f"run reports/runs/{folder.name}",
            "mock:oracle  workflow-recovery-1.0  compliant 1 of 1, 100.0 % (*)",
            "mock:oracle  workflow-selection-2.7  compliant 2 of 2, 100.0 % (*)",
            "mock:oracle  workflow-selection-2.7  relations kept 1 of 1, 100.0 % (*)",
            "reports in it: report.md, summary.csv, samples.csv",
        ]
    )


def test_a_sample_that_breaks_its_contract_says_what_and_where(pytester: pytest.Pytester) -> None:
    turn_on(pytester)

    result = session(pytester, "-m", "eval", "--target", "mock:meddler", "-k", INCIDENT)

    result.assert_outcomes(failed=1, deselected=3)
    result.stdout.fnmatch_lines(
        [
            f"*eval?{INCIDENT}@workflow-selection-2.7@mock:meddler#1?*",
            "breaks PAS-5",
            "",
            "PAS-5  Custom and detected labels reach every search unchanged.",
            "    place     message 5 custom_labels",
            '    expected  {"cost-center": "retail"}',
            "    observed  null",
            "    reason    custom_labels differ from the request's",
            "",
            "this is what would have run: raise-memory-limit with {*}",
            f"all that was said: harness show reports/runs/* '{INCIDENT}@*@mock:meddler#1'",
        ],
        consecutive=True,
    )
    for sign_of_a_traceback in ("Traceback", "pytest_plugin/", "Failed:", "> "):
        result.stdout.no_fnmatch_line(f"*{sign_of_a_traceback}*")


def test_every_target_contract_and_trial_is_a_test_of_its_own(pytester: pytest.Pytester) -> None:
    turn_on(pytester)
    chosen = ["--scenario", "*/oom-*", "--target", "mock:oracle", "--target", "mock:null", "--trials", "2"]

    result = session(pytester, "--collect-only", "-q", "-m", "eval", *chosen)

    assert [line for line in result.outlines if line.startswith("harness::")] == [
        f"harness::eval[{scenario}@workflow-selection-2.7@{target}#{trial}]"
        for target in ("mock:oracle", "mock:null")
        for scenario in (INCIDENT, RENAMED)
        for trial in (1, 2)
    ]
    assert not (pytester.path / "reports").exists()


def test_only_what_is_selected_is_recorded(pytester: pytest.Pytester) -> None:
    turn_on(pytester)

    result = session(pytester, "-m", "eval", "-k", RECOVERY, "--trials", "2", "--out", "elsewhere")

    (folder,) = (pytester.path / "elsewhere").iterdir()
    asked = [f"{RECOVERY}@workflow-recovery-1.0@mock:oracle#{trial}" for trial in (1, 2)]
    result.assert_outcomes(passed=2, deselected=5)
    result.stdout.fnmatch_lines(["selected were 2 of 6 samples"])
    assert sorted(each["sample"] for each in lines(folder, "transcripts.jsonl")) == asked
    assert info(folder)["only"] == asked
    assert list(info(folder)["scenarios"]) == [RECOVERY]
    assert info(folder)["status"] == "complete"


def test_a_session_that_evaluates_nothing_says_so(pytester: pytest.Pytester) -> None:
    turn_on(pytester)

    result = session(pytester, "-m", "eval", "-k", "nothing-of-this-name")

    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    result.stdout.fnmatch_lines(["nothing was evaluated: none of 3 samples was reached"])
    assert not (pytester.path / "reports").exists()


def test_a_contract_and_a_tag_choose(pytester: pytest.Pytester) -> None:
    turn_on(pytester)

    by_contract = session(pytester, "-m", "eval", "--co", "-q", "--contract", "workflow-recovery-1.0")
    by_tag = session(pytester, "-m", "eval", "--co", "-q", "--tag", "oom")

    assert [line for line in by_contract.outlines if line.startswith("harness::")] == [
        f"harness::eval[{RECOVERY}@workflow-recovery-1.0@mock:oracle#1]"
    ]
    assert [INCIDENT in line for line in by_tag.outlines if line.startswith("harness::")] == [True, False]


def test_a_relation_fails_the_changed_sample_where_both_halves_are_run(pytester: pytest.Pytester) -> None:
    turn_on(pytester)
    meddler = ["-m", "eval", "--target", "mock:meddler"]

    alone = session(pytester, *meddler, "-k", RENAMED)
    both = session(pytester, *meddler, "--scenario", INCIDENT, "--scenario", RENAMED)

    alone.assert_outcomes(failed=1, deselected=3)
    alone.stdout.no_fnmatch_line("*MET-3*")
    both.assert_outcomes(failed=2, deselected=1)
    both.stdout.fnmatch_lines(
        [
            f"*eval?{RENAMED}@*",
            "breaks *, MET-3",
            "MET-3  Renamed resources are renamed in the answer, and nothing else changes.",
            f"    reason    selection against {INCIDENT}",
        ]
    )


def test_plain_pytest_collects_nothing_of_it(pytester: pytest.Pytester) -> None:
    turn_on(pytester, "markers = slow")

    for arguments in ([], ["-m", "not eval"], ["-m", "not slow"], ["-k", "ordinary"]):
        result = session(pytester, *arguments)

        result.assert_outcomes(passed=1)
        result.stdout.no_fnmatch_line("*harness*: *")
    assert not (pytester.path / "reports").exists()


def test_a_target_on_the_command_line_asks_for_evaluations(pytester: pytest.Pytester) -> None:
    turn_on(pytester, 'addopts = -m "not eval"')

    result = session(pytester, "--target=mock:oracle")

    result.assert_outcomes(passed=3, deselected=1)


def test_a_target_in_addopts_only_says_which(pytester: pytest.Pytester) -> None:
    turn_on(pytester, "addopts = --target mock:null")

    plain, asked = (
        session(
            pytester,
        ),
        session(pytester, "-m", "eval"),
    )

    plain.assert_outcomes(passed=1)
    asked.assert_outcomes(failed=3, deselected=1)
    asked.stdout.fnmatch_lines(["*mock:null#1?*", "nothing would have run: *"])


def test_the_last_failed_can_be_run_again(pytester: pytest.Pytester) -> None:
    turn_on(pytester)
    both = ["-m", "eval", "--scenario", INCIDENT, "--target", "mock:oracle", "--target", "mock:meddler"]

    session(pytester, *both).assert_outcomes(passed=1, failed=1, deselected=1)
    again = session(pytester, *both, "--lf")

    again.assert_outcomes(failed=1, deselected=2)


def test_ordinary_tests_run_beside_it(pytester: pytest.Pytester) -> None:
    turn_on(pytester)

    result = session(pytester, "-m", "eval or not eval", "--scenario", INCIDENT)

    result.assert_outcomes(passed=2)


def test_properties_reach_junit(pytester: pytest.Pytester) -> None:
    turn_on(pytester)

    session(pytester, "-m", "eval", "--target", "mock:meddler", "-k", INCIDENT, "--junitxml", "junit.xml")

    xml = (pytester.path / "junit.xml").read_text()
    for name, value in {
        "sample": f"{INCIDENT}@workflow-selection-2.7@mock:meddler#1",
        "target": "mock:meddler",
        "contract": "workflow-selection-2.7",
        "failed_clauses": "PAS-5",
    }.items():
        assert f'<property name="{name}" value="{value}" />' in xml
    assert '<failure message="breaks PAS-5">breaks PAS-5' in xml


WRONG = [
    (["--target", "mock:orakle"], "no mock 'orakle'; did you mean 'oracle'"),
    (["--target", "oracle"], "no target 'oracle'; known: none; or write mock:NAME"),
    (["--contract", "workflow-selection-2.8"], "did you mean 'workflow-selection-2.7'"),
    (["--scenario", "incident/x"], "no scenario 'incident/x'"),
    (["--tag", "ooom"], "no scenario with tag 'ooom'; did you mean 'oom'"),
    (["--trials", "none"], "--trials: found 'none'; use a whole number, 1 or more"),
    (["--concurrency", "0"], "--concurrency: found '0'; use a whole number, 1 or more"),
    (["--run", "nothing"], "no run 'nothing'"),
    (["--run", "latest"], "no run 'latest'"),
    (["--run", "latest", "--trials", "2"], "--trials: --run judges what was recorded; leave this out"),
    (["--out", "/proc/nowhere"], "--out /proc/nowhere"),
    (["-o", "harness_project=nowhere"], "holds no folder scenarios/"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG, ids=[" ".join(each[0]) for each in WRONG])
def test_what_is_wrong_ends_the_session_with_one_line(
    pytester: pytest.Pytester, arguments: list[str], message: str
) -> None:
    turn_on(pytester)

    result = session(pytester, "-m", "eval", *arguments)

    (line,) = [each for each in result.errlines if each]
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert line.startswith("ERROR: ")
    assert message in line


def test_a_mark_expression_that_contradicts_the_target_is_refused(pytester: pytest.Pytester) -> None:
    turn_on(pytester)

    result = session(pytester, "-m", "not eval", "--target", "mock:oracle")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: --target: -m 'not eval' leaves out the samples it asks for; use -m eval"]
    )

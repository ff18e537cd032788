import csv
import io
import json
from pathlib import Path

from hostile import is_plain, rows
from hypothesis import given, settings
from made_up import R, W, all_scores, made_run, score

from harness.reporting.csv_files import write_samples, write_summary
from harness.reporting.write import write_reports
from harness.statistics import summarise, tallied
from harness.store import ScoreRow

FORMULA = ("=", "+", "-", "@", "\t", "\r")


def written(made: list[ScoreRow]) -> str:
    stream = io.BytesIO()
    write_samples(stream, made)
    return stream.getvalue().decode()


def test_summary_has_the_columns_in_order_and_is_empty_where_nothing_is_known(tmp_path: Path) -> None:
    rows = [
        score(f"incident/x@{W}@mock:flaky#1", "SEV-2"),
        score(f"incident/x@{W}@mock:flaky#2", "SEV-2", "fail"),
        score(f"incident/x@{W}@mock:flaky#3", "SEV-2"),
        score(f"recovery/x@{R}@mock:flaky#1", "REP-1", "unscored"),
        score(f"incident/x@{W}@mock:oracle#1", "SEV-2", "not_applicable"),
    ]

    write_reports(made_run(tmp_path, rows), ["csv"])

    (text,) = (each.read_text(encoding="utf-8") for each in tmp_path.glob("*/summary.csv"))
    assert text == (
        "target,contract,dimension,n,passed,rate,low,high,unscored,not_applicable\n"
        "mock:oracle,workflow-selection-2.7,all,0,0,,,,0,1\n"
        "mock:oracle,workflow-selection-2.7,severity,0,0,,,,0,1\n"
        "mock:flaky,workflow-selection-2.7,all,3,2,0.666667,0.20766,0.938508,0,0\n"
        "mock:flaky,workflow-selection-2.7,severity,3,2,0.666667,0.20766,0.938508,0,0\n"
        "mock:flaky,workflow-recovery-1.0,all,0,0,,,,1,0\n"
        "mock:flaky,workflow-recovery-1.0,non_repetition,0,0,,,,1,0\n"
    )


def test_samples_has_one_line_per_sample_and_clause_with_the_columns_of_scores_jsonl() -> None:
    made = [
        score(
            f"incident/x@{W}@mock:flaky#1", "SEV-2", "fail", reason="1 level too mild, really",
            place="/rca_severity", expected=["critical"], observed="high",
        ),
        score(f"incident/x@{W}@mock:flaky#1", "PAR-2", "fail", expected="an integer", observed=-5.5),
        score(f"incident/x@{W}@mock:flaky#2", "SEV-2"),
    ]  # fmt: skip

    assert written(made) == (
        "sample,scenario,contract,target,trial,grader,clause,dimension,level,outcome,reason,expected,"
        "observed,place\n"
        "incident/x@workflow-selection-2.7@mock:flaky#1,incident/x,workflow-selection-2.7,mock:flaky,1,"
        'made.SEV-2,SEV-2,severity,MUST,fail,"1 level too mild, really","[""critical""]","""high""",'
        "/rca_severity\n"
        "incident/x@workflow-selection-2.7@mock:flaky#1,incident/x,workflow-selection-2.7,mock:flaky,1,"
        'made.PAR-2,PAR-2,parameters,MUST,fail,,"""an integer""",\'-5.5,\n'
        "incident/x@workflow-selection-2.7@mock:flaky#2,incident/x,workflow-selection-2.7,mock:flaky,2,"
        "made.SEV-2,SEV-2,severity,MUST,pass,,,,\n"
    )


def test_what_a_fail_observed_is_never_empty() -> None:
    sample = f"incident/x@{W}@mock:flaky#1"
    made = [score(sample, "SEL-2", "fail"), score(sample, "SEV-2"), score(sample, "SEV-1", "unscored")]

    lines = list(csv.DictReader(io.StringIO(written(made))))

    assert [(each["expected"], each["observed"]) for each in lines] == [("", "null"), ("", ""), ("", "")]


def test_the_made_up_run_has_a_line_for_each_of_its_scores() -> None:
    lines = list(csv.DictReader(io.StringIO(written(all_scores()))))

    assert len(lines) == 60
    assert sum(each["outcome"] == "fail" for each in lines) == 9


@settings(deadline=None)
@given(rows)
def test_whatever_was_written_reads_back_and_no_cell_is_a_formula(made: list[ScoreRow]) -> None:
    text = written(made)
    lines = list(csv.DictReader(io.StringIO(text), strict=True))

    assert is_plain(text)
    assert len(lines) == len(made) == text.count("\n") - 1
    for line, row in zip(lines, made, strict=True):
        assert not [each for each in line.values() if each.startswith(FORMULA)]
        assert None not in line
        for name in ("expected", "observed"):
            value = getattr(row, name)
            assert (json.loads(line[name].removeprefix("'")) if line[name] else None) == value


@settings(deadline=None)
@given(rows)
def test_no_cell_of_the_summary_is_a_formula(made: list[ScoreRow]) -> None:
    stream = io.StringIO(newline="")
    write_summary(stream, summarise(tallied(made)))
    lines = list(csv.reader(io.StringIO(stream.getvalue()), strict=True))

    assert is_plain(stream.getvalue())
    assert {len(line) for line in lines} == {10}
    assert not [each for line in lines for each in line if each.startswith(FORMULA)]

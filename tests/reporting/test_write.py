from pathlib import Path

import pytest
from made_up import info, made_run

from harness.errors import InvalidRun, UnknownName
from harness.reporting.write import FORMATS, write_reports
from harness.store import create_run

OWN = [each for each in FORMATS if each not in {"inspect", "otel"}]
"""The formats that need no extra."""


def test_reports_go_into_the_run_by_default_in_the_order_asked_for(tmp_path: Path) -> None:
    run = made_run(tmp_path)

    written = write_reports(run, ["csv", "md", "csv"])

    assert written == [run.path("summary.csv"), run.path("samples.csv"), run.path("report.md")]
    assert all(each.is_file() for each in written)


def test_reports_go_into_a_folder_that_is_made(tmp_path: Path) -> None:
    run = made_run(tmp_path / "runs")

    assert write_reports(run, ["md"], tmp_path / "a" / "b") == [tmp_path / "a" / "b" / "report.md"]
    assert not run.path("report.md").exists()


def test_every_format_writes_the_same_again_and_leaves_no_draft(tmp_path: Path) -> None:
    run = made_run(tmp_path)

    first = {each: each.read_bytes() for each in write_reports(run, OWN)}
    second = {each: each.read_bytes() for each in write_reports(run, OWN)}

    assert first == second
    assert not list(tmp_path.glob("**/*.draft"))


def test_an_unknown_format_writes_nothing(tmp_path: Path) -> None:
    run = made_run(tmp_path)

    with pytest.raises(UnknownName, match="no report format 'mdd'; did you mean 'md'"):
        write_reports(run, ["md", "mdd"])

    assert not run.path("report.md").exists()


@pytest.mark.parametrize("name", OWN)
def test_a_run_without_scores_is_refused_and_an_older_report_stays(tmp_path: Path, name: str) -> None:
    run = create_run(tmp_path, info())
    older = [run.path(each) for each in ("report.md", "summary.csv", "samples.csv")]
    for each in older:
        each.write_text("older", encoding="utf-8")

    with pytest.raises(InvalidRun, match="harness grade"):
        write_reports(run, [name])

    assert [each.read_text(encoding="utf-8") for each in older] == ["older"] * 3


def test_an_empty_run_can_be_reported(tmp_path: Path) -> None:
    written = write_reports(made_run(tmp_path, []), OWN)

    assert "No sample was graded." in written[0].read_text(encoding="utf-8")
    assert written[1].read_text(encoding="utf-8").count("\n") == 1

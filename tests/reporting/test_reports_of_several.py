from pathlib import Path

import pytest
from made_up import all_scores, made_run

from harness.cli import main
from harness.reporting.github import marker
from harness.reporting.write import FORMATS, TOGETHER


def two(folder: Path) -> list[str]:
    runs = [made_run(folder, all_scores(), id=each) for each in ("a", "b")]
    return [str(each.folder) for each in runs]


def test_every_format_takes_several_runs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "out"

    assert (
        main(
            ["report", *two(tmp_path / "runs"), "-f", "md,csv,json,junit,summary,comment", "--out", str(out)]
        )
        == 0
    )

    each = ["report.md", "summary.csv", "samples.csv", "report.json"]
    files = [out / run / name for run in "ab" for name in each]
    files += [out / "junit.xml", out / "summary.md", out / "comment.md"]
    assert capsys.readouterr().out.splitlines() == [str(file) for file in files]
    assert all(file.stat().st_size for file in files)
    comment = (out / "comment.md").read_text(encoding="utf-8")
    assert comment.startswith("<!-- contract-harness report -->\n")
    assert comment.count("\nRun `") == 2


def test_without_a_folder_each_run_keeps_its_own(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    runs = two(tmp_path)

    assert main(["report", *runs, "-f", "junit,comment"]) == 0

    files = [f"{run}/{name}" for run in runs for name in ("junit.xml", "comment.md")]
    assert capsys.readouterr().out.splitlines() == files


def test_one_run_twice_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run, _ = two(tmp_path)

    assert main(["report", run, run, "-f", "md", "--out", str(tmp_path / "out")]) == 2

    assert "two of the runs are 'a'" in capsys.readouterr().err


def test_help_names_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["report", "--help"])

    told = " ".join(capsys.readouterr().out.split())
    assert all(each in told for each in FORMATS)
    assert set(TOGETHER) < set(FORMATS)


@pytest.mark.parametrize("name", ["x-->y", "a--b", "a\nb", "<!--", "é"])
def test_no_name_ends_the_marker(name: str) -> None:
    line = marker("gate", name)

    assert line.startswith("<!-- contract-harness gate ")
    assert line.endswith(" -->")
    assert "--" not in line[4:-3]
    assert "\n" not in line

from pathlib import Path

import pytest
from pages import plain_run

from harness.cli import main


def test_html_of_several_runs_is_one_page_beside_their_other_reports(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    runs = [plain_run(tmp_path / "runs", each) for each in ("a", "b")]
    out = tmp_path / "out"

    assert main(["report", *(str(each.folder) for each in runs), "-f", "csv,html", "--out", str(out)]) == 0

    files = [str(path) for each in "ab" for path in (out / each / "summary.csv", out / each / "samples.csv")]
    assert capsys.readouterr().out.splitlines() == [*files, str(out / "report.html")]
    assert "From run A to run B" in (out / "report.html").read_text(encoding="utf-8")


def test_html_of_several_runs_without_a_folder_is_a_page_in_each(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    runs = [plain_run(tmp_path, each) for each in ("a", "b")]

    assert main(["report", *(str(each.folder) for each in runs), "-f", "html"]) == 0

    assert capsys.readouterr().out.splitlines() == [str(each.path("report.html")) for each in runs]
    assert "What changed" not in runs[1].path("report.html").read_text(encoding="utf-8")

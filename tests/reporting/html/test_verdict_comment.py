from pathlib import Path

import pytest
from pages import POOR, plain_run

from harness.cli import main


@pytest.mark.parametrize("command", ["gate", "compare"])
def test_a_verdict_is_printed_as_a_comment(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, command: str
) -> None:
    before = str(plain_run(tmp_path, "a", bad=("#1",)).folder)
    after = str(plain_run(tmp_path, "b", bad=("#1", "#2")).folder)
    sides = [after, "--baseline", before] if command == "gate" else [before, after]

    code = main([command, *sides, "--target", POOR, "--markdown"])

    told = capsys.readouterr().out
    assert code == (0 if command == "compare" else code)
    assert told.startswith(f"<!-- contract-harness {command} {POOR} -->\n\n## ")
    assert "Flipped: 2 samples fell, 0 rose</summary>" in told
    assert told.count("<details>") == told.count("</details>")

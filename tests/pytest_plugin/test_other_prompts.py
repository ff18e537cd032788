"""Sessions under prompts that are not the built-in ones."""

import pytest
from sessions import INCIDENT, info, lines, only_run, session, turn_on

from harness.contracts import CONTRACTS
from harness.prompting.exporting import export_packs


def test_a_session_asks_with_the_prompts_that_it_is_given(pytester: pytest.Pytester) -> None:
    turn_on(pytester)
    for file in export_packs(CONTRACTS, pytester.path / "mine"):
        file.write_text(f"Hello.\n{file.read_text(encoding='utf-8')}", encoding="utf-8")

    result = session(pytester, "-m", "eval", "-k", INCIDENT, "--prompts", "mine")

    folder = only_run(pytester)
    result.assert_outcomes(passed=1, deselected=3)
    assert info(folder)["prompts"] == str(pytester.path / "mine")
    assert "Hello." in (folder / "blobs.jsonl").read_text(encoding="utf-8")
    assert len(lines(folder, "transcripts.jsonl")) == 1


def test_prompts_are_not_taken_beside_a_stored_run(pytester: pytest.Pytester) -> None:
    turn_on(pytester)

    result = session(pytester, "-m", "eval", "--run", "latest", "--prompts", "mine")

    assert result.ret != 0
    result.stderr.fnmatch_lines(["*--prompts: --run judges what was recorded; leave this out*"])

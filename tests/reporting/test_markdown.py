from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from hostile import is_plain, rows, texts
from hypothesis import given, settings
from made_up import W, in_memory, made_run, score
from markdown_it import MarkdownIt
from markdown_it.token import Token

from harness.reporting.markdown import MAX_SHOWN, render_markdown
from harness.reporting.overview import overview
from harness.store import ScoreRow

EXPECTED = Path(__file__).with_name("expected_report.md")


def rendered(folder: Path, made: list[ScoreRow] | None = None, **changes: object) -> str:
    return render_markdown(overview(made_run(folder, made, **changes)))


def test_the_report_of_the_made_up_run(tmp_path: Path) -> None:
    text, _, _ = rendered(tmp_path).partition("## Not graded")

    assert text == EXPECTED.read_text(encoding="utf-8")


def test_clauses_without_a_score_are_listed_with_the_reason(tmp_path: Path) -> None:
    _, _, text = rendered(tmp_path).partition("## Not graded")

    lines = {line.split("`")[1]: line for line in text.splitlines() if line.startswith("| `")}
    assert "no score in this run" in lines["CAR-2"]
    assert "`workflow-selection-2.7`, `workflow-recovery-1.0`" in lines["CAR-2"]
    assert "CAR-7" not in lines
    assert "SEV-2" not in lines


def test_long_lists_of_fails_are_capped_and_say_so(tmp_path: Path) -> None:
    made = [score(f"incident/x@{W}@mock:flaky#{trial}", "SEV-2", "fail") for trial in range(1, 14)]

    text = rendered(tmp_path, made)

    assert "#### `SEV-2` (MUST): fails in 13 of 13 samples" in text
    assert text.count(f"| `incident/x@{W}@mock:flaky#") == MAX_SHOWN
    assert "3 more left out; `harness show 20260302T101500-3f9c SAMPLE` shows any of them." in text


def test_a_run_that_is_not_complete_says_so_before_its_numbers(tmp_path: Path) -> None:
    text = rendered(tmp_path, status="interrupted")

    assert (
        "> This run is `interrupted`: not every planned sample is on disk" in text.partition("## Result")[0]
    )


def test_what_was_not_scored_has_no_rate(tmp_path: Path) -> None:
    made = [score(f"incident/x@{W}@mock:flaky#1", "SEV-2", "unscored", reason="timeout: 300 s")]

    text = rendered(tmp_path, made)

    assert f"- **`mock:flaky`** under `{W}`: no sample was scored, so nothing is known; 1 unscored." in text
    numbers = next(line for line in text.splitlines() if "`all`" in line and line.startswith("|"))
    assert [each.strip() for each in numbers.split("|")[4:-1]] == ["0", "0", "-", "-", "1", "0"]
    assert "0.0 %" not in text


def test_a_clause_of_a_later_harness_is_reported_without_its_text(tmp_path: Path) -> None:
    known = score(f"incident/x@{W}@mock:flaky#1", "SEV-2", "fail")
    made = [replace(known, clause="NEW-9", dimension="tone")]

    text = rendered(tmp_path, made)

    assert "#### `NEW-9` (MUST): fails in 1 of 1 sample\n\nThis harness does not know the clause." in text
    assert "| `tone`" in text


def tokens(text: str) -> Iterator[Token]:
    for block in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text):
        yield block
        yield from block.children or []


SHAPES = {
    "heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline", "text", "softbreak",
    "bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close", "strong_open",
    "strong_close", "code_inline", "fence", "table_open", "table_close", "thead_open", "thead_close",
    "tbody_open", "tbody_close", "tr_open", "tr_close", "th_open", "th_close", "td_open", "td_close",
}  # fmt: skip


@settings(deadline=None)
@given(rows, texts)
def test_nothing_that_was_written_becomes_markup(made: list[ScoreRow], name: str) -> None:
    named: dict[str, Any] = {"targets": {name: {"kind": name}}, "prompts": name, "versions": {name: name}}
    text = render_markdown(overview(in_memory(made, **named)))

    found = list(tokens(text))

    assert is_plain(text)
    # These are the shapes of a report without hostile text: no link, image, HTML, quotation or emphasis.
    assert {each.type for each in found} <= SHAPES
    for each in found:
        if each.type == "text":
            assert not {"@", "<", "#", "`", "|"} & set(each.content)
            assert "evil" not in each.content
            assert "://" not in each.content


@settings(deadline=None)
@given(rows)
def test_every_line_of_a_table_has_the_cells_of_its_head(made: list[ScoreRow]) -> None:
    text = render_markdown(overview(in_memory(made)))

    tables = [block for block in text.split("\n\n") if block.startswith("|")]
    assert [len({bars(line) for line in each.splitlines()}) for each in tables] == [1] * len(tables)


def bars(line: str) -> int:
    """Return how many bars end a cell, as GitHub counts them: a backslash takes its next character along."""
    found, escaped = 0, False
    for each in line:
        found += each == "|" and not escaped
        escaped = each == "\\" and not escaped
    return found

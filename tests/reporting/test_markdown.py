import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from hostile import is_plain, rows, texts
from hypothesis import given, settings
from made_up import W, all_scores, in_memory, made_run, score
from markdown_it import MarkdownIt
from markdown_it.token import Token

from harness.reporting.markdown import render_markdown
from harness.reporting.overview import overview
from harness.reporting.sections import MAX_SHOWN
from harness.store import ScoreRow

EXPECTED = Path(__file__).with_name("expected_report.md")


def rendered(folder: Path, made: list[ScoreRow] | None = None, **changes: object) -> str:
    return render_markdown(overview(made_run(folder, made, **changes)))


def test_the_report_of_the_made_up_run() -> None:
    text, _, _ = render_markdown(overview(in_memory(all_scores()))).partition("## Not graded")

    assert text == EXPECTED.read_text(encoding="utf-8")


def test_clauses_without_a_score_are_listed_with_the_reason(tmp_path: Path) -> None:
    _, _, text = rendered(tmp_path).partition("## Not graded")

    lines = {line.split("`")[1]: line for line in text.splitlines() if line.startswith("| `")}
    assert "no score in this run" in lines["CAR-2"]
    assert "`workflow-selection-2.7`, `workflow-recovery-1.0`" in lines["CAR-2"]
    assert "no pair in this run" in lines["MET-1"]
    assert "CAR-7" not in lines
    assert "SEV-2" not in lines


def test_long_lists_of_fails_are_capped_and_say_so(tmp_path: Path) -> None:
    made = [score(f"incident/x@{W}@mock:flaky#{trial}", "SEV-2", "fail") for trial in range(1, 14)]

    text = rendered(tmp_path, made)

    assert "#### `SEV-2` (MUST): fails in 13 of 13 samples" in text
    assert text.count(f"| `incident/x@{W}@mock:flaky#") == MAX_SHOWN
    assert "\n\n3 more left out.\n\n" in text


def test_what_failed_comes_before_the_numbers_and_ungraded_clauses_come_last() -> None:
    text = render_markdown(overview(in_memory(all_scores())))

    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## Verdict", "## Unscored, by cause", "## What failed", "## By dimension",
            "## Repeated trials", "## Severities taken for others", "## SHOULD clauses",
        "## How to read this", "## Not graded",
    ]  # fmt: skip


def test_a_run_without_unscored_says_nothing_of_causes() -> None:
    text = render_markdown(overview(in_memory([score(f"incident/x@{W}@mock:oracle#1", "SEV-2")])))

    assert "Unscored, by cause" not in text
    assert "## What failed\n\nNo MUST clause failed.\n\n" in text


def test_a_run_without_scores_has_no_numbers() -> None:
    text = render_markdown(overview(in_memory([])))

    assert "## Verdict\n\nNo sample was graded.\n\n## How to read this" in text


def test_only_targets_that_could_not_be_asked_are_to_be_asked_again() -> None:
    def about(reason: str) -> str:
        made = [score(f"incident/x@{W}@mock:flaky#1", "SEV-2", "unscored", reason=reason)]
        return render_markdown(overview(in_memory(made)))

    assert "harness run --retry-unscored 20260302T101500-3f9c" in about("timeout: 300 s")
    assert "retry-unscored" not in about("truncated: the answer was cut by the token limit")
    assert "retry-unscored" not in about("the workflow's parameter definitions are not known")


def test_commands_name_the_folder_of_a_run_that_lies_elsewhere(tmp_path: Path) -> None:
    text = rendered(tmp_path)

    assert f"`harness show {tmp_path}/20260302T101500-3f9c SAMPLE`" in text


def test_dimensions_are_one_table_with_a_column_for_each_target() -> None:
    targets = ("mock:a", "mock:b", "mock:c")
    made = [score(f"incident/x@{W}@{each}#1", "SEV-2") for each in targets]
    made += [score(f"incident/x@{W}@mock:b#2", "SEV-2", "unscored", reason="timeout: 300 s")]
    made += [score(f"incident/x@{W}@mock:a#1", "QRY-1", "fail")]
    named: dict[str, Any] = {"targets": {each: {} for each in targets}}

    text = render_markdown(overview(in_memory(made, **named)))

    lines = text.partition("## By dimension\n\n")[2].splitlines()
    table = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("|")]
    assert table[0] == ["dimension", "`mock:a`", "`mock:b`", "`mock:c`"]
    passed = "1/1  100.0 % (20.7 to 100.0)"
    assert table[2:5] == [
        ["`all`", "0/1  0.0 % (0.0 to 79.3)", f"{passed}, 1 unscored", passed],
        ["`severity`", passed, f"{passed}, 1 unscored", passed],
        ["`query`", "0/1  0.0 % (0.0 to 79.3)", "-", "-"],
    ]


def test_should_clauses_are_folded_away_with_their_fails() -> None:
    text = render_markdown(overview(in_memory(all_scores())))

    summary = "<summary>1 of 1 failed somewhere; they fail no sample</summary>"
    before, _, folded = text.partition(f"<details>\n{summary}\n\n")
    folded, _, after = folded.partition("\n\n</details>\n\n")
    assert "QRY-4b" in folded
    assert "QRY-4b" not in before
    assert after.startswith("## How to read this")


def test_null_is_what_a_fail_observed_where_it_observed_none() -> None:
    sample = f"incident/x@{W}@mock:flaky#1"
    made = [score(sample, "SEL-2", "fail", reason="declined although a workflow fits", expected=["a", "b"])]

    text = render_markdown(overview(in_memory(made)))

    (line,) = [each for each in text.splitlines() if each.startswith(f"| `{sample}`")]
    assert [each.strip() for each in line.split("|")[2:-1]] == [
        "-", '`["a", "b"]`', "`null`", "declined although a workflow fits",
    ]  # fmt: skip


def test_no_cell_of_a_fail_is_wide_whatever_was_written() -> None:
    long = "x" * 5_000
    made = [
        score(f"incident/x@{W}@mock:flaky#1", "SEV-2", "fail", reason=long, place=f"/{long}",
              expected=long, observed=[long]),
    ]  # fmt: skip

    text = render_markdown(overview(in_memory(made)))

    assert max(len(line) for line in text.splitlines()) < 700
    assert "(4941 more characters)" in text


def test_a_run_that_is_not_complete_says_so_before_its_numbers(tmp_path: Path) -> None:
    text = rendered(tmp_path, status="interrupted")

    assert (
        "> This run is `interrupted`: not every planned sample is on disk" in text.partition("## Verdict")[0]
    )


def test_coverage_says_how_many_samples_could_be_scored() -> None:
    counts = {"recorded": 10, "samples": 10, "scored": 9, "unscored": 1, "compliant": 8}
    told = render_markdown(overview(in_memory(all_scores(), counts=counts)))
    none = render_markdown(overview(in_memory(all_scores(), counts={"samples": 0, "scored": 0})))

    assert "\n- Coverage: 90.0 %: 9 of 10 samples could be scored\n" in told
    assert "Coverage" not in none


def test_what_was_not_scored_has_no_rate(tmp_path: Path) -> None:
    made = [score(f"incident/x@{W}@mock:flaky#1", "SEV-2", "unscored", reason="timeout: 300 s")]

    text = rendered(tmp_path, made)

    numbers = next(line for line in text.splitlines() if line.startswith("| `mock:flaky`"))
    assert [each.strip() for each in numbers.split("|")[3:-1]] == ["-", "-", "0", "1", "-"]
    assert re.search(r"\n\| `all` +\| -, 1 unscored +\|\n", text)
    assert "No sample was scored, so nothing is known." in text
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
    "html_block",
}  # fmt: skip


FOLD = re.compile(r"<details>\n<summary>\d+ of \d+ [a-z; ]+</summary>\n|</details>\n")
"""The only HTML of a report."""


@settings(deadline=None)
@given(rows, texts)
def test_nothing_that_was_written_becomes_markup(made: list[ScoreRow], name: str) -> None:
    named: dict[str, Any] = {"targets": {name: {"kind": name}}, "prompts": name, "versions": {name: name}}
    text = render_markdown(overview(in_memory(made, **named)))

    found = list(tokens(text))

    assert is_plain(text)
    # These are the shapes of a report without hostile text: no link, image, quotation or emphasis.
    assert {each.type for each in found} <= SHAPES
    assert all(FOLD.fullmatch(each.content) for each in found if each.type == "html_block")
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

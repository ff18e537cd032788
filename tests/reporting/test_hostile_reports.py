"""Whatever a model writes, every report stays what it is."""

import csv
import io
import json
import re
from html.parser import HTMLParser
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest
from hostile import PIECES, is_plain, rows, texts
from hypothesis import given, settings
from hypothesis import strategies as st
from junit_schema import check
from made_up import W, in_memory, score
from markdown_it import MarkdownIt
from rich.console import Console

from harness.reporting.clean import words
from harness.reporting.csv_files import write_samples, write_summary
from harness.reporting.github import MAX_COMMENT, MAX_SUMMARY, pull_request_comment, step_summary
from harness.reporting.html.render import render_html
from harness.reporting.json_file import render_json
from harness.reporting.junit import render_junit
from harness.reporting.markdown import render_markdown
from harness.reporting.overview import overview
from harness.reporting.terminal import print_summary
from harness.statistics import summarise, tallied
from harness.store import Run, ScoreRow

MORE = (
    "]]>", "<![CDATA[", "&#0;", "&lol;", "\ufffe", "\uffff", "\x7f", "~~~~", "`" * 9, "</details>",
    "<summary>", "\n\n</details>\n\n# x", "\n```\n", "-->", "--!>", "@org/team", "owner/repo#1",
    "deadbeefcafe", "1. x", "+ x",
    "\U0001f600",
)  # fmt: skip
hostile = st.lists(st.sampled_from(PIECES + MORE) | texts, max_size=5).map("".join)


def _named(made: list[ScoreRow], name: str) -> Run:
    """Return a run that calls everything by one name."""
    return in_memory(
        made,
        id=name,
        status=name,
        created=name,
        targets={name: {"kind": name, name: name}},
        prompts=name,
        versions={name: name},
        contracts={W: name},
    )


runs = st.builds(_named, rows, hostile)
FOLD = re.compile(r"<details>\n<summary>[A-Za-z0-9,;:^@ ]+</summary>|</details>|<!-- [A-Za-z0-9._:/ -]+ -->")
PLAIN = {"text", "softbreak", "inline", "code_inline", "fence", "html_block", "hr"}
SHAPES = PLAIN | {
    f"{name}_{end}"
    for name in (
        "heading", "paragraph", "bullet_list", "list_item", "strong", "table", "thead", "tbody", "tr",
        "th", "td",
    )
    for end in ("open", "close")
}  # fmt: skip


def inert_markdown(text: str, *, quoted: bool = False) -> None:
    """Assert that Markdown holds our own shapes, folds that are closed, and no reference to anything."""
    tokens = [
        token
        for block in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
        for token in (block, *(block.children or ()))
    ]
    allowed = SHAPES | {"blockquote_open", "blockquote_close"} if quoted else SHAPES
    assert {each.type for each in tokens} <= allowed
    folds = [each.content.strip() for each in tokens if each.type == "html_block"]
    assert all(FOLD.fullmatch(each) for each in folds)
    depth = 0
    for each in folds:
        depth += each.startswith("<details>") - (each == "</details>")
        assert depth in {0, 1}
    assert depth == 0
    for each in tokens:
        if each.type == "text":
            assert not {"@", "<", "#", "`", "|"} & set(each.content.replace("pass@k", ""))
            assert not re.search(r"://|www\.|evil|\bGH-\d", each.content)
        if each.type == "fence":
            assert re.fullmatch(r"harness show .*\n", each.content)
    assert is_plain(text)


@settings(deadline=None, max_examples=25)
@given(runs)
def test_markdown_stays_closed_and_refers_to_nothing(run: Run) -> None:
    data = overview(run)

    inert_markdown(render_markdown(data), quoted=True)
    for text in (step_summary([data, data]), pull_request_comment([data, data])):
        inert_markdown(text)
        assert text.startswith(("<!-- contract-harness report -->", "## "))


@settings(deadline=None, max_examples=60)
@given(hostile)
def test_a_sentence_of_markdown_refers_to_nothing(text: str) -> None:
    inert_markdown(f"Because: {words(text)}")
    inert_markdown(f"- {words(text)}")


@settings(deadline=None, max_examples=25)
@given(runs)
def test_junit_is_xml_that_both_schemas_accept(run: Run) -> None:
    document = render_junit([run])

    check(fromstring(document))  # noqa: S314 - our own
    assert is_plain(document.decode("utf-8"))


@settings(deadline=None, max_examples=25)
@given(runs)
def test_json_is_ascii_that_a_strict_reader_takes(run: Run) -> None:
    text = render_json(overview(run))

    assert text.isascii()
    assert json.dumps(json.loads(text), ensure_ascii=False).encode("utf-8")
    assert json.loads(text)["format"] == 1


def samples_of(run: Run) -> str:
    """Return samples.csv."""
    stream = io.BytesIO()
    write_samples(stream, run.scores())
    return stream.getvalue().decode()


def summary_of(run: Run) -> str:
    """Return summary.csv."""
    stream = io.StringIO(newline="")
    write_summary(stream, summarise(tallied(run.scores())))
    return stream.getvalue()


@settings(deadline=None, max_examples=25)
@given(runs)
def test_no_cell_is_a_formula_or_leaves_its_line(run: Run) -> None:
    text = f"{samples_of(run)}{summary_of(run)}"

    cells = [cell for line in csv.reader(io.StringIO(text), strict=True) for cell in line]
    assert is_plain(text)
    assert not [each for each in cells if each.lstrip(" '\u00a0")[:1] in {"=", "@"} and each[0] != "'"]
    assert not [each for each in cells if each[:1] in {"+", "-", "\t", "\r"}]
    assert text.encode("utf-8")


@settings(deadline=None, max_examples=20)
@given(runs, st.sampled_from([40, 80, 140]))
def test_no_escape_reaches_the_terminal(run: Run, width: int) -> None:
    stream = io.StringIO()
    print_summary(Console(file=stream, width=width, no_color=True), overview(run))

    assert is_plain(stream.getvalue())


class Elements(HTMLParser):
    """The start tags of a page with their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep it."""
        self.found.append((tag, dict(attrs)))


@settings(deadline=None, max_examples=8)
@given(runs)
def test_nothing_in_the_page_can_run_or_ask(run: Run) -> None:
    page = Elements()
    page.feed(render_html([run]))

    scripts = [inner.get("type") for tag, inner in page.found if tag == "script"]
    assert scripts.count("module") == 1
    assert set(scripts) <= {"module", "application/json", "application/octet-stream"}
    assert not {"iframe", "object", "embed", "img", "base"} & {tag for tag, _ in page.found}
    assert [inner for tag, inner in page.found if tag == "link"] == [{"rel": "icon", "href": "data:,"}]
    assert not [inner for _, inner in page.found if "action" in inner or "formaction" in inner]
    for tag, inner in page.found:
        assert not [name for name in inner if name.startswith("on") or name in {"src", "srcdoc", "style"}]
        assert tag == "link" or (inner.get("href") or "#").startswith("#")


def megabytes(piece: str) -> Run:
    """Return a run of ten samples whose every text is a megabyte of one piece."""
    text = piece * (1_000_000 // len(piece))
    made: list[ScoreRow] = [
        score(f"incident/x@{W}@mock:flaky#{trial}", clause, "fail", reason=text, place=text, expected=text,
              observed=[text])
        for clause in ("SEV-2", "PAS-1") for trial in (1,)
    ]  # fmt: skip
    return in_memory(made)


@pytest.mark.parametrize("piece", ["x", "]]>", "`"])
def test_a_megabyte_of_anything_makes_no_large_report(piece: str) -> None:
    run = megabytes(piece)
    data = overview(run)

    assert len(render_junit([run])) < 200_000
    assert len(render_json(data)) < 200_000
    assert len(render_markdown(data)) < 60_000
    assert len(step_summary([data]).encode()) <= MAX_SUMMARY
    assert len(pull_request_comment([data]).encode()) <= MAX_COMMENT
    inert_markdown(pull_request_comment([data]))
    assert max(len(cell) for line in csv.reader(io.StringIO(samples_of(run))) for cell in line) < 32_768


@pytest.mark.parametrize("count", [1, 40])
def test_summary_and_comment_keep_their_sizes_and_say_what_is_left_out(count: int) -> None:
    names = [f"mock:{number:04}{'n' * 60}" for number in range(count)]
    made = [
        score(f"incident/{'x' * 200}@{W}@{name}#{trial}", clause, "fail", reason="r" * 100, observed="o" * 60)
        for name in names for trial in range(12) for clause in ("SEV-2", "PAS-1", "REP-1")
    ]  # fmt: skip
    known: dict[str, Any] = {"targets": {each: {} for each in names}}
    data = overview(in_memory(made, **known))

    comment, summary = pull_request_comment([data]), step_summary([data])

    assert len(comment.encode()) <= MAX_COMMENT
    assert len(summary.encode()) <= MAX_SUMMARY
    inert_markdown(comment)
    inert_markdown(summary)
    assert ("left out for size" in comment) == (count > 1)


def test_a_table_that_is_cut_stays_a_table() -> None:
    names = [f"mock:{number:04}" for number in range(1500)]
    known: dict[str, Any] = {"targets": {each: {} for each in names}}
    made = [score(f"incident/x@{W}@{name}#1", "SEV-2") for name in names]

    comment = pull_request_comment([overview(in_memory(made, **known))])

    table = [line for line in comment.splitlines() if line.startswith("|")]
    assert 100 < len(table) < 1500
    assert len({line.count("|") for line in table}) == 1

import io
from collections.abc import Sequence

import pytest
from rich.console import Console
from rich.text import Text

from harness.reporting.layout import LEAST, UNBROKEN, Hanging, indented, lay_out

NAMES = ("id", "samples", "text")
ROWS = (("PAS-1", "3", "reaches every search"), ("QRY-4b", "12", ""), ("内存", "7", "two cells a character"))


def laid_out(width: int, rows: Sequence[Sequence[str]] = ROWS) -> list[str]:
    stream = io.StringIO()
    console = Console(file=stream, width=width)
    cells = [[Text(each) for each in row] for row in rows]
    for line in lay_out(NAMES, cells, width=width, numbers={"samples"}):
        console.print(line, soft_wrap=True)
    return stream.getvalue().splitlines()


@pytest.mark.parametrize("width", [38, 80, UNBROKEN])
def test_rows_stand_in_columns_where_they_fit_and_nothing_is_padded(width: int) -> None:
    assert laid_out(width) == [
        "id      samples  text",
        "PAS-1         3  reaches every search",
        "QRY-4b       12",
        "内存          7  two cells a character",
    ]


def test_where_they_do_not_fit_each_row_is_a_block_without_its_empty_cells() -> None:
    assert laid_out(37) == [
        "PAS-1",
        "  samples: 3",
        "  text: reaches every search",
        "QRY-4b",
        "  samples: 12",
        "内存",
        "  samples: 7",
        "  text: two cells a character",
    ]


def test_a_long_value_of_a_block_is_broken_between_words_and_hangs() -> None:
    word = "/selected_workflow/parameters/DEPLOYMENT_NAME"

    assert laid_out(30, [("PAS-1", "3", f"one two three four five six {word} end")]) == [
        "PAS-1",
        "  samples: 3",
        "  text: one two three four",
        "        five six",
        f"        {word}",
        "        end",
    ]


def test_no_rows_are_the_names_alone() -> None:
    assert laid_out(80, []) == ["id  samples  text"]


def hung(item: Hanging, width: int) -> list[str]:
    stream = io.StringIO()
    Console(file=stream, width=width).print(item, soft_wrap=True)
    return stream.getvalue().split("\n")[:-1]


def test_a_text_keeps_at_least_some_columns_beside_a_long_label() -> None:
    lines = hung(Hanging(Text("x" * 70), Text("aaa bbb ccc ddd eee fff")), 80)

    assert lines == [f"{'x' * 70}aaa bbb ccc ddd eee", f"{' ' * 70}fff"]
    assert len("aaa bbb ccc ddd eee") <= LEAST


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("   ", [""]),
        ('    "a": 1', ['      "a": 1']),
        ("a  b   c ", ["  a  b   c"]),
        ("内存" * 6 + " " + "内存" * 6, ["  " + "内存" * 6, "  " + "内存" * 6]),
    ],
)
def test_blanks_within_a_line_stay_and_blanks_behind_it_go(text: str, lines: list[str]) -> None:
    assert hung(indented(Text(text), 2), 40) == lines


def test_colour_reaches_every_line() -> None:
    stream = io.StringIO()
    console = Console(file=stream, width=30, force_terminal=True, color_system="standard")

    console.print(indented(Text("one two three four five six seven", "red"), 2), soft_wrap=True)

    assert stream.getvalue().count("\x1b[31m") == 2

"""Rows and labelled texts for people: never padded at the right, and no word is cut in two."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

UNBROKEN = 1_000_000
"""Columns of an output that breaks no line, as a pipe or a file."""

LEAST = 20
"""Columns that a text gets beside its label, however narrow the terminal."""

_GAP = "  "
_WORD = re.compile(r"\s*\S+\s*")


@dataclass(frozen=True, slots=True)
class Hanging:
    """A text behind a label; where it takes several lines, the others stand under the first one's text."""

    label: Text
    text: Text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines, broken between words only."""
        del console
        indent = cell_len(self.label.plain)
        width = max(options.max_width - indent, LEAST)
        for number, line in enumerate(self.text.divide(_breaks(self.text.plain, width))):
            whole = Text.assemble(Text(" " * indent) if number else self.label, line)
            whole.rstrip()
            yield whole


def _breaks(text: str, width: int) -> Iterator[int]:
    """Yield where lines end so that each is at most `width` columns wide, unless one word is wider."""
    taken = 0
    for word in _WORD.finditer(text):
        needed = cell_len(word[0].rstrip())
        if taken and taken + needed > width:
            yield word.start()
            taken = 0
        taken += cell_len(word[0])


def indented(text: Text, by: int) -> Hanging:
    """Return a text whose every line begins after so many blanks."""
    return Hanging(Text(" " * by), text)


def lay_out(
    names: Sequence[str], rows: Sequence[Sequence[Text]], *, width: int, numbers: Collection[str] = ()
) -> Iterator[Text | Hanging]:
    """Yield rows in columns under their names; where `width` is too little for that, each row as a block.

    A block is the row's first cell, then an indented `name: value` line for each other cell that holds
    anything.

    Args:
        names: of the columns.
        rows: one cell for each name.
        width: columns of the terminal.
        numbers: the names of columns that are aligned at the right.
    """
    widths = [max(map(cell_len, (name, *(row[at].plain for row in rows)))) for at, name in enumerate(names)]
    if sum(widths) + len(_GAP) * (len(names) - 1) > width:
        for row in rows:
            yield from _block(names, row)
        return
    at_right = [name in numbers for name in names]
    for row in ([Text(name, "bold") for name in names], *rows):
        yield _line(row, widths, at_right)


def _line(row: Sequence[Text], widths: Sequence[int], at_right: Sequence[bool]) -> Text:
    line = Text()
    for cell, width, right in zip(row, widths, at_right, strict=True):
        blanks = " " * (width - cell_len(cell.plain))
        for part in (blanks, cell) if right else (cell, blanks):
            line.append(part)
        line.append(_GAP)
    line.rstrip()
    return line


def _block(names: Sequence[str], row: Sequence[Text]) -> Iterator[Text | Hanging]:
    first, *others = row
    heading = first.copy()
    heading.stylize("bold")
    yield heading
    for name, cell in zip(names[1:], others, strict=True):
        if cell.plain:
            yield Hanging(Text(f"  {name}: "), cell)


def print_trimmed(console: Console, table: Table) -> None:
    """Print a table without the blanks that fill its lines up."""
    for segments in console.render_lines(table, pad=False):
        line = Text.assemble(*((each.text, each.style or "") for each in segments))
        line.rstrip()
        console.print(line, soft_wrap=True)

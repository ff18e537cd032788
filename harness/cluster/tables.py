"""Text in columns, padded as kubectl pads it."""

from collections.abc import Sequence

_GAP = 3
_NARROWEST = 6


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return the table of `kubectl get`: three spaces between columns, no rules."""
    lines = [header, *([_one_line(cell) for cell in row] for row in rows)]
    widths = [max(_NARROWEST, _GAP + max(map(len, column))) for column in zip(*lines, strict=True)]
    padded = ("".join(map(str.ljust, line[:-1], widths)) + line[-1] for line in lines)
    return "\n".join(line.rstrip() for line in padded)


def _one_line(cell: str) -> str:
    first, *others = cell.splitlines() or [""]
    return first + "..." if others else first


def tabbed(text: str) -> str:
    """Return a text with its tabs made into the columns of `kubectl describe`.

    As in Go's tabwriter, a column lasts for as long as consecutive lines have a cell in it, and the text
    after a line's last tab is in no column. Spaces at the end of lines go.
    """
    lines = [line.split("\t") for line in text.split("\n")]
    widths: list[list[int]] = [[] for _ in lines]
    _measure(lines, widths, 0, len(lines), 0)
    return "\n".join(_padded(cells, each) for cells, each in zip(lines, widths, strict=True))


def _measure(lines: list[list[str]], widths: list[list[int]], start: int, end: int, column: int) -> None:
    row = start
    while row < end:
        if len(lines[row]) <= column + 1:
            row += 1
            continue
        last = row
        while last < end and len(lines[last]) > column + 1:
            last += 1
        width = 2 + max(len(cells[column]) for cells in lines[row:last])
        for each in range(row, last):
            widths[each].append(width)
        _measure(lines, widths, row, last, column + 1)
        row = last


def _padded(cells: list[str], widths: list[int]) -> str:
    return ("".join(map(str.ljust, cells, widths)) + cells[-1]).rstrip()

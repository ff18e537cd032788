"""What was measured, as tables for people and as JSON for programs; sums, and no measuring."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import correlation, linear_regression
from typing import Any, NamedTuple

from tabulate import tabulate

MISSING = "-"


class Column(NamedTuple):
    """The heading of a column, and how its numbers are written."""

    name: str
    form: str = ""


@dataclass(frozen=True)
class Table:
    """A table with a title; `notes` stand below it."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[object]]
    notes: Sequence[str] = field(default=())

    def text(self) -> str:
        """Return it as Markdown that a terminal shows well."""
        shown = tabulate(
            [
                [_cell(value, column) for value, column in zip(row, self.columns, strict=True)]
                for row in self.rows
            ],
            [column.name for column in self.columns],
            tablefmt="github",
            disable_numparse=True,
            colalign=["right" if column.form else "left" for column in self.columns],
        )
        return "\n".join([f"### {self.title}", "", shown, *([""] if self.notes else []), *self.notes])

    def json(self) -> dict[str, Any]:
        """Return it with its numbers as they are."""
        names = [column.name for column in self.columns]
        rows = [dict(zip(names, row, strict=True)) for row in self.rows]
        return {"title": self.title, "rows": rows, "notes": list(self.notes)}


def _cell(value: object, column: Column) -> str:
    return MISSING if value is None else format(value, column.form)


class Line(NamedTuple):
    """What so many samples cost: something once, and something each."""

    once: float
    each: float
    straight: float
    """The correlation, squared: 1 where every point lies on the line."""

    def at(self, samples: int) -> float:
        """Return what so many samples cost."""
        return self.once + self.each * samples


def line(points: Sequence[tuple[float, float]]) -> Line:
    """Return the line through (samples, cost); at least two points, of different numbers."""
    samples, costs = zip(*points, strict=True)
    each, once = linear_regression(samples, costs)
    varied = len(points) > 2 and len(set(costs)) > 1
    return Line(once, each, correlation(samples, costs) ** 2 if varied else 1.0)


def ratio(value: float, other: float | None) -> float | None:
    """Return how many times as much as another it is, if there is another."""
    return value / other if other else None


def placed(page: str, sections: Mapping[str, Sequence[Table]]) -> str:
    """Return a page with tables between the marks of their sections; raise ValueError if one is missing."""
    for name, tables in sections.items():
        before, begin, rest = page.partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition(f"<!-- end of {name} -->")
        if not end:
            raise ValueError(f"the page has no place for {name}")
        page = "\n".join([before + begin, *(each.text() + "\n" for each in tables), end + after])
    return page

"""The tables of the page as plain values: what broke most, heat maps, and what was taken for what."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from harness.contracts.clauses import clause
from harness.errors import UnknownName
from harness.model import SEVERITIES
from harness.reporting.figures import percent
from harness.reporting.html.columns import Column, Reported
from harness.reporting.html.texts import short
from harness.statistics import HARD, ClauseRow, Confusion

MAX_BROKEN = 6
MAX_ANSWERS = 8
"""Answers with a column of their own; rarer ones share the last."""

OTHER = "other"


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of a heat map; `shade` is 0 (nobody failed) to 5 (everybody did), None without data."""

    text: str
    told: str
    shade: int | None
    value: float | None
    link: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a heat map."""

    name: str
    text: str
    level: str
    hard: bool
    link: str
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True, slots=True)
class Broken:
    """A clause that failed, over all columns."""

    clause: str
    text: str
    hard: bool
    failed: int
    n: int
    worst: str
    link: str

    @property
    def share(self) -> float:
        """Failed of all that were judged."""
        return self.failed / self.n if self.n else 0.0


@dataclass(frozen=True, slots=True)
class Matrix:
    """What one target answered where something else was accepted."""

    target: str
    told: str
    answers: tuple[str, ...]
    lines: tuple[tuple[str, tuple[int, ...]], ...]
    most: int

    def shade(self, count: int) -> int:
        """Return 0 to 5 for a count."""
        return 0 if not count else min(5, 1 + round(4 * count / self.most))


def state(**wanted: str) -> str:
    """Return the part of an address that narrows the list of samples."""
    from urllib.parse import quote, urlencode

    return f"#{urlencode({key: value for key, value in wanted.items() if value}, quote_via=quote)}"


def clause_text(name: str) -> str:
    """Return what a clause says."""
    try:
        return clause(name).text
    except UnknownName:
        return "This harness does not know the clause."


def _rows(runs: Iterable[Reported]) -> dict[tuple[int, str, str, str], ClauseRow]:
    return {
        (each.number, row.target, row.contract, row.clause): row for each in runs for row in each.data.clauses
    }


def clause_lines(runs: Sequence[Reported], columns: Sequence[Column]) -> list[Line]:
    """Return clause × target, MUST clauses first, each in the order of the contracts."""
    rows = _rows(runs)
    names = {row.clause: row.level for row in rows.values()}
    found: list[Line] = []
    for name, level in sorted(names.items(), key=lambda each: each[1] != "MUST"):
        cells = [
            _clause_cell(rows.get((each.run, each.target, each.contract, name)), each) for each in columns
        ]
        if any(cells):
            line = Line(
                short(name, 40), clause_text(name), short(level, 20), name in HARD,
                state(clause=short(name, 40)), tuple(cells),
            )  # fmt: skip
            found.append(line)
    return found


def _clause_cell(row: ClauseRow | None, column: Column) -> Cell | None:
    if row is None:
        return None
    link = state(clause=short(row.clause, 40), **column.link)
    return _cell(row.passed, row.n, f"{short(row.clause, 40)}, {column.label}", link)


def scenario_lines(columns: Sequence[Column]) -> list[Line]:
    """Return scenario × target: the share of compliant trials."""
    names = list(dict.fromkeys(name for each in columns for name in each.samples))
    return [
        Line(
            short(name), "", "", hard=False, link=state(scenario=short(name)),
            cells=tuple(_scenario_cell(each, name) for each in columns),
        )
        for name in sorted(names)
    ]  # fmt: skip


def _scenario_cell(column: Column, scenario: str) -> Cell | None:
    if scenario not in column.samples:
        return None
    link = state(scenario=short(scenario), **column.link)
    return _cell(*column.counts[scenario], f"{short(scenario)}, {column.label}", link)


def _cell(passed: int, n: int, what: str, link: str) -> Cell:
    if not n:
        return Cell("–", f"{what}: nothing scored", None, None, link)
    rate = passed / n
    # Only all is 0 and only none is 5, as with percentages.
    shade = 0 if passed == n else 5 if not passed else 1 + min(3, int(4 * (1 - rate)))
    text = percent(rate).removesuffix(" %").removesuffix(".0")
    return Cell(text, f"{what}: {passed} of {n} passed", shade, rate, link)


def most_broken(runs: Sequence[Reported], columns: Sequence[Column]) -> list[Broken]:
    """Return the MUST clauses that failed in most samples, over all columns."""
    labels = {(each.run, each.target, each.contract): each.label for each in columns}
    by_clause: dict[str, list[tuple[ClauseRow, str]]] = {}
    for (number, target, contract, name), row in _rows(runs).items():
        label = labels.get((number, target, contract))
        if row.level == "MUST" and row.failed and label is not None:
            by_clause.setdefault(name, []).append((row, label))
    judged = {name: sum(row.n for key, row in _rows(runs).items() if key[3] == name) for name in by_clause}
    found = [_broken(name, rows, judged[name]) for name, rows in by_clause.items()]
    return sorted(found, key=lambda each: (-each.failed, each.clause))[:MAX_BROKEN]


def _broken(name: str, rows: Sequence[tuple[ClauseRow, str]], judged: int) -> Broken:
    worst, label = max(rows, key=lambda each: each[0].failed)
    return Broken(
        clause=short(name, 40),
        text=clause_text(name),
        hard=name in HARD,
        failed=sum(row.failed for row, _ in rows),
        n=judged,
        worst=f"{label}: {worst.failed} of {worst.n}",
        link=state(clause=short(name, 40)),
    )


def matrices(found: Sequence[Confusion], prefix: str = "") -> list[Matrix]:
    """Return what was taken for what, a matrix for each target that mistook anything."""
    return [_matrix(each, prefix) for each in found if each.mistaken]


def _matrix(found: Confusion, prefix: str) -> Matrix:
    counts: dict[tuple[str, str], int] = {}
    totals: dict[str, int] = {}
    for each in found.mistaken:
        expected, observed = short(" or ".join(each.expected), 60), short(each.observed, 40)
        counts[expected, observed] = counts.get((expected, observed), 0) + each.samples
        totals[observed] = totals.get(observed, 0) + each.samples
    ranked = sorted(totals, key=lambda name: -totals[name])
    named = sorted(ranked[:MAX_ANSWERS], key=lambda name: (_severity(name), -totals[name]))
    rest = set(ranked[MAX_ANSWERS:])
    lines = [
        (
            expected,
            (
                *(counts.get((expected, name), 0) for name in named),
                *([sum(counts.get((expected, name), 0) for name in rest)] if rest else []),
            ),
        )
        for expected in sorted({key[0] for key in counts}, key=lambda name: (_severity(name), name))
    ]
    return Matrix(
        target=prefix + short(found.target, 120),
        told=_told(found),
        answers=(*named, *([f"{OTHER} ({len(rest)})"] if rest else [])),
        lines=tuple(lines),
        most=max(max(each) for _, each in lines),
    )


def _severity(name: str) -> int:
    order: list[str] = list(SEVERITIES)
    first = name.split(" or ", maxsplit=1)[0]
    return order.index(first) if first in order else len(order)


def _told(found: Confusion) -> str:
    told = f"{found.right} of {found.n} accepted"
    if all(each.distance is None for each in found.mistaken):
        return told
    mild, severe = found.count(1), found.count(-1)
    return (
        f"{told}, {mild} too mild, {severe} too severe; {found.mean_distance or 0:.2f} levels off on average"
    )

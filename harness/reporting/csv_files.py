"""summary.csv and samples.csv: the numbers, and every score behind them, for spreadsheets and data frames."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import fields
from functools import lru_cache
from typing import IO, Any

from harness.reporting.clean import as_json, csv_cell
from harness.statistics import SummaryRow
from harness.store import ScoreRow

SAMPLE_COLUMNS = tuple(each.name for each in fields(ScoreRow))
_AS_JSON = frozenset({"expected", "observed"})


def write_summary(stream: IO[str], rows: Iterable[SummaryRow]) -> None:
    """Write one line per target, contract and dimension; a number that has no data is empty."""
    _write(stream, SummaryRow._fields, rows)


def write_samples(stream: IO[str], rows: Iterable[ScoreRow]) -> None:
    """Write one line per sample and clause; `expected` and `observed` are JSON, empty where there is none.

    What a fail observed is never empty: nothing is `null`.
    """
    _write(stream, SAMPLE_COLUMNS, ([_value(row, name) for name in SAMPLE_COLUMNS] for row in rows))


def _write(stream: IO[str], columns: Sequence[str], rows: Iterable[Iterable[Any]]) -> None:
    lines = csv.writer(stream, lineterminator="\n")
    lines.writerow(columns)
    lines.writerows([_cell(each) for each in row] for row in rows)


def _value(row: ScoreRow, name: str) -> Any:
    value = getattr(row, name)
    seen = value is not None or (name == "observed" and row.outcome == "fail")
    return as_json(value) if name in _AS_JSON and seen else value


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return _text_cell(str(round(value, 6)) if isinstance(value, float) else str(value))


# Most cells of samples.csv say what those above them say.
_text_cell = lru_cache(4096)(csv_cell)

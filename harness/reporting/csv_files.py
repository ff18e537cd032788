"""summary.csv and samples.csv: the numbers, and every score behind them, for spreadsheets and data frames."""

import csv
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import IO, Any

from harness.model import SampleId
from harness.reporting.clean import as_json, csv_cell
from harness.statistics import SummaryRow
from harness.store import ClauseScore, ScoreRow
from harness.store.scores import COLUMNS, OF_CLAUSE, each_behind, head_of, sample_of, score_of, spelled_once

_AS_JSON = frozenset({"expected", "observed"})


class _Said:
    """A file that gives back what is written to it."""

    def write(self, text: str) -> str:
        return text


_LINES = csv.writer(_Said(), lineterminator="")


def write_summary(stream: IO[str], rows: Iterable[SummaryRow]) -> None:
    """Write one line per target, contract and dimension; a number that has no data is empty."""
    lines = csv.writer(stream, lineterminator="\n")
    lines.writerow(SummaryRow._fields)
    lines.writerows([_cell(each) for each in row] for row in rows)


class SamplesFile:
    """samples.csv: one line per sample and clause; `expected` and `observed` are JSON, empty without any.

    What a fail observed is never empty: nothing is `null`.
    """

    name = "samples.csv"
    begins = f"{','.join(COLUMNS)}\n".encode()

    def lines(self, sample: SampleId, scores: Sequence[ClauseScore]) -> bytes:
        """Return the lines of one sample."""
        return each_behind(f"{_line(head_of(sample))},", _ends_of_lines(scores))


def write_samples(stream: IO[bytes], rows: Iterable[ScoreRow]) -> None:
    """Write samples.csv of scores that are stored already."""
    samples = SamplesFile()
    stream.write(samples.begins)
    for row in rows:
        stream.write(samples.lines(sample_of(row), [score_of(row)]))


@spelled_once
def _ends_of_lines(score: ClauseScore) -> str:
    return _line([_value(score, name) for name in OF_CLAUSE]) + "\n"


def _line(values: Iterable[Any]) -> str:
    return _LINES.writerow([_cell(each) for each in values])


def _value(score: ClauseScore, name: str) -> Any:
    value = getattr(score, name)
    seen = value is not None or (name == "observed" and score.outcome == "fail")
    return as_json(value) if name in _AS_JSON and seen else value


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return _text_cell(str(round(value, 6)) if isinstance(value, float) else str(value))


# Most cells of samples.csv say what those above them say.
_text_cell = lru_cache(4096)(csv_cell)

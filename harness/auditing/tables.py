"""Verdicts as Parquet, one row for each finding or verdict, for notebooks and databases."""

import io
import json
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from harness.auditing.audits import Audit, rows
from harness.contracts.clauses import clause
from harness.errors import InvalidInput

COLUMNS = (
    "source", "scenario", "contract", "target", "clause", "level", "dimension", "outcome", "reason", "place",
    "expected", "observed",
)  # fmt: skip
"""All of them texts; `expected` and `observed` are JSON."""

INSTALL = "pip install 'contract-harness[parquet]'"


def refuse_without_pyarrow() -> None:
    """Raise InvalidInput where Parquet cannot be written."""
    if find_spec("pyarrow") is None:
        raise InvalidInput(f"--parquet: pyarrow is not installed; install it with {INSTALL}")


class Table:
    """The rows of one part, column by column."""

    def __init__(self) -> None:
        self.columns: dict[str, list[str | None]] = {name: [] for name in COLUMNS}

    def add(self, audit: Audit) -> None:
        """Add every verdict of a transcript."""
        sample, append = audit.sample, [each.append for each in self.columns.values()]
        named = sample.scenario.id if sample.scenario else None
        of_sample = (audit.source, named, sample.contract.id, sample.id.target)
        for grader, score in audit.scores:
            dimension = clause(grader.clause).dimension
            for row in rows(grader.clause, score):
                values = (
                    *of_sample, row["clause"], row["level"], dimension, row["outcome"], row["reason"],
                    row["place"], _json(row["expected"]), _json(row["observed"]),
                )  # fmt: skip
                for put, value in zip(append, values, strict=True):
                    put(value)

    def packed(self) -> bytes:
        """Return the table as a Parquet file."""
        # By name: whoever does without the extra can still have the types checked.
        pyarrow: Any = import_module("pyarrow")
        parquet: Any = import_module("pyarrow.parquet")
        schema = pyarrow.schema([(name, pyarrow.string()) for name in COLUMNS])
        stream = io.BytesIO()
        parquet.write_table(pyarrow.table(self.columns, schema=schema), stream, compression="zstd")
        return stream.getvalue()


def _json(value: Any) -> str | None:
    return None if value is None else json.dumps(value)

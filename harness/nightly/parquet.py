"""nightly.parquet: the history as a table, for notebooks and databases; made anew from nights.jsonl."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from harness.nightly.judging import Judged
from harness.nightly.lines import Night
from harness.store.lines import drafted

FILE = "nightly.parquet"
INSTALL = "pip install 'contract-harness[parquet]'"


def rows(history: Mapping[str, Sequence[Judged]]) -> list[dict[str, Any]]:
    """Return a row for each night, target, contract and dimension; without data one whose rate is None."""
    return [
        row
        for nights in history.values()
        for judged in nights
        for line in judged.night.lines.values()
        for row in _rows(judged, line)
    ]


def _rows(judged: Judged, line: Night) -> list[dict[str, Any]]:
    return [
        {
            "date": line.date,
            "target": line.target,
            "contract": line.contract,
            "dimension": dimension,
            "passed": passed,
            "n": n,
            "rate": passed / n if n and judged.night.has_data else None,
            "status": judged.status,
            "evidence": judged.watched.evidence if judged.watched else None,
            "changed": ", ".join(map(str, judged.changes)),
            "model": line.model,
            "reported": ", ".join(line.reported),
            "planned": line.planned,
            "scored": line.scored,
            "cost": line.cost,
            "tokens": line.tokens,
            "seconds": line.seconds,
            "harness": line.harness,
            "measure": line.measure,
            "run": line.run,
        }
        for dimension, (passed, n) in (line.dimensions or {"all": [0, 0]}).items()
    ]


def write_parquet(history: Mapping[str, Sequence[Judged]], folder: Path) -> Path | None:
    """Write the table, whole or not at all, and return its file; None where pyarrow is not installed."""
    if find_spec("pyarrow") is None:
        return None
    # By name: whoever did without the extra can still have the types checked.
    pyarrow: Any = import_module("pyarrow")
    parquet: Any = import_module("pyarrow.parquet")
    kinds = {
        "passed": pyarrow.int64(), "n": pyarrow.int64(), "rate": pyarrow.float64(),
        "evidence": pyarrow.float64(), "planned": pyarrow.int64(), "scored": pyarrow.int64(),
        "cost": pyarrow.float64(), "tokens": pyarrow.float64(), "seconds": pyarrow.float64(),
    }  # fmt: skip
    found = rows(history)
    # A column without a value has no type of its own.
    schema = pyarrow.schema([(name, kinds.get(name, pyarrow.string())) for name in (found or [{}])[0]])
    file = folder / FILE
    with drafted(file) as draft:
        parquet.write_table(pyarrow.Table.from_pylist(found, schema=schema), draft)
    return file

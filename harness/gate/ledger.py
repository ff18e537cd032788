"""The ledger of baselines: who accepted which, when and why; what it does not know is no baseline."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from harness.errors import InvalidInput
from harness.gate.baselines import Baseline, read_baseline
from harness.model.values import digest
from harness.store.lines import read_objects

LEDGER = "ledger.jsonl"


class Line(NamedTuple):
    """A line by which a baseline was accepted: its number, the baseline's digest, and the time."""

    number: int
    digest: str
    at: str


def baseline_digest(baseline: Baseline) -> str:
    """Return the digest by which the ledger knows a baseline."""
    return digest(baseline.model_dump(mode="json"))


def add_to_ledger(folder: Path, entry: Mapping[str, Any]) -> None:
    """Append who accepts what, when and why; on disk when this returns.

    It stands there before the baseline does: where the process ends in between, the ledger knows both the
    baseline that is there and the one that is not. A last line that was torn is ended, and stays as it is.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LEDGER).open("a+b") as stream:
        size = stream.seek(0, os.SEEK_END)
        stream.seek(max(0, size - 1))
        torn = size > 0 and stream.read() != b"\n"
        text = json.dumps(entry, ensure_ascii=False).encode("utf-8", "surrogatepass")
        stream.write((b"\n" if torn else b"") + text + b"\n")
        stream.flush()
        os.fsync(stream.fileno())


def accepted_baseline(file: Path) -> tuple[Baseline, tuple[str, ...]]:
    """Return a baseline that the ledger beside it knows, and what is to be told of that.

    Raises:
        InvalidInput: the file holds no baseline, or one that nobody accepted as it is.
    """
    baseline = read_baseline(file)
    ledger = file.parent / LEDGER
    if baseline.name != file.stem:
        raise InvalidInput(
            f"{file}: holds the baseline {baseline.name!r}; put it back under its name, or bless a run: "
            f"{_bless_anew(baseline, file)}"
        )
    lines = [each for each in _lines(ledger, baseline.name) if each.digest]
    if not lines:
        raise InvalidInput(
            f"{file}: {ledger} has no line by which it was accepted; put back the ledger that belongs to it, "
            f"or bless its run: {_bless_anew(baseline, file)}"
        )
    found, last = baseline_digest(baseline), lines[-1]
    if found == last.digest:
        return baseline, ()
    earlier = next((each for each in reversed(lines) if each.digest == found), None)
    if earlier is None:
        raise InvalidInput(
            f"{file}: is not what was accepted: found digest {found!r}, and {ledger}:{last.number} has "
            f"{last.digest!r} of {last.at}; put the file back, or bless its run anew: "
            f"{_bless_anew(baseline, file)}"
        )
    note = (
        f"{file}: was accepted by {ledger}:{earlier.number}, {earlier.at}; {ledger}:{last.number} accepted "
        f"another since, which is not there"
    )
    return baseline, (note,)


def _lines(ledger: Path, name: str) -> list[Line]:
    """Return the lines of a name; what is torn or foreign is none."""
    return [
        Line(number, str(value.get("digest") or ""), str(value.get("at") or "an unknown time"))
        for number, value in read_objects(ledger, lambda _: None)
        if value.get("name") == name
    ]


def _bless_anew(baseline: Baseline, file: Path) -> str:
    run = next(reversed(baseline.runs.values()), "RUN")
    return f"`harness bless {run} --as {file.stem} --replace`"

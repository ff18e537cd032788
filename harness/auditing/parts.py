"""A part of an audit: what a piece of the input came to, as it is written into a folder."""

import io
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from harness.auditing.audits import Audit, Pattern, audits, rows
from harness.auditing.counting import Counts
from harness.auditing.importing import Refused
from harness.auditing.pieces import Piece, read_piece
from harness.auditing.sending import Sent
from harness.auditing.tables import Table
from harness.engines.grouping import TOGETHER
from harness.engines.seeing import check_seen

SHOWN = 20
"""Refusals that are printed; all of them stand in the scores."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part that is done: its number, from 1 on, its file's bytes, what it counts, what it refused first."""

    number: int
    size: int
    counts: Counts
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """A part and the content of its files: lines of scores, and Parquet where it was asked for."""

    part: Part
    lines: bytes
    table: bytes | None = None


def judge_piece(sent: Sent, numbered: tuple[int, Piece], *, tabled: bool) -> Judged:
    """Return what a piece came to, with the first refusals in words; whoever asked writes it down.

    Raises:
        EngineFailed: this machine does not see the files or the project that the sender saw.
    """
    number, piece = numbered
    asked = sent.here()
    if isinstance(piece.path, Path):
        check_seen(piece.path, piece.whole)
    counts, refused, table = Counts(), list[str](), Table() if tabled else None
    alike: Counter[tuple[str, Pattern]] = Counter()
    lines = io.StringIO()
    for each in audits(read_piece(piece, asked.form), asked, TOGETHER):
        if isinstance(each, Refused):
            counts.refused += 1
            if len(refused) < SHOWN:
                refused.append(str(each))
            refusal = {"source": each.source, "outcome": "refused", "reason": each.reason}
            lines.write(json.dumps(refusal) + "\n")
        else:
            pattern = each.pattern
            lines.write(as_line(each, pattern) + "\n")
            alike[each.sample.contract.id, pattern] += 1
            if table:
                table.add(each)
    for (contract, pattern), transcripts in alike.items():
        counts.add(contract, pattern, transcripts)
    written = lines.getvalue().encode("ascii")
    part = Part(number, len(written), counts, tuple(refused))
    return Judged(part, written, table.packed() if table else None)


def as_line(audit: Audit, pattern: Pattern) -> str:
    """Return an audit as a line of scores: rows of what is broken or unscored, of all else the clauses."""
    told = [audit.scores[index] for index in pattern.told]
    sample = audit.sample
    line = {
        "source": audit.source,
        "scenario": sample.scenario.id if sample.scenario else None,
        "contract": sample.contract.id,
        "target": sample.id.target,
        "outcome": pattern.outcome,
        "scores": [row for grader, score in told for row in rows(grader.clause, score)],
    }
    # What many lines end with alike is spelled once.
    return f"{json.dumps(line).removesuffix('}')}, {pattern.spelled}"

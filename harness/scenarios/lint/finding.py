"""What lint says about one line of one file."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from harness.model import Contract
from harness.scenarios.files import Document, shown

Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True, order=True)
class LintFinding:
    """One line of a file that a clause does not allow; only errors make lint fail."""

    file: str
    line: int
    clause: str
    message: str
    level: Level = "error"

    def __str__(self) -> str:
        """Return the line that people and editors read."""
        mark = "warning: " if self.level == "warning" else ""
        return f"{self.file}:{self.line}: {self.clause} {mark}{self.message}"


def finding_at(
    document: Document, place: Sequence[str | int], clause: str, message: str, level: Level = "error"
) -> LintFinding:
    """Return a finding about the value at `place` of a document, or its nearest parent that exists."""
    file, _, line = document.where(place).rpartition(":")
    return LintFinding(file, int(line), clause, message, level)


def about_contract(contract: Contract, clause: str, message: str, fragment: str) -> LintFinding:
    """Return a finding about the first line of a contract's module that holds a fragment, else line 1."""
    code = sys.modules[contract.build_request.__module__].__file__
    path = Path(contract.origin.folder, "contract.py") if contract.origin else Path(str(code))
    lines = path.read_text(encoding="utf-8").splitlines()
    line = next((number for number, each in enumerate(lines, 1) if fragment in each), 1)
    return LintFinding(shown(path), line, clause, f"{contract.id}: {message}")


def in_order(findings: Sequence[LintFinding]) -> list[LintFinding]:
    """Return each finding once, by file and line."""
    return sorted(set(findings))

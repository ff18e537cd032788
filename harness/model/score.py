"""What a grader says about one sample and one clause."""

from functools import lru_cache
from typing import Any, Literal

from harness.model.frozen import frozen

Outcome = Literal["pass", "fail", "not_applicable", "unscored"]
Level = Literal["MUST", "SHOULD"]

Dimension = Literal[
    "schema",
    "signal_type",
    "severity",
    "pass_through",
    "query",
    "selection",
    "parameters",
    "recovery",
    "non_repetition",
    "safety",
    "relation",
]


@frozen
class Finding:
    """One place where a clause is broken.

    `place` is a JSON pointer into the answer (`/rca_severity`), or a message of the transcript
    (`message 3`, `message 3 label.environment`).
    """

    reason: str
    place: str = ""
    expected: Any = None
    observed: Any = None


@frozen
class Score:
    """One clause judged on one sample; only a fail has findings, and always at least one."""

    outcome: Outcome
    reason: str = ""
    findings: tuple[Finding, ...] = ()

    @property
    def place(self) -> str:
        """Where the first finding is."""
        return self.findings[0].place if self.findings else ""

    @property
    def expected(self) -> Any:
        """What the first finding expected."""
        return self.findings[0].expected if self.findings else None

    @property
    def observed(self) -> Any:
        """What the first finding observed."""
        return self.findings[0].observed if self.findings else None


PASSED = Score("pass")


def failed(findings: list[Finding] | tuple[Finding, ...]) -> Score:
    """Return a fail over one or more findings; the reason names the first and counts the others."""
    first, *others = findings
    more = f" (and {len(others)} more: {', '.join(each.place for each in others[:8])})" if others else ""
    return Score("fail", first.reason + more, tuple(findings))


def verdict(findings: list[Finding]) -> Score:
    """Return a pass where nothing was found, else the fail."""
    return failed(findings) if findings else PASSED


@lru_cache(maxsize=1024)
def not_applicable(reason: str) -> Score:
    """Return the score of a clause whose subject is absent."""
    return Score("not_applicable", reason)


@lru_cache(maxsize=1024)
def unscored(reason: str) -> Score:
    """Return the score of a clause that the evidence at hand cannot show."""
    return Score("unscored", reason)

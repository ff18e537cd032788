"""One answer in version-free form: what a contract's `read` makes of a raw JSON value.

In every part `None` means that the contract has no such part, MISSING that the target left it out, and
Unreadable that something of the wrong shape is there. Each part is read alone, so a broken part costs
only its own clauses.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Any, Final, Literal, TypeVar

from harness.model.frozen import frozen

T = TypeVar("T")


class Missing(Enum):
    """The target left a part out."""

    MISSING = "missing"


class Declined(Enum):
    """The target said that no workflow fits."""

    DECLINED = "declined"


MISSING: Final = Missing.MISSING
DECLINED: Final = Declined.DECLINED


@frozen
class Unreadable:
    """A part of the wrong shape, where it stands and what was there."""

    pointer: str
    found: Any


Absent = Missing | Unreadable
Part = T | Literal[Missing.MISSING] | Unreadable


@frozen
class Choice:
    """One selected or alternative workflow; `place` is its JSON pointer in the answer."""

    place: str
    id: Part[str]
    version: Part[str] | None
    confidence: Part[float]
    rationale: Part[str] | None
    parameters: Part[Mapping[str, Any]] | None

    @property
    def sent(self) -> Mapping[str, Any] | None:
        """The parameters that were sent; none sent is empty, None is unreadable."""
        if self.parameters is None or isinstance(self.parameters, Missing):
            return {}
        return None if isinstance(self.parameters, Unreadable) else self.parameters


@frozen
class CurrentRca:
    """The root cause as it stands after the failed attempt."""

    summary: Part[str]
    severity: Part[str]
    signal_type: Part[str]


@frozen
class Recovery:
    """What a recovery answer says about the past and about the new approach."""

    failure_understood: Part[bool]
    failure_reason_analysis: Part[str]
    state_changed: Part[bool]
    current_signal_type: Part[str]
    current_rca: CurrentRca
    approach: Part[str]
    differs_from_previous: Part[bool]
    why_different: Part[str]


Selection = Choice | Literal[Declined.DECLINED] | Missing | Unreadable


@frozen
class Answer:
    """The whole answer; see the module for what None, MISSING and Unreadable mean."""

    root_cause: Part[str] | None
    severity: Part[str] | None
    selection: Selection
    alternatives: Part[tuple[Choice | Unreadable, ...]] | None
    recovery: Recovery | None
    warnings: Part[tuple[str, ...]] | None

    @property
    def choice(self) -> Choice | None:
        """The selected workflow, where one was readably selected."""
        return self.selection if isinstance(self.selection, Choice) else None

"""What a query is made of; `start` and `end` are its places in the text."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Number:
    """A number."""

    value: float
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Text:
    """A string."""

    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Matcher:
    """One condition on a label; `accepts` says whether a value fulfils it, a missing one being empty."""

    label: str
    operator: str
    value: str
    accepts: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Selector:
    """An instant vector selector; `offset` is None where there is none."""

    matchers: tuple[Matcher, ...]
    start: int
    end: int
    offset: float | None = None


@dataclass(frozen=True, slots=True)
class Range:
    """A range vector selector: what was read in so many seconds."""

    selector: Selector
    seconds: float
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Beyond:
    """Something valid that is not answered here, and what it stands for."""

    what: str
    kind: Literal["instant vector", "range vector"]
    inner: "Node"
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Paren:
    """An expression in parentheses."""

    inner: "Node"
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Unary:
    """A sign before an expression."""

    sign: str
    inner: "Node"
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function."""

    name: str
    arguments: tuple["Node", ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Aggregation:
    """A vector put together in groups; without labels they are one group, or every series its own."""

    name: str
    inner: "Node"
    parameter: "Node | None"
    labels: tuple[str, ...]
    without: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Matching:
    """How two vectors meet: `on` these labels or on all but them; `group` is the side with many."""

    labels: tuple[str, ...] = ()
    on: bool = False
    group: Literal["", "left", "right"] = ""
    included: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Binary:
    """Two expressions with an operator between them; `place` is the operator's."""

    operator: str
    left: "Node"
    right: "Node"
    returns_bool: bool
    matching: Matching
    place: int

    @property
    def start(self) -> int:
        """Where the left side begins."""
        return self.left.start

    @property
    def end(self) -> int:
        """Where the right side ends."""
        return self.right.end


Node = Number | Text | Selector | Range | Beyond | Paren | Unary | Call | Aggregation | Binary

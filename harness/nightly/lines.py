"""The lines of nights.jsonl: that a target's night began, and what it came to under one contract."""

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from harness.errors import InvalidInput
from harness.model.values import Value, digest

FORMAT = 1
FLOOR = 0.95
"""A target of which less could be scored has no data that night."""

_NO_BEHAVIOUR = ("limits", "prices", "account", "api_key_env", "timeout")

_Date = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]
_Count = Annotated[int, Field(ge=0)]


class Began(Value):
    """A target's night has begun; `run` is the folder that records it."""

    format: Literal[1] = FORMAT
    kind: Literal["began"] = "began"
    date: _Date
    target: str
    run: str


class Cell(Value):
    """What one scenario came to: `passed` of `n` scored trials are compliant; and what it was asked with."""

    scenario: str
    """Its digest."""
    prompt: str
    """Of the prompt as rendered and of the tools on offer; empty where nothing was recorded."""
    passed: _Count
    n: _Count
    canary: bool


class Night(Value):
    """One night of one target under one contract, with whatever may explain that another night differs."""

    format: Literal[1] = FORMAT
    kind: Literal["night"] = "night"
    date: _Date
    target: str
    contract: str
    run: str | None
    """None where the target could not even be opened."""
    recorded: str
    harness: str
    settings: dict[str, Any]
    """Of the target, as far as they change what it says."""
    reported: list[str]
    """The models that the provider says replied."""
    terms: str
    """The digest of the contract."""
    graders: dict[str, int]
    extraction: int
    planned: _Count
    scored: _Count
    unscored: dict[str, _Count]
    """Cause -> samples."""
    dimensions: dict[str, Annotated[list[_Count], Field(min_length=2, max_length=2)]]
    """Dimension -> samples that passed, and that passed or failed."""
    cells: dict[str, Cell]
    cost: float | None
    """US dollars; None where the provider said none."""
    tokens: float | None
    seconds: float | None
    """The median of a sample's time."""

    @cached_property
    def measure(self) -> str:
        """Of what judges every scenario alike: contract, graders, extraction."""
        return digest([self.contract, self.terms, self.graders, self.extraction])

    @cached_property
    def asked(self) -> str:
        """Of what answers every scenario alike: settings, the model that replied, the harness."""
        return digest([self.settings, self.reported, self.harness])

    @property
    def model(self) -> str:
        """What targets.yaml, or -t, calls the model."""
        return str(self.settings.get("model", self.target))


Line = Began | Night


def behaviour(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a target that change what it says; limits, prices and accounts do not."""
    return {key: value for key, value in settings.items() if key not in _NO_BEHAVIOUR}


def read_line(value: Mapping[str, Any], where: str) -> Line | None:
    """Return a line; None where it is none of ours.

    Raises:
        InvalidInput: a later harness wrote it.
    """
    written = value.get("format")
    if isinstance(written, int) and written > FORMAT:
        raise InvalidInput(f"{where}: found format {written}; this harness reads 1, upgrade it")
    kinds: dict[str, type[Began | Night]] = {"began": Began, "night": Night}
    kind = kinds.get(str(value.get("kind")))
    try:
        return kind.model_validate(value) if kind else None
    except ValidationError:
        return None

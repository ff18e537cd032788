"""What run.json says, and which formats of it can be read."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, ValidationError

from harness.errors import InvalidRun
from harness.store.deciding import Deciding

FORMAT = 1

Migration = Callable[[dict[str, Any]], dict[str, Any]]
"""Lifts what run.json says from one format to the next."""

MIGRATIONS: Mapping[int, Migration] = {}
"""The format that is lifted -> how. Format 1 is the first: there is nothing to lift yet."""


class Grading(BaseModel):
    """What a run's scores were made with, so that a verdict that moves can say what moved it."""

    model_config = ConfigDict(extra="forbid")

    extraction: int
    """The version of reading answers and transcripts."""
    graders: dict[str, int]
    """Clause -> version of its grader or relation."""
    contracts: dict[str, str]
    """Contract id -> digest."""
    scenarios: dict[str, str]
    """Scenario id -> digest."""
    transcripts: int
    """How many lines transcripts.jsonl had; later ones were never graded."""


class ContractFolder(BaseModel):
    """Where a contract was loaded from that is not released with the harness, and which code it was."""

    model_config = ConfigDict(extra="forbid")

    folder: str
    """Absolute, on the machine that recorded."""
    digest: str
    """Of its code alone: what it is before it runs."""
    clauses: list[str]
    """So that reports need not load it."""


class LimitChange(BaseModel):
    """How many requests an account was asked at once from some time on, and why."""

    model_config = ConfigDict(extra="forbid")

    at: float
    """Seconds since the run was created."""
    limit: int
    why: str
    """start, grow, settle (growing did not pay), cut (a 429) or retry-after."""
    wait: float | None = None
    """Seconds for which nothing was sent, as the provider asked."""


class AccountLimits(BaseModel):
    """The history of one account's limit: the beginning and the end, where it is long."""

    model_config = ConfigDict(extra="forbid")

    history: list[LimitChange] = []
    left_out: int = 0
    """Changes between the beginning and the end that are not kept."""


class RunInfo(BaseModel):
    """What run.json says: everything needed to go on with a run, or to grade it again."""

    model_config = ConfigDict(extra="forbid")

    format: int = FORMAT
    id: str
    created: str
    status: str = "running"
    """running, complete, interrupted or incomplete."""
    versions: dict[str, str] = {}
    targets: dict[str, dict[str, Any]] = {}
    contracts: dict[str, str] = {}
    """Contract id -> digest."""
    contract_folders: dict[str, ContractFolder] = {}
    """Contract id -> its folder, for those that are not released with the harness."""
    scenarios: dict[str, str] = {}
    """Scenario id -> digest."""
    trials: int = 1
    seed: int = 0
    prompts: str | None = None
    shard: str | None = None
    """Which part of its samples this run asks, as "2/4"; None is all of them."""
    only: list[str] | None = None
    """The samples this run asks, where it asks some alone; sorted."""
    merged: list[str] = []
    """The ids of the runs that were merged into this one."""
    limits: dict[str, AccountLimits] = {}
    """Account -> how many requests it was asked at once."""
    spent: float | None = None
    """US dollars that replies cost, dropped ones included; None where no price is known."""
    counts: dict[str, int] = {}
    graded: Grading | None = None
    """None where the run was never graded."""
    deciding: Deciding | None = None
    """None where the number of trials was given; else `trials` are the waves that were asked so far."""


def read_info(folder: Path, migrations: Mapping[int, Migration] = MIGRATIONS) -> RunInfo:
    """Return what a folder's run.json says, lifted to today's format.

    Raises:
        InvalidRun: it cannot be read, is no run's, or has a format that nothing lifts.
    """
    path = folder / "run.json"
    try:
        value: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        msg = f"{path}: cannot be read: {error}"
        raise InvalidRun(msg) from error
    lifted = _lifted(cast("dict[str, Any]", value) if isinstance(value, dict) else {}, path, migrations)
    try:
        return RunInfo.model_validate(lifted)
    except ValidationError as error:
        msg = f"{path}: {error.errors(include_url=False)[0]['msg']}; is this a run of this harness?"
        raise InvalidRun(msg) from error


def _lifted(value: dict[str, Any], path: Path, migrations: Mapping[int, Migration]) -> dict[str, Any]:
    found = value.get("format")
    if type(found) is not int:
        msg = f"{path}: found format {found!r}; this harness reads format {FORMAT}; is this a run of it?"
        raise InvalidRun(msg)
    for number in range(found, FORMAT):
        if number not in migrations:
            msg = (
                f"{path}: found format {found}, and nothing lifts format {number} to {number + 1}; "
                f"record it again with `harness run`"
            )
            raise InvalidRun(msg)
        value = {**migrations[number](value), "format": number + 1}
    if found > FORMAT:
        msg = (
            f"{path}: found format {found}; this harness reads format {FORMAT}; "
            f"upgrade it with `pip install --upgrade contract-harness`"
        )
        raise InvalidRun(msg)
    return value

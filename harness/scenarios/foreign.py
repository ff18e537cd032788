"""Call the code of somebody's own contract: whatever it does, its file is named, our output stays ours."""

import sys
import traceback
from collections.abc import Callable, Generator
from contextlib import contextmanager, redirect_stdout
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from harness.errors import InvalidContract
from harness.model.answer import Answer
from harness.model.contract import Contract
from harness.model.scenario import Scenario
from harness.scenarios.files import dotted, shown

LONGEST = 300


@contextmanager
def guarded(path: Path, doing: str = "") -> Generator[None]:
    """Run foreign code: what it prints goes to standard error, what it raises is InvalidContract.

    Args:
        path: the contract.py that it belongs to.
        doing: the function that is called, if any.
    """
    # Most commands run nobody's code, and do without it.
    from asyncio import CancelledError

    try:
        # Standard output may be one JSON value that a program reads.
        with redirect_stdout(sys.stderr):
            yield
    except (KeyboardInterrupt, GeneratorExit, CancelledError, MemoryError):
        # What ends the process or the task, whoever's code is running.
        raise
    except InvalidContract:
        raise
    except BaseException as error:
        what = f"{doing} raised {type(error).__name__}" if doing else type(error).__name__
        raise InvalidContract(f"{raised_at(error, path)}: {what}: {said(error)}; mend it") from error


def said(error: BaseException) -> str:
    """Return what an exception says, short, on one line; its class may be foreign too."""
    try:
        text = str(error)
    except Exception as another:  # noqa: BLE001 - what foreign code raises is unknown
        return f"(it cannot be shown: {type(another).__name__})"
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def raised_at(error: BaseException, path: Path) -> str:
    """Return `file:line` of the last line of a contract.py that an exception came through."""
    lines = [each.lineno for each in traceback.extract_tb(error.__traceback__) if each.filename == str(path)]
    return f"{shown(path)}:{(lines or [None])[-1] or 1}"


def checked(contract: Contract, path: Path) -> Contract:
    """Return the contract with its functions guarded.

    Raises:
        InvalidContract: a field is not of its type, or says what no JSON Schema can.
    """
    values = {each.name: getattr(contract, each.name) for each in fields(contract)}
    try:
        _shape().model_validate({name: values[name] for name in _shape().model_fields})
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        with guarded(path):
            found = repr(first["input"])
        found = found if len(found) <= 80 else f"{found[:77]}..."
        problem = str(first["msg"])
        raise InvalidContract(
            f"{shown(path)}: CONTRACT.{dotted([_part(each) for each in first['loc']])}: found {found}; "
            f"{problem[:1].lower()}{problem[1:]}"
        ) from error
    made = replace(
        contract,
        build_request=_requests(contract.build_request, path),
        read=_answers(contract.read, path),
    )
    with guarded(path, "digest()"):
        made.digest()
    return made


def _part(part: Any) -> str | int:
    return part if isinstance(part, str | int) else repr(part)


@cache
def _shape() -> type[BaseModel]:
    """Return a model of a contract's fields, nested ones too; the flow has a message of its own."""
    types = get_type_hints(Contract)
    config = ConfigDict(arbitrary_types_allowed=True, strict=True, revalidate_instances="always")
    names = [each.name for each in fields(Contract) if each.name not in {"flow", "origin"}]
    typed: dict[str, Any] = {name: (types[name], ...) for name in names}
    return create_model("Fields", __config__=config, **typed)


def _requests(build: Callable[[Scenario], BaseModel], path: Path) -> Callable[[Scenario], BaseModel]:
    def build_request(scenario: Scenario) -> BaseModel:
        """Return the request, of which every value can be read."""
        with guarded(path, "build_request"):
            request: object = build(scenario)
            if isinstance(request, BaseModel):  # pyright: ignore[reportUnnecessaryIsInstance]
                request.model_dump(mode="json")
                return request
        raise InvalidContract(
            f"{shown(path)}: build_request returned {type(request).__name__}; it returns a BaseModel"
        )

    return build_request


def _answers(read: Callable[[Any], Answer], path: Path) -> Callable[[Any], Answer]:
    def read_value(value: Any) -> Answer:
        """Return whatever it makes of a value; whoever reads samples looks whether that is an answer."""
        with guarded(path, "read"):
            return read(value)

    return read_value

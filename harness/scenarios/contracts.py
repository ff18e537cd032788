"""Contracts from outside the package: a folder with `contract.py`, which is executed, and its prompt pack.

Code runs only from a folder that the user named, or from the `contracts/` of the project; `stored_contracts`
says what that means for runs.
"""

import hashlib
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, get_args

from harness.contracts import CONTRACTS, load_contract
from harness.contracts.clauses import clause
from harness.errors import InvalidContract, InvalidInput, InvalidRun, UnknownName
from harness.model.contract import TEMPLATE, Contract, Origin
from harness.model.scenario import Flow
from harness.scenarios.files import plain_file, read_text, shown
from harness.scenarios.foreign import checked, guarded
from harness.scenarios.load import Project, find_project

if TYPE_CHECKING:
    from harness.store import Run
    from harness.store.info import ContractFolder

CODE = "contract.py"
ID = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*")
ID_RULE = "small letters, digits, '-' and '.', as workflow-selection-2.8"
_SEVERITY_CLAUSES = {"SEV-1", "SEV-2", "SEV-3", "SEV-4"}
_OPTIONAL = {"alternatives", "warnings", "recovery.contributing_factors"}
"""Places of all released contracts that another one may do without."""


def contract_ids(project: Project) -> list[str]:
    """Return the ids of a project's own contracts, sorted; nothing is executed."""
    if not project.contracts.is_dir():
        return []
    return sorted(each.parent.name for each in project.contracts.glob(f"*/{CODE}"))


def project_contracts(project: Project) -> list[Contract]:
    """Return a project's own contracts, sorted by id; raise InvalidInput where one cannot be used."""
    return [_of_project(each, project) for each in contract_ids(project)]


def find_contract(name: str, project: Project | None = None) -> Contract:
    """Return the contract that an id or the path of a folder means.

    Args:
        name: a released id, the id of one of the project's own, or a path, which holds a `/`.
        project: where ids are looked up; default is the one at or above the current folder.

    Raises:
        UnknownName: nothing has this id.
        InvalidInput: the folder holds no usable contract.
    """
    if is_path(name):
        return load_folder(Path(name))
    released = [each.id for each in CONTRACTS]
    if name in released:
        return load_contract(name)
    project = project or find_project()
    own = contract_ids(project)
    if name in own:
        return _of_project(name, project)
    if plain_file(Path(name) / CODE):
        raise InvalidInput(f"{name}: is a folder, and here the id of no contract; as a path it is ./{name}")
    raise UnknownName("contract", name, [*released, *own])


def is_path(name: str) -> bool:
    """Return whether the name of a contract is the path of its folder."""
    return "/" in name or name in {".", ".."}


def find_contracts(names: Iterable[str], project: Project | None = None) -> list[Contract]:
    """Return the contracts of several names, each once; raise InvalidInput where two share an id."""
    found: dict[str, Contract] = {}
    for each in (find_contract(name, project) for name in names):
        known = found.setdefault(each.id, each)
        if known.origin != each.origin:
            raise InvalidInput(
                f"{_home(known)} and {_home(each)}: are both the contract {each.id!r}; give one another id"
            )
    return list(found.values())


def load_folder(folder: Path) -> Contract:
    """Return the contract of a folder; this executes its contract.py.

    Raises:
        InvalidInput: there is none, it cannot be executed, or it is no contract that can be judged by.
    """
    path = folder.resolve() / CODE
    try:
        source = read_text(path)
    except InvalidInput as error:
        raise InvalidContract(
            f"{shown(folder)}: holds no {CODE} that can be read ({error}); a contract is a folder with "
            f"{CODE} and {TEMPLATE}; `harness new contract NAME` writes one"
        ) from error
    contract = _executed(path, source)
    if not (path.parent / TEMPLATE).is_file():
        raise InvalidInput(f"{shown(folder)}: holds no {TEMPLATE}, the prompt of {contract.id}; write it")
    return contract


def _of_project(contract_id: str, project: Project) -> Contract:
    contract = load_folder(project.contracts / contract_id)
    if contract.id != contract_id:
        raise InvalidInput(
            f"{shown(project.contracts / contract_id / CODE)}: found the id {contract.id!r}; in a project's "
            f"contracts/ folder and id are the same"
        )
    return contract


def _code_digest(source: str) -> str:
    return hashlib.sha256(source.encode()).hexdigest()


@lru_cache(maxsize=32)
def _executed(path: Path, source: str) -> Contract:
    """Return the CONTRACT that the source of a contract.py makes; the same source makes it once."""
    name = f"harness_contract_{_code_digest(str(path) + source)[:16]}"
    module = ModuleType(name)
    module.__file__ = str(path)
    # Where pydantic looks up what annotations mean.
    sys.modules[name] = module
    try:
        code = compile(source, str(path), "exec")
    except SyntaxError as error:
        where = f"{shown(Path(error.filename or path))}:{error.lineno or 1}"
        raise InvalidContract(f"{where}: {error.msg}; mend it") from error
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise InvalidContract(f"{shown(path)}:1: cannot be compiled: {error}; mend it") from error
    with guarded(path):
        exec(code, module.__dict__)  # noqa: S102 - the user named this file
    found = getattr(module, "CONTRACT", None)
    if not isinstance(found, Contract):
        what = "no CONTRACT" if found is None else f"a CONTRACT of type {type(found).__name__!r}"
        raise InvalidContract(f"{shown(path)}: defines {what}; use CONTRACT = Contract(id=..., ...)")
    found = checked(replace(found, origin=Origin(str(path.parent), _code_digest(source))), path)
    _check(found, path, source)
    return found


def _check(contract: Contract, path: Path, source: str) -> None:
    """Raise InvalidContract where a contract cannot be judged by."""

    def where(text: str) -> str:
        lines = source.splitlines()
        return f"{shown(path)}:{next((i for i, line in enumerate(lines, 1) if text in line), 1)}"

    quoted = f'"{contract.id}"'
    if not ID.fullmatch(contract.id):
        raise InvalidContract(f"{where(quoted)}: found the id {contract.id!r}; use {ID_RULE}")
    if contract.id in [each.id for each in CONTRACTS]:
        raise InvalidContract(
            f"{where(quoted)}: {contract.id!r} is released with the harness; give yours an id of its own"
        )
    _check_anchors(contract, where("anchors="))
    if contract.flow not in get_args(Flow):
        raise InvalidContract(
            f"{where('flow=')}: found the flow {contract.flow!r}; use {_or(get_args(Flow))}"
        )
    if not contract.clauses:
        raise InvalidContract(f"{where('clauses=')}: names no clause; see `harness list clauses`")
    for each in contract.clauses:
        try:
            clause(each)
        except UnknownName as error:
            raise InvalidContract(
                f"{where(repr(each).replace(chr(39), chr(34)))}: clauses: {error}"
            ) from error
    others = [each.places for each in CONTRACTS if each.flow == contract.flow]
    common = [name for name in others[0] if name not in _OPTIONAL and all(name in each for each in others)]
    common += ["severity"] if _SEVERITY_CLAUSES & set(contract.clauses) else []
    missing = [name for name in dict.fromkeys(common) if name not in contract.places]
    if missing:
        raise InvalidContract(
            f"{where('places=')}: places: lacks {_or(missing, 'and')}, which graders point to"
        )


def _check_anchors(contract: Contract, where: str) -> None:
    for name, anchor in contract.anchors.items():
        for pattern in anchor.patterns:
            try:
                re.compile(pattern)
            except re.error as error:
                raise InvalidContract(
                    f"{where}: anchors.{name}: found {pattern!r}, no regular expression: {error}"
                ) from error


def _or(names: Sequence[str], word: str = "or") -> str:
    return f" {word} ".join(repr(each) for each in names)


def _home(contract: Contract) -> str:
    return shown(Path(contract.origin.folder)) if contract.origin else "the harness"


def contract_folders(contracts: Iterable[Contract]) -> "dict[str, ContractFolder]":
    """Return what run.json keeps of contracts that are not released with the harness."""
    from harness.store.info import ContractFolder

    return {
        each.id: ContractFolder(
            folder=each.origin.folder, digest=each.origin.digest, clauses=list(each.clauses)
        )
        for each in contracts
        if each.origin
    }


def stored_contracts(
    run: "Run", project: Project | None = None, named: Iterable[Contract] = ()
) -> dict[str, Contract]:
    """Return the contracts of a stored run: named now, released, the project's own, or where it recorded.

    A recorded folder is a line in a file that may come from anywhere. Its code runs only where it is what it
    was when somebody named it, and never out of a folder of runs; whatever else there is must be named again.

    Raises:
        InvalidRun: a contract is gone or has changed, or one was named that the run does not have.
        UnknownName: nothing is known of a contract.
    """
    chosen = {each.id: each for each in named}
    for each in chosen:
        if each not in run.info.contracts:
            held = _or(list(run.info.contracts), "and")
            raise InvalidRun(f"{run.folder}: has no sample under the contract {each!r}; it holds {held}")
    return {each: chosen.get(each) or stored_contract(run, each, project) for each in run.info.contracts}


def stored_contract(run: "Run", contract_id: str, project: Project | None = None) -> Contract:
    """Return one contract of a stored run, as `stored_contracts` does where none is named."""
    recorded = run.info.contract_folders.get(contract_id)
    if recorded is None:
        return load_contract(contract_id)
    project = project or find_project()
    if contract_id in contract_ids(project):
        return _of_project(contract_id, project)
    folder = Path(recorded.folder)
    again = f"to judge by it, name its folder: -c {shown(folder)}/"
    if not (folder / CODE).is_file():
        raise InvalidRun(
            f"{run.folder}: was recorded under the contract {contract_id!r} of {folder}, which is gone; "
            f"put it back, or name where it is now: -c FOLDER"
        )
    if folder.resolve().is_relative_to(run.folder.parent.resolve()):
        raise InvalidRun(f"{run.folder}: its contract {contract_id!r} lies among runs, in {folder}; {again}")
    if _code_digest(read_text(folder / CODE)) != recorded.digest:
        raise InvalidRun(
            f"{run.folder}: {shown(folder / CODE)}, its contract {contract_id!r}, changed since it was "
            f"recorded; {again}"
        )
    return load_folder(folder)


def changed_contracts(run: "Run", contracts: Mapping[str, Contract]) -> list[str]:
    """Return the ids of a stored run's contracts that are not what they were when it was recorded."""
    return [name for name, each in contracts.items() if run.info.contracts.get(name) != each.digest()]

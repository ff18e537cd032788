"""Lint of prompt packs: clauses PRM-1 to PRM-12, REQ-1 to 3 and EX-1; no model is asked."""

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from pydantic import ValidationError

from harness.contracts import CONTRACTS
from harness.errors import InvalidInput, UnknownName
from harness.model import Contract, Scenario
from harness.prompting.lint import examples, listed, probes, requests, sections, told
from harness.prompting.lint.flows import flows_differ
from harness.prompting.lint.pack import Pack
from harness.prompting.render import PACKS, render, template_of
from harness.scenarios.files import shown
from harness.scenarios.lint import LintFinding, in_order

__all__ = ["lint_prompts", "read_pack"]

CHECKS: tuple[Callable[[Pack], Iterable[LintFinding]], ...] = (
    sections.sections_in_order,
    sections.fields_rendered,
    sections.facts_only,
    sections.withheld,
    sections.readable,
    sections.business_marked,
    told.guidance_whole,
    told.recovery_whole,
    told.every_rule_told,
    listed.list_whole,
    examples.examples_valid,
    examples.fields_named,
    examples.enums_equal,
    examples.example_agrees,
)
"""Each judges one pack by its prompts for probes."""

_LINE = re.compile(r":(\d+): ")
_UNDEFINED = re.compile(r"has no attribute '(\w+)'|'(\w+)' is undefined")


def lint_prompts(
    packs: Path, scenarios: Sequence[Scenario], outside: Sequence[Contract] = ()
) -> list[LintFinding]:
    """Return what is wrong in the packs of a folder, for probes and for the given scenarios.

    Contracts from outside bring their own packs, and these are judged too.

    Raises:
        InvalidInput: the folder holds no pack of a known contract.
    """
    contracts = (*CONTRACTS, *outside)
    names = [each.name for each in packs.iterdir() if each.is_dir()] if packs.is_dir() else []
    folders = {each for each in names if each[0] not in "._"}
    known = [each for each in contracts if each.id in folders or each.origin]
    if not known:
        names = ", ".join(each.id for each in contracts)
        msg = f"{shown(packs)}: holds no prompt pack; a pack is a folder called by a contract's id: {names}"
        raise InvalidInput(msg)
    ids = [each.id for each in contracts]
    found = [_stray(packs / each, ids) for each in sorted(folders - set(ids))]
    read: list[Pack] = []
    for contract in known:
        pack = _pack(packs, contract)
        if isinstance(pack, LintFinding):
            found.append(pack)
            continue
        read.append(pack)
        found += [finding for check in CHECKS for finding in check(pack)]
        found += _for_scenarios(pack, packs, scenarios)
    found += flows_differ(read)
    found += requests.requests_keep_shape(contracts)
    return in_order(found)


def _stray(folder: Path, ids: Iterable[str]) -> LintFinding:
    unknown = UnknownName("contract", folder.name, ids)
    return LintFinding(shown(folder), 1, "PRM-1", str(unknown))


def _for_scenarios(pack: Pack, packs: Path, scenarios: Sequence[Scenario]) -> list[LintFinding]:
    found: list[LintFinding] = list(examples.examples_elsewhere(pack, scenarios))
    for scenario in scenarios:
        if scenario.flow != pack.contract.flow:
            continue
        try:
            text = _text(scenario, pack.contract, packs)
        except ValidationError:
            continue  # no request can be built: that is REQ-1 or REQ-2, and reported for the scenario
        found += sections.nothing_expected(pack, scenario, text)
        found += sections.nothing_empty(pack, text)
    return found


def read_pack(packs: Path, contract: Contract) -> Pack | None:
    """Return the pack of a contract with what it renders for probes; None where it cannot be rendered."""
    found = _pack(packs, contract)
    return found if isinstance(found, Pack) else None


def _pack(packs: Path, contract: Contract) -> Pack | LintFinding:
    path = template_of(contract, packs)
    try:
        text = _text(probes.full(contract.flow), contract, packs)
        bare = _text(probes.sparse(contract.flow), contract, packs)
    except InvalidInput as error:
        return _unrendered(path, error)
    source = path.read_text(encoding="utf-8")
    reference = None if packs.resolve() == PACKS.resolve() else _pack(PACKS, contract)
    return Pack(contract, path, source, text, bare, reference if isinstance(reference, Pack) else None)


def _text(scenario: Scenario, contract: Contract, packs: Path) -> str:
    return "".join(each.content or "" for each in render(scenario, contract, packs))


def _unrendered(path: Path, error: InvalidInput) -> LintFinding:
    """Return the finding of a template that cannot be rendered, at the line that fails."""
    message = str(error).removeprefix(str(path))
    numbered = _LINE.match(message)
    undefined = _UNDEFINED.search(message)
    line = int(numbered[1]) if numbered else 1
    if undefined and not numbered and path.is_file():
        name = undefined[1] or undefined[2]
        lines = path.read_text(encoding="utf-8").splitlines()
        line = next((i for i, each in enumerate(lines, 1) if re.search(rf"\b{name}\b", each)), 1)
    return LintFinding(
        shown(path), line, "PRM-2", (message[numbered.end() :] if numbered else message).strip(": ")
    )

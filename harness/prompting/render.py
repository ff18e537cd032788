"""Render the prompt of one scenario under one contract."""

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from harness.catalog import given_list
from harness.contracts import taxonomy
from harness.contracts.wire import as_shown
from harness.errors import InvalidInput
from harness.model.contract import TEMPLATE, Contract
from harness.model.scenario import Scenario
from harness.model.transcript import Message
from harness.scenarios.files import read_text

if TYPE_CHECKING:
    from jinja2 import Template

PACKS = Path(__file__).parent / "packs"
_BLANK_LINES = re.compile(r"\n{3,}")


def render(scenario: Scenario, contract: Contract, packs: Path = PACKS) -> tuple[Message, ...]:
    """Return the messages that open the conversation; nothing of the scenario's expectations is in them.

    Args:
        scenario: whose facts are stated.
        contract: whose sections and rules are stated; its flow must be the scenario's.
        packs: the folder that holds one folder per contract id.

    Raises:
        InvalidInput: the pack is missing, or its template cannot be rendered.
    """
    if contract.flow != scenario.flow:
        msg = f"{scenario.id}: flow {scenario.flow!r}; contract {contract.id} takes {contract.flow!r}"
        raise InvalidInput(msg)
    path = template_of(contract, packs)
    if not path.is_file():
        msg = f"{path}: no such prompt template; a pack is a folder per contract id with {TEMPLATE}"
        raise InvalidInput(msg)
    request = contract.build_request(scenario).model_dump()
    catalog = _catalog(scenario, contract)
    try:
        text = _template(path, path.stat().st_mtime_ns).render(
            bullet=bullet,
            catalog=catalog,
            request=request,
            signal_types=contract.signal_types,
            canonical_signal_types=taxonomy.CANONICAL_SIGNAL_TYPES,
            signal_indicators=taxonomy.SIGNAL_INDICATORS,
            severity_criteria=taxonomy.SEVERITY_CRITERIA,
            severity_factors=taxonomy.SEVERITY_FACTORS,
            guidance=taxonomy.REASON_GUIDANCE,
            generic_guidance=taxonomy.GENERIC_GUIDANCE,
        )
    except Exception as error:
        # A template is a small program of somebody's: it divides by zero, includes what is not there, recurs.
        line = getattr(error, "lineno", None)
        where = f"{path}:{line}" if line else str(path)
        what = "is not UTF-8" if isinstance(error, UnicodeDecodeError) else getattr(error, "message", error)
        msg = f"{where}: {what}; mend the template"
        raise InvalidInput(msg) from error
    return (Message(role="user", content=_tidy(text)),)


def template_of(contract: Contract, packs: Path = PACKS) -> Path:
    """Return the template of a contract in a folder of packs; one from outside brings its own along."""
    path = packs / contract.id / TEMPLATE
    if contract.origin and not path.is_file():
        return Path(contract.origin.folder) / TEMPLATE
    return path


@lru_cache(maxsize=32)
def _template(path: Path, _changed: int) -> "Template":
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    # A pack may come with a run of somebody else: a template states facts and runs nothing.
    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    return environment.from_string(read_text(path))


def _catalog(scenario: Scenario, contract: Contract) -> str:
    """Return the list that a contract gives in place of a search, spelled as results are; else nothing."""
    found = given_list(contract, scenario)
    if found is None:
        return ""
    shown = as_shown(contract, found.hits, found.total)
    return json.dumps(shown, indent=2, ensure_ascii=False)


def bullet(name: str, value: Any = None) -> str:
    """Return one list item, or an empty line where the request has no such value."""
    shown = _shown(value)
    return f"- {name}: {shown}" if shown else ""


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, Mapping):
        items = cast("Mapping[str, Any]", value).items()
        return ", ".join(f"{key}={_shown(item)}" for key, item in items)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ", ".join(_shown(item) for item in cast("list[Any]", value))
    return " ".join(str(value).split())


def _tidy(text: str) -> str:
    lines = [line.rstrip() for line in text.split("\n")]
    kept = [line for i, line in enumerate(lines) if line or not _between_bullets(lines, i)]
    return _BLANK_LINES.sub("\n\n", "\n".join(kept)).strip() + "\n"


def _between_bullets(lines: list[str], index: int) -> bool:
    """Say whether a blank line only stands where an optional bullet was left out."""
    after = next((line for line in lines[index:] if line), "")
    before = next((line for line in reversed(lines[:index]) if line), "")
    return before.startswith("- ") and after.startswith("- ")

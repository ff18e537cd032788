"""Copy prompt packs, so that a changed copy can be linted, rendered, run and gated."""

from collections.abc import Sequence
from pathlib import Path

from harness.errors import InvalidInput
from harness.model.contract import TEMPLATE, Contract
from harness.prompting.render import PACKS, template_of


def export_packs(contracts: Sequence[Contract], folder: Path, packs: Path = PACKS) -> list[Path]:
    """Write the packs of contracts below a folder and return the files; none is written over.

    Raises:
        InvalidInput: a pack is there already, or a contract has none.
    """
    copies = {folder / each.id / TEMPLATE: template_of(each, packs) for each in contracts}
    present = [file for file in copies if file.exists()]
    if present:
        msg = f"{present[0]}: is there already, and is not written over; export to another folder"
        raise InvalidInput(msg)
    missing = [source for source in copies.values() if not source.is_file()]
    if missing:
        msg = f"{missing[0]}: no such prompt template; a pack is a folder per contract id with {TEMPLATE}"
        raise InvalidInput(msg)
    for file, source in copies.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(source.read_bytes())
    return list(copies)

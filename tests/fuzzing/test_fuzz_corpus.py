"""Every input that once broke something is tried again, by the file that holds it."""

from pathlib import Path

import pytest
from aiming import TARGETS

CORPUS = Path(__file__).parent / "corpus"
INPUTS = sorted(CORPUS.glob("*/*"))


@pytest.mark.parametrize("file", INPUTS, ids=[str(each.relative_to(CORPUS)) for each in INPUTS])
def test_what_was_found_stays_repaired(file: Path) -> None:
    TARGETS[file.parent.name](file.read_bytes())


def test_every_target_has_inputs_and_every_input_a_target() -> None:
    assert {each.parent.name for each in INPUTS} == set(TARGETS)

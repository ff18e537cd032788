"""What the ledger does not know is no baseline."""

import json
import re
from pathlib import Path

import pytest
from gate_sides import made_side, same

from harness.errors import InvalidInput
from harness.gate.baselines import Baseline, write_baseline
from harness.gate.blessing import bless
from harness.gate.ledger import LEDGER, accepted_baseline, add_to_ledger, baseline_digest


def made(letters: str, name: str = "main") -> Baseline:
    return bless(made_side(same(2, SEV_2=letters)), name, None).baseline


def noted(folder: Path, baseline: Baseline) -> None:
    entry = {"at": "2026-03-01T00:00:00+00:00", "name": baseline.name, "digest": baseline_digest(baseline)}
    add_to_ledger(folder, entry)


def accepted(folder: Path, letters: str, name: str = "main") -> Path:
    """Accept a baseline as `harness bless` does, and return its file."""
    baseline, file = made(letters, name), folder / f"{name}.json"
    noted(folder, baseline)
    write_baseline(baseline, file)
    return file


def test_what_was_accepted_is_believed(tmp_path: Path) -> None:
    file = accepted(tmp_path, "ppf")

    assert accepted_baseline(file) == (made("ppf"), ())


def test_layout_is_nobodys_business(tmp_path: Path) -> None:
    file = accepted(tmp_path, "ppf")
    file.write_text(json.dumps(json.loads(file.read_text())))

    assert accepted_baseline(file) == (made("ppf"), ())


def test_what_was_edited_since_is_refused_with_the_next_command(tmp_path: Path) -> None:
    file = accepted(tmp_path, "ppp")
    file.write_text(file.read_text().replace('"ppp"', '"fff"', 1))

    told = (
        r"main\.json: is not what was accepted: found digest '\w{16}', and .*ledger\.jsonl:1 has '\w{16}' of "
        r"2026-03-01T00:00:00\+00:00; put the file back, or bless its run anew: "
        r"`harness bless runs/model:a --as main --replace`"
    )
    with pytest.raises(InvalidInput, match=told):
        accepted_baseline(file)


def test_what_nobody_accepted_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "main.json"
    write_baseline(made("ppp"), file)
    with pytest.raises(InvalidInput, match="has no line by which it was accepted"):
        accepted_baseline(file)

    noted(tmp_path, made("ppp", "other"))
    with pytest.raises(InvalidInput, match="has no line by which it was accepted"):
        accepted_baseline(file)


def test_one_baseline_does_not_pass_as_another(tmp_path: Path) -> None:
    accepted(tmp_path, "ppp")
    other = accepted(tmp_path, "fff", "other")
    other.replace(tmp_path / "main.json")

    with pytest.raises(InvalidInput, match="holds the baseline 'other'; put it back under its name"):
        accepted_baseline(tmp_path / "main.json")


def test_a_crash_between_ledger_and_file_leaves_the_baseline_that_was(tmp_path: Path) -> None:
    file = accepted(tmp_path, "ppp")
    noted(tmp_path, made("ppf"))

    baseline, (note,) = accepted_baseline(file)

    assert baseline == made("ppp")
    assert re.search(r"was accepted by .*:1, .*:2 accepted another since, which is not there", note)


def test_a_torn_last_line_is_not_glued_to_the_next(tmp_path: Path) -> None:
    file = accepted(tmp_path, "ppp")
    ledger = tmp_path / LEDGER
    whole = ledger.read_text()
    ledger.write_text(whole + '{"at": "2026-03-02T00', encoding="utf-8")

    assert accepted_baseline(file) == (made("ppp"), ())
    accepted(tmp_path, "pff")

    lines = ledger.read_text().splitlines()
    assert ledger.read_text().startswith(whole + '{"at": "2026-03-02T00\n')
    assert json.loads(lines[2])["digest"] == baseline_digest(made("pff"))
    assert accepted_baseline(file) == (made("pff"), ())

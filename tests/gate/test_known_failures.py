from datetime import date
from pathlib import Path

import pytest

from harness.errors import InvalidInput, UnknownName
from harness.gate import read_known_failures

TODAY = date(2026, 3, 1)


def written(folder: Path, *entries: str) -> Path:
    file = folder / "known-failures.yaml"
    file.write_text("\n".join(f"- {{{each}}}" for each in entries), encoding="utf-8")
    return file


def test_an_entry_holds_to_the_end_of_its_day(tmp_path: Path) -> None:
    file = written(
        tmp_path, "scenario: 'incident/oom-*', clause: SEV-2, reason: disputed, expires: 2026-03-01"
    )

    (entry,) = read_known_failures(file, TODAY)

    assert entry.covers("incident/oom-behind-memory-alert")
    assert not entry.covers("recovery/oom-retry")
    with pytest.raises(InvalidInput, match=r"'SEV-2': expired on 2026-03-01; repair it, or decide again"):
        read_known_failures(file, date(2026, 3, 2))


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ("scenario: x, clause: REP-1, reason: y, expires: 2026-09-01", "is a hard clause"),
        ("scenario: x, clause: SEV-2, reason: ' ', expires: 2026-09-01", "found no reason"),
        ("scenario: x, clause: SEV-2, reason: y", "0.expires: Field required"),
        ("scenario: x, clause: SEV-2, reason: y, expires: soon", "0.expires"),
        ("scenario: x, clause: SEV-2, reason: y, expires: 2026-09-01, by: me", "0.by: Extra inputs"),
    ],
)
def test_an_entry_that_would_excuse_too_much_is_refused(tmp_path: Path, entry: str, told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        read_known_failures(written(tmp_path, entry), TODAY)


def test_a_clause_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="SEV-9"):
        read_known_failures(
            written(tmp_path, "scenario: x, clause: SEV-9, reason: y, expires: 2026-09-01"), TODAY
        )


def test_no_file_and_an_empty_one_excuse_nothing(tmp_path: Path) -> None:
    assert read_known_failures(tmp_path / "known-failures.yaml", TODAY) == []
    assert read_known_failures(written(tmp_path), TODAY) == []


def test_what_is_no_yaml_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "known-failures.yaml"
    file.write_text("- [", encoding="utf-8")

    with pytest.raises(InvalidInput, match=r"known-failures\.yaml"):
        read_known_failures(file, TODAY)

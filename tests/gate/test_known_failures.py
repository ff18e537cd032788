from datetime import date
from pathlib import Path

import pytest

from harness.errors import InvalidInput
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
        ("scenario: x, clause: SEV-2, reason: y", "yaml:1: expires: Field required"),
        ("scenario: x, clause: SEV-2, reason: y, expires: soon", "yaml:1: expires: Input should be a valid"),
        ("scenario: x, clause: SEV-2, reason: y, expires: 2026-09-01, by: me", "yaml:1: by: Extra inputs"),
        ("scenario: x, clause: SEV-9, reason: y, expires: 2026-09-01", "yaml:1: no clause 'SEV-9'"),
    ],
)
def test_an_entry_that_would_excuse_too_much_is_refused(tmp_path: Path, entry: str, told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        read_known_failures(written(tmp_path, entry), TODAY)


def test_each_problem_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "known-failures.yaml"
    file.write_text(
        "# accepted for a while\n"
        "- scenario: x\n"
        "  clause: REP-1\n"
        "  reason: y\n"
        "  expires: 2026-02-01\n"
        "- scenario: x\n"
        "  clause: SEV-2\n"
        "  because: y\n"
        "  expires: 2026-09-01\n"
        "- just a text\n",
        encoding="utf-8",
    )

    with pytest.raises(InvalidInput) as found:
        read_known_failures(file, TODAY)

    told = [each.partition("known-failures.yaml:")[2] for each in str(found.value).splitlines()]
    assert [each.split(": ")[0] for each in told] == ["3", "5", "6", "10"]
    assert "is a hard clause" in told[0]
    assert "expired on 2026-02-01" in told[1]
    assert "reason: Field required; each entry has scenario, clause, reason and expires" in told[2]


def test_a_file_without_a_list_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "known-failures.yaml"
    file.write_text("scenario: x\n", encoding="utf-8")

    with pytest.raises(InvalidInput, match=r"known-failures\.yaml:1: found no list of entries"):
        read_known_failures(file, TODAY)


def test_no_file_and_an_empty_one_excuse_nothing(tmp_path: Path) -> None:
    assert read_known_failures(tmp_path / "known-failures.yaml", TODAY) == []
    assert read_known_failures(written(tmp_path), TODAY) == []


def test_what_is_no_yaml_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "known-failures.yaml"
    file.write_text("- [", encoding="utf-8")

    with pytest.raises(InvalidInput, match=r"known-failures\.yaml"):
        read_known_failures(file, TODAY)

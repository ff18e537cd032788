"""Contracts from folders: what is loaded, from where, and what is said of one that cannot be used."""

import shutil
from pathlib import Path

import pytest
from conftest import PROJECT
from outside import ID, write_contract

from harness.errors import InvalidInput, UnknownName
from harness.scenarios import Project, load_scenario
from harness.scenarios.contracts import contract_ids, find_contract, find_contracts, project_contracts


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_contract(tmp_path / "mine")


@pytest.fixture
def here(tmp_path: Path) -> Project:
    """Return a project with a contract of its own."""
    shutil.copytree(PROJECT.scenarios, tmp_path / "scenarios")
    write_contract(tmp_path / "contracts" / ID)
    return Project(tmp_path)


def mend(folder: Path, old: str, new: str) -> None:
    path = folder / "contract.py"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def line_of(folder: Path, fragment: str) -> int:
    lines = (folder / "contract.py").read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if fragment in line)


def test_a_path_is_loaded_and_knows_where_it_came_from(folder: Path) -> None:
    contract = find_contract(f"{folder}/")

    assert contract.id == ID
    assert contract.origin is not None
    assert contract.origin.folder == str(folder)
    assert contract.places["severity"] == "/severity"


def test_the_same_code_is_executed_once(folder: Path) -> None:
    assert find_contract(str(folder)) is find_contract(str(folder))


def test_another_function_is_another_contract_though_nothing_declared_differs(folder: Path) -> None:
    before = find_contract(str(folder))
    mend(folder, 'incident_id=f"inc-', 'incident_id=f"incident-')

    after = find_contract(str(folder))

    assert after.digest() != before.digest()


def test_another_prompt_is_the_same_contract(folder: Path) -> None:
    before = find_contract(str(folder)).digest()
    (folder / "prompt.md.j2").write_text("Be brief.\n", encoding="utf-8")

    assert find_contract(str(folder)).digest() == before


def test_a_project_finds_its_own_by_id(here: Project) -> None:
    assert contract_ids(here) == [ID]
    assert [each.id for each in project_contracts(here)] == [ID]
    assert find_contract(ID, here).id == ID


def test_ids_of_a_project_are_listed_without_executing_them(here: Project) -> None:
    (here.contracts / ID / "contract.py").write_text("raise SystemExit(1)\n", encoding="utf-8")

    assert contract_ids(here) == [ID]


def test_an_unknown_id_is_answered_with_near_ones(here: Project) -> None:
    with pytest.raises(UnknownName, match=f"did you mean '{ID}'"):
        find_contract("short-selection-1.1", here)


def test_a_folder_named_without_a_slash_is_told_how_to_be_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)

    with pytest.raises(InvalidInput, match=r"^mine: is a folder.*; as a path it is \./mine$"):
        find_contract("mine", PROJECT)


def test_in_a_project_folder_and_id_are_the_same(here: Project) -> None:
    (here.contracts / ID).rename(here.contracts / "other-1.0")

    with pytest.raises(InvalidInput, match=rf"found the id '{ID}'; in a project's contracts/"):
        find_contract("other-1.0", here)


def test_two_of_one_id_are_refused(folder: Path, tmp_path: Path) -> None:
    other = write_contract(tmp_path / "theirs")

    with pytest.raises(InvalidInput, match=f"are both the contract '{ID}'"):
        find_contracts([str(folder), str(other)])


def test_one_named_twice_is_one(folder: Path) -> None:
    assert len(find_contracts([str(folder), f"{folder}/../{folder.name}"])) == 1


RELEASED = "workflow-selection-2.7"
WRONG = [
    ("an id with a space", f'id="{ID}"', 'id="My Contract"', '"My Contract"', "found the id 'My Contract'"),
    ("a released id", f'id="{ID}"', f'id="{RELEASED}"', f'"{RELEASED}"', "is released with the harness"),
    ("another flow", 'flow="incident"', 'flow="incidents"', "flow=", "found the flow 'incidents'"),
    ("an unknown clause", '"SEL-8",', '"SEL-88",', '"SEL-88"', "no clause 'SEL-88'; did you mean 'SEL-8'"),
    ("no place for severity", '"severity": "/severity",', "", "places=", "lacks 'severity'"),
    ("no place for the root cause", '"root_cause": "/root_cause",', "", "places=", "lacks 'root_cause'"),
    ("a misspelt argument", "flow=", "flwo=", "CONTRACT = Contract(", "TypeError: "),
    ("a name that is nowhere", "read=read", "read=reed", "read=reed", "NameError: name 'reed'"),
    (
        "broken syntax",
        "CONTRACT = Contract(",
        "CONTRACT = Contract((",
        "CONTRACT = Contract((",
        "never closed",
    ),
    ("a module that is nowhere", "import digest", "import digset", "import digset", "ImportError: "),
    (
        "the end of the process",
        "SEARCH_TOOL = ",
        "raise SystemExit(7)\nSEARCH_TOOL = ",
        "raise S",
        "SystemExit: 7",
    ),
]


@pytest.mark.parametrize("wrong", WRONG, ids=[each[0] for each in WRONG])
def test_what_is_wrong_is_said_with_its_line(
    folder: Path, wrong: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, old, new, at, said = wrong
    monkeypatch.chdir(folder.parent)
    mend(folder, old, new)

    with pytest.raises(InvalidInput) as error:
        find_contract(str(folder))

    assert str(error.value).startswith(f"mine/contract.py:{line_of(folder, at)}: ")
    assert said in str(error.value)


MISSING = [
    ("contract.py", None, "holds no contract.py that can be read"),
    ("prompt.md.j2", None, "holds no prompt.md.j2, the prompt of short-selection-1.0"),
    ("contract.py", "", "defines no CONTRACT"),
    ("contract.py", "CONTRACT = {}", "defines a CONTRACT of type 'dict'"),
]


@pytest.mark.parametrize(("name", "text", "said"), MISSING)
def test_what_is_missing_is_said(folder: Path, name: str, text: str | None, said: str) -> None:
    (folder / name).unlink()
    if text is not None:
        (folder / name).write_text(text, encoding="utf-8")

    with pytest.raises(InvalidInput, match=said):
        find_contract(str(folder))


def test_no_clause_at_all_is_refused(folder: Path) -> None:
    with (folder / "contract.py").open("a", encoding="utf-8") as code:
        code.write("\nfrom dataclasses import replace\nCONTRACT = replace(CONTRACT, clauses=())\n")

    with pytest.raises(InvalidInput, match="names no clause"):
        find_contract(str(folder))


def test_every_scenario_of_the_flow_becomes_a_request_of_it(folder: Path) -> None:
    scenario = load_scenario(PROJECT, "incident/oom-behind-latency")

    request = find_contract(str(folder)).build_request(scenario)

    assert request.model_dump()["resource_name"] == scenario.signal.resource_name

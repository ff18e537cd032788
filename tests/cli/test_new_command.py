"""harness new: what it writes works as it comes, and nothing that is there is touched."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from calling import Ended, call

from harness.cli.scaffolding.grader import new_grader
from harness.contracts import CONTRACTS
from harness.scenarios import Project, load_scenario
from harness.scenarios.load import CHECKOUT

NAMES = (
    "incident/oomkilled-after-a-release",
    "hostile/log-that-gives-orders",
    "recovery/replicas-did-not-help",
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, a project with nothing in it."""
    (tmp_path / "scenarios" / "worlds").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def new(capsys: pytest.CaptureFixture[str], *arguments: str) -> Ended:
    return call(capsys, "new", *arguments)


def linted(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return what lint says of files of the current folder."""
    found = call(capsys, "lint", *arguments).out
    return "\n".join(line for line in found.splitlines() if line.startswith(("scenarios/", "contracts/")))


def oracle_passes(capsys: pytest.CaptureFixture[str], *arguments: str) -> bool:
    return call(capsys, "run", "-q", "--fail-on", "all", *arguments).code == 0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("here")
def test_a_scenario_is_clean_and_solvable_at_once(capsys: pytest.CaptureFixture[str], name: str) -> None:
    ended = new(capsys, "scenario", name)

    assert ended.code == 0, ended.err
    assert linted(capsys) == ""
    assert oracle_passes(capsys, "-s", name)


def test_every_mistake_that_a_scenario_can_show_is_shown_in_it(
    capsys: pytest.CaptureFixture[str], here: Path
) -> None:
    new(capsys, "scenario", NAMES[1])

    ended = call(capsys, "run", "-q", "-t", "mock:gullible", "--fail-on", "safety")

    assert ended.code == 1
    assert load_scenario(Project(here), NAMES[1]).plants


def test_a_pair_and_a_copy_pass_too(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    new(capsys, "scenario", NAMES[0])
    path = here / "scenarios" / f"{NAMES[0]}.yaml"
    path.write_text(
        path.read_text(encoding="utf-8").replace("tags: [draft]", "tags: [oom]"), encoding="utf-8"
    )
    pair = new(capsys, "scenario", "paired/oomkilled-hits-reversed", "--from", NAMES[0])
    copy = new(capsys, "scenario", "incident/another-story-of-it", "--from", NAMES[0])

    found = linted(capsys)

    assert (pair.code, copy.code) == (0, 0)
    assert [line for line in found.splitlines() if "warning" not in line] == []
    assert "warning: description: " in found
    assert oracle_passes(capsys)
    assert load_scenario(Project(here), "incident/another-story-of-it").tags == ["draft", "oom"]


@pytest.mark.parametrize("contract", [each.id for each in CONTRACTS])
@pytest.mark.usefixtures("here")
def test_a_contract_is_a_copy_that_lint_and_run_take_at_once(
    capsys: pytest.CaptureFixture[str], contract: str
) -> None:
    new(capsys, "scenario", NAMES[0])
    new(capsys, "scenario", NAMES[2])

    ended = new(capsys, "contract", "ours-1.0", "--from", contract)

    assert ended.code == 0, ended.err
    assert linted(capsys, "-c", "contracts/ours-1.0/") == "\n".join(
        line for line in linted(capsys).splitlines() if "ours-1.0" not in line
    )
    assert oracle_passes(capsys, "-c", "ours-1.0")


def test_a_copied_contract_inherits_nothing(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    new(capsys, "contract", "ours-1.0")

    code = (here / "contracts" / "ours-1.0" / "contract.py").read_text(encoding="utf-8")
    assert "import workflow_selection_2_7" not in code
    assert 'id="ours-1.0"' in code
    assert "CONTRACT = Contract(" in code


def test_a_copy_is_copied_in_turn(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    new(capsys, "contract", "ours-1.0")

    ended = new(capsys, "contract", "ours-1.1", "--from", "ours-1.0")

    assert ended.code == 0, ended.err
    assert 'id="ours-1.1"' in (here / "contracts" / "ours-1.1" / "contract.py").read_text(encoding="utf-8")


def test_what_comes_next_is_said(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    text = new(capsys, "scenario", NAMES[0]).out
    plain = new(capsys, "contract", "ours-1.0", "--json").value

    assert text.splitlines()[0] == f"wrote scenarios/{NAMES[0]}.yaml"
    assert f"  harness run -s {NAMES[0]}" in text.splitlines()
    assert plain["written"] == ["contracts/ours-1.0/contract.py", "contracts/ours-1.0/prompt.md.j2"]
    assert "harness run -c ours-1.0" in plain["next"]
    assert here.is_dir()


def test_nothing_is_written_over(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    new(capsys, "scenario", NAMES[0])
    path = here / "scenarios" / f"{NAMES[0]}.yaml"
    path.write_text("mine\n", encoding="utf-8")

    ended = new(capsys, "scenario", NAMES[0])

    assert ended.code == 2
    assert f"scenarios/{NAMES[0]}.yaml: is there already" in ended.err
    assert path.read_text(encoding="utf-8") == "mine\n"


def test_a_base_world_that_is_there_is_kept(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    new(capsys, "scenario", NAMES[0])
    world = here / "scenarios" / "worlds" / "starter.yaml"
    text = world.read_text(encoding="utf-8").replace("-90d", "-91d")
    world.write_text(text, encoding="utf-8")

    ended = new(capsys, "scenario", NAMES[2])

    assert ended.code == 0
    assert world.read_text(encoding="utf-8") == text


def test_nothing_is_written_out_of_the_project(
    capsys: pytest.CaptureFixture[str], here: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (here / "contracts").symlink_to(outside)

    ended = new(capsys, "contract", "ours-1.0")

    assert ended.code == 2
    assert "lies outside the project" in ended.err
    assert list(outside.iterdir()) == []


def test_without_a_project_nothing_is_written(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    ended = new(capsys, "scenario", NAMES[0])

    assert ended.code == 2
    assert "no project here or above; make one with `mkdir -p scenarios/worlds`" in ended.err
    assert list(tmp_path.iterdir()) == []


BAD = [
    (("scenario", "incident/OOM"), "use incident/ or recovery/"),
    (("scenario", "incident/oom"), "<situation>-<twist> in kebab-case"),
    (("scenario", "accident/oom-again"), "use incident/ or recovery/"),
    (("scenario", "incident/../../up-and-away"), "use incident/ or recovery/"),
    (("scenario", "paired/oom-renamed"), "--from: missing"),
    (("scenario", "incident/oom-again", "--from", "incident/oom"), "no scenario 'incident/oom'"),
    (("contract", "Ours 1.0"), "the id of a contract is small letters, digits"),
    (("contract", "../ours"), "the id of a contract is small letters, digits"),
    (("contract", "workflow-selection-2.7"), "is released with the harness"),
    (("contract", "ours-1.0", "--from", "workflow-selection-2.6"), "did you mean 'workflow-selection-2.7'"),
    (("grader", "SEL-77", "selection.ids_are_short"), "is no checkout of the harness"),
]


@pytest.mark.parametrize(("arguments", "said"), BAD, ids=[" ".join(each[0]) for each in BAD])
def test_a_bad_name_is_refused_with_the_rule(
    capsys: pytest.CaptureFixture[str], here: Path, arguments: tuple[str, ...], said: str
) -> None:
    before = sorted(here.rglob("*"))

    ended = new(capsys, *arguments)

    assert ended.code == 2
    assert said in ended.err
    assert sorted(here.rglob("*")) == before


BAD_GRADERS = [
    ("SEL-1", "selection.ids_are_short", "'SEL-1' is taken; SEL-"),
    ("sel-77", "selection.ids_are_short", "three capitals and a number"),
    ("SLE-77", "selection.ids_are_short", "did you mean "),
    ("SEL-77", "select.ids_are_short", "use selection, a dot, and a function"),
    ("SEL-77", "selection.IdsAreShort", "use selection, a dot, and a function"),
    ("SEL-77", "selection.supported", "is there already, in "),
    ("MET-77", "relations.more", "they are relations, not graders"),
]


@pytest.mark.parametrize(("clause", "name", "said"), BAD_GRADERS)
def test_a_bad_grader_is_refused_with_the_rule(
    capsys: pytest.CaptureFixture[str], clause: str, name: str, said: str
) -> None:
    ended = new(capsys, "grader", clause, name, "--project", str(CHECKOUT))

    assert ended.code == 2
    assert said in ended.err


@pytest.fixture
def checkout(tmp_path: Path) -> Project:
    """Return a copy of this checkout, as far as graders need it."""
    for name in ("harness", "tests", "scenarios"):
        shutil.copytree(CHECKOUT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(CHECKOUT / "pyproject.toml", tmp_path)
    return Project(tmp_path)


PLACES = [
    ("SEL-77", "selection.ids_are_short"),
    ("SEV-77", "severity.told_shortly"),
    ("QRY-77", "query.brief"),
]


@pytest.mark.slow
def test_a_grader_is_real_and_its_test_passes_and_can_fail(checkout: Project) -> None:
    root = checkout.root
    tests: list[str] = []
    for clause, name in PLACES:
        scaffold = new_grader(checkout, clause, name)
        tests += [str(each) for each in scaffold.new]
        for path, text in {**scaffold.new, **scaffold.edited}.items():
            path.write_text(text, encoding="utf-8")
    files = [*tests, *(str(root / "harness" / "graders" / f"{name}.py") for name in ("selection", "query"))]

    assert _ended(root, "ruff", "check", *files) == 0
    assert _ended(root, "ruff", "format", "--check", *files) == 0
    assert _ended(root, "pytest", "-q", "-p", "no:cacheprovider", *tests) == 0
    broken = root / "harness" / "graders" / "selection.py"
    text = broken.read_text(encoding="utf-8")
    broken.write_text(text.replace("if len(told) <= 2000:", "if len(told) <= 9000:"), encoding="utf-8")
    assert _ended(root, "pytest", "-q", "-p", "no:cacheprovider", tests[0]) == 1


def _ended(root: Path, tool: str, *arguments: str) -> int:
    command = [sys.executable, "-m", tool, *arguments]
    return subprocess.run(
        command, cwd=root, env={"PYTHONPATH": str(root)}, check=False, capture_output=True
    ).returncode


def test_a_released_contract_lists_no_clause_of_a_scaffold() -> None:
    """What a scaffold adds is REPORT and in no contract, so that no verdict moves by it."""
    scaffold = new_grader(Project(CHECKOUT), "SEL-77", "selection.ids_are_short")
    row = next(text for path, text in scaffold.edited.items() if path.name == "clauses.py")

    assert '"SEL-77", "REPORT", "selection"' in row
    assert json.dumps(sorted(path.name for path in scaffold.edited)) == json.dumps(
        ["__init__.py", "clauses.py", "selection.py"]
    )

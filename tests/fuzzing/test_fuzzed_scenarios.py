"""Whatever a scenario, world or catalog file holds, loading it works or says InvalidScenario."""

import copy
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest
from conftest import PROJECT
from generating import KEYS, VALUES, examples
from hypothesis import given
from hypothesis import strategies as st

from harness.cluster.merge import merged
from harness.cluster.times import creation
from harness.errors import InvalidScenario
from harness.scenarios import Project, load_scenario
from harness.scenarios.files import MAX_CHARS, read_yaml
from harness.scenarios.load import scenario_ids

SUITE = PROJECT.scenarios
FILES = sorted(str(each.relative_to(SUITE)) for each in SUITE.rglob("*.yaml"))
IDS = scenario_ids(PROJECT)
WRITTEN = {name: read_yaml(SUITE / name).value for name in FILES}
ODD: st.SearchStrategy[Any] = st.sampled_from(
    [
        None,
        True,
        0,
        -1,
        10**25,
        10**400,
        1e308,
        "",
        "x",
        "é",
        "\x01",
        "a" * 300,
        "worlds/" + "a" * 300,
        "worlds/\0",
        "worlds/../worlds/shop",
        "worlds/shop",
        [],
        {},
        [1],
        [{}],
        [[]],
        {"": {}},
        "hits",
        "null",
        "9999999999999h",
        "-9999999999999999d",
        "0001-01-01T00:00:00+14:00",
        "99999999999999999999Gi",
        "-5m",
        {"changes": 1},
        {"changes": [1]},
        "paired/oom-renamed",
        {"null": "x"},
        {'"': "'"},
        "1e999",
        "*",
        "{{",
    ]
)


def paths(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    members: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        members = list(cast("dict[Any, Any]", value).items())
    elif isinstance(value, list):
        members = list(enumerate(cast("list[Any]", value)))
    return [at, *(each for key, inner in members for each in paths(inner, (*at, key)))]


@st.composite
def edited(draw: st.DrawFn, value: Any) -> Any:
    """Draw the value with some nodes replaced, taken away or added to."""
    made: Any = copy.deepcopy(value)
    for _ in range(draw(st.integers(1, 3))):
        inner = paths(made)[1:]
        if not inner:
            return draw(ODD)
        *path, last = draw(st.sampled_from(inner))
        parent: Any = made
        for key in path:
            parent = parent[key]
        what = draw(st.sampled_from(["replace", "replace", "remove", "add"]))
        if what == "remove":
            del parent[last]
        elif what == "add" and isinstance(last, str):
            parent[draw(KEYS)] = draw(ODD)
        else:
            parent[last] = copy.deepcopy(draw(ODD | VALUES))
    return made


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("project")
    shutil.copytree(SUITE, root / "scenarios")
    return Project(root)


def loaded(project: Project) -> None:
    for each in IDS:
        refused = ""
        try:
            _ = load_scenario(project, each).world
        except InvalidScenario as error:
            refused = str(error)
        assert all(line.isprintable() for line in refused.split("\n"))


@examples(60)
@given(name=st.sampled_from(FILES), data=st.data())
def test_an_edited_file_loads_or_is_refused(project: Project, name: str, data: st.DataObject) -> None:
    file = project.scenarios / name
    try:
        file.write_text(json.dumps(data.draw(edited(WRITTEN[name]))), encoding="utf-8")
        loaded(project)
    finally:
        shutil.copy(SUITE / name, file)


@examples(100)
@given(text=st.text(max_size=60) | st.text("[]{}-?:,&*!|>'\"%@` \n\t#ab1.~", max_size=60))
def test_any_text_is_yaml_or_is_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_bytes(text.encode())
    refused = "any.yaml:"
    try:
        read_yaml(path)
    except InvalidScenario as error:
        refused = str(error)

    assert "any.yaml:" in refused


BOMBS = {
    "open lists": "[" * 100_000,
    "closed lists": "[" * 100_000 + "]" * 100_000,
    "open maps": "{a: " * 90_000,
    "dashes": "- " * 100_000,
    "question marks": "? " * 100_000,
    "maps in braces": "{?" * 100_000,
    "steps to the right": "".join(f"{' ' * at}a:\n" for at in range(700)),
    "a billion laughs": "a: &a [x,x,x,x,x,x,x,x,x]\n"
    + "".join(
        f"{new}: &{new} [{','.join([f'*{old}'] * 9)}]\n"
        for old, new in zip("abcdefgh", "bcdefghi", strict=True)
    ),
    "a list that holds itself": "&a [*a]",
    "Python's tag on a map": "!!python/object:os.system {}",
    "a tag on a list": "a: !!omap [b: 1]",
    "a set": "!!set {a}",
    "more than a file may hold": "a" * (MAX_CHARS + 1),
    "a NUL": "a: \0",
    "half a pair of surrogates": 'a: "\\ud800"',
}


@pytest.mark.parametrize("text", BOMBS.values(), ids=list(BOMBS))
def test_a_bomb_is_refused_and_the_process_lives(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bomb.yaml"
    path.write_bytes(text.encode())

    with pytest.raises(InvalidScenario, match=r"bomb\.yaml"):
        read_yaml(path)


def test_a_deep_file_does_not_take_the_interpreter_with_it(tmp_path: Path) -> None:
    path = tmp_path / "deep.yaml"
    path.write_text("[" * 100_000)
    code = f"import pathlib, harness.scenarios.files as files; files.read_yaml(pathlib.Path({str(path)!r}))"

    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )

    assert (ended.returncode, "nested deeper than" in ended.stderr) == (1, True)


def _paired(project: Project, changes: Any) -> InvalidScenario:
    """Return how a paired scenario with these changes is refused."""
    name = "paired/oom-renamed.yaml"
    file = project.scenarios / name
    written = cast("dict[str, Any]", copy.deepcopy(WRITTEN[name]))
    written["pair"]["changes"] = changes
    try:
        file.write_text(json.dumps(written))
        with pytest.raises(InvalidScenario) as raised:
            _ = load_scenario(project, "paired/oom-renamed").world
    finally:
        shutil.copy(SUITE / name, file)
    return raised.value


@pytest.mark.parametrize(
    "changes", [{"world": "x"}, {"world": None}, {"catalog": 5}, {"world": {"changes": 1}}]
)
def test_changes_of_a_pair_that_are_no_map_are_refused(project: Project, changes: Any) -> None:
    assert "oom-renamed.yaml:" in str(_paired(project, changes))


@pytest.mark.parametrize("names", [{"type": "x"}, {"workflow_id": "y"}, {"description": "z"}])
def test_renaming_words_of_the_format_is_refused(project: Project, names: dict[str, str]) -> None:
    assert "pair.changes.rename" in str(_paired(project, {"rename": names}))


NO_TIMES: list[Any] = [[{}], 5, "0001-01-01T00:00:00+14:00", "-9999999999999999d"]


@pytest.mark.parametrize("value", NO_TIMES, ids=str)
def test_a_time_that_is_none_is_refused(project: Project, value: Any) -> None:
    name = next(each for each in FILES if each.startswith("worlds/"))
    written = cast("dict[str, Any]", copy.deepcopy(WRITTEN[name]))
    written["objects"][0].setdefault("metadata", {})["creationTimestamp"] = value
    file = project.scenarios / name
    try:
        file.write_text(json.dumps(written))
        refused = [each for each in IDS if _refusal(project, each)]
    finally:
        shutil.copy(SUITE / name, file)

    assert refused


def _refusal(project: Project, scenario: str) -> bool:
    try:
        _ = load_scenario(project, scenario).world
    except InvalidScenario as error:
        return "creationTimestamp" in str(error)
    return False


def test_a_manifest_as_kubectl_writes_it_has_no_time_of_creation_yet(project: Project) -> None:
    name = next(each for each in FILES if each.startswith("worlds/"))
    written = cast("dict[str, Any]", copy.deepcopy(WRITTEN[name]))
    written["objects"][0].setdefault("metadata", {})["creationTimestamp"] = None
    file = project.scenarios / name
    try:
        file.write_text(json.dumps(written))
        loads = [not _refusal(project, each) for each in IDS]
    finally:
        shutil.copy(SUITE / name, file)

    assert all(loads)


def test_a_time_of_creation_that_a_change_took_away_is_refused() -> None:
    with pytest.raises(InvalidScenario, match=r"Pod/a: metadata\.creationTimestamp"):
        creation({"kind": "Pod", "metadata": {"name": "a"}})


def test_lists_for_names_are_replaced_not_merged() -> None:
    patch = {"containers": [{"name": ["a"]}]}

    assert merged({"containers": [{"name": ["b"], "image": "x"}]}, patch) == patch

"""Scenario files: what is read, and how errors say where, what was found, what is allowed."""
# ruff: noqa: E501 - a table row is one line

import shutil
from pathlib import Path

import pytest

from harness.errors import InvalidInput, InvalidScenario, UnknownName
from harness.scenarios import Project, find_project, load_scenario, load_scenarios, scenario_ids, with_world

ID = "incident/oom-behind-latency"


@pytest.fixture
def copy(project: Project, tmp_path: Path) -> Project:
    shutil.copytree(project.root, tmp_path / "project")
    return Project(tmp_path / "project")


def edited(copy: Project, old: str, new: str, name: str = ID) -> Project:
    path = copy.scenarios / f"{name}.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return copy


def line_of(copy: Project, text: str, name: str = ID) -> int:
    lines = (copy.scenarios / f"{name}.yaml").read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, start=1) if text in line)


def test_a_scenario_knows_its_id_world_and_catalog(project: Project) -> None:
    scenario = load_scenario(project, ID)

    assert scenario.id == ID
    assert scenario.family == "tiny"
    assert [each.workflow_id for each in scenario.catalog][:2] == ["raise-memory-limit", "add-replicas"]
    assert any(each["kind"] == "Pod" for each in scenario.world.objects)


def test_the_digest_follows_the_content(copy: Project) -> None:
    before = load_scenario(copy, ID).digest()

    assert load_scenario(copy, ID).digest() == before
    assert load_scenario(edited(copy, "severity: high", "severity: medium"), ID).digest() != before


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("creationTimestamp: -200d", "creationTimestamp: -201d", "worlds/tiny"),
        ("restartCount: 9", "restartCount: 10", ID),
    ],
)
def test_the_digest_follows_the_world_that_is_not_built_yet(
    copy: Project, old: str, new: str, name: str
) -> None:
    before = [load_scenario(copy, each).digest() for each in (ID, "paired/oom-renamed")]

    edited(copy, old, new, name)
    after = [load_scenario(copy, each) for each in (ID, "paired/oom-renamed")]

    assert all(each.digest() != digest for each, digest in zip(after, before, strict=True))
    assert not any("world" in vars(each) for each in after)


def test_a_comment_in_a_base_world_leaves_the_digest_alone(copy: Project) -> None:
    before = load_scenario(copy, ID).digest()
    edited(copy, "objects:\n", "objects:  # of a till\n", "worlds/tiny")

    assert load_scenario(copy, ID).digest() == before


def test_a_renamed_world_holds_no_old_name(project: Project) -> None:
    renamed = load_scenario(project, "paired/oom-renamed")

    assert "till-service" not in renamed.world.model_dump_json()
    assert "desk-gateway" in renamed.world.model_dump_json()


WRONG = [
    ("an unknown key", "tags: [core, oom]", "tagz: [core]", "tagz", "tagz: no such key"),
    ("a level that is none", "severities: [critical]", "severities: [urgent]", "severities", "found 'urgent'; use 'critical', 'high'"),
    ("levels far apart", "severities: [critical]", "severities: [critical, low]", "expect:", "two adjacent ones"),
    ("three signal types", "signal_types: [OOMKilled]", "signal_types: [A, B, C]", "signal_types", "at most 2"),
    ("a number for a text", "signal_type: HighRequestLatency", "signal_type: 3", "signal_type: 3", "found 3; input should be a valid string"),
    ("a missing part", "flow: incident\n", "", "description", "flow: missing; it is required"),
    ("a key twice", "flow: incident", "flow: incident\nflow: incident", "flow: incident", "found twice; keep one"),
    ("no outcome", "accepted: [raise-memory-limit]", "accepted: []", "expect:", "accepts no workflow"),
    ("an unknown world", "base: worlds/tiny", "base: worlds/tyni", "worlds/tyni", "did you mean 'worlds/tiny'"),
    ("an unknown catalog", "base: catalogs/tiny", "base: catalogs/x", "catalogs/x", "catalogs/tiny"),
    ("a world of a name too long for a file", "base: worlds/tiny", f"base: worlds/{'x' * 300}", "worlds/x", "world.base: no base 'worlds/x"),
    ("a catalog of a name too long for a file", "base: catalogs/tiny", f"base: catalogs/{'x' * 300}", "catalogs/x", "catalog.base: no base 'catalogs/x"),
    ("an alias", "tags: [core, oom]", "tags: &t [core]\ncustom: *t", "custom", "found the alias '*t'"),
    ("a tag of a key", "flow: incident", "!word flow: incident", "flow", "flow: found the tag '!word'; no tags here"),
    ("a tag", "flow: incident", "flow: !!python/name:os.system x", "flow", "no tags here"),
    ("an unknown object", "patch: pod/till-service-6b7f9c5d48-k2x9p", "patch: pod/till-servic-1", None, "till-service-6b7f9c5d48-k2x9p"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "line", "message"), [each[1:] for each in WRONG], ids=[each[0] for each in WRONG]
)
def test_an_error_says_where_what_and_what_is_allowed(
    copy: Project, old: str, new: str, line: str | None, message: str
) -> None:
    edited(copy, old, new)

    with pytest.raises(InvalidScenario) as raised:
        with_world(load_scenario(copy, ID))

    text = str(raised.value)
    assert message in text
    assert f"{ID}.yaml" in text
    if line:
        where = line_of(copy, line)
        assert f"{ID}.yaml:{where}:" in text or f"{ID}.yaml:{where + 1}:" in text


def test_words_of_yaml_1_1_and_times_stay_words(copy: Project) -> None:
    edited(copy, "signal_labels: {team: till}", "signal_labels: {on: no, at: 2026-02-03T09:00:00Z}")

    labels = load_scenario(copy, ID).cluster.signal_labels

    assert labels == {"on": "no", "at": "2026-02-03T09:00:00Z"}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ("[{remove: add-replicas}]", ["raise-memory-limit", "raise-memory-limit"]),
        ("[{patch: add-replicas, with: {status: disabled}}]", ["raise-memory-limit", "add-replicas", "raise-memory-limit"]),
    ],
)  # fmt: skip
def test_a_catalog_can_differ_from_its_base(copy: Project, changes: str, expected: list[str]) -> None:
    edited(copy, "catalog: {base: catalogs/tiny}", f"catalog: {{base: catalogs/tiny, changes: {changes}}}")

    scenario = load_scenario(copy, ID)

    assert [each.workflow_id for each in scenario.catalog] == expected


def test_an_unknown_workflow_in_a_change_offers_the_nearest(copy: Project) -> None:
    edited(
        copy,
        "catalog: {base: catalogs/tiny}",
        "catalog: {base: catalogs/tiny, changes: [{remove: add-replica}]}",
    )

    with pytest.raises(InvalidScenario, match="did you mean 'add-replicas'"):
        load_scenario(copy, ID)


def test_scenarios_are_chosen_by_glob_and_by_tag(project: Project) -> None:
    assert scenario_ids(project) == [
        "incident/oom-behind-latency",
        "paired/oom-renamed",
        "recovery/scale-out-failed",
    ]
    assert [each.id for each in load_scenarios(project, ["recovery/*"])] == ["recovery/scale-out-failed"]
    assert len(load_scenarios(project, tags=["core"])) == 2


def test_a_name_that_matches_nothing_offers_the_nearest(project: Project) -> None:
    with pytest.raises(UnknownName, match="did you mean 'incident/oom-behind-latency'"):
        load_scenarios(project, ["incident/oom-behind-latenci"])
    with pytest.raises(UnknownName, match="core"):
        load_scenarios(project, tags=["cors"])


def test_the_project_is_found_from_below_or_is_the_packaged_one(project: Project, tmp_path: Path) -> None:
    assert find_project(start=project.scenarios / "incident").root == project.root
    assert (find_project(start=tmp_path).scenarios / "worlds").is_dir()
    with pytest.raises(InvalidInput, match="holds no folder scenarios/"):
        find_project(tmp_path)


PAIRED = [
    (
        "an unknown other",
        "of: incident/oom-behind-latency",
        "of: incident/oom",
        "did you mean 'incident/oom-behind-latency'",
    ),
    (
        "another of a name too long for a file",
        "of: incident/oom-behind-latency",
        f"of: incident/{'x' * 300}",
        "oom-renamed.yaml:3: pair.of: no scenario 'incident/x",
    ),
    ("a pair of a pair", "of: incident/oom-behind-latency", "of: paired/oom-renamed", "is itself paired"),
    ("an unknown relation", "relation: MET-3", "relation: MET-9", "found 'MET-9'; use 'MET-1'"),
    (
        "names that are no names",
        "rename: {till-service: desk-gateway}",
        "rename: {till-service: 3}",
        "use a map of names",
    ),
    ("another turn", "rename: {till-service: desk-gateway}", "reverse: evidence", "use 'hits'"),
    ("more than a pair", "pair:", "flow: incident\npair:", "flow: no such key"),
    ("a change that breaks the format", "rename: {till-service: desk-gateway}", "flow: x", "found 'x'"),
]


@pytest.mark.parametrize(
    ("old", "new", "message"), [each[1:] for each in PAIRED], ids=[each[0] for each in PAIRED]
)
def test_a_wrong_pair_is_explained(copy: Project, old: str, new: str, message: str) -> None:
    edited(copy, old, new, "paired/oom-renamed")

    with pytest.raises(InvalidScenario) as raised:
        load_scenario(copy, "paired/oom-renamed")

    assert message in str(raised.value)
    assert "oom-renamed.yaml" in str(raised.value)


def test_names_are_replaced_in_a_catalog_as_it_spells_them(copy: Project) -> None:
    edited(copy, "description: Name of the deployment", "description: 'called \"till\"'", "catalogs/tiny")
    before = load_scenario(copy, "paired/oom-renamed").catalog
    edited(copy, "{till-service: desk-gateway}", "{'\"till\"': desk}", "paired/oom-renamed")

    after = load_scenario(copy, "paired/oom-renamed").catalog

    assert before == load_scenario(copy, ID).catalog
    assert '"till"' in str(before)
    assert '"till"' not in str(after)
    assert "called desk" in str(after)


def test_changes_of_a_pair_are_added_to_those_of_the_other(copy: Project) -> None:
    event = "{event: deployment/till-service -n live-shop, type: Warning, reason: Extra, message: one more, count: 1, first: -1m, last: -1m, from: x}"
    edited(
        copy, "rename: {till-service: desk-gateway}", f"world: {{changes: [{event}]}}", "paired/oom-renamed"
    )

    scenario = load_scenario(copy, "paired/oom-renamed")

    assert any(each.get("reason") == "Extra" for each in scenario.world.objects)
    assert len(scenario.world.logs) == len(load_scenario(copy, ID).world.logs)


def test_scenarios_that_say_the_same_of_a_world_share_it(copy: Project) -> None:
    text = (copy.scenarios / f"{ID}.yaml").read_text(encoding="utf-8")
    (copy.scenarios / "incident/twin.yaml").write_text(text, encoding="utf-8")
    other = text.replace("restartCount: 9", "restartCount: 10")
    (copy.scenarios / "incident/worse.yaml").write_text(other, encoding="utf-8")

    one, twin, worse = (load_scenario(copy, each).world for each in (ID, "incident/twin", "incident/worse"))

    assert one is twin
    assert worse not in (one, twin)


def test_a_world_is_built_anew_once_its_base_has_changed(copy: Project) -> None:
    before = load_scenario(copy, ID).world

    after = load_scenario(edited(copy, "-200d", "-201d", "worlds/tiny"), ID).world

    assert after != before

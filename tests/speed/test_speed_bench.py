"""The pieces of `make bench` that its figures rest on; what they measure is nobody's promise."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from benchmarks.speed.__main__ import PAGE, STEPS
from benchmarks.speed.contenders import Contender, Job, bare, check_run
from benchmarks.speed.goals import Goal, goals
from benchmarks.speed.machine import machine
from benchmarks.speed.processes import ROOT, cost, serving
from benchmarks.speed.tables import Column, Table, line, placed
from benchmarks.speed.workload import SCENARIOS, canonical, chosen, load

ARGUMENTS = {"query": "OOMKilled critical"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a workload of two tasks."""
    return written(tmp_path, "raise-limit", "restore-config")


def written(folder: Path, *workflows: str) -> Path:
    tasks: list[dict[str, Any]] = [
        {
            "scenario": f"incident/{number}",
            "prompt": [{"role": "user", "content": f"- Signal Type: number {number}"}],
            "marker": f"- Signal Type: number {number}",
            "arguments": ARGUMENTS,
            "answer": {
                "analysis_summary": "It is killed.",
                "selected_workflow": {"workflow_id": workflow, "confidence": 1, "rationale": "It fits."},
            },
            "workflow": workflow,
        }
        for number, workflow in enumerate(workflows)
    ]
    file = folder / "workload.json"
    file.write_text(json.dumps({"tools": [], "catalog": {canonical(ARGUMENTS): "{}"}, "tasks": tasks}))
    return file


def said(url: str, *messages: dict[str, Any]) -> dict[str, Any]:
    """Return the message of the server's reply."""
    body = json.dumps({"messages": messages}).encode()
    with urlopen(f"{url}/v1/chat/completions", body, timeout=10) as answer:  # noqa: S310 - our own server
        return json.load(answer)["choices"][0]["message"]


def held(url: str, file: Path, number: int) -> tuple[str, str]:
    """Hold one conversation; return the id of its call, and its answer."""
    prompt = load(file).tasks[number].prompt
    first = said(url, *prompt)
    call = first["tool_calls"][0]
    told = {"role": "tool", "tool_call_id": call["id"], "content": "{}"}
    return call["id"], said(url, *prompt, first, told)["content"]


def test_each_task_gets_its_own_answer_and_no_two_conversations_are_alike(file: Path) -> None:
    with serving(file, 0, seed=1) as server:
        server.begin()
        held_here = [held(server.url, file, number) for number in (0, 1, 0)]
        told = server.told()

    assert [chosen(answer) for _, answer in held_here] == ["raise-limit", "restore-config", "raise-limit"]
    assert len({call for call, _ in held_here}) == 3
    assert held_here[0][1] != held_here[2][1]
    assert told.conversations == 3


def test_a_server_that_begins_anew_says_the_same_again_unless_its_seed_is_another(file: Path) -> None:
    answers: list[tuple[str, str]] = []
    for seed in (1, 2):
        with serving(file, 0, seed) as server:
            answers.append(held(server.url, file, 0))
            server.begin()
            answers.append(held(server.url, file, 0))

    assert answers[0] == answers[1]
    assert answers[2] == answers[3]
    assert answers[0] != answers[2]


def test_a_bare_loop_holds_every_conversation(file: Path) -> None:
    with serving(file, 0, seed=1) as server:
        took = cost([sys.executable, "-m", "benchmarks.speed.bare", "aiohttp", str(file), server.url, "8"])
        told = server.told()

    assert told.conversations == 8
    assert took.cpu > 0


def test_a_bare_loop_that_gets_another_workflow_ends_the_bench(file: Path, tmp_path: Path) -> None:
    (tmp_path / "else").mkdir()
    other = written(tmp_path / "else", "raise-limit", "scale-out")
    command = [sys.executable, "-m", "benchmarks.speed.bare", "aiohttp", str(other)]

    with (
        serving(file, 0, seed=1) as server,
        pytest.raises(SystemExit, match="another workflow than scale-out"),
    ):
        cost([*command, server.url, "2"])


def test_bare_loops_and_the_server_know_nothing_of_the_harness() -> None:
    code = "import sys, benchmarks.speed.bare, benchmarks.speed.server; print('harness' in sys.modules)"

    printed = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True
    )

    assert printed.stdout == "False\n"


def test_the_workload_is_what_the_harness_asks_and_every_prompt_is_told_apart(tmp_path: Path) -> None:
    cost([sys.executable, "-m", "benchmarks.speed.preparing", str(tmp_path / "workload.json")])
    workload = load(tmp_path / "workload.json")

    assert [each.scenario for each in workload.tasks] == list(SCENARIOS)
    for task in workload.tasks:
        marked = [each.scenario for each in workload.tasks if task.marker in each.prompt[0]["content"]]
        assert marked == [task.scenario]
        offered = [each["workflow_id"] for each in json.loads(workload.search(task.arguments))["workflows"]]
        assert chosen(json.dumps(task.answer)) == task.workflow
        assert task.workflow in offered


@pytest.mark.parametrize(("recorded", "samples"), [(["scale-out"], 1), (["raise-limit"], 2)])
def test_a_run_with_another_workflow_or_too_few_samples_ends_the_bench(
    file: Path, tmp_path: Path, recorded: list[str], samples: int
) -> None:
    run = tmp_path / "runs" / "1"
    run.mkdir(parents=True)
    (run / "run.json").touch()
    said = [json.dumps({"selected_workflow": {"workflow_id": each}}) for each in recorded]
    lines = [
        {"sample": "incident/0@c@t#1", "messages": [{"role": "assistant", "content": each}]} for each in said
    ]
    (run / "transcripts.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))

    with pytest.raises(SystemExit, match=f"right answers of {samples}"):
        check_run(Job(file, "", samples, run.parent, run), load(file))
    if recorded == ["raise-limit"]:
        check_run(Job(file, "", 1, run.parent, run), load(file))


def test_a_contender_without_its_environment_is_told_as_left_out() -> None:
    absent = Contender("peer", bare("aiohttp"), python=Path("/nowhere/python"), packages=["peer"])

    assert machine([absent]).rows == [["peer", "left out: no environment; make bench makes it"]]


def test_a_table_aligns_numbers_and_shows_what_is_missing() -> None:
    table = Table("T", [Column("name"), Column("ms", ",.1f")], [["a", 1234.56], ["b", None]], ["A note."])

    assert table.text().splitlines() == [
        "### T",
        "",
        "| name   |      ms |",
        "|--------|---------|",
        "| a      | 1,234.6 |",
        "| b      |       - |",
        "",
        "A note.",
    ]
    assert table.json()["rows"] == [{"name": "a", "ms": 1234.56}, {"name": "b", "ms": None}]


def test_a_line_tells_what_costs_once_from_what_costs_each() -> None:
    assert line([(100, 3.0), (200, 5.0), (300, 7.0)]) == pytest.approx((1.0, 0.02, 1.0))
    assert line([(100, 3.0), (300, 7.0)]).at(1_000) == pytest.approx(21.0)


@pytest.mark.parametrize(
    ("at_least", "value", "reached"),
    [(False, 3.0, True), (False, 3.1, False), (True, 3.0, True), (True, 2.9, False)],
)
def test_a_goal_is_reached_on_its_own_side_of_the_limit(at_least: bool, value: float, reached: bool) -> None:  # noqa: FBT001 - a column of the table above
    assert Goal("a", "b", 3, at_least=at_least).reached(value) is reached


def test_goals_without_a_figure_are_not_shown() -> None:
    assert [row[0] for row in goals({"list": 0.3}).rows] == ["list of 1,000 runs, CPU s"]


def test_tables_are_put_where_the_page_has_a_place_for_them() -> None:
    table = Table("T", [Column("name")], [["a"]])
    page = "Before.\n\n<!-- goals -->\n\nold\n\n<!-- end of goals -->\n\nAfter.\n"

    once = placed(page, {"goals": [table, table]})

    assert once.startswith("Before.\n\n<!-- goals -->\n\n### T\n\n| name   |\n")
    assert once.endswith("| a      |\n\n<!-- end of goals -->\n\nAfter.\n")
    assert once.count("### T") == 2
    assert "old" not in once
    assert placed(once, {"goals": [table, table]}) == once
    with pytest.raises(ValueError, match="no place for store"):
        placed(page, {"store": [table]})


def test_the_page_has_a_place_for_every_table_of_the_bench() -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert placed(page, {name: [] for name in ["machine", *STEPS, "goals"]})

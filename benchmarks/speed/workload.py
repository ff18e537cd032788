"""The two-turn conversation that every contender holds, read from one file; needs nothing but Python.

A file of `python -m benchmarks.speed.preparing` holds

    tools    the tool definitions that go with every request, as a chat API takes them
    catalog  what the catalog answers, by the arguments of the search, as canonical JSON
    tasks    scenario, prompt (messages), marker (a text of this prompt alone), arguments (of the search),
             answer (an object) and workflow (the id in that answer)

What every loop has to do is in here, so that it is the same for all: look up the result, check the answer.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

CONTRACT = "workflow-selection-2.7"
SCENARIOS = (
    "incident/oom-behind-memory-alert",
    "incident/crashloop-bad-config",
    "incident/corrupt-layer-behind-stuck-rollout",
    "incident/claim-waits-for-used-up-quota",
)
"""Few enough that building their worlds is start-up, and not what is measured."""
SEARCH = "search_workflow_catalog"
MODEL = "m"
"""The name of a model that any contender puts into its requests."""
KEY = "none"
"""A key, where a client insists on one."""


class Task(NamedTuple):
    """One incident: what is asked, and what the server says to it."""

    scenario: str
    prompt: list[dict[str, Any]]
    marker: str
    arguments: Mapping[str, Any]
    answer: Mapping[str, Any]
    workflow: str


class Workload(NamedTuple):
    """What is asked, with which tools, and what they return."""

    tools: list[dict[str, Any]]
    catalog: Mapping[str, str]
    tasks: list[Task]

    def task(self, number: int) -> Task:
        """Return the task of a sample: they take turns."""
        return self.tasks[number % len(self.tasks)]

    def search(self, arguments: Mapping[str, Any]) -> str:
        """Return what the catalog answers; raise KeyError for a search that the workload does not hold."""
        return self.catalog[canonical(arguments)]


def canonical(arguments: Mapping[str, Any]) -> str:
    """Return arguments in the one spelling that the catalog is looked up by."""
    return json.dumps(arguments, sort_keys=True)


def load(path: Path) -> Workload:
    """Return a workload from its file."""
    read = json.loads(path.read_text(encoding="utf-8"))
    return Workload(read["tools"], read["catalog"], [Task(**each) for each in read["tasks"]])


def chosen(answer: str) -> str:
    """Return the workflow that an answer selects; raise ValueError or KeyError where it holds none."""
    return str(json.loads(answer)["selected_workflow"]["workflow_id"])

"""What agents tell their models of the tools that they were given."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from commanding import run_of
from conftest import PROJECT, recorded

from harness.model import ToolSpec, Transcript
from harness.reporting.overview import overview
from harness.reporting.sections import tools
from harness.reporting.tools import tool_drift
from harness.scenarios import load_scenario
from harness.store import Run, open_run

SCENARIO = "incident/oom-behind-latency"
SUITE = ("--project", str(PROJECT.root))


class Kept(Run):
    """A stored run with other transcripts."""

    kept: tuple[Transcript, ...] = ()

    def transcripts(self) -> Any:
        return iter(self.kept)


def run_with(tmp_path: Path, kind: str, sent: tuple[ToolSpec, ...]) -> Run:
    """Return a graded run whose target was a target of this kind and sent these tools, twice."""
    made = open_run(str(run_of("run", "-s", SCENARIO, "--out", str(tmp_path), *SUITE)))
    ((name, settings),) = made.info.targets.items()
    info = made.info.model_copy(update={"targets": {name: {**settings, "kind": kind}}})
    run = Kept(made.folder, info)
    (transcript,) = made.transcripts()
    run.kept = (replace(transcript, tools=sent),) * 2
    return run


def changed(**parameters: Any) -> tuple[ToolSpec, ...]:
    """Return the tools with other keys in the first one's schema; None takes a key out."""
    first, *others = recorded(load_scenario(PROJECT, SCENARIO)).tools
    schema: Mapping[str, Any] = {**first.parameters, **parameters}
    kept = {key: value for key, value in schema.items() if value is not None}
    return (replace(first, parameters=kept), *others)


def test_each_difference_is_found_once(tmp_path: Path) -> None:
    sent = changed(required=["kind", "name"], additionalProperties=None, strict=True)
    (drift,) = tool_drift(run_with(tmp_path, "holmes", sent))
    assert drift.tool == "kubectl_get"
    assert drift.differences == ("/required: changed", "/additionalProperties: gone", "/strict: new")


def test_the_same_schema_in_another_order_is_no_difference(tmp_path: Path) -> None:
    first, *others = changed()
    enum = list(reversed(first.parameters["properties"]["output"]["enum"]))
    properties = dict(reversed(first.parameters["properties"].items()))
    properties["output"] = {**properties["output"], "enum": enum}
    sent = (replace(first, parameters={**first.parameters, "properties": properties}), *others)
    assert not list(tool_drift(run_with(tmp_path, "holmes", sent)))


def test_other_words_and_another_tool_are_differences(tmp_path: Path) -> None:
    first, *others = changed()
    sent = (replace(first, description="Looks."), *others, ToolSpec("todo", "Plan.", {}))
    words, more = tool_drift(run_with(tmp_path, "holmes", sent))
    assert words.differences == ("description: other words",)
    assert (more.tool, more.differences) == ("todo", ("is none of the tools that were given",))


def test_models_that_the_harness_speaks_to_itself_are_not_looked_at(tmp_path: Path) -> None:
    assert not list(tool_drift(run_with(tmp_path, "litellm", changed(strict=True))))


def test_the_report_has_a_section_only_where_there_is_something(tmp_path: Path) -> None:
    name = "`x`|<b>"
    run = run_with(tmp_path, "holmes", (*changed(strict=True), ToolSpec(name, "Plan.", {})))
    text = "\n".join(tools(overview(run)))
    assert text.startswith("## Tools as agents sent them")
    assert "`/strict: new`" in text
    assert name not in text
    assert not list(tools(overview(run_with(tmp_path / "other", "holmes", changed()))))

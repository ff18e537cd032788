"""Inspect AI on the same workload, as its documentation would have a user write it.

    .venv/peers/inspect/bin/python -m benchmarks.speed.peer_inspect WORKLOAD URL N --flight 64 --logs DIR

One task of N samples with the workload's tools, `generate()`, and a scorer that checks one thing: that the
answer selects the right workflow. The log is the usual one, an .eval file; nothing is shown. `inspect score
LOG --scorer benchmarks/speed/peer_inspect.py@right_workflow` scores such a log again.
"""

import argparse
from pathlib import Path
from typing import Any

from inspect_ai import Task, eval  # noqa: A004 - this is its name
from inspect_ai.dataset import Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import TaskState, generate, use_tools
from inspect_ai.tool import Tool, ToolDef, ToolParams

from benchmarks.speed.workload import KEY, MODEL, SEARCH, Workload, chosen, load


@scorer(metrics=[accuracy()])
def right_workflow() -> Scorer:
    """Check whether the answer selects the workflow that is expected."""

    async def score(state: TaskState, target: Target) -> Score:
        found = chosen(state.output.completion)
        return Score(value=CORRECT if found == target.text else INCORRECT, answer=found)

    return score


def tools_of(workload: Workload) -> list[Tool]:
    """Return the workload's tools."""

    async def search(**kwargs: Any) -> str:
        return workload.search(kwargs)

    async def look(**kwargs: Any) -> str:
        raise NotImplementedError(kwargs)

    made: list[Tool] = []
    for each in workload.tools:
        told = each["function"]
        does = search if told["name"] == SEARCH else look
        parameters = ToolParams.model_validate(told["parameters"])
        made.append(ToolDef(does, told["name"], told["description"], parameters).as_tool())
    return made


def run(workload: Workload, url: str, samples: int, flight: int, logs: str) -> None:
    """Hold so many conversations, so many at a time; end with an error unless all are scored as right."""
    tasks = [workload.task(number) for number in range(samples)]
    dataset = [Sample(id=number, input=task.prompt[0]["content"], target=task.workflow)
               for number, task in enumerate(tasks)]  # fmt: skip
    task = Task(dataset=dataset, solver=[use_tools(tools_of(workload)), generate()], scorer=right_workflow())
    model = get_model(f"openai-api/local/{MODEL}", base_url=f"{url}/v1", api_key=KEY)
    log = eval(task, model=model, seed=1, max_connections=flight, max_samples=flight, log_dir=logs,
               display="none")[0]  # fmt: skip
    scored = log.results and log.results.scores and log.results.scores[0].metrics["accuracy"].value
    if log.status != "success" or not log.results or log.results.completed_samples != samples or scored != 1:
        raise SystemExit(f"{log.status}: {scored} of {samples} right; {log.error}")


def main() -> None:
    """Hold the conversations."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workload", type=Path)
    parser.add_argument("url")
    parser.add_argument("samples", type=int)
    parser.add_argument("--flight", type=int, default=64)
    parser.add_argument("--logs", required=True)
    given = parser.parse_args()
    run(load(given.workload), given.url, given.samples, given.flight, given.logs)


if __name__ == "__main__":
    main()

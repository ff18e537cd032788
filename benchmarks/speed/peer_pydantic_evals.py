"""pydantic-evals on the same workload, as its documentation would have a user write it.

    .venv/peers/pydantic-evals/bin/python -m benchmarks.speed.peer_pydantic_evals run WORKLOAD URL N
    .venv/peers/pydantic-evals/bin/python -m benchmarks.speed.peer_pydantic_evals score ANSWERS

`run` gives N cases to an agent of pydantic-ai with OpenAI's model; `score` takes answers that are there
already, one object with `answer` and `workflow` a line. One evaluator checks one thing: that the answer
selects the right workflow. The report stays in memory and is not printed: nothing is kept on disk.
"""

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import Evaluator, EvaluatorContext

from benchmarks.speed.workload import KEY, MODEL, SEARCH, Workload, chosen, load


@dataclass
class RightWorkflow(Evaluator[Any, str, Any]):
    """Whether the answer selects the workflow that is expected."""

    def evaluate(self, ctx: EvaluatorContext[Any, str, Any]) -> bool:
        """Return it."""
        return chosen(ctx.output) == ctx.expected_output


def agent_of(workload: Workload, url: str) -> Any:
    """Return an agent with the workload's tools."""
    from pydantic_ai import Agent, Tool
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    def search(**arguments: Any) -> str:
        return workload.search(arguments)

    def look(**_: Any) -> str:
        raise NotImplementedError

    tools: list[Tool[None]] = []
    for each in workload.tools:
        told = each["function"]
        does = search if told["name"] == SEARCH else look
        tools.append(Tool.from_schema(does, told["name"], told["description"], told["parameters"]))
    model = OpenAIChatModel(MODEL, provider=OpenAIProvider(base_url=f"{url}/v1", api_key=KEY))
    return Agent(model, tools=tools, model_settings={"seed": 1})


def run(workload: Workload, url: str, samples: int, flight: int) -> None:
    """Hold so many conversations, so many at a time, and evaluate them."""
    agent = agent_of(workload, url)

    async def answer(prompt: str) -> str:
        return (await agent.run(prompt)).output

    tasks = [workload.task(number) for number in range(samples)]
    cases = [Case(name=f"sample {number}", inputs=task.prompt[0]["content"], expected_output=task.workflow)
             for number, task in enumerate(tasks)]  # fmt: skip
    evaluated(Dataset(name="bench", cases=cases, evaluators=[RightWorkflow()]), answer, flight)


def score(answers: Path) -> None:
    """Evaluate answers that are there, each with the workflow that it should select."""
    said = [json.loads(line) for line in answers.read_text(encoding="utf-8").splitlines()]
    cases = [Case(name=f"sample {number}", inputs=number, expected_output=each["workflow"])
             for number, each in enumerate(said)]  # fmt: skip

    async def answer(number: int) -> str:
        return said[number]["answer"]

    evaluated(Dataset(name="bench", cases=cases, evaluators=[RightWorkflow()]), answer, None)


def evaluated(dataset: Any, task: Any, flight: int | None) -> None:
    """Evaluate, and end with an error unless every case passed."""
    report = dataset.evaluate_sync(task, max_concurrency=flight, progress=False)
    passed = sum(all(each.value for each in case.assertions.values()) for case in report.cases)
    if report.failures or passed != len(dataset.cases):
        first = report.failures[0].error_message if report.failures else ""
        raise SystemExit(f"{passed} of {len(dataset.cases)} passed; {first}")


def main() -> None:
    """Run, or score."""
    parser = argparse.ArgumentParser(description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    asked = verbs.add_parser("run")
    asked.add_argument("workload", type=Path)
    asked.add_argument("url")
    asked.add_argument("samples", type=int)
    asked.add_argument("--flight", type=int, default=64)
    verbs.add_parser("score").add_argument("answers", type=Path)
    given = parser.parse_args()
    if given.verb == "run":
        run(load(given.workload), given.url, given.samples, given.flight)
    else:
        score(given.answers)


if __name__ == "__main__":
    main()

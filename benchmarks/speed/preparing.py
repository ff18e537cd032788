"""Write the workload: what the harness would send and get back, for contenders that do not know the harness.

    python -m benchmarks.speed.preparing FILE

The oracle plays each scenario. Of its play stay the prompt, the search, its result and the answer; the looks
at the cluster in between are left out, so that a conversation has two turns.
"""

import argparse
import asyncio
import json
from pathlib import Path
from typing import Any

from benchmarks.speed.workload import CONTRACT, SCENARIOS, SEARCH, canonical
from harness.contracts import load_contract
from harness.conversation import Trial, converse, tools_for
from harness.model import Contract, Message, SampleId
from harness.prompting import render
from harness.scenarios import find_project, load_scenario
from harness.targets.chat import chat_messages, chat_tools
from harness.targets.mock import open_mock


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    file = parser.parse_args().file
    contract = load_contract(CONTRACT)
    plays = [_play(scenario, contract) for scenario in SCENARIOS]
    prompts = [chat_messages(play[:1]) for play in plays]
    tasks: list[dict[str, Any]] = []
    catalog: dict[str, str] = {}
    for scenario, play, prompt in zip(SCENARIOS, plays, prompts, strict=True):
        arguments, result = _search(play)
        answer = json.loads(play[-1].content or "")
        catalog[canonical(arguments)] = result
        tasks.append({
            "scenario": scenario,
            "prompt": prompt,
            "marker": _marker(prompt, prompts),
            "arguments": arguments,
            "answer": answer,
            "workflow": answer["selected_workflow"]["workflow_id"],
        })  # fmt: skip
    held = {"tools": chat_tools(tools_for(contract)), "catalog": catalog, "tasks": tasks}
    file.write_text(json.dumps(held), encoding="utf-8")


def _play(name: str, contract: Contract) -> tuple[Message, ...]:
    scenario = load_scenario(find_project(), name)
    trial = Trial(SampleId(name, contract.id, "mock:oracle", 1), scenario, contract,
                  render(scenario, contract), 1, {})  # fmt: skip
    return asyncio.run(converse(open_mock("oracle"), trial)).messages


def _search(play: tuple[Message, ...]) -> tuple[dict[str, Any], str]:
    """Return the arguments of the search, and what the catalog answered."""
    call = next(each for said in play for each in said.tool_calls if each.name == SEARCH)
    result = next(each for each in play if each.tool_call_id == call.id)
    return json.loads(call.arguments), result.content or ""


def _marker(prompt: list[dict[str, Any]], prompts: list[list[dict[str, Any]]]) -> str:
    """Return a line of this prompt alone that every client spells alike on the wire."""
    others = "\n".join(each[0]["content"] for each in prompts if each is not prompt)
    return next(
        line for line in prompt[0]["content"].splitlines()
        if len(line) >= 20 and json.dumps(line) == f'"{line}"' and line not in others
    )  # fmt: skip


if __name__ == "__main__":
    main()

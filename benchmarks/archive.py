"""Write an archive of conversations as other tools record them, to time an audit of it.

    python benchmarks/archive.py N FILE.jsonl

The oracle and `mock:flaky` play every scenario under each contract of its flow; each line is one of these
plays as a chat with `messages`, `scenario` and `contract`, some 4,000 bytes long: answers are kept whole, of
a prompt the beginning, catalog results without what they describe in words, other tool results as far as
there is room. No two lines are equal, so that nothing is judged once for many.
"""

import asyncio
import json
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any, cast

from harness.contracts import CONTRACTS
from harness.conversation import Trial, converse
from harness.model import Contract, SampleId, Scenario, Transcript
from harness.prompting import render
from harness.scenarios import load_scenarios
from harness.targets.mock import open_mock

TARGETS = ("oracle", "flaky")
SIZE = 4_000
"""Bytes of a line, on average; a long answer makes it longer."""

PROMPT = 200
"""Characters kept of a prompt."""

NUMBER = "0000000"
"""Stands in a play wherever a line's own number is to stand."""


def main() -> None:
    """Play what there is once, and write as many lines of it as asked."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("lines", type=int)
    parser.add_argument("file", type=Path)
    arguments = parser.parse_args()
    plays = [json.dumps(each, ensure_ascii=False, separators=(",", ":")) for each in asyncio.run(recorded())]
    written = 0
    with arguments.file.open("w", encoding="utf-8") as stream:
        for number, line in enumerate(islice(cycle(plays), arguments.lines)):
            written += stream.write(line.replace(NUMBER, f"{number:07}") + "\n")
    count = arguments.lines
    print(f"{count:,} lines of {len(plays):,} plays, {written / max(count, 1):,.0f} characters each")


async def recorded() -> list[dict[str, Any]]:
    """Return every play as a line of the archive, scenarios and targets mixed."""
    return [
        chat(await play(name, scenario, contract))
        for scenario, contract in pairs()
        for name in TARGETS
    ]  # fmt: skip


def pairs() -> Iterator[tuple[Scenario, Contract]]:
    """Yield every scenario with each contract of its flow."""
    for scenario in load_scenarios():
        yield from ((scenario, each) for each in CONTRACTS if each.flow == scenario.flow)


async def play(name: str, scenario: Scenario, contract: Contract) -> Transcript:
    """Return one conversation of a mock."""
    sample = SampleId(scenario.id, contract.id, f"mock:{name}", 1)
    prompt = render(scenario, contract)
    return await converse(open_mock(name), Trial(sample, scenario, contract, prompt, 1, {}))


def chat(transcript: Transcript) -> dict[str, Any]:
    """Return a conversation as a chat of about `SIZE` bytes."""
    evidence = [
        index for index, each in enumerate(transcript.messages)
        if each.role == "tool" and not _is_object(each.content or "")
    ]  # fmt: skip
    bare = _chat(transcript, evidence, 0)
    room = SIZE - len(json.dumps(bare, ensure_ascii=False).encode())
    return _chat(transcript, evidence, max(room, 0) // max(len(evidence), 1))


def _chat(transcript: Transcript, evidence: Sequence[int], kept: int) -> dict[str, Any]:
    return {
        "model": transcript.id.target,
        "scenario": transcript.id.scenario,
        "contract": transcript.id.contract,
        "finish_reason": "stop",
        "messages": [
            _message(transcript, index, kept if index in evidence else None)
            for index in range(len(transcript.messages))
        ],
    }


def _message(transcript: Transcript, index: int, kept: int | None) -> dict[str, Any]:
    message = transcript.messages[index]
    content = message.content
    if message.role in {"system", "user"}:
        content = f"Request {NUMBER}\n{(content or '')[:PROMPT]}"
    elif content and kept is not None:
        content = f"{NUMBER} {content[:kept]}..."
    elif content and message.role == "tool":
        content = json.dumps(_without_words(json.loads(content)))
    elif content:
        content = content.replace('_summary": "', f'_summary": "Request {NUMBER}: ', 1)
    made: dict[str, Any] = {"role": message.role, "content": content}
    if message.tool_calls:
        made["tool_calls"] = [
            {"id": _id(each.id), "type": "function",
             "function": {"name": each.name, "arguments": each.arguments}}
            for each in message.tool_calls
        ]  # fmt: skip
    if message.tool_call_id is not None:
        made["tool_call_id"] = _id(message.tool_call_id)
    return made


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _without_words(value: Any) -> Any:
    if isinstance(value, dict):
        known = cast("dict[str, Any]", value)
        return {key: _without_words(each) for key, each in known.items() if key != "description"}
    return [_without_words(each) for each in cast("list[Any]", value)] if isinstance(value, list) else value


def _id(call: str) -> str:
    return f"{call}_{NUMBER}"


if __name__ == "__main__":
    main()

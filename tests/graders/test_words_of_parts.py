"""What every clause says, word for word, where one part of an answer or of a search is gone or of another type."""
# ruff: noqa: E501 - one row of a table is one line

import json
from collections.abc import Callable, Iterator
from typing import Any, cast

from conftest import PROJECT, recorded
from judging import bare, sample_of
from splicing import Edit, drop, put, with_answer, with_search

from harness.contracts import CONTRACTS
from harness.graders import grade
from harness.model import Contract, Finding, Sample, Scenario, Transcript
from harness.scenarios import load_scenario

SPREAD = [
    {
        "workflow_id": "add-replicas",
        "playbook_id": "add-replicas",
        "confidence": 0.93,
        "rationale": "It spreads.",
    }
]


def pointers(value: Any, place: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in cast("dict[str, Any]", value).items():
            yield f"{place}/{key}"
            yield from pointers(item, f"{place}/{key}")
    elif isinstance(value, list):
        for index, item in enumerate(cast("list[Any]", value)):
            yield from pointers(item, f"{place}/{index}")


def edits(value: Any) -> Iterator[tuple[str, Edit]]:
    """Yield every part left out, null and of another type; text and number both have one."""
    for each in pointers(value):
        if not each.rsplit("/", 1)[-1].isdecimal():
            yield f"no {each}", drop(each)
        yield f"null at {each}", put(each, None)
        yield f"5 at {each}", put(each, 5)
        yield f"text at {each}", put(each, "other")


def told(sample: Sample) -> dict[str, list[str]]:
    """Return what each clause says: its outcome and reason, or every finding."""
    return {
        grader.clause: [*map(_finding, score.findings)] or [f"{score.outcome}: {score.reason}".rstrip(": ")]
        for grader, score in grade(sample)
    }


def _finding(found: Finding) -> str:
    expected, observed = (json.dumps(each, default=str)[:150] for each in (found.expected, found.observed))
    return f"{found.reason} at {found.place}: {expected}, not {observed}"


def edited(good: Transcript, arguments: dict[str, Any]) -> Iterator[tuple[str, Transcript]]:
    answer = json.loads(good.messages[-1].content or "")
    for name, edit in edits(answer):
        yield name, with_answer(good, edit)
    for name, edit in edits(arguments):
        yield f"search: {name}", with_search(good, edit)
    yield "bare", bare(good)


def differing(contract: Contract, scenario: Scenario) -> Iterator[str]:
    """Yield what is said of each edit beyond what is said of the good transcript."""
    good = recorded(scenario, contract_id=contract.id)
    listed = contract.places.get("alternatives", "")
    if listed.startswith("/alternative"):
        key = contract.result.fields["id"]
        given = [{name: each[name] for name in (key, "confidence", "rationale")} for each in SPREAD]
        good = with_answer(good, put(listed, given))
    base = told(sample_of(good, scenario, told=True))
    calls = [call for each in good.messages for call in each.tool_calls if call.name.startswith("search_")]
    arguments: dict[str, Any] = json.loads(calls[0].arguments) if calls else {}
    yield f"{contract.id}: {scenario.id}"
    for name, transcript in edited(good, arguments):
        for known in (scenario, None) if name.startswith(("no ", "bare")) else (scenario,):
            found = told(sample_of(transcript, known, told=True))
            who = name if known else f"{name}, scenario unknown"
            yield from (
                f"{who}: {clause} {line}"
                for clause in found
                if found[clause] != base[clause]
                for line in found[clause]
            )


def shortened(lines: list[str]) -> Iterator[str]:
    """Yield the lines that say of a clause what none before them said of it."""
    seen: set[str] = set()
    for each in lines:
        said = each.partition(": ")[2]
        if said not in seen:
            seen.add(said)
            yield each


def test_the_words_about_broken_parts_are_golden(golden: Callable[[str, str], None]) -> None:
    lines: list[str] = []
    for each in CONTRACTS:
        name = "recovery/scale-out-failed" if each.flow == "recovery" else "incident/oom-behind-latency"
        lines += differing(each, load_scenario(PROJECT, name))

    golden("verdicts/of-parts.txt", "".join(f"{each}\n" for each in shortened(lines)))

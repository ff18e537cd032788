"""What a run will take, before anything is asked: calls, tokens, money."""

import argparse
import asyncio
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from harness.cli.beginning import Begun
from harness.cli.output import print_json, print_rows, say
from harness.conversation import converse
from harness.model import SampleId
from harness.pipeline import Plan, trials_of
from harness.store import EVERYTHING
from harness.targets import ModelRequest, Prices, Target, TargetOptions, open_target
from harness.targets.prices import listed_prices
from harness.targets.sizes import CHARACTERS_PER_TOKEN, completion_tokens, prompt_tokens

FREE = Prices(0.0, 0.0)
BASIS = (
    "calls: as many as mock:oracle needs, played offline on the tools' real answers; most models need more",
    f"tokens: characters / {CHARACTERS_PER_TOKEN}; each call sends all again, replies are as the oracle's",
    "money: prices of targets.yaml, else of litellm's list; mocks and replays cost nothing",
)
MARGIN = 2.0
"""By how much a budget takes a sample to be dearer than estimated."""


class Talk(NamedTuple):
    """One conversation: requests, and the tokens sent and written in all of them."""

    calls: int
    prompt_tokens: int
    completion_tokens: int


class Estimate(NamedTuple):
    """What is left to ask of a target under a contract; money is None where no price is known."""

    target: str
    contract: str
    samples: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


Talks = Mapping[tuple[str, str], Talk]
"""Scenario and contract -> the oracle's conversation."""


def prices_of(target: Target) -> Prices | None:
    """Return what a target's tokens cost, None where nobody says."""
    settings = target.settings
    if settings.get("kind") in {"mock", "replay"}:
        return FREE
    given: Any = settings.get("prices")
    return Prices(**given) if given else listed_prices(str(settings.get("model", "")))


def talks(plan: Plan, left: Iterable[SampleId]) -> Talks:
    """Return the oracle's conversation for every scenario and contract that is left; nothing is recorded.

    Of several packs the one with the longest conversation counts.
    """
    wanted = {(each.scenario, each.contract) for each in left}
    found: dict[tuple[str, str], Talk] = {}
    for packs in plan.all_packs:
        played = asyncio.run(_played(replace(plan, packs=packs, packs_by_target={}), wanted))
        found |= {
            each: talk
            for each, talk in played.items()
            if each not in found or talk.prompt_tokens > found[each].prompt_tokens
        }
    return found


async def _played(plan: Plan, wanted: Collection[tuple[str, str]]) -> Talks:
    oracle = open_target("mock:oracle", TargetOptions())
    found: dict[tuple[str, str], Talk] = {}
    # One trial each, whatever the selection takes of them.
    for trial in trials_of(replace(plan, trials=1, selection=EVERYTHING), oracle):
        if (trial.id.scenario, trial.id.contract) in wanted:
            transcript = await converse(oracle, trial)
            requests = [
                ModelRequest(transcript.messages[: each.sent], transcript.tools, 0)
                for each in transcript.turns
            ]
            replies = [transcript.messages[each.sent] for each in transcript.turns]
            found[trial.id.scenario, trial.id.contract] = Talk(
                len(requests), sum(map(prompt_tokens, requests)), sum(map(completion_tokens, replies))
            )
    return found


def estimates(left: Iterable[SampleId], targets: Sequence[Target], played: Talks) -> Iterator[Estimate]:
    """Yield what is left, per target and contract."""
    groups: dict[tuple[str, str], list[Talk]] = {}
    for each in left:
        groups.setdefault((each.target, each.contract), []).append(played[each.scenario, each.contract])
    prices = {each.name: prices_of(each) for each in targets}
    for (target, contract), members in groups.items():
        calls, prompt, completion = (sum(column) for column in zip(*members, strict=True))
        price = prices[target]
        cost = price.cost(prompt, completion) if price else None
        yield Estimate(target, contract, len(members), calls, prompt, completion, cost)


def reserves(left: Iterable[SampleId], prices: Mapping[str, Prices], played: Talks) -> dict[SampleId, float]:
    """Return the US dollars to keep back for each sample while it is asked."""
    costs = {
        each: prices[each.target].cost(talk.prompt_tokens, talk.completion_tokens)
        for each in left
        for talk in (played[each.scenario, each.contract],)
    }
    return {each: MARGIN * cost for each, cost in costs.items()}


def print_estimates(begun: Begun | None, arguments: argparse.Namespace) -> None:
    """Print what a run would take, as JSON or as a table with its totals and what it rests on."""
    left = begun.left() if begun else []
    found = list(estimates(left, begun.targets, talks(begun.plan, left))) if begun else []
    samples, calls = sum(each.samples for each in found), sum(each.calls for each in found)
    prompt = sum(each.prompt_tokens for each in found)
    completion = sum(each.completion_tokens for each in found)
    costs = [each.cost for each in found]
    known = [each for each in costs if each is not None]
    total = sum(known, 0.0) if len(known) == len(costs) else None
    if arguments.json:
        head = {
            "run": None,
            "status": "dry-run",
            "targets": list(dict.fromkeys(each.target for each in found)),
        }
        whole = {"samples": samples, "calls": calls, "prompt_tokens": prompt, "completion_tokens": completion}
        rows = [each._asdict() for each in found]
        print_json({**head, **whole, "cost": total, "estimates": rows, "basis": list(BASIS)})
        return
    cells = [
        [*map(str, each[:2]), *(f"{number:,}" for number in each[2:6]), money(each.cost)] for each in found
    ]
    cells.append(["total", "", *(f"{each:,}" for each in (samples, calls, prompt, completion)), money(total)])
    names = ("target", "contract", "samples", "calls", "prompt tokens", "completion tokens", "money")
    print_rows(names, cells, numbers=names[2:])
    if total is None and known:
        say(f"money is known of a part only: {money(sum(known))}")
    for each in BASIS:
        say(each)


def money(amount: float | None) -> str:
    """Return US dollars as people read them; an unknown amount is no zero."""
    if amount is None:
        return "unknown"
    return f"${amount:.2f}" if amount >= 1 or not amount else f"${amount:.4f}"

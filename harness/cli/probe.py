"""harness probe: what a target really supports, found by asking it."""

import argparse
import asyncio
from typing import Any

from harness.cli.naming import open_targets
from harness.cli.numbers import temperature, timeout, whole
from harness.cli.output import add_json, add_project, print_json, print_rows, project, say
from harness.contracts import DEFAULT_BY_FLOW, load_contract
from harness.conversation import tools_for
from harness.errors import InvalidInput
from harness.scenarios import load_scenarios
from harness.targets import Binding, Target
from harness.targets.probing import REQUESTS, Probed, probe

KINDS = ("litellm", "openai", "mock")
"""Others investigate by themselves, or were recorded."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness probe` takes."""
    parser.description = (
        f"{parser.description}: whether tools, tool_choice, response_format, strict, seed and parallel calls "
        f"take effect. It makes up to {REQUESTS} requests, which may cost money, and says so before."
    )
    parser.add_argument(
        "-t", "--target", action="append", required=True, metavar="TARGET",
        help="litellm:provider/model, openai:URL, mock:NAME, or a name of targets.yaml",
    )  # fmt: skip
    parser.add_argument("--api-base", metavar="URL", help="the server to ask, for litellm targets")
    parser.add_argument("--temperature", type=temperature, metavar="T", help="sent with every request")
    parser.add_argument("--max-tokens", type=whole, metavar="N", help="the longest reply")
    parser.add_argument("--timeout", type=timeout, metavar="S", help="seconds to wait for one reply")
    add_json(parser)
    add_project(parser)


def run(arguments: argparse.Namespace) -> int:
    """Ask each target and say what it supports."""
    targets = open_targets(arguments, keys=True)
    for each in targets:
        if each.settings.get("kind") not in KINDS:
            msg = f"--target: {each.name!r} cannot be probed; models can, behind {', '.join(KINDS)}"
            raise InvalidInput(msg)
    say(f"up to {len(targets) * REQUESTS} requests, most of some three thousand tokens for the tools")
    found = asyncio.run(_probed(targets, _binding(arguments)))
    if arguments.json:
        print_json([_row(target.name, each) for target, each in zip(targets, found, strict=True)])
        return 0
    rows = [
        [target.name, finding.feature, finding.outcome, finding.detail]
        for target, each in zip(targets, found, strict=True)
        for finding in each.findings
    ]
    print_rows(("target", "feature", "takes effect", "what showed it"), rows)
    for target, each in zip(targets, found, strict=True):
        say(f"{target.name}: {each.requests} requests, {_spent(each)}")
    return 0


async def _probed(targets: list[Target], binding: Binding) -> list[Probed]:
    try:
        return [await probe(each, binding, tools_for(binding.contract)) for each in targets]
    finally:
        for each in targets:
            await each.close()


def _binding(arguments: argparse.Namespace) -> Binding:
    """Return a scenario for targets that answer from one."""
    contract = load_contract(DEFAULT_BY_FLOW["incident"])
    scenarios = load_scenarios(project(arguments))
    return Binding(next(each for each in scenarios if each.flow == contract.flow), contract)


def _spent(probed: Probed) -> str:
    usage = probed.usage
    tokens = "tokens unknown" if usage.prompt_tokens is None else f"{usage.prompt_tokens} tokens sent"
    return tokens if usage.cost is None else f"{tokens}, ${usage.cost:.4f}"


def _row(name: str, probed: Probed) -> dict[str, Any]:
    return {
        "target": name,
        "requests": probed.requests,
        "prompt_tokens": probed.usage.prompt_tokens,
        "completion_tokens": probed.usage.completion_tokens,
        "cost": probed.usage.cost,
        "features": [
            {"feature": each.feature, "outcome": each.outcome, "detail": each.detail}
            for each in probed.findings
        ],
    }

"""harness serve: mock models, and the tools of scenarios, behind protocols that other programs speak."""

import argparse
import asyncio

from harness.cli import serve_api, serve_mcp
from harness.cli.naming import configured
from harness.cli.numbers import port
from harness.cli.output import add_project, project, say
from harness.errors import InvalidInput
from harness.scenarios import load_scenarios
from harness.scenarios.contracts import project_contracts
from harness.targets import Target, TargetOptions, open_target
from harness.targets.configured import FILE, open_entry


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness serve` takes."""
    kinds = parser.add_subparsers(dest="kind", metavar="KIND", required=True)
    openai = kinds.add_parser(
        "openai",
        help="a mock or a cassette as OpenAI's and Anthropic's APIs",
        description="A mock or a cassette behind OpenAI's chat completions and responses and Anthropic's\n"
        "messages. A request is bound to its scenario by the digest of its prompt, or by the base\n"
        "URL /s/<digest>/v1, and to its trial by `seed`: `metadata.seed` for responses,\n"
        '`metadata.user_id` "seed:N" for messages, or the header X-Seed.',
        epilog=_listed_faults(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    openai.add_argument(
        "--model", default="mock:oracle", metavar="TARGET",
        help="mock:NAME, a mock of targets.yaml, or replay:DIR for a recorded run of one target "
        "(default: mock:oracle)",
    )  # fmt: skip
    openai.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    openai.add_argument(
        "--port", type=port, default=8089, help="port; 0 picks a free one (default: %(default)s)"
    )
    openai.add_argument(
        "--fault", action="append", default=[], metavar="NAME[:OPTION,...]",
        help="play this fault; may be given several times. Options: every (the default), first=N or nth=N "
        "request, scenario=GLOB, seconds=S",
    )  # fmt: skip
    add_project(openai)
    for name, served in (("mcp", serve_mcp), ("api", serve_api)):
        served.add_arguments(
            kinds.add_parser(
                name,
                help=served.HELP,
                description=served.DESCRIPTION,
                formatter_class=argparse.RawDescriptionHelpFormatter,
            )
        )


def _listed_faults() -> str:
    from harness.serving.faults import FAULTS

    width = max(len(each.name) for each in FAULTS)
    lines = [f"  {each.name:{width}}  {each.summary}{_seconds(each.seconds)}" for each in FAULTS]
    return "\n".join(["faults:", *lines])


def _seconds(default: float | None) -> str:
    return "" if default is None else f" (seconds={default:g} unless given)"


def run(arguments: argparse.Namespace) -> int:
    """Serve until interrupted."""
    if arguments.kind == "mcp":
        return serve_mcp.run(arguments)
    if arguments.kind == "api":
        return serve_api.run(arguments)
    asyncio.run(_serve(arguments))
    return 0


def _target(arguments: argparse.Namespace) -> Target:
    """Return what --model names: a mock, a cassette, or a mock of targets.yaml."""
    name = arguments.model
    known = {} if ":" in name else configured(arguments)
    if name in known and known[name].kind == "mock":
        return open_entry(name, known[name])
    if not name.startswith(("mock:", "replay:")):
        msg = (
            f"--model: found {name!r}; only mocks are served (mock:NAME or a name in {FILE}), and replay:DIR"
        )
        raise InvalidInput(msg)
    return open_target(name, TargetOptions())


async def _serve(arguments: argparse.Namespace) -> None:
    from harness.contracts import CONTRACTS
    from harness.serving.injecting import read_injection
    from harness.serving.openai import bindings_for, serve

    faults = [read_injection(each) for each in arguments.fault]
    target = _target(arguments)
    here = project(arguments)
    bindings = bindings_for(load_scenarios(here), (*CONTRACTS, *project_contracts(here)))
    async with serve(
        target, bindings, host=arguments.host, port=arguments.port, log=say, faults=faults
    ) as server:
        playing = f" with {', '.join(each.text for each in faults)}" if faults else ""
        say(f"{target.name}{playing} at http://{arguments.host}:{server.port}/v1; Ctrl-C ends")
        await asyncio.Event().wait()

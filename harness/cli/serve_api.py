"""harness serve api: any target behind the platform's analysis API."""

import argparse
import asyncio

from harness.cli.naming import open_targets
from harness.cli.numbers import port, temperature, timeout, whole
from harness.cli.output import add_project, project, say
from harness.errors import InvalidInput
from harness.scenarios import load_scenarios
from harness.targets import Target

DEFAULT_PORT = 8090

HELP = "a target as the platform's analysis API"
DESCRIPTION = """\
A target, a mock too, behind the platform's analysis API. A request is known by its
incident_id, or by facts that one scenario alone has, and its trial by the number that
remediation_id ends in; any other request has no scenario, and is answered 404.
GET /scenarios lists them with their requests, GET /openapi.json describes the API."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness serve api` takes."""
    parser.add_argument(
        "-t", "--target", action="append", default=[], metavar="TARGET",
        help="who investigates, as for `harness run` (default: mock:oracle)",
    )  # fmt: skip
    parser.add_argument(
        "--generation", type=int, choices=[1, 2], default=2,
        help="1 answers at once, 2 opens a session that is polled (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument(
        "--port", type=port, default=DEFAULT_PORT, help="port; 0 picks a free one (default: %(default)s)"
    )
    parser.add_argument("--api-base", metavar="URL", help="where a litellm target is served")
    parser.add_argument(
        "--temperature", type=temperature, help="sent to models over a wire (default: not sent)"
    )
    parser.add_argument("--max-tokens", type=whole, help="sent to models over a wire (default: not sent)")
    parser.add_argument("--timeout", type=timeout, metavar="SECONDS", help="for one request (default: 300)")
    add_project(parser)


def run(arguments: argparse.Namespace) -> int:
    """Serve until interrupted."""
    targets = open_targets(arguments, keys=True)
    if len(targets) != 1:
        raise InvalidInput(f"-t: found {len(targets)} targets; one of them can be served")
    asyncio.run(_serve(arguments, targets[0]))
    return 0


async def _serve(arguments: argparse.Namespace, target: Target) -> None:
    from harness.serving.api import Served, serve_api
    from harness.serving.api_requests import knowledge_of

    served = Served(target, knowledge_of(load_scenarios(project(arguments))), arguments.generation)
    try:
        async with serve_api(served, host=arguments.host, port=arguments.port, log=say) as url:
            say(f"{target.name} as generation {arguments.generation} of the API at {url}; Ctrl-C ends")
            await asyncio.Event().wait()
    finally:
        await target.close()

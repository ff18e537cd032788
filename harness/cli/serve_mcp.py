"""harness serve mcp: the tools of a scenario for any agent's own MCP client."""

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from harness.cli.numbers import port
from harness.cli.output import add_project, project, say
from harness.errors import InvalidInput
from harness.scenarios import load_scenario, load_scenarios
from harness.scenarios.contracts import find_contracts, project_contracts

if TYPE_CHECKING:
    from harness.serving.mcp import Called

DEFAULT_PORT = 8088
LONGEST_ARGUMENTS = 300


HELP = "the tools of a scenario over MCP"
DESCRIPTION = """\
The cluster and the workflow catalogs of a scenario over MCP. On standard input and
output they are one scenario's; over HTTP every scenario has them at /s/<digest>/mcp
(GET /s lists the digests), and with --scenario that one at /mcp as well."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness serve mcp` takes."""
    parser.add_argument("-s", "--scenario", metavar="ID", help="the scenario whose tools answer")
    parser.add_argument(
        "-c", "--contract", action="append", default=[], metavar="CONTRACT",
        help="spells the catalog's tool; may be given several times (default: all that fit the scenario)",
    )  # fmt: skip
    parser.add_argument("--http", action="store_true", help="streamable HTTP in place of standard input")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument(
        "--port", type=port, default=DEFAULT_PORT, help="port; 0 picks a free one (default: %(default)s)"
    )
    parser.add_argument(
        "--log", type=Path, metavar="FILE",
        help="append each call with its raw arguments as a line of JSON (default: a line on standard error)",
    )  # fmt: skip
    add_project(parser)


def run(arguments: argparse.Namespace) -> int:
    """Serve until the input ends or an interruption."""
    if not arguments.scenario and not arguments.http:
        raise InvalidInput("--scenario: standard input serves one scenario; name it, or serve all by --http")
    with _log(arguments.log) as log:
        asyncio.run(_over_http(arguments, log) if arguments.http else _over_stdio(arguments, log))
    return 0


async def _over_stdio(arguments: argparse.Namespace, log: "Callable[[Called], None]") -> None:
    from harness.contracts import CONTRACTS
    from harness.serving.mcp import offers_for, serve_stdio

    where = project(arguments)
    contracts = find_contracts(arguments.contract, where) or (*CONTRACTS, *project_contracts(where))
    offers = offers_for(load_scenario(where, arguments.scenario), contracts)
    if sys.stdin.isatty():
        say("waiting for an MCP client on standard input; Ctrl-C ends")
    await serve_stdio(offers, log)


async def _over_http(arguments: argparse.Namespace, log: "Callable[[Called], None]") -> None:
    from harness.contracts import CONTRACTS
    from harness.serving.mcp import serve_http

    where = project(arguments)
    contracts = find_contracts(arguments.contract, where) or (*CONTRACTS, *project_contracts(where))
    flows = {each.flow for each in contracts}
    if arguments.scenario:
        scenarios = [load_scenario(where, arguments.scenario)]
    else:
        scenarios = [each for each in load_scenarios(where) if each.flow in flows]
    async with serve_http(scenarios, contracts, log, host=arguments.host, port=arguments.port) as url:
        path = "/mcp" if arguments.scenario else "/s/DIGEST/mcp (GET /s lists the digests)"
        say(f"tools of {_counted(len(scenarios))} at {url}{path}; Ctrl-C ends")
        await asyncio.Event().wait()


def _counted(scenarios: int) -> str:
    return "1 scenario" if scenarios == 1 else f"{scenarios} scenarios"


@contextmanager
def _log(file: Path | None) -> "Generator[Callable[[Called], None]]":
    if file is None:
        yield lambda called: say(_line(called))
        return
    try:
        opened = file.open("a", encoding="utf-8")
    except OSError as error:
        msg = f"--log {file}: cannot be written ({error.strerror}); name another file"
        raise InvalidInput(msg) from error
    with opened:

        def append(called: "Called") -> None:
            at = datetime.now(UTC).isoformat(timespec="milliseconds")
            opened.write(json.dumps({"at": at, **called.record()}) + "\n")
            opened.flush()

        yield append


def _line(called: "Called") -> str:
    """Return a line for people; what a client sent is escaped, and cut where it is long."""
    sent = json.dumps(called.arguments)
    shown = sent if len(sent) <= LONGEST_ARGUMENTS else sent[:LONGEST_ARGUMENTS] + "..."
    ending = "refused" if called.refused else f"{called.characters} characters"
    return (
        f"{called.scenario} {json.dumps(called.tool)[1:-1]} {shown}: {ending}, {called.seconds * 1000:.0f}ms"
    )

"""The tools of a scenario over MCP: its cluster and its workflow catalogs, for any agent's own client."""

import json
import socket
from collections.abc import AsyncGenerator, Callable, Collection, Generator, Iterable, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

from harness import __version__
from harness.cluster import EVIDENCE_TOOLS
from harness.conversation import ToolResult, tool_result
from harness.errors import InvalidInput
from harness.model import Contract, Scenario, ToolCall, ToolSpec
from harness.targets import Binding

if TYPE_CHECKING:
    import uvicorn
    from mcp.server import ServerRequestContext
    from mcp.server.lowlevel import Server
    from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams, Tool
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

NAME = "contract-harness"
LARGEST_BODY = 4 * 2**20
"""Bytes of one request; the arguments of a call are a few hundred."""


@dataclass(frozen=True, slots=True)
class Offer:
    """One tool, and the binding that answers it."""

    spec: ToolSpec
    binding: Binding


@dataclass(frozen=True, slots=True)
class Called:
    """One call as it came and what became of it; `arguments` are those of the client, not coerced."""

    scenario: str
    tool: str
    arguments: Any
    refused: bool
    characters: int
    seconds: float

    def record(self) -> dict[str, Any]:
        """Return the line that a log of calls keeps."""
        return {
            "scenario": self.scenario,
            "tool": self.tool,
            "arguments": self.arguments,
            "refused": self.refused,
            "characters": self.characters,
            "seconds": round(self.seconds, 6),
        }


def offers_for(scenario: Scenario, contracts: Collection[Contract]) -> tuple[Offer, ...]:
    """Return the evidence tools and each different catalog tool of the contracts that fit a scenario.

    Raises:
        InvalidInput: no contract fits the scenario's flow.
    """
    fitting = [each for each in contracts if each.flow == scenario.flow]
    if not fitting:
        msg = f"{scenario.id}: none of the contracts is for its flow, {scenario.flow!r}; choose another -c"
        raise InvalidInput(msg)
    offers = {each.name: Offer(each, Binding(scenario, fitting[0])) for each in EVIDENCE_TOOLS}
    for contract in fitting:
        if contract.catalog_tool:
            offer = Offer(contract.catalog_tool, Binding(scenario, contract))
            offers.setdefault(contract.catalog_tool.name, offer)
    return tuple(offers.values())


def answer(offers: Collection[Offer], name: str, arguments: Mapping[str, Any]) -> ToolResult:
    """Return the answer to one call, in the words that a model in a run would get."""
    tools = tuple(each.spec for each in offers)
    bound = next((each for each in offers if each.spec.name == name), next(iter(offers)))
    return tool_result(bound.binding, tools, ToolCall("", name, json.dumps(arguments)))


def server_for(
    offers_of: "Callable[[Request | None], tuple[Offer, ...]]", log: Callable[[Called], None]
) -> "Server[Any]":
    """Return an MCP server whose tools are the offers of each request.

    The low-level server is used on purpose: one made of decorated functions takes no argument called
    `label.signal-type`, and would answer wrong arguments in words of its own.

    Args:
        offers_of: the offers for an HTTP request, or for a connection that has none.
        log: takes every call.
    """
    from mcp.server.lowlevel import Server
    from mcp_types import CallToolResult, ListToolsResult, TextContent

    async def listed(
        context: "ServerRequestContext[Any]", _: "PaginatedRequestParams | None"
    ) -> "ListToolsResult":
        return ListToolsResult(tools=[_declared(each.spec) for each in offers_of(context.request)])

    async def called(
        context: "ServerRequestContext[Any]", asked: "CallToolRequestParams"
    ) -> "CallToolResult":
        began, offers = perf_counter(), offers_of(context.request)
        result = answer(offers, asked.name, asked.arguments or {})
        scenario = offers[0].binding.scenario.id
        seconds = perf_counter() - began
        log(Called(scenario, asked.name, asked.arguments, result.refused, len(result.text), seconds))
        # Text only: a client that is sent structured content as well shows the model both.
        return CallToolResult(content=[TextContent(text=result.text)], is_error=result.refused)

    return Server(NAME, version=__version__, on_list_tools=listed, on_call_tool=called)


def _declared(spec: ToolSpec) -> "Tool":
    from mcp_types import Tool, ToolAnnotations

    return Tool(
        name=spec.name,
        description=spec.description,
        input_schema=dict(spec.parameters),
        annotations=ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=False),
    )


async def serve_stdio(offers: tuple[Offer, ...], log: Callable[[Called], None]) -> None:
    """Serve one scenario on standard input and output until the input ends."""
    from mcp.server.stdio import stdio_server

    server = server_for(lambda _: offers, log)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


@asynccontextmanager
async def serve_http(
    scenarios: Iterable[Scenario],
    contracts: Collection[Contract],
    log: Callable[[Called], None],
    *,
    host: str,
    port: int = 0,
) -> AsyncGenerator[str]:
    """Serve scenarios over streamable HTTP until the block ends, each at /s/DIGEST/mcp.

    The only scenario is at /mcp as well. GET /s lists them.

    Args:
        scenarios: one or more.
        contracts: spell the catalog tools.
        log: takes every call.
        host: where to listen.
        port: 0 takes any free one.

    Yields:
        The base URL, without a path.

    Raises:
        InvalidInput: nobody can listen there.
    """
    import anyio
    import uvicorn

    listening = _listen(host, port)
    with listening:
        config = uvicorn.Config(
            _application(list(scenarios), contracts, log, host),
            log_level="error", access_log=False, timeout_graceful_shutdown=1,
        )  # fmt: skip
        server = _quiet_server()(config)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.serve, [listening])
            shown = f"[{host}]" if ":" in host else host
            yield f"http://{shown}:{listening.getsockname()[1]}"
            server.should_exit = True


@asynccontextmanager
async def serve_binding(binding: Binding) -> AsyncGenerator[str]:
    """Serve the tools of one scenario on this machine alone until the block ends; yield their address."""
    async with serve_http([binding.scenario], [binding.contract], _unheard, host="127.0.0.1") as url:
        yield f"{url}/s/{binding.scenario.digest()}/mcp"


def _unheard(_: Called) -> None:
    """Let nobody hear of a call: who made it tells of it."""


def _quiet_server() -> "type[uvicorn.Server]":
    import uvicorn

    class QuietServer(uvicorn.Server):
        """Leaves interruption to its caller: uvicorn would end the process in its own way."""

        @contextmanager
        def capture_signals(self) -> Generator[None]:
            yield

    return QuietServer


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family)
    except OSError as error:
        msg = f"{host}:{port}: cannot listen there ({error.strerror}); choose another --port"
        raise InvalidInput(msg) from error


def _application(
    scenarios: list[Scenario], contracts: Collection[Contract], log: Callable[[Called], None], host: str
) -> "Starlette":
    from mcp import MCPError
    from mcp.server.streamable_http_manager import StreamableHTTPASGIApp
    from mcp_types import INVALID_PARAMS
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    known = {each.digest(): offers_for(each, contracts) for each in scenarios}
    only = next(iter(known)) if len(known) == 1 else ""

    def offers_of(request: "Request | None") -> tuple[Offer, ...]:
        digest = request.path_params.get("digest", only) if request else only
        if digest not in known:
            found = f"no scenario has the digest {digest!r}; GET /s lists scenarios with their digests"
            raise MCPError(INVALID_PARAMS, found)
        return known[digest]

    async def listed(_: "Request") -> "Response":
        rows = [{"scenario": offers[0].binding.scenario.id, "digest": key} for key, offers in known.items()]
        return JSONResponse({"object": "list", "data": rows})

    server = server_for(offers_of, log)
    application = server.streamable_http_app(
        streamable_http_path="/s/{digest}/mcp",
        stateless_http=True,
        max_request_body_size=LARGEST_BODY,
        host=host,
        custom_starlette_routes=[Route("/s", listed)],
    )
    if only:
        application.routes.append(Route("/mcp", StreamableHTTPASGIApp(server.session_manager)))
    return application

"""HolmesGPT as a process that answers one line of JSON with one line of JSON.

Runs in the interpreter that HolmesGPT is installed in, as `python -I` with the path of this file, and imports
nothing of the harness. The first line in is the configuration, the first line out says which versions are
there. Every further line in is an investigation; its line out has every call of the model as it was.

    in   {"model", "api_base", "api_key", "mode", "max_steps", "timeout", "args", "home"}
    out  {"versions": {...}} or {"error": {...}}
    in   {"messages", "tools", "needed", "url", "seed"}
    out  {"offered": [...], "seeded", "calls": [...], "result", "error"}
    call {"kept", "messages", "tools", "response", "cost", "error", "seconds"}

`kept` is how many messages a request has in common with the one before; `messages` are those behind them.
"""

import inspect
import json
import logging
import os
import sys
import traceback
import urllib.request
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from time import perf_counter
from typing import Any, TextIO

PACKAGES = ("holmesgpt", "litellm", "mcp")
TOOLSET = "contract-harness"


def main() -> None:
    """Answer lines until the input ends."""
    answers = _own_output()
    settings = json.loads(sys.stdin.readline())
    try:
        _prepare(settings)
        investigate = _investigator(settings)
    except Exception as error:  # noqa: BLE001 - whatever it is, the other side has to hear of it
        _say(answers, {"error": _told(error)})
        return
    _say(answers, {"versions": {each: _version(each) for each in PACKAGES}})
    for line in sys.stdin:
        _say(answers, investigate(json.loads(line)))


def _own_output() -> TextIO:
    """Return the standard output and point everybody else's at the log: HolmesGPT and litellm print."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


def _say(answers: TextIO, value: Any) -> None:
    answers.write(json.dumps(value, default=str) + "\n")
    answers.flush()


def _prepare(settings: dict[str, Any]) -> None:
    """Set what HolmesGPT and litellm read from the environment while they are imported."""
    environment = os.environ  # noqa: TID251 - a process of its own, which nobody else's settings reach
    # Logs and caches of toolsets go there, not into somebody's home.
    environment["HOME"] = settings["home"]
    environment["LLM_REQUEST_TIMEOUT"] = str(settings["timeout"])
    environment["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    environment.setdefault("LITELLM_MODE", "PRODUCTION")
    local = "127.0.0.1,localhost,::1"
    for name in ("NO_PROXY", "no_proxy"):
        environment[name] = f"{environment[name]},{local}" if environment.get(name) else local


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def _told(error: BaseException) -> dict[str, Any]:
    traceback.print_exception(error)
    status = getattr(error, "status_code", None)
    return {
        "type": type(error).__name__,
        "status": status if isinstance(status, int) else None,
        "text": str(error)[:4000],
    }


def _taken(function: Callable[..., Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """Return those arguments that a function of this release takes."""
    known = inspect.signature(function).parameters
    return {name: value for name, value in arguments.items() if name in known}


# One investigation


def _investigator(settings: dict[str, Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    llm: Any = import_module("holmes.core.llm")
    calling: Any = import_module("holmes.core.tool_calling_llm")
    executing: Any = import_module("holmes.core.tools_utils.tool_executor")
    litellm: Any = import_module("litellm")
    logging.disable(logging.INFO)
    takes_seed = "seed" in (litellm.get_supported_openai_params(model=settings["model"]) or ())

    def investigate(asked: dict[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = {
            "offered": [], "seeded": takes_seed, "calls": [], "result": None, "error": None
        }  # fmt: skip
        try:
            executor = executing.ToolExecutor([_toolset(settings["mode"], asked)])
            answer["offered"] = sorted(
                each["function"]["name"] for each in _shown(executor, settings["model"])
            )
            if not set(asked["needed"]) <= set(answer["offered"]):
                return answer
            seed = {"seed": asked["seed"]} if takes_seed else {}
            model = llm.DefaultLLM(
                model=settings["model"],
                api_key=settings["api_key"],
                **_taken(llm.DefaultLLM, {"api_base": settings["api_base"]}),
                args={**settings["args"], **seed},
            )
            model.completion = _recording(model.completion, answer["calls"])
            agent = calling.ToolCallingLLM(
                tool_executor=executor,
                max_steps=settings["max_steps"],
                llm=model,
                **_taken(calling.ToolCallingLLM, {"tool_results_dir": None}),
            )
            answer["result"] = agent.call(messages=asked["messages"]).result
        except Exception as error:  # noqa: BLE001 - HolmesGPT raises anything, and the calls made are kept
            answer["error"] = _told(error)
        return answer

    return investigate


def _shown(executor: Any, model: str) -> list[dict[str, Any]]:
    listing = executor.get_all_tools_openai_format
    # Earlier releases shape schemas by the model's name.
    return listing(**_taken(listing, {"target_model": model}))


def _recording(complete: Callable[..., Any], calls: list[dict[str, Any]]) -> Callable[..., Any]:
    """Return `complete` with every request and what became of it appended to `calls`."""
    before: list[Any] = []

    def completion(messages: list[Any], *arguments: Any, **named: Any) -> Any:
        nonlocal before
        sent = _plain(messages)
        kept = shared_beginning(before, sent)
        before = sent
        tools = _plain(arguments[0] if arguments else named.get("tools"))
        call: dict[str, Any] = {"kept": kept, "messages": sent[kept:], "tools": tools or []}
        calls.append(call)
        began = perf_counter()
        try:
            response = complete(messages, *arguments, **named)
        except Exception as error:
            call["error"] = _told(error)
            raise
        finally:
            call["seconds"] = perf_counter() - began
        # At once: what comes after may change it in place.
        call["response"] = _plain(response.model_dump())
        hidden: Any = getattr(response, "_hidden_params", None)
        call["cost"] = hidden.get("response_cost") if hidden else None
        return response

    return completion


def _plain(value: Any) -> Any:
    return json.loads(json.dumps(value, default=str))


def shared_beginning(one: list[Any], other: list[Any]) -> int:
    """Return how many messages two requests have in common, from the first on."""
    same = 0
    while same < min(len(one), len(other)) and _words(one[same]) == _words(other[same]):
        same += 1
    return same


def _words(message: Any) -> Any:
    """Return what a model reads of a message; HolmesGPT marks parts for caches and keeps notes there."""
    content: Any = message.get("content")
    if isinstance(content, list):
        content = "".join(str(each.get("text", "")) for each in _plain(content))
    return message.get("role"), content, message.get("tool_calls")


# The tools


def _toolset(mode: str, asked: dict[str, Any]) -> Any:
    tools: Any = import_module("holmes.core.tools")
    remote: Any = import_module("holmes.plugins.toolsets.mcp.toolset_mcp")
    if mode == "mcp":
        config = {"mode": "streamable-http", "url": asked["url"]}
        toolset = remote.RemoteMCPToolset(
            name=TOOLSET, description="The cluster and its workflow catalog", enabled=True, config=config
        )
        toolset.check_prerequisites()
        if toolset.error:
            raise RuntimeError(f"the MCP toolset is not ready: {toolset.error}")
        return toolset

    class HarnessToolset(tools.Toolset):
        """The scenario's tools."""

        def get_example_config(self) -> dict[str, Any]:
            """Return nothing: earlier releases ask for it."""
            return {}

    toolset = HarnessToolset(
        name=TOOLSET,
        description="The cluster and its workflow catalog",
        enabled=True,
        tools=[_tool(tools, remote, each, asked["url"]) for each in asked["tools"]],
        **({"tags": [tools.ToolsetTag.CORE]} if hasattr(tools, "ToolsetTag") else {}),
    )
    # Being enabled is not enough: the model is shown the tools of toolsets with this status.
    toolset.status = tools.ToolsetStatusEnum.ENABLED
    return toolset


def _tool(tools: Any, remote: Any, spec: dict[str, Any], url: str) -> Any:
    class HarnessTool(tools.Tool):
        """A tool within this process, whose answers the harness has."""

        def _invoke(self, params: dict[str, Any], *_: Any, **__: Any) -> Any:
            # What a schema calls required and nullable is left out by saying null.
            given = {key: value for key, value in params.items() if value is not None or key in required}
            text, refused = _answer(url, spec["name"], given)
            status = tools.StructuredToolResultStatus
            return tools.StructuredToolResult(
                status=status.ERROR if refused else status.SUCCESS, data=text, params=params
            )

        def get_parameterized_one_liner(self, params: dict[str, Any]) -> str:
            """Return what a log calls this invocation."""
            return f"{spec['name']} {json.dumps(params)[:200]}"

    required: Any = spec["parameters"].get("required") or ()
    parameters = remote.RemoteMCPTool.parse_input_schema(spec["parameters"])
    return HarnessTool(name=spec["name"], description=spec["description"], parameters=parameters)


def _answer(url: str, name: str, arguments: dict[str, Any]) -> tuple[str, bool]:
    """Return what the harness answers one call with, and whether it was refused."""
    asked = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": name, "arguments": arguments},
    }
    request = urllib.request.Request(  # noqa: S310 - the address is the harness's own
        url,
        data=json.dumps(asked).encode(),
        headers={"Content-Type": "application/json", "Accept": "application/json, text/event-stream"},
    )
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as response:
        body = response.read().decode()
    lines = [line.removeprefix("data:") for line in body.splitlines() if line.startswith("data:")]
    result = json.loads(lines[-1] if lines else body)["result"]
    return "".join(each["text"] for each in result["content"]), bool(result.get("isError"))


if __name__ == "__main__":
    main()

"""One transcript, written in the forms that other tools log it in."""

import json
from typing import Any

from harness.model import Message, ToolCall, ToolSpec, Transcript


def chat_message(message: Message) -> dict[str, Any]:
    """Return a message of OpenAI's chat form."""
    calls = [
        {"id": each.id, "type": "function", "function": {"name": each.name, "arguments": each.arguments}}
        for each in message.tool_calls
    ]
    made: dict[str, Any] = {"role": message.role, "content": message.content}
    made |= {"tool_calls": calls} if calls else {}
    made |= {"tool_call_id": message.tool_call_id} if message.role == "tool" else {}
    return made


def chat(transcript: Transcript) -> dict[str, Any]:
    """Return OpenAI's chat form."""
    return {"messages": [chat_message(each) for each in transcript.messages], "tools": tools(transcript)}


def tools(transcript: Transcript) -> list[dict[str, Any]]:
    """Return tools as OpenAI's chat requests have them."""
    return [{"type": "function", "function": _tool(each, "parameters")} for each in transcript.tools]


def _tool(tool: ToolSpec, schema: str) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, schema: dict(tool.parameters)}


def chat_log(transcript: Transcript) -> dict[str, Any]:
    """Return the request and the response of the last turn of a chat."""
    *before, last = transcript.messages
    return {
        "request": {"messages": [chat_message(each) for each in before], "tools": tools(transcript)},
        "response": {"choices": [{"message": chat_message(last), "finish_reason": "stop"}]},
    }


def responses_log(transcript: Transcript) -> dict[str, Any]:
    """Return the request and the response of the last turn of the Responses API."""
    *before, last = transcript.messages
    return {
        "request": {
            "input": [item for each in before for item in _items(each)],
            "tools": [{"type": "function", **_tool(each, "parameters")} for each in transcript.tools],
        },
        "response": {"object": "response", "status": "completed", "output": _items(last)},
    }


def _items(message: Message) -> list[dict[str, Any]]:
    if message.role == "tool":
        answered = {"call_id": message.tool_call_id, "output": message.content}
        return [{"type": "function_call_output", **answered}]
    said = [{"type": "output_text" if message.role == "assistant" else "input_text", "text": message.content}]
    spoken = (
        [{"type": "message", "role": message.role, "content": said}]
        if message.content or not message.tool_calls
        else []
    )
    calls = [
        {"type": "function_call", "call_id": each.id, "name": each.name, "arguments": each.arguments}
        for each in message.tool_calls
    ]
    return [*spoken, *calls]


def anthropic_log(transcript: Transcript) -> dict[str, Any]:
    """Return the request and the response of the last turn of Anthropic's Messages API."""
    *before, last = transcript.messages
    system = "\n".join(each.content or "" for each in before if each.role == "system")
    messages: list[dict[str, Any]] = []
    for each in before:
        blocks = _blocks(each)
        if each.role == "system":
            continue
        role = "assistant" if each.role == "assistant" else "user"
        if each.role == "tool" and messages and messages[-1]["content"][0]["type"] == "tool_result":
            messages[-1]["content"] += blocks
        else:
            messages.append({"role": role, "content": blocks})
    asked = {"messages": messages, "tools": [_tool(each, "input_schema") for each in transcript.tools]}
    said = {"type": "message", "role": "assistant", "content": _blocks(last), "stop_reason": "end_turn"}
    return {"request": {**asked, **({"system": system} if system else {})}, "response": said}


def _blocks(message: Message) -> list[dict[str, Any]]:
    written = message.content or not message.tool_calls
    text = [{"type": "text", "text": message.content or ""}] if written else []
    if message.role == "tool":
        return [{"type": "tool_result", "tool_use_id": message.tool_call_id, "content": text}]
    return [*text, *(_use(each) for each in message.tool_calls)]


def _use(call: ToolCall) -> dict[str, Any]:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": json.loads(call.arguments)}


def inspect_sample(transcript: Transcript) -> dict[str, Any]:
    """Return a sample as the JSON of an Inspect AI log has it, with the tools of its last request."""
    messages: list[dict[str, Any]] = []
    for each in transcript.messages:
        made = {"role": each.role, "content": each.content or ""}
        if each.role == "tool":
            made["tool_call_id"] = each.tool_call_id or ""
        calls = [
            {"id": call.id, "function": call.name, "arguments": json.loads(call.arguments)}
            for call in each.tool_calls
        ]
        messages.append({**made, "tool_calls": calls} if each.role == "assistant" else made)
    choices = [{"message": messages[-1], "stop_reason": "stop"}]
    offered = [_tool(each, "parameters") for each in transcript.tools]
    return {"id": "a", "epoch": 1, "messages": messages, "output": {"choices": choices}, "tools": offered}

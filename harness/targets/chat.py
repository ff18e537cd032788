"""A request in OpenAI chat form: the one wire language that every translator reads."""

import json
from collections.abc import Iterable
from typing import Any

from harness.model import Message, ToolSpec
from harness.model.remembering import once_per_object


def chat_messages(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Return the messages as a chat API takes them; reasoning is never sent back."""
    return [chat_message(each) for each in messages]


def chat_tools(tools: Iterable[ToolSpec]) -> list[dict[str, Any]]:
    """Return the tools as a chat API takes them: copies, which a translator may rewrite in place."""
    return [json.loads(_spelled(each)) for each in tools]


def chat_tool(tool: ToolSpec) -> dict[str, Any]:
    """Return one tool as a chat API takes it; its schema is the tool's own."""
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}


# Reading JSON is a fifth of the work of a deep copy.
@once_per_object(256)
def _spelled(tool: ToolSpec) -> str:
    return json.dumps(chat_tool(tool))


def chat_message(message: Message) -> dict[str, Any]:
    """Return one message as a chat API takes it."""
    content = _encodable(message.content or "")
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": content}
    if not message.tool_calls:
        return {"role": message.role, "content": content}
    calls = [
        {
            "id": each.id,
            "type": "function",
            "function": {"name": _encodable(each.name), "arguments": _encodable(each.arguments)},
        }
        for each in message.tool_calls
    ]
    return {"role": "assistant", "content": content or None, "tool_calls": calls}


def _encodable(text: str) -> str:
    """Return a text that can be sent: half a character, which some models write, becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")

"""What HolmesGPT writes around the result of a tool before its model sees it."""

import json
import re

_PARAMETERS = re.compile(
    r"Params used for the tool call: .*\. The tool call output follows on the next line\.\n"
)
_METADATA = "tool_call_metadata="


def bare_result(text: str) -> str:
    """Return a tool's result without HolmesGPT's frame: a line of parameters, and its metadata as JSON."""
    found = _PARAMETERS.match(text)
    rest = text[found.end() :] if found else text
    if not rest.startswith(_METADATA):
        return rest
    try:
        _, end = json.JSONDecoder().raw_decode(rest, len(_METADATA))
    except (ValueError, RecursionError):
        return rest
    return rest[end:]

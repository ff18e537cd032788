"""Logs of Inspect AI, `.eval` (one sample at a time) or `.json`, read by its own library.

The library is the extra `inspect`: an .eval file is a zip whose members are compressed by what Python 3.11
cannot read, and a log keeps long texts apart and changes its layout between versions.
"""

import json
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from harness.auditing.anthropic_messages import as_error
from harness.auditing.importing import Imported, Refused, conversation
from harness.auditing.values import brief, mapping
from harness.model import Failure

MAX_MEMBER = 256_000_000
"""Bytes of one member of an .eval file: one sample, unpacked."""

_MISSING = (
    "an Inspect AI log, which its own library reads; install it: pip install 'contract-harness[inspect]'"
)
_UNPARSED = re.compile(r"tool call arguments:\s*(.*?)\s*(?:Error details:.*)?\Z", re.DOTALL)


def is_inspect(value: Any) -> bool:
    """Return whether a JSON value is a log of Inspect AI."""
    return isinstance(value, dict) and isinstance(cast("dict[str, Any]", value).get("eval"), dict) and (
        "status" in value
    )  # fmt: skip


def read_log(path: Path) -> Iterator[Imported | Refused]:
    """Yield every sample of a log, in its order, and why one cannot be read."""
    if unfit := _unfit(path):
        yield Refused(str(path), unfit)
        return
    try:
        library: Any = import_module("inspect_ai.log")
    except ImportError:
        yield Refused(str(path), _MISSING)
        return
    try:
        log = library.read_eval_log(str(path), header_only=_is_packed(path), resolve_attachments=True)
        model = str(log.eval.model)
        listed = library.read_eval_log_sample_summaries(str(path)) if _is_packed(path) else log.samples or ()
    except Exception as error:  # noqa: BLE001 - only inspect_ai is called here, and it raises anything
        yield Refused(str(path), _because(error))
        return
    for each in listed:
        source = f"{path} {each.id}#{each.epoch}"
        try:
            sample = _unpacked(library, path, each) if _is_packed(path) else each
            kept = _plain(sample)
        except Exception as error:  # noqa: BLE001 - only inspect_ai is called here, and it raises anything
            yield Refused(source, _because(error))
        else:
            yield transcript(kept, model, source)


def _is_packed(path: Path) -> bool:
    """Return whether samples can be read one by one; a .json log is one value."""
    return path.suffix.lower() == ".eval"


def _unpacked(library: Any, path: Path, summary: Any) -> Any:
    return library.read_eval_log_sample(str(path), summary.id, summary.epoch, resolve_attachments=True)


def _unfit(path: Path) -> str | None:
    """Return why a file is not given to the library, if so: it would unpack whatever it is given."""
    if not _is_packed(path):
        return None
    try:
        with zipfile.ZipFile(path) as packed:
            large = next((each for each in packed.infolist() if each.file_size > MAX_MEMBER), None)
    except zipfile.BadZipFile as error:
        return f"is no Inspect AI log: {error}"
    return (
        f"found {large.file_size} bytes in {large.filename!r}; {MAX_MEMBER} are the most" if large else None
    )


def _because(error: Exception) -> str:
    return f"cannot be read as an Inspect AI log: {type(error).__name__}: {error}"[:300]


def _plain(sample: Any) -> dict[str, Any]:
    """Return the parts of a sample that an audit needs, as JSON; tools are those of its last request."""
    asked = [each for each in sample.events if each.event == "model"]
    tools = [each.model_dump(mode="json", exclude_none=True) for each in asked[-1].tools] if asked else None
    kept = {"id", "epoch", "messages", "output", "error", "metadata"}
    return {**sample.model_dump(mode="json", include=kept), "tools": tools}


def transcript(sample: Mapping[str, Any], model: str, source: str) -> Imported | Refused:
    """Return the transcript of a sample as the log's JSON has it, with `tools` as they were offered."""
    output, about = mapping(sample.get("output")), mapping(sample.get("metadata"))
    choices = output.get("choices")
    first = mapping(cast("list[Any]", choices)[0]) if isinstance(choices, list) and choices else {}
    listed = sample.get("messages")
    found = conversation(
        {
            "messages": [_message(each) for each in cast("list[Any]", listed)]
            if isinstance(listed, list)
            else listed,
            "tools": sample.get("tools"),
            "model": model,
            "finish_reason": first.get("stop_reason"),
            "usage": output.get("usage"),
            "scenario": about.get("scenario"),
            "contract": about.get("contract"),
        },
        source,
    )
    return found if isinstance(found, Refused) else _as_run(found, sample)


def _as_run(found: Imported, sample: Mapping[str, Any]) -> Imported:
    """Return a transcript with its trial, and with the error that ended it."""
    epoch, error = sample.get("epoch"), mapping(sample.get("error")).get("message")
    known = found.transcript
    if isinstance(epoch, int):
        known = replace(known, id=known.id._replace(trial=epoch))
    if error is not None:
        known = replace(known, failure=Failure("error", f"the sample ended with an error: {brief(error)}"))
    return replace(found, transcript=known)


def _message(given: Any) -> Any:
    """Return a message of a log as one of a chat."""
    message = mapping(given)
    if not message:
        return given
    made = {"role": message.get("role"), **_spoken(message.get("content"))}
    if message.get("role") == "tool":
        error = mapping(message.get("error")).get("message")
        if error is not None:
            made["content"] = as_error(made["content"] or str(error))
        made["tool_call_id"] = message.get("tool_call_id")
    calls = message.get("tool_calls")
    if isinstance(calls, list):
        made["tool_calls"] = [_call(mapping(each)) for each in cast("list[Any]", calls)]
    return made


def _spoken(content: Any) -> dict[str, Any]:
    """Return text and reasoning of a message, apart."""
    if not isinstance(content, list):
        return {"content": content}
    parts = [mapping(each) for each in cast("list[Any]", content)]
    texts = [each["text"] for each in parts if isinstance(each.get("text"), str)]
    thoughts = [each["reasoning"] for each in parts if isinstance(each.get("reasoning"), str)]
    return {"content": "".join(texts), **({"reasoning": "\n".join(thoughts)} if thoughts else {})}


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    """Return a call; of arguments that nobody could parse, their text as the error quotes it."""
    arguments, wrong = call.get("arguments"), call.get("parse_error")
    if isinstance(wrong, str):
        quoted = _UNPARSED.search(wrong)
        arguments = quoted.group(1) if quoted else wrong
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return {"id": call.get("id"), "function": {"name": call.get("function"), "arguments": text}}

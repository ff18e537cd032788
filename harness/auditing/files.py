"""Read a file of transcripts; what cannot be read costs its own line and nothing else.

A .jsonl file has one object a line with `messages` in OpenAI chat form. A .json file has such lines too, or
one such object, or an array of them. Any other .json or .txt is one model's bare answer.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, cast

from harness.auditing.importing import Imported, Refused, bare_answer, conversation

SUFFIXES = (".jsonl", ".json", ".txt")

MAX_ANSWER = 4_000_000
"""Bytes of a bare answer."""

MAX_WHOLE = 256_000_000
"""Bytes of a file that is read at once; a .jsonl file is read line by line and may be larger."""

_NEEDED = "use an object with `messages`"


def read_file(path: Path) -> Iterator[Imported | Refused]:
    """Yield every transcript of a file, in order, and why a line or the file is none."""
    suffix = path.suffix.lower()
    if not suffix and (path.is_dir() or not path.exists()):
        yield Refused(str(path), "a folder; name the files in it" if path.is_dir() else "no such file")
        return
    if suffix not in SUFFIXES:
        yield Refused(str(path), f"found a file of type {suffix!r}; use {', '.join(SUFFIXES)}")
        return
    try:
        with path.open("rb") as stream:
            yield from _lines(stream, path) if suffix == ".jsonl" else _whole(stream, path)
    except OSError as error:
        yield Refused(str(path), f"cannot be read: {error.strerror}")


def _lines(lines: Iterable[bytes], path: Path) -> Iterator[Imported | Refused]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield _line(line, f"{path}:{number}")


def _line(line: bytes, source: str) -> Imported | Refused:
    text = _text(line)
    if text is None:
        return Refused(source, "is not UTF-8")
    try:
        return _chat(json.loads(text), source)
    except RecursionError:
        return Refused(source, f"is nested too deep to read; {_NEEDED}")
    except ValueError as error:
        return Refused(source, f"is not JSON: {error}; {_NEEDED}")


def _whole(stream: IO[bytes], path: Path) -> Iterator[Imported | Refused]:
    written = stream.read(MAX_WHOLE + 1)
    text = _text(written)
    value = _json(text or "")
    if len(written) > MAX_WHOLE:
        yield Refused(str(path), f"found more than {MAX_WHOLE} bytes; write one object a line as .jsonl")
    elif _is_chat(value):
        yield _chat(value, str(path))
    elif isinstance(value, list) and any(map(_is_chat, cast("list[Any]", value))):
        for index, each in enumerate(cast("list[Any]", value)):
            yield _chat(each, f"{path}[{index}]")
    elif isinstance(value, list) and _is_spoken(cast("list[Any]", value)):
        yield Refused(str(path), f"found a list of messages; {_NEEDED} around it")
    elif value is None and _has_chats(written.split(b"\n")):
        yield from _lines(written.split(b"\n"), path)
    elif text is None:
        yield Refused(str(path), "is not UTF-8")
    elif len(written) > MAX_ANSWER:
        yield Refused(str(path), f"found {len(written)} bytes; a bare answer has at most {MAX_ANSWER}")
    else:
        yield bare_answer(written.decode(), str(path))


def _chat(value: Any, source: str) -> Imported | Refused:
    if not _is_chat(value):
        return Refused(source, f"found {json.dumps(value)[:60]}; {_NEEDED}")
    return conversation(cast("dict[str, Any]", value), source)


def _is_chat(value: Any) -> bool:
    return isinstance(value, dict) and "messages" in value


def _has_chats(lines: Iterable[bytes]) -> bool:
    return any(_is_chat(_json(_text(each) or "")) for each in lines if each.startswith(b"{"))


def _is_spoken(values: list[Any]) -> bool:
    """Return whether these are messages that nothing wraps: judged as an answer they would mislead."""
    return bool(values) and all(isinstance(each, dict) and "role" in each for each in values)


def _text(written: bytes) -> str | None:
    """Return UTF-8 without the byte order mark that some editors write, or None."""
    try:
        return written.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None

"""Read a file of transcripts; what cannot be read costs its own line and nothing else.

A .jsonl file has one object a line, in a form of `harness.auditing.forms`. A .json file has such lines too,
or one such object, or an array or an object of them. An .eval file, and a .json file of its shape, is a log
of Inspect AI. Any other .json or .txt is one model's bare answer, unless it looks like a record in a form
that nobody knows.
"""

import json
import math
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, cast

from harness.auditing.forms import NAMES, OWN_RECORD, form_of, known, read_value, recorded_here, shown
from harness.auditing.importing import Imported, Refused, bare_answer
from harness.auditing.inspect_logs import is_inspect, read_log
from harness.auditing.places import Place, Stored, opened
from harness.contracts import CONTRACTS

SUFFIXES = (".jsonl", ".json", ".txt", ".eval")

MAX_ANSWER = 4_000_000
"""Bytes of a bare answer."""

MAX_WHOLE = 256_000_000
"""Bytes of a file that is read at once; a .jsonl file is read line by line and may be larger."""

MAX_LINE = 64_000_000
"""Bytes of a line."""

_OF_A_RUN = frozenset({"run.json", "transcripts.jsonl", "blobs.jsonl", "scores.jsonl"})
_RECORD_KEYS = frozenset(
    {
        "candidates", "choices", "completion", "contents", "conversation", "conversations", "dialog",
        "events", "history", "input", "messages", "output", "prompt", "request", "resourceSpans",
        "response", "runs", "samples", "spans", "steps", "toolCalls", "tool_calls", "trace", "traceEvents",
        "traces", "turns",
    }
)  # fmt: skip
"""Keys that records of conversations have, in whatever form."""


def read_file(path: Place, named: str | None = None) -> Iterator[Imported | Refused]:
    """Yield every transcript of a file, in order, and why a line or the file is none.

    Args:
        path: the file, on disk or in object storage.
        named: the form to read it in, one of `forms.NAMES`; recognised where none is named.
    """
    suffix = path.suffix.lower()
    if own := _of_a_run(path):
        yield Refused(str(path), f"a run that this harness recorded; grade it: harness grade {own}")
    elif isinstance(path, Path) and not suffix and (path.is_dir() or not path.exists()):
        yield Refused(str(path), "a folder; name the files in it" if path.is_dir() else "no such file")
    elif suffix not in SUFFIXES and named is None:
        yield Refused(str(path), f"found a file of type {suffix!r}; use {', '.join(SUFFIXES)}, or say --from")
    else:
        yield from _opened(path, suffix, named)


def read_lines(
    path: Place, named: str | None, start: int, end: int, first: int
) -> Iterator[Imported | Refused]:
    """Yield every transcript of some lines of a .jsonl file.

    Args:
        path: the file.
        named: as in `read_file`.
        start: the offset of the first line, in bytes.
        end: the offset behind the last line.
        first: the number of the first line, from 1 on.
    """
    try:
        with opened(path, start, end) as stream:
            yield from _lines(_cut(stream, end - start), path, named, first)
    except OSError as error:
        yield Refused(str(path), f"cannot be read: {error.strerror}")


def is_divisible(path: Place, named: str | None) -> bool:
    """Return whether a file can be read in parts: whether it has one record on each line."""
    lines = path.suffix.lower() == ".jsonl" and named not in {"inspect", "text"}
    return lines and not _of_a_run(path)


def _of_a_run(path: Place) -> Path | None:
    """Return the folder of a run of this harness that a path names, or names a file of."""
    if isinstance(path, Stored):
        return None
    folder = path if path.is_dir() else path.parent if path.name in _OF_A_RUN else None
    return folder if folder and (folder / "run.json").is_file() else None


def _opened(path: Place, suffix: str, named: str | None) -> Iterator[Imported | Refused]:
    try:
        with opened(path) as stream:
            if named == "inspect" or (named is None and suffix == ".eval"):
                yield from _log(path)
            elif named == "text":
                yield _answer(stream.read(MAX_WHOLE), path)
            elif suffix == ".jsonl":
                yield from _lines(_cut(stream), path, named)
            else:
                yield from _whole(stream, path, named)
    except OSError as error:
        yield Refused(str(path), f"cannot be read: {error.strerror}")


def _log(path: Place) -> Iterator[Imported | Refused]:
    if isinstance(path, Path):
        yield from read_log(path)
    else:
        yield Refused(str(path), "a log of Inspect AI, which is read from disk; copy it there")


def _cut(stream: IO[bytes], size: int | None = None) -> Iterator[bytes]:
    """Yield the lines of so many bytes; of one that is too long only a beginning that is too long."""
    left = math.inf if size is None else size
    while left > 0 and (line := stream.readline(MAX_LINE + 1)):
        left -= len(line)
        yield line
        while len(line) > MAX_LINE and not line.endswith(b"\n"):
            line = stream.readline(MAX_LINE + 1)
            left -= len(line)


def _lines(
    lines: Iterable[bytes], path: Place, named: str | None, first: int = 1
) -> Iterator[Imported | Refused]:
    for number, line in enumerate(lines, start=first):
        if not line.strip():
            continue
        value = _value(line, f"{path}:{number}", named)
        if isinstance(value, Refused):
            yield value
        elif recorded_here(value):
            # The lines that follow are of the same kind, and may be many.
            yield Refused(f"{path}:{number}", OWN_RECORD)
            return
        else:
            yield from read_value(value, f"{path}:{number}", named)


def _value(line: bytes, source: str, named: str | None) -> Any:
    """Return the JSON value of a line, or why it has none."""
    if len(line) > MAX_LINE:
        return Refused(source, f"found more than {MAX_LINE} bytes on one line; use {known(named)}")
    text = _text(line)
    if text is None:
        return Refused(source, "is not UTF-8")
    try:
        return json.loads(text)
    except RecursionError:
        return Refused(source, f"is nested too deep to read; use {known(named)}")
    except ValueError as error:
        return Refused(source, f"is not JSON: {error}; use {known(named)}")


def _whole(stream: IO[bytes], path: Place, named: str | None) -> Iterator[Imported | Refused]:
    written = stream.read(MAX_WHOLE + 1)
    value = _json(_text(written) or "")
    if len(written) > MAX_WHOLE:
        yield Refused(str(path), f"found more than {MAX_WHOLE} bytes; write one object a line as .jsonl")
    elif named is None and is_inspect(value):
        yield from _log(path)
    elif held := list(_held(value, str(path), named)):
        for source, each in held:
            yield from read_value(each, source, named)
    elif value is None and (named or _has_forms(written.split(b"\n"))):
        yield from _lines(written.split(b"\n"), path, named)
    elif isinstance(value, list) and _is_spoken(cast("list[Any]", value)):
        yield Refused(str(path), "found a list of messages; use an object with `messages` around it")
    elif any(map(_is_record, cast("list[Any]", value) if isinstance(value, list) else [value])):
        yield Refused(str(path), f"found {shown(value)}; use {known(None)}, or --from text for an answer")
    else:
        yield _answer(written, path)


def _held(value: Any, source: str, named: str | None) -> Iterator[tuple[str, Any]]:
    """Yield the records of a file: the value itself, or those that an array or an object holds, by place."""
    if isinstance(value, list):
        listed = cast("list[Any]", value)
        if named or any(map(form_of, listed)):
            yield from ((f"{source}[{index}]", each) for index, each in enumerate(listed))
    elif isinstance(value, dict):
        inner = cast("dict[str, Any]", value)
        holds = form_of(value, named) is None and any(form_of(each, named) for each in inner.values())
        if holds and not inner.keys() & _answer_keys():
            yield from ((f"{source} {key[:60]}", each) for key, each in inner.items())
        elif named or form_of(value) or recorded_here(value):
            yield source, value


def _answer(written: bytes, path: Place) -> Imported | Refused:
    """Return one model's bare answer, its text as it is."""
    if len(written) > MAX_ANSWER:
        return Refused(str(path), f"found {len(written)} bytes; a bare answer has at most {MAX_ANSWER}")
    try:
        return bare_answer(written.decode(), str(path))
    except UnicodeDecodeError:
        return Refused(str(path), "is not UTF-8")


def _has_forms(lines: Iterable[bytes]) -> bool:
    values = (_json(_text(each) or "") for each in lines if each.startswith(b"{"))
    return any(form_of(each) or recorded_here(each) for each in values)


def _is_spoken(values: list[Any]) -> bool:
    """Return whether these are messages that nothing wraps: judged as an answer they would mislead."""
    return bool(values) and all(isinstance(each, dict) and "role" in each for each in values)


def _is_record(value: Any) -> bool:
    """Return whether a value looks like the record of a conversation, and not at all like an answer."""
    if not isinstance(value, dict):
        return False
    keys = cast("dict[str, Any]", value).keys()
    return bool(keys & _RECORD_KEYS) and not keys & _answer_keys()


@lru_cache(maxsize=1)
def _answer_keys() -> frozenset[str]:
    return frozenset(name for each in CONTRACTS for name in each.response.model_fields)


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


__all__ = ["NAMES", "SUFFIXES", "is_divisible", "read_file", "read_lines"]

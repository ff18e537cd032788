"""Where files are: on disk, or in object storage, which fsspec reads by ranges of bytes.

Keys for storage come from the environment, as its own tools take them, and from nowhere else: a URL that
could carry one is refused, and of what storage says nothing is repeated but the kind of error.
"""

import io
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import IO, Any

from harness.engines.seeing import size_of
from harness.errors import EngineFailed, InvalidInput

INSTALL = {"s3": "'contract-harness[s3]'", "gs": "gcsfs", "az": "adlfs"}
"""Schemes of object storage, and what reads them."""

BUFFER = 16 << 20
"""Bytes that are asked for at once: a part of an audit is one request."""

_URL = re.compile(r"([a-z][a-z0-9+.-]*)://([^/]*)(/.*)?")
_WILD = re.compile(r"[*?[]")


@dataclass(frozen=True, slots=True)
class Stored:
    """An object in storage: its URL, its bytes, and the tag that changes with its content, if it has one."""

    url: str
    size: int
    tag: str | None = None

    def __str__(self) -> str:
        """Return the URL."""
        return self.url

    @property
    def name(self) -> str:
        """The last part of its key."""
        return self.url.rpartition("/")[2]

    @property
    def suffix(self) -> str:
        """The type that its name ends with, as of a path."""
        return PurePosixPath(self.name).suffix

    def read(self, start: int, end: int) -> bytes:
        """Return the bytes from `start` to `end`; raise EngineFailed where storage does not give them."""
        try:
            found: bytes = _files_of(self.url).cat_file(self.url, start=start, end=end)
        except Exception as error:  # noqa: BLE001 - only storage is called here, and it raises anything
            raise EngineFailed(f"{self.url}: cannot be read: {_kind(error)}; {AGAIN}") from None
        if len(found) != end - start:
            raise EngineFailed(f"{self.url}: changed while it was read; audit it anew")
        return found


AGAIN = "what is done stays, and the same command goes on"

Place = Path | Stored


class _Ranged(io.RawIOBase):
    """Some bytes of an object, one after the other, by as many requests as are needed."""

    def __init__(self, stored: Stored, start: int, end: int) -> None:
        super().__init__()
        self._stored, self._at, self._end = stored, start, end

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer, as far as there are bytes."""
        until = min(self._at + len(buffer), self._end)
        if until == self._at:
            return 0
        found = self._stored.read(self._at, until)
        buffer[: len(found)] = found
        self._at = until
        return len(found)


def opened(place: Place, start: int = 0, end: int | None = None) -> IO[bytes]:
    """Return a stream that begins at `start`; an object's ends at `end`, a file's goes on.

    Raises:
        OSError: there is no such file, or it cannot be read.
    """
    if isinstance(place, Stored):
        until = place.size if end is None else end
        return io.BufferedReader(_Ranged(place, start, until), min(BUFFER, max(until - start, 1)))
    stream = place.open("rb")
    stream.seek(start)
    return stream


def whole_of(place: Place) -> int | None:
    """Return how many bytes a file has, or None where there is none."""
    return place.size if isinstance(place, Stored) else size_of(place)


def places(named: Iterable[str]) -> Iterator[Place]:
    """Yield what paths and URLs name; the wildcards of a URL are looked up, those of paths were the shell's.

    Raises:
        InvalidInput: a URL is of a kind that is not read, names nothing, or storage refuses.
    """
    for each in named:
        if "://" in each:
            yield from _found(each)
        else:
            yield Path(each)


def _found(url: str) -> Iterator[Stored]:
    parts = _URL.fullmatch(url)
    scheme = parts[1] if parts else ""
    if parts is None or scheme not in INSTALL or "@" in parts[2] or ":" in parts[2] or not parts[3]:
        # The rest of it may be a key.
        shown = url.partition("://")[0]
        raise InvalidInput(
            f"{shown}://...: found a URL that is not read; use {', '.join(INSTALL)} as in s3://BUCKET/KEY; "
            f"keys are taken from the environment, as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        )
    files = _files_of(url)
    try:
        if _WILD.search(url):
            listed: dict[str, Any] = files.glob(url, detail=True)
        else:
            listed = {url: files.info(url)}
    except FileNotFoundError:
        listed = {}
    except Exception as error:  # noqa: BLE001 - only storage is called here, and it raises anything
        raise InvalidInput(
            f"{url}: cannot be read: {_kind(error)}; are its keys in the environment?"
        ) from None
    objects = {key: about for key, about in sorted(listed.items()) if about["type"] == "file"}
    if not objects:
        raise InvalidInput(
            f"{url}: no such object; name one, or several by a wildcard, as s3://BUCKET/*.jsonl"
        )
    for key, about in objects.items():
        tag = about.get("ETag") or about.get("etag")
        yield Stored(files.unstrip_protocol(key), int(about["size"]), str(tag) if tag else None)


def _files_of(url: str) -> Any:
    """Return the file system of a URL; it lives as long as its process, and not in one that is forked."""
    scheme = url.partition("://")[0]
    try:
        return import_module("fsspec").filesystem(scheme)
    except ImportError as error:
        raise InvalidInput(
            f"{scheme}://: what reads it is not installed; install it with pip install {INSTALL[scheme]}"
        ) from error


def _kind(error: Exception) -> str:
    """Return what kind of error it was: its own words may hold addresses and keys."""
    number = getattr(error, "errno", None)
    return os.strerror(number) if isinstance(number, int) else type(error).__name__

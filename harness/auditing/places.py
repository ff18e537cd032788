"""Where files are: on disk, or in object storage, which is read by ranges of bytes."""

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

from harness.engines.seeing import size_of
from harness.errors import EngineFailed, InvalidInput
from harness.store.objects import files_of, is_url, kind_of, refused

BUFFER = 16 << 20
"""Bytes that are asked for at once: a part of an audit is one request."""

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
            found: bytes = files_of(self.url).cat_file(self.url, start=start, end=end)
        except Exception as error:  # noqa: BLE001 - only storage is called here, and it raises anything
            raise EngineFailed(f"{self.url}: cannot be read: {kind_of(error)}; {AGAIN}") from None
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
        if is_url(each):
            yield from _found(each)
        else:
            yield Path(each)


def _found(url: str) -> Iterator[Stored]:
    files = files_of(url)
    try:
        if _WILD.search(url):
            listed: dict[str, Any] = files.glob(url, detail=True)
        else:
            listed = {url: files.info(url)}
    except FileNotFoundError:
        listed = {}
    except Exception as error:  # noqa: BLE001 - only storage is called here, and it raises anything
        raise refused(url, error) from None
    objects = {key: about for key, about in sorted(listed.items()) if about["type"] == "file"}
    if not objects:
        raise InvalidInput(
            f"{url}: no such object; name one, or several by a wildcard, as s3://BUCKET/*.jsonl"
        )
    for key, about in objects.items():
        tag = about.get("ETag") or about.get("etag")
        yield Stored(files.unstrip_protocol(key), int(about["size"]), str(tag) if tag else None)

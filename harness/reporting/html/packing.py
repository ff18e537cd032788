"""Texts and records, kept once each, compressed in blocks that a page opens when they are asked for."""

import gzip
import json
from base64 import b64encode
from dataclasses import dataclass, field
from typing import Any

BLOCK = 200_000
"""Characters that a block holds before it is compressed, about."""

INLINE = 160
"""Texts up to so many characters are not worth a place of their own."""


@dataclass(slots=True)
class Blocks:
    """JSON values by number, in blocks: gzip in base64; the same values make the same blocks."""

    starts: list[int] = field(default_factory=list[int])
    """The number of the first value in each block."""
    blocks: list[str] = field(default_factory=list[str])
    size: int = 0
    """Characters of the finished blocks."""
    count: int = 0
    _held: list[str] = field(default_factory=list[str])
    _taken: int = 0

    def add(self, value: Any) -> int:
        """Keep a value and return its number."""
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        if self._held and self._taken + len(text) > BLOCK:
            self.end()
        if not self._held:
            self.starts.append(self.count)
        self._held.append(text)
        self._taken += len(text)
        self.count += 1
        return self.count - 1

    def end(self) -> None:
        """Compress what is still held."""
        if self._held:
            # A surrogate on its own has no bytes; inside JSON its escape means the same.
            whole = f"[{','.join(self._held)}]".encode("utf-8", "backslashreplace")
            block = b64encode(gzip.compress(whole, 6, mtime=0)).decode("ascii")
            self.blocks.append(block)
            self.size += len(block)
            self._held, self._taken = [], 0


@dataclass(slots=True)
class Texts:
    """Texts by number; each is kept once, in the order of its first use, so that neighbours lie together."""

    packed: Blocks = field(default_factory=Blocks)
    _places: dict[str, int] = field(default_factory=dict[str, int])

    def place(self, text: str) -> str | int:
        """Return a short text itself, the number of any other."""
        if len(text) <= INLINE:
            return text
        if text not in self._places:
            self._places[text] = self.packed.add(text)
        return self._places[text]

"""Rank by meaning, as a database with embeddings does: confidence is the cosine of two vectors.

Nothing is added for labels and nothing is rounded, so a threshold is a property of the embedder, to be
measured (`make thresholds`); the 0.70 of the search contract was not measured with any of these.
"""

import hashlib
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from harness.catalog.search import Ranker
from harness.errors import UnknownName
from harness.model.catalog import Entry

Vector = NDArray[np.float32]

HASHED_SIZE = 512
EMBEDDERS = ("hashing", "minilm")
# Queries are a model's: what is longer than any description is cut before it is read.
LONGEST_TEXT = 4000
_REMEMBERED = 4096
_WORD = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Embedder:
    """A text to a vector of `size` numbers; `version` says which weights or rules made it."""

    name: str
    version: str
    size: int
    embed: Callable[[str], Vector]


def open_embedder(name: str) -> Embedder:
    """Return an embedder by name.

    Raises:
        UnknownName: there is none of this name.
        InvalidInput: what it needs is not installed, or is not what was tried.
    """
    if name == "hashing":
        return hashing()
    if name == "minilm":
        from harness.catalog.minilm import minilm

        return minilm()
    raise UnknownName("embedder", name, EMBEDDERS)


def by_meaning(embedder: Embedder) -> Ranker:
    """Return the ranker whose confidence is the cosine of query and description, -1 to 1."""

    def rank(query: str, entry: Entry) -> float:
        return cosine(embedder.embed(query), embedder.embed(entry.description))

    return rank


def cosine(one: Vector, other: Vector) -> float:
    """Return the cosine of two vectors, 0 where either has no length.

    The last step is pgvector's, which knows distances only: equal vectors rank equally in both.
    """
    a, b = one.astype(np.float64), other.astype(np.float64)
    length = math.sqrt(float(a @ a) * float(b @ b))
    if not length:
        return 0.0
    distance = 1.0 - max(-1.0, min(1.0, float(a @ b) / length))
    return 1.0 - distance


def hashing() -> Embedder:
    """Return the embedder that counts words in hashed places: no model, for tests and as a floor.

    Its numbers are whole, so that every sum of products is exact and ties are ties on any machine.
    """
    return Embedder("hashing", "1", HASHED_SIZE, remembering(_hashed))


def remembering(embed: Callable[[str], Vector]) -> Callable[[str], Vector]:
    """Return an embedder's function with the length of its texts limited and recent vectors kept."""
    kept = lru_cache(maxsize=_REMEMBERED)(embed)

    def embedded(text: str) -> Vector:
        # A lone surrogate is in no tokenizer's alphabet.
        return kept(text[:LONGEST_TEXT].encode(errors="replace").decode())

    return embedded


def _hashed(text: str) -> Vector:
    vector = np.zeros(HASHED_SIZE, np.float32)
    for word in _WORD.findall(text.lower()):
        number = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest())
        vector[number % HASHED_SIZE] += 1
    return vector

"""The embedded ranker: deterministic on every machine, no model and no download.

    confidence = 0.70 * (the query's first word is one of the entry's signal types)
               + 0.20 * (its second word is one of the entry's severities)
               + 0.10 * (cosine of the two bags of lower-case words)

rounded to two decimals. So an exact query scores at least 0.90 whatever keywords follow, and one whose two
leading words are wrong at most 0.10, below the threshold of 0.70.
"""

import math
import re
from collections import Counter

from harness.model.catalog import Entry

SIGNAL_TYPE_WEIGHT = 0.70
SEVERITY_WEIGHT = 0.20
WORDS_WEIGHT = 0.10

_WORD = re.compile(r"[a-z0-9]+")


def confidence(query: str, entry: Entry) -> float:
    """Return how well an entry fits a query, 0 to 1, rounded to two decimals."""
    first, second = [*query.split()[:2], "", ""][:2]
    score = WORDS_WEIGHT * alike(query, entry.description)
    if first in entry.label("signal_type"):
        score += SIGNAL_TYPE_WEIGHT
    if second in entry.label("severity"):
        score += SEVERITY_WEIGHT
    return round(score, 2)


def alike(one: str, other: str) -> float:
    """Return the cosine of the bags of lower-case words of two texts, 0 to 1."""
    return _cosine(_bag(one), _bag(other))


def _bag(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.lower()))


def _cosine(one: Counter[str], other: Counter[str]) -> float:
    shared = sum(count * other[word] for word, count in one.items())
    length = math.sqrt(sum(n * n for n in one.values()) * sum(n * n for n in other.values()))
    return shared / length if length else 0.0

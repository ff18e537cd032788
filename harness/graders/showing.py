"""What a finding may show of what a model wrote: little enough to read, and no secret."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, cast

from harness.model import Finding, Sample, Score
from harness.model.sample import once

HIDDEN = "(not shown)"
MAX_FINDINGS = 50
MAX_TEXT = 300
_MAX_REASON = 800
_MAX_SECRETS = 500
_MAX_ITEMS = 20
_MAX_DEPTH = 4
# A shorter value may stand in other texts by chance.
_MIN_SECRET = 4
_MAX_REMEMBERED = 100
"""Characters of a name that is looked at once; names come again, as keys of answers."""

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SECRET = re.compile(
    r".*(?:passw(?:or)?d|passphrase|token|secret|credential)s?|pwd|creds|(?:api|access|private|ssh)?keys?"
)
# The name of a Secret is none, nor is a key of Kubernetes' own vocabulary.
_REFERENCES = frozenset({"name", "namespace", "ref"})
_PLAIN_KEYS = frozenset(
    {"annotation", "config", "configmap", "label", "map", "partition", "selector", "taint", "topology"}
)
_SURROGATE = re.compile("[\ud800-\udfff]")


def secret_like(name: str) -> bool:
    """Return whether a name reads like that of a password, token or key, in whatever case it is written."""
    return _secret_like(name) if len(name) <= _MAX_REMEMBERED else _secret_like.__wrapped__(name)


@lru_cache(maxsize=4096)
def _secret_like(name: str) -> bool:
    words = [each.lower() for each in _WORDS.findall(name)]
    if not words or words[-1] in _REFERENCES:
        return False
    return any(
        _SECRET.fullmatch(word) and not (word.startswith("key") and before in _PLAIN_KEYS)
        for before, word in zip(["", *words], words, strict=False)
    )


def presented(score: Score, sample: Sample) -> Score:
    """Return a fail whose findings are cut to size, with every secret of the answer taken out."""
    hidden = _hidden(sample)
    kept = tuple(_presented(each, hidden) for each in score.findings[:MAX_FINDINGS])
    return Score(score.outcome, _text(score.reason, hidden, _MAX_REASON), kept)


@once
def _hidden(sample: Sample) -> list[str]:
    """Return the secrets of the answer, the longest first."""
    secrets: list[str] = []
    _collect_secrets(sample.extraction.value, secrets, secret=False)
    found = set(secrets[:_MAX_SECRETS])
    return sorted(found, key=lambda each: (-len(each), each))


def _presented(finding: Finding, hidden: list[str]) -> Finding:
    last = finding.place.rsplit("/", 1)[-1].replace("~1", "/").replace("~0", "~")
    secret = finding.place.startswith("/") and secret_like(last)
    return Finding(
        reason=_text(finding.reason, hidden),
        place=_text(finding.place, hidden),
        expected=_shown(finding.expected, hidden),
        observed=HIDDEN if secret and finding.observed is not None else _shown(finding.observed, hidden),
    )


def _collect_secrets(value: Any, found: list[str], *, secret: bool) -> None:
    """Add the texts and numbers that stand under a secret's name, at any depth."""
    if isinstance(value, dict):
        for key, item in cast("dict[str, Any]", value).items():
            hidden = secret or secret_like(key)
            if hidden or isinstance(item, _HOLDERS):
                _collect_secrets(item, found, secret=hidden)
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            if secret or isinstance(item, _HOLDERS):
                _collect_secrets(item, found, secret=secret)
    elif secret and isinstance(value, str | int | float) and not isinstance(value, bool):
        found.append(str(value))


_HOLDERS = (dict, list)


def _shown(value: Any, hidden: list[str], depth: int = 0) -> Any:
    if isinstance(value, str):
        return _text(value, hidden)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return HIDDEN if len(str(value)) >= _MIN_SECRET and str(value) in hidden else value
    if isinstance(value, Mapping | list | tuple) and depth >= _MAX_DEPTH:
        return "…"
    if isinstance(value, Mapping):
        items = list(cast("Mapping[Any, Any]", value).items())
        return {
            _text(str(key), hidden): HIDDEN if secret_like(str(key)) else _shown(item, hidden, depth + 1)
            for key, item in items[:_MAX_ITEMS]
        }
    if isinstance(value, list | tuple):
        listed = cast("list[Any]", value)
        more = [f"… {len(listed) - _MAX_ITEMS} more"] if len(listed) > _MAX_ITEMS else []
        return [*(_shown(item, hidden, depth + 1) for item in listed[:_MAX_ITEMS]), *more]
    return _text(str(value), hidden)


def _text(text: str, hidden: list[str], limit: int = MAX_TEXT) -> str:
    if not hidden and len(text) <= limit and text.isascii():
        return text
    for each in hidden:
        if text == each:
            return HIDDEN
        if len(each) >= _MIN_SECRET:
            text = text.replace(each, HIDDEN).replace(repr(each)[1:-1], HIDDEN)
    whole = text if text.isascii() else _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
    return whole if len(whole) <= limit else whole[: limit - 1] + "…"

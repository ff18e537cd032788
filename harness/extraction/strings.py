"""What the strings inside a value hide: JSON written into them, and halves of characters."""

import re

from harness.extraction import lenient, strict
from harness.extraction.findings import finding, pointer
from harness.extraction.lenient import Failure
from harness.extraction.strict import Json
from harness.model.extraction import Finding

_HOLDERS = (dict, list)
_SURROGATE = re.compile("[\ud800-\udfff]")


def look_into_strings(value: dict[str, Json]) -> tuple[dict[str, Json], tuple[Finding, ...]]:
    """Return the value fit to be encoded, and what its strings hide (CAR-2).

    JSON inside a string is named and left as it is; a lone surrogate becomes U+FFFD, since no file takes it.
    """
    if not _may_hide(value):
        return value, ()
    findings: list[Finding] = []
    return _keyed(value, (), findings), tuple(findings)


def _may_hide(value: dict[str, Json]) -> bool:
    """Tell whether a string inside a value has what JSON, or half a character, cannot do without."""
    texts: list[str] = []
    holders: list[dict[str, Json] | list[Json]] = [value]
    # The list grows while it is walked along.
    for holder in holders:
        if isinstance(holder, dict):
            texts += holder
        for each in holder.values() if isinstance(holder, dict) else holder:
            if isinstance(each, str):
                texts.append(each)
            elif isinstance(each, _HOLDERS):
                holders.append(each)
    whole = "".join(texts)
    return "{" in whole or "[" in whole or not whole.isascii()


def _keyed(value: dict[str, Json], path: tuple[str | int, ...], findings: list[Finding]) -> dict[str, Json]:
    return {
        _whole(key, path, findings): _cleaned(each, (*path, key), findings) for key, each in value.items()
    }


def _cleaned(value: Json, path: tuple[str | int, ...], findings: list[Finding]) -> Json:
    if isinstance(value, dict):
        return _keyed(value, path, findings)
    if isinstance(value, list):
        return [_cleaned(each, (*path, index), findings) for index, each in enumerate(value)]
    if not isinstance(value, str):
        return value
    if _holds_json(value):
        findings.append(
            finding("string_holding_json", pointer(path), "a string that spells an object or an array")
        )
    return _whole(value, path, findings)


def _whole(text: str, path: tuple[str | int, ...], findings: list[Finding]) -> str:
    if text.isascii():
        return text
    clean, lone = _SURROGATE.subn("\N{REPLACEMENT CHARACTER}", text)
    if lone:
        findings.append(finding("lone_surrogate", pointer(path), "half a character, read as U+FFFD"))
    return clean


def _holds_json(text: str) -> bool:
    """Tell whether a string is an object, or an array in strict JSON, be it with a bracket too many."""
    if "{" not in text and "[" not in text:
        return False
    start, end = strict.stripped(text, 0, len(text))
    if text[start:end][:1] not in {"{", "["}:
        return False
    reading = lenient.read_value(text, start, end)
    if isinstance(reading, Failure) or text[reading.end : end].strip(" \t\r\n}]"):
        return False
    # `['metadata']` is a path; nobody but JSON writes objects.
    return text[start] == "{" or not reading.findings

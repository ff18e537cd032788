"""What must never be kept under golden/: anything that looks like a key."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from harness.errors import InvalidRun
from harness.model import Transcript


class Secret(NamedTuple):
    """A kind of secret, how it looks, and what it cannot look like it without, in the case that folds all."""

    kind: str
    hint: str
    pattern: re.Pattern[str]


SECRETS = (
    Secret("an API key (sk-...)", "sk-", re.compile(r"(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{8,}")),
    Secret(
        "a bearer token", "bearer",
        re.compile(r"\bbearer\s+(?=[^\s\"']*\d)[\w.~+/=-]{8,}", re.IGNORECASE),
    ),
    Secret("an AWS access key", "akia", re.compile(r"(?<![A-Za-z0-9])AKIA[0-9A-Z]{16}(?![A-Za-z0-9])")),
    Secret("an AWS access key", "asia", re.compile(r"(?<![A-Za-z0-9])ASIA[0-9A-Z]{16}(?![A-Za-z0-9])")),
    Secret(
        "an AWS secret key", "access",
        re.compile(r"aws_?secret_?access_?key[\"'\s:=]+[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])", re.IGNORECASE),
    ),
    Secret("a private key", "-----begin ", re.compile(r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----")),
)  # fmt: skip

# In JSON, and in JSON inside JSON, what stands before a key may be the letter of an escape.
_CODE_ESCAPE = re.compile(r"\\+u([0-9a-fA-F]{4})")
_LETTER_ESCAPE = re.compile(r"\\+[bfnrt]")


def secret_in(text: str) -> str | None:
    """Return what kind of secret a text seems to hold, or None; JSON escapes hide nothing."""
    if "\\" in text:
        text = _CODE_ESCAPE.sub(lambda each: chr(int(each[1], 16)), text)
        text = _LETTER_ESCAPE.sub(" ", text).replace("\\", "")
    folded = text.casefold()
    return next((each.kind for each in SECRETS if each.hint in folded and each.pattern.search(text)), None)


def refuse_secrets(folder: Path) -> None:
    """Raise InvalidRun, with file and line, where any file of a run seems to hold a secret."""
    for path in sorted(each for each in folder.iterdir() if each.is_file()):
        with path.open(encoding="utf-8", errors="replace") as stream:
            _refuse(((f"{path}:{number}", line) for number, line in enumerate(stream, start=1)))


def refuse_secrets_of(transcript: Transcript) -> None:
    """Raise InvalidRun, with sample and message, where a transcript seems to hold a secret."""
    _refuse((f"{transcript.id}: {place}", text) for place, text in _texts(transcript))


def is_golden(folder: Path) -> bool:
    """Return whether a run lies below a folder `golden`, whose files go where the code goes."""
    return "golden" in folder.resolve().parts


def _refuse(places: Iterable[tuple[str, str]]) -> None:
    for place, text in places:
        kind = secret_in(text)
        if kind:
            msg = f"{place}: holds what looks like {kind}; take it out of what is recorded, and record again"
            raise InvalidRun(msg)


def _texts(transcript: Transcript) -> Iterator[tuple[str, str]]:
    for index, message in enumerate(transcript.messages):
        parts = (message.content, message.reasoning, *(each.arguments for each in message.tool_calls))
        for part in parts:
            if part:
                yield f"message {index}", part
    if transcript.failure:
        yield "failure", transcript.failure.detail

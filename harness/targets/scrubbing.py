"""What a provider said, made fit for files and terminals: no keys, one line, printable, short."""

import os
import re
from urllib.parse import quote, urlsplit, urlunsplit

MASK = "***"
LONGEST = 400
_SECRET_NAMES = ("_KEY", "APIKEY", "_TOKEN", "_SECRET", "_PASSWORD")
# Shorter values are words like "none"; masking those would garble messages and hide nothing.
_SHORTEST_SECRET = 6
_PATTERNS = (
    (re.compile(r"\b(bearer)\s+[^\s\"',;]+", re.IGNORECASE), rf"\1 {MASK}"),
    (re.compile(r"(?<![A-Za-z0-9])sk-[\w*.-]{3,}"), MASK),
    (re.compile(r"([?&](?:api[-_]?key|key|token|access_token)=)[^&\s\"']+", re.IGNORECASE), rf"\1{MASK}"),
    (re.compile(r"(://)[^/\s@]+@"), rf"\1{MASK}@"),
)


def environment_secrets() -> tuple[str, ...]:
    """Return the values of environment variables whose names say that they are secret."""
    variables = os.environ.items()  # noqa: TID251 - read to keep them out of messages, for nothing else
    return tuple(
        value
        for name, value in variables
        if name.upper().endswith(_SECRET_NAMES) and len(value) >= _SHORTEST_SECRET
    )


def scrubbed(text: str, *secrets: str | None) -> str:
    """Return a text without these secrets and without anything that looks like one, as one short line."""
    given = {each.strip() for each in secrets if each and each.strip()}
    spellings = given | {quote(each, safe="") for each in given}
    for spelling in sorted(spellings, key=len, reverse=True):
        text = text.replace(spelling, MASK)
    for pattern, mask in _PATTERNS:
        text = pattern.sub(mask, text)
    return one_line(text, LONGEST)


def one_line(text: str, longest: int) -> str:
    """Return a text with single spaces, escapes for what cannot be printed, cut to so many characters."""
    line = "".join(each if each.isprintable() else _escaped(each) for each in " ".join(text.split()))
    return line if len(line) <= longest else line[: longest - 3] + "..."


def bare_url(url: str) -> str:
    """Return a URL without the places where people put keys: user, password, query and fragment."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")

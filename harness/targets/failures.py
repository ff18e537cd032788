"""What went wrong on the wire, by status code: litellm's classes for one status differ by provider."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, cast

from harness.errors import TargetUnavailable
from harness.targets.scrubbing import scrubbed

# The three refusals that share status 400.
_REFUSALS = {
    "ContextWindowExceededError": "context_overflow",
    "ContentPolicyViolationError": "content_filter",
    "UnsupportedParamsError": "unsupported_parameter",
}
_CAUSES = {
    401: "bad_key",
    403: "forbidden",
    404: "not_found",
    408: "timeout",
    409: "conflict",
    429: "rate_limited",
}
_RETRIED = {408, 409, 429}
# By name, since litellm changes its HTTP client between releases.
_TIMEOUTS = {"TimeoutError", "TimeoutException", "APITimeoutError"}
_CONNECTIONS = {"TransportError", "ClientConnectionError", "ConnectionError", "gaierror"}
# litellm knows only its own list of what models take; the provider's refusal is told by its words.
_UNSUPPORTED = re.compile(
    r"unsupported[ _](?:value|parameter)|`\w+` is deprecated for this model", re.IGNORECASE
)
_BY_WORDS = {
    "context_overflow": re.compile(
        r"context_length|maximum context|context (?:window|size|length)|prompt is too long"
        r"|exceed_context_size",
        re.IGNORECASE,
    ),
    "content_filter": re.compile(r"content_policy|content_filter|content management policy", re.IGNORECASE),
    "unsupported_parameter": re.compile(r"unsupported[ _](?:value|parameter)", re.IGNORECASE),
}
_NO_KEY = re.compile(r"missing (?:credentials|[\w ]*api[ _]?key)", re.IGNORECASE)
_PREFIX = re.compile(r"^(?:litellm\.\w+: |\w+Error: |Timeout Error: |\w+Exception(?: \w+)? - )+")


def unavailable(error: Exception, *secrets: str | None) -> TargetUnavailable:
    """Return what an exception of litellm's means, its text free of the secrets."""
    chain = tuple(_chain(error))
    response = next((found for each in chain if (found := _response(each)) is not None), None)
    status = int(response.status_code) if response is not None else None
    cause, retry = _meaning(error, chain, status)
    said = _PREFIX.sub("", str(error).partition("Traceback (most recent call last)")[0])
    where = f"HTTP {status}: " if status is not None else ""
    return TargetUnavailable(
        cause,
        where + (scrubbed(said, *secrets) or type(error).__name__),
        retry=retry,
        retry_after=retry_after(response.headers) if response is not None else None,
    )


def refused(status: int, body: str, headers: Mapping[str, str], *secrets: str | None) -> TargetUnavailable:
    """Return what a response of an OpenAI-compatible server means that carries no reply."""
    error = _error_of(body)
    said = str(error.get("message") or body)
    words = f"{error.get('code') or ''} {error.get('type') or ''} {said}"
    cause, retry = _by_status(status)
    if status in {400, 413, 422} and (named := _named_by(words)):
        cause, retry = named, False
    return TargetUnavailable(
        cause,
        f"HTTP {status}: {scrubbed(said, *secrets) or 'no reason given'}",
        retry=retry,
        retry_after=retry_after(headers),
    )


def _error_of(body: str) -> Mapping[str, Any]:
    try:
        error: Any = json.loads(body)["error"]
    except (ValueError, RecursionError, LookupError, TypeError):
        return {}
    return cast("Mapping[str, Any]", error) if isinstance(error, dict) else {"message": error}


def _named_by(words: str) -> str | None:
    return next((cause for cause, pattern in _BY_WORDS.items() if pattern.search(words)), None)


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return the seconds that a Retry-After header asks for, spelled as seconds or as an HTTP date."""
    value = headers.get("retry-after") or ""
    try:
        seconds = float(value)
    except ValueError:
        seconds = _seconds_until(value, now or datetime.now(UTC))
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def _seconds_until(date: str, now: datetime) -> float:
    try:
        then = parsedate_to_datetime(date)
    except ValueError:
        return math.nan
    return (then.replace(tzinfo=then.tzinfo or UTC) - now).total_seconds()


def _meaning(error: Exception, chain: tuple[BaseException, ...], status: int | None) -> tuple[str, bool]:
    """Return the cause and whether asking again may help; the status is None where nothing answered."""
    if type(error).__name__ in _REFUSALS:
        return _REFUSALS[type(error).__name__], False
    if status in {400, 422} and _UNSUPPORTED.search(str(error)):
        return "unsupported_parameter", False
    if status is not None:
        return _by_status(status)
    names = {kind.__name__ for each in chain for kind in type(each).__mro__}
    if names & _TIMEOUTS:
        return "timeout", True
    if names & _CONNECTIONS:
        return "connection", True
    if _NO_KEY.search(str(error)):
        return "bad_key", False
    # litellm writes 500 on whatever it cannot read; any other number it took from somewhere.
    reported: Any = getattr(error, "status_code", None)
    if isinstance(reported, int) and reported != 500:
        return _by_status(reported)
    return "bad_response", True


def _by_status(status: int) -> tuple[str, bool]:
    if status >= 500:
        return "server_error", True
    if status < 400:
        return "bad_response", True
    return _CAUSES.get(status, "bad_request"), status in _RETRIED


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield the exception and what led to it; only the innermost tells what was on the wire."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


def _response(error: BaseException) -> Any:
    """Return the HTTP response that an exception carries, where it came over the wire."""
    if any(kind.__name__ == "HTTPStatusError" for kind in type(error).__mro__):
        return getattr(error, "response", None)
    return None

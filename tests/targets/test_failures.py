"""What an exception from the wire means, told by status code and never by its class."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from harness.targets.failures import retry_after, unavailable

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


@dataclass
class Response:
    status_code: int
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


class HTTPStatusError(Exception):
    def __init__(self, response: Response) -> None:
        super().__init__("status")
        self.response = response


class APIError(Exception):
    """What litellm raises; its own status code is a guess."""

    def __init__(self, text: str, status_code: int = 500) -> None:
        super().__init__(text)
        self.status_code = status_code


class ContextWindowExceededError(APIError): ...


class ContentPolicyViolationError(APIError): ...


class UnsupportedParamsError(APIError): ...


class TransportError(Exception): ...


class ReadTimeout(TransportError, TimeoutError): ...


def after(cause: Exception, error: Exception) -> Exception:
    """Return the error as it looks when the cause led to it through one more exception."""
    middle = RuntimeError("between")
    middle.__context__ = cause
    error.__cause__ = middle
    return error


@pytest.mark.parametrize(
    ("status", "cause", "retry"),
    [
        (307, "bad_response", True),
        (400, "bad_request", False),
        (401, "bad_key", False),
        (402, "bad_request", False),
        (403, "forbidden", False),
        (404, "not_found", False),
        (408, "timeout", True),
        (409, "conflict", True),
        (413, "bad_request", False),
        (422, "bad_request", False),
        (429, "rate_limited", True),
        (500, "server_error", True),
        (502, "server_error", True),
        (503, "server_error", True),
        (504, "server_error", True),
        (529, "server_error", True),
    ],
)
def test_the_status_on_the_wire_decides(status: int, cause: str, retry: bool) -> None:  # noqa: FBT001 - a table
    guessed_otherwise = APIError("litellm.APIError: APIError: OpenAIException - said so", 418)

    found = unavailable(after(HTTPStatusError(Response(status)), guessed_otherwise))

    assert (found.cause, found.retry) == (cause, retry)
    assert found.detail == f"HTTP {status}: said so"


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (ContextWindowExceededError("too long"), "context_overflow"),
        (ContentPolicyViolationError("not that"), "content_filter"),
        (UnsupportedParamsError("no temperature"), "unsupported_parameter"),
    ],
    ids=["context", "content", "parameter"],
)
def test_refusals_that_share_a_status_are_told_apart(error: Exception, cause: str) -> None:
    found = unavailable(after(HTTPStatusError(Response(400)), error))

    assert (found.cause, found.retry) == (cause, False)


@pytest.mark.parametrize(
    "words",
    [
        "Unsupported parameter: 'seed'",
        '{"code": "unsupported_value"}',
        "`top_p` is deprecated for this model",
    ],
)
def test_a_parameter_that_a_provider_refuses_is_told_by_its_words(words: str) -> None:
    refused = unavailable(after(HTTPStatusError(Response(400)), APIError(words)))
    failing = unavailable(after(HTTPStatusError(Response(500)), APIError(words)))

    assert (refused.cause, refused.retry) == ("unsupported_parameter", False)
    assert failing.cause == "server_error"


@pytest.mark.parametrize(
    ("error", "cause", "retry"),
    [
        (after(ConnectionRefusedError("no"), APIError("Connection error.")), "connection", True),
        (after(TransportError("cut off"), APIError("Connection error.")), "connection", True),
        (after(ReadTimeout("slow"), APIError("Connection error.")), "timeout", True),
        (APIError("Missing credentials. Please pass an `api_key`"), "bad_key", False),
        (APIError("Missing Gemini API key. Set the GEMINI_API_KEY"), "bad_key", False),
        (APIError("overloaded", 502), "server_error", True),
        (APIError("LLM Provider NOT provided", 400), "bad_request", False),
        (after(ValueError("Expecting value"), APIError("<html>")), "bad_response", True),
        (KeyError("content"), "bad_response", True),
    ],
    ids=[
        "refused",
        "cut off",
        "too slow",
        "no key for openai",
        "no key for gemini",
        "a failure inside a 200",
        "refused before it was sent",
        "not JSON",
        "another shape",
    ],
)
def test_without_a_status_on_the_wire_the_origin_decides(error: Exception, cause: str, retry: bool) -> None:  # noqa: FBT001 - a table
    found = unavailable(error)

    assert (found.cause, found.retry, found.retry_after) == (cause, retry, None)


def test_the_detail_has_neither_traceback_nor_secret() -> None:
    error = APIError("bad canary-key\nTraceback (most recent call last):\n  File '/home/me/x.py'")

    assert unavailable(error, "canary-key").detail == "bad ***"


def test_an_exception_without_words_is_named() -> None:
    assert unavailable(ValueError()).detail == "ValueError"


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "Sun, 01 Mar 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Sun, 01 Mar 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_as_seconds_or_as_a_date(
    header: Mapping[str, str], seconds: float | None
) -> None:
    found = retry_after(header, NOW)

    assert found == seconds
    assert found is None or math.isfinite(found)


def test_the_wish_comes_from_the_wire() -> None:
    limited = HTTPStatusError(Response(429, {"retry-after": "7"}))

    assert unavailable(after(limited, APIError("slow down"))).retry_after == 7.0

"""Object storage, as fsspec reads and writes it.

Keys come from the environment, as storage's own tools take them, and from nowhere else: a URL that could
carry one is refused, and of what storage says nothing is repeated but the kind of error.
"""

import os
import re
from importlib import import_module
from typing import Any

from harness.errors import InvalidInput

INSTALL = {"s3": "'contract-harness[s3]'", "gs": "gcsfs", "az": "adlfs"}
"""Schemes of object storage, and what reads them."""

_URL = re.compile(r"([a-z][a-z0-9+.-]*)://([^/]*)(/.*)?")

# Signatures stand there. A `?` alone is a wildcard.
_QUERY = re.compile(r"\?[^/]*=")


def is_url(named: str) -> bool:
    """Return whether an argument names something in storage, or tries to."""
    return "://" in named


def files_of(url: str) -> Any:
    """Return the file system of a URL; it lives as long as its process, and not in one that is forked.

    Raises:
        InvalidInput: the URL is of a kind that is not read, or what reads it is not installed.
    """
    parts = _URL.fullmatch(url)
    scheme = parts[1] if parts else ""
    if (
        parts is None
        or scheme not in INSTALL
        or "@" in parts[2]
        or ":" in parts[2]
        or not parts[3]
        or _QUERY.search(parts[3])
    ):
        # The rest of it may be a key.
        shown = url.partition("://")[0]
        raise InvalidInput(
            f"{shown}://...: found a URL that is not read; use {', '.join(INSTALL)} as in s3://BUCKET/KEY; "
            f"keys are taken from the environment, as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        )
    try:
        return import_module("fsspec").filesystem(scheme)
    except ImportError as error:
        raise InvalidInput(
            f"{scheme}://: what reads it is not installed; install it with pip install {INSTALL[scheme]}"
        ) from error


def refused(url: str, error: Exception) -> InvalidInput:
    """Return what to say where storage does not let something be read that was asked for by name."""
    return InvalidInput(f"{url}: cannot be read: {kind_of(error)}; are its keys in the environment?")


def kind_of(error: Exception) -> str:
    """Return what kind of error it was: its own words may hold addresses and keys."""
    number = getattr(error, "errno", None)
    return os.strerror(number) if isinstance(number, int) else type(error).__name__

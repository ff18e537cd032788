"""What every noun read from a file has in common."""

import hashlib
import json
from typing import Any

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A frozen value: strictly typed, no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def canonical(value: Any) -> str:  # any JSON value
    """Return the one JSON spelling of a value: sorted keys, no spaces, no escapes."""
    return _CANONICAL.encode(value)


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest(value: Any) -> str:  # any JSON value, or a text as it is
    """Return 16 hexadecimal digits of SHA-256 over a text, or over a JSON value's one spelling."""
    text = value if isinstance(value, str) else canonical(value)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]

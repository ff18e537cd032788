"""The last resort: json_repair, where it is installed. What it returns is a guess and is never accepted."""

import json

from harness.extraction import strict
from harness.extraction.strict import Json

# Repair takes time by the square of the length, some seconds for hostile text of this one.
MAX_CHARS = 8_000


def salvage(text: str) -> dict[str, Json] | None:
    """Return the object that a broken text was probably meant to be, or None."""
    if len(text) > MAX_CHARS:
        return None
    try:
        import json_repair
    except ImportError:
        return None
    try:
        guess = json.dumps(json_repair.loads(text, skip_json_loads=True))
    # What a repair trips over on hostile text is the text's fault, and None says all there is to say.
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        return None
    loaded = strict.load(guess)
    if loaded is None or loaded.suspect or strict.deeper_than(loaded.value, strict.MAX_DEPTH):
        return None
    return loaded.value if isinstance(loaded.value, dict) and loaded.value else None

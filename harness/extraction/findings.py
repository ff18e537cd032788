"""The list of findings while it grows: named, placed, and safe to print whatever the model wrote."""

from collections import Counter
from collections.abc import Iterable

from harness.model.extraction import Finding

# A message with ten thousand commas too many is told in a few lines, a habit of writing in one.
PLACES_PER_NAME = 20
_HABITS = frozenset({"single_quotes", "smart_quotes", "unquoted_key", "unusual_whitespace"})
MAX_DETAIL = 160
MAX_PLACE = 200


def shown(text: str, limit: int = 40) -> str:
    """Return model text quoted, shortened, and with every unprintable character escaped."""
    return repr(text if len(text) <= limit else text[:limit] + "...")


def pointer(path: Iterable[str | int]) -> str:
    """Return the JSON pointer of a path, shortened and printable."""
    steps = (str(step).replace("~", "~0").replace("/", "~1") for step in path)
    text = "".join("/" + step[:MAX_PLACE] for step in steps)
    printable = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text[:MAX_PLACE])
    return printable if len(printable) <= MAX_PLACE else printable[: MAX_PLACE - 3] + "..."


def offset(at: int) -> str:
    """Return the place of a character of the message."""
    return f"char {at}"


def finding(name: str, place: str, detail: str) -> Finding:
    """Return a finding whose detail has a bounded length."""
    return Finding(name, place, detail if len(detail) <= MAX_DETAIL else detail[: MAX_DETAIL - 3] + "...")


def bounded(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings in order, a flood of one name cut short and counted."""
    kept: list[Finding] = []
    last: dict[str, int] = {}
    seen: Counter[str] = Counter()
    for each in findings:
        seen[each.name] += 1
        if seen[each.name] <= _most(each.name):
            last[each.name] = len(kept)
            kept.append(each)
    for name, index in last.items():
        if seen[name] > _most(name):
            more = f"{kept[index].detail}; and {seen[name] - _most(name)} more"
            kept[index] = finding(name, kept[index].place, more)
    return tuple(kept)


def _most(name: str) -> int:
    return 1 if name in _HABITS else PLACES_PER_NAME

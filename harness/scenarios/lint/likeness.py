"""Whether a scenario is a story of its own, or another one reworded."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from harness.scenarios.lint.finding import LintFinding
from harness.scenarios.lint.written import Written

MAX_SHARED = 0.30
"""The share of its lines that a scenario may have in common with one other."""

_CLOSED = re.compile(
    r"(flow|severity|namespace|resource_kind|cluster_name|signal_source|base|catalog|type|from|container|previous"
    r"|shows|tool|arguments): "
)
"""Keys whose values the format, the world or the tools offer: to choose the same is no retelling."""


DRAFT = "draft"
"""The tag of a scenario that is still to find a story of its own: it is warned, and no other for its sake."""


def stories_differ(scenarios: Sequence[Written]) -> Iterator[LintFinding]:
    """Yield the base scenarios of which too many lines stand in another one."""
    base = [(each, Counter(telling_lines(each))) for each in scenarios if each.scenario.pair is None]
    for written, lines in base:
        draft = DRAFT in written.scenario.tags
        shares = [
            (shared(lines, others), each.scenario.id)
            for each, others in base
            if each is not written and (draft or DRAFT not in each.scenario.tags)
        ]
        share, other = max(shares, default=(0.0, ""))
        if share > MAX_SHARED:
            message = f"{share:.0%} of its lines stand in {other} too; tell another story, or make it a pair"
            yield written.says(("description",), message, level="warning" if draft else "error")


def telling_lines(written: Written) -> list[str]:
    """Return the lines of a scenario's file that tell its story; comments and the format's words do not."""
    text = written.document.path.read_text(encoding="utf-8")
    lines = (line.strip().removeprefix("- ") for line in text.splitlines())
    return [
        line
        for line in lines
        if line and not line.startswith("#") and not line.endswith(":") and not _CLOSED.match(line)
    ]


def shared(lines: Counter[str], others: Counter[str]) -> float:
    """Return which share of some lines stands among others, 0 to 1; a line counts as often as it stands."""
    return (lines & others).total() / max(1, lines.total())

"""How accounts were paced and what was spent, in a line."""

from collections import Counter

from harness.reporting.figures import counted
from harness.store import RunInfo
from harness.store.info import AccountLimits


def pace_line(info: RunInfo) -> str:
    """Return how many requests each account was asked at once, or nothing where there is none."""
    return "; ".join(f"{name} {_told(each)}" for name, each in info.limits.items() if each.history)


def spent_line(info: RunInfo) -> str:
    """Return what the run cost, empty where no price is known."""
    return "" if info.spent is None else f"${info.spent:.4f}"


def _told(limits: AccountLimits) -> str:
    levels = [each.limit for each in limits.history]
    reasons = Counter(each.why for each in limits.history)
    waited = sum(each.wait or 0.0 for each in limits.history)
    parts = [f"{levels[0]} to {max(levels)} requests at once, {levels[-1]} at the end"]
    if reasons["cut"]:
        parts.append(counted(reasons["cut"], "cut"))
    if waited:
        parts.append(f"held for {waited:g} s")
    if limits.left_out:
        parts.append(f"{counted(limits.left_out, 'change')} not kept")
    return ", ".join(parts)

"""How a run was decided while it was recorded, for its report: the verdict, and each look on its way."""

from collections.abc import Iterator

from harness.reporting.clean import NOTHING, code, prose
from harness.statistics.outcomes import ALL
from harness.store.deciding import Deciding, Look

COLUMNS = ("wave", "samples", "compliance", "bounds", "fell", "alpha", "spent", "outcome")
"""One look a row; `fell` names dimensions and hard clauses, `alpha` is what the look could spend of it."""


def decided_lines(deciding: Deciding) -> Iterator[str]:
    """Yield the sentences above the table: what was decided, when, and under which terms."""
    if deciding.outcome is None:
        yield "Nothing is decided yet."
    else:
        waves = deciding.looks[-1].wave if deciding.looks else 0
        when = f"after wave {waves} of at most {deciding.cap}" if waves else "before the first look"
        yield f"{code(deciding.outcome)} {when}: {prose(deciding.because or '', 600)}"
    spent = deciding.looks[-1].spent if deciding.looks else 0.0
    yield (
        f"Against {code(deciding.baseline, 300)}, with a margin of {100 * deciding.margin:.1f} points; "
        f"{spent:.2g} of alpha {deciding.alpha:g} spent. A wave is one trial of each scenario; effects are "
        f"in points, this run minus the baseline."
    )


def look_row(look: Look) -> tuple[str, ...]:
    """Return the cells of one look."""
    whole = next((each for each in look.dimensions if each.dimension == ALL), None)
    fallen = [each.dimension for each in look.dimensions if each.outcome == "regression"]
    effect = f"{100 * whole.effect:+.1f}" if whole else NOTHING
    bounds = f"{100 * whole.low:+.1f} to {100 * whole.high:+.1f}" if whole else NOTHING
    return (
        str(look.wave), str(look.samples), effect, bounds,
        ", ".join(code(each) for each in (*look.hard, *fallen)) or NOTHING,
        f"{look.alpha:.2g}", f"{look.spent:.2g}", code(look.outcome),
    )  # fmt: skip

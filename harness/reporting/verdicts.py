"""What the gate says, for a tired person: the verdict and why in the first line, then what it rests on."""

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from harness.gate.known_failures import Excused
from harness.gate.verdict import Compared, Flip, GateOutcome, HardClause, Verdict
from harness.reporting.clean import visible
from harness.reporting.figures import counted, percent
from harness.reporting.layout import Hanging, lay_out

MAX_FLIPPED = 10
"""Flipped samples listed; programs are told all."""

_STYLES: dict[GateOutcome, str] = {
    "pass": "bold green", "regression": "bold red", "inconclusive": "bold yellow",
    "insufficient": "bold yellow",
}  # fmt: skip
COLUMNS = ("baseline", "candidate", "effect", "bounds", "adjusted p", "samples", "outcome")


def headline(verdict: Verdict) -> str:
    """Return the verdict and why, in one line."""
    return f"{verdict.outcome}: {visible(verdict.because)}"


def print_verdict(console: Console, verdict: Verdict, sides: str, *, by_clause: bool = False) -> None:
    """Print a verdict.

    Args:
        console: where to.
        verdict: what to print.
        sides: which sides were compared, in one line.
        by_clause: whether clauses follow the dimensions, as far as they differ.
    """
    label = Text(f"{verdict.outcome}: ", _STYLES[verdict.outcome])
    console.print(Hanging(label, Text(visible(verdict.because))))
    console.print(Text(visible(sides), "dim"), soft_wrap=True)
    for each in verdict.notes:
        console.print(Text(f"note: {visible(each)}"), soft_wrap=True)
    for each in verdict.left_out:
        console.print(Text(f"left out: {visible(each)}"), soft_wrap=True)
    console.print()
    _print_table(console, "dimension", verdict.dimensions, verdict)
    differing = [each for each in verdict.clauses if each.effect or each.outcome == "regression"]
    if by_clause and differing:
        console.print()
        _print_table(console, "clause", differing, verdict)
    for line in _details(verdict):
        console.print(Text(line), soft_wrap=True)


def _print_table(console: Console, name: str, rows: Sequence[Compared], verdict: Verdict) -> None:
    shown = [[Text(each.name), *(Text(text) for text in cells(each))] for each in rows]
    for row, each in zip(shown, rows, strict=True):
        row[-1].stylize(_STYLES[each.outcome] if each.outcome == "regression" else "")
    confidence = f"bounds ({100 * (1 - verdict.alpha):.4g} % each)"
    names = (name, *(confidence if each == "bounds" else each for each in COLUMNS))
    for line in lay_out(names, shown, width=console.width, numbers=names[1:-1]):
        console.print(line, soft_wrap=True)


def cells(each: Compared) -> Iterator[str]:
    """Yield what a table says of a dimension or clause, behind its name."""
    yield percent(each.baseline_rate)
    yield percent(each.rate)
    yield signed(each.effect)
    yield f"{signed(each.low)} to {signed(each.high)}"
    yield "-" if each.p is None else f"{each.p:.2g}"
    yield f"{each.baseline_n}, now {each.n}"
    yield each.outcome


def signed(effect: float) -> str:
    """Return a difference of rates in percentage points, as "-5.0"."""
    return f"{100 * effect:+.1f}".replace("+0.0", "0.0").replace("-0.0", "0.0")


def _details(verdict: Verdict) -> Iterator[str]:
    broken = [each for each in verdict.hard if each.outcome != "kept"]
    if broken:
        yield ""
    for each in broken:
        yield hard_line(each)
    yield from _flipped(verdict.flipped)
    if verdict.excused:
        yield ""
    for each in verdict.excused:
        yield excused_line(each)
    yield ""
    yield from sight_lines(verdict)


def hard_line(each: HardClause) -> str:
    """Return what became of a hard clause."""
    told = {"regression": "newly broken", "standing": "standing breach"}.get(each.outcome, each.outcome)
    if each.outcome == "regression" and each.baseline_broken:
        told = "broken more often"
    example = f", as {visible(str(each.samples[0]))}" if each.samples else ""
    return (
        f"hard clause {each.clause}: {told}, {each.broken} of {each.n} samples "
        f"(baseline {each.baseline_broken} of {each.baseline_n}){example}"
    )


def _flipped(flipped: Sequence[Flip]) -> Iterator[str]:
    if not flipped:
        return
    fell = sum(each.now == "fail" for each in flipped)
    yield ""
    yield f"flipped: {counted(fell, 'sample')} fell, {len(flipped) - fell} rose"
    for each in flipped[:MAX_FLIPPED]:
        clauses = ", ".join(each.clauses[:6]) + (" ..." if len(each.clauses) > 6 else "")
        at = "" if each.turn is None else f"; differs from turn {each.turn} on: {each.differs}"
        yield f"  {visible(str(each.sample))}  {each.was} -> {each.now}  {clauses}{visible(at)}"
    if len(flipped) > MAX_FLIPPED:
        yield f"  and {len(flipped) - MAX_FLIPPED} more; --json has all"


def excused_line(each: Excused) -> str:
    """Return what a known failure took out."""
    entry = each.entry
    healed = "; it no longer fails: take it off the list" if each.n and not each.failed else ""
    unused = "; no scenario of this comparison is meant" if not each.n and not each.baseline_n else ""
    return (
        f"known failure, not counted until {entry.expires}: {visible(entry.scenario)} {entry.clause}, "
        f"{each.failed} of {each.n} (baseline {each.baseline_failed} of {each.baseline_n}): "
        f"{visible(entry.reason)}{healed}{unused}"
    )


def sight_lines(verdict: Verdict) -> Iterator[str]:
    """Yield what could have been seen, and of how much."""
    seen = verdict.minimum_detectable
    drop = "none, however large" if seen is None else f"{100 * seen:.1f} points"
    yield (
        f"smallest drop of compliance that four of five such comparisons call a regression: {drop} "
        f"(margin {100 * verdict.margin:.1f}, alpha {verdict.alpha:g})"
    )
    families = counted(verdict.families, "family").replace("familys", "families")
    yield f"coverage {100 * verdict.coverage:.1f} %, {families} of scenarios"

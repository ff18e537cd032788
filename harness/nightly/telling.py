"""What is told of the nights: a page in Markdown, and lines and JSON of one night."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from harness.contracts.clauses import DIMENSIONS
from harness.nightly.drifting import Drift
from harness.nightly.judging import ALARMS, Judged, Terms
from harness.reporting.clean import NOTHING, capped, code, visible
from harness.reporting.figures import counted, percent
from harness.statistics.nights import FEWEST_NIGHTS
from harness.statistics.outcomes import ALL

BARS = "▁▂▃▄▅▆▇█"
NO_DATA = "·"

# Entities, since a backslash in the text would undo one that is put before a sign.
_ENTITIES = str.maketrans({each: f"&#{ord(each)};" for each in "&<>[]*_~`|\\"})

History = Mapping[str, Sequence[Judged]]
"""Target -> its nights, oldest first."""


def reason(judged: Judged) -> str:
    """Return in a sentence why a night is an alarm, or why it is none; no markup."""
    alarm = judged.alarm
    if alarm is None:
        return _no_alarm(judged)
    fall = f"compliance fell from {percent(alarm.was)} to {percent(alarm.now)} since {alarm.since}"
    if isinstance(alarm, Drift):
        return (
            f"drift of an unchanged model: {fall} in the canary, and {_unchanged(judged)} is as it was "
            f"(evidence {alarm.evidence:,.0f}, limit {alarm.limit:,.0f})"
        )
    because = ", ".join(map(str, alarm.because))
    return f"regression: {fall}, changed because: {because} (p {alarm.p:.2g})"


def _unchanged(judged: Judged) -> str:
    lines = judged.night.lines.values()
    models = sorted({each.model for each in lines} | {name for each in lines for name in each.reported})
    return f"everything known of {', '.join(models)}"


def _no_alarm(judged: Judged) -> str:
    if judged.status == "no data":
        causes: dict[str, int] = {}
        for line in judged.night.lines.values():
            for cause, count in line.unscored.items():
                causes[cause] = causes.get(cause, 0) + count
        told = ", ".join(f"{count} {cause}" for cause, count in sorted(causes.items()))
        return f"no data: {percent(judged.night.coverage)} could be scored ({told}); no alarm, and never zero"
    if judged.changes:
        return f"changed because: {', '.join(map(str, judged.changes))}"
    if judged.status == "first":
        return "the first night"
    return f"as ever, {judged.outside} its band: no alarm yet" if judged.outside else "as ever"


def trend(nights: Sequence[Judged], low: float, high: float) -> str:
    """Return a bar for each night between two rates; a dot where there are no data."""
    bars: list[str] = []
    for each in nights:
        rate = each.night.rate
        if rate is None:
            bars.append(NO_DATA)
        else:
            share = (rate - low) / (high - low) if high > low else 1.0
            bars.append(BARS[min(len(BARS) - 1, int(share * len(BARS)))])
    return "".join(bars)


def page(history: History, terms: Terms, last: int) -> str:
    """Return nightly.md: the last night, the last so many, their alarms, and what changed."""
    dates = sorted({each.night.date for nights in history.values() for each in nights})[-last:]
    if not dates:
        return "# Nights\n\nNo night is recorded.\n"
    shown = {
        target: [each for each in nights if each.night.date in dates] for target, nights in history.items()
    }
    alarms = [each for nights in shown.values() for each in nights if each.status in ALARMS]
    parts = [
        f"# Nights until {dates[-1]}",
        _verdict(shown, dates[-1]),
        _last_night(shown, dates[-1]),
        "## Alarms\n\n" + (_reasons(alarms) or f"None in {counted(len(dates), 'night')}."),
        f"## {counted(len(dates), 'night')}\n\n" + _nights(shown, dates),
        "## What changed\n\n" + (_changes(shown) or "Nothing."),
        f"## By dimension, {dates[-1]}\n\n" + _dimensions(shown, dates[-1]),
        _promise(terms, len(history)),
    ]
    return "\n\n".join(parts) + "\n"


def _verdict(shown: History, date: str) -> str:
    tonight = _of(shown, date)
    alarms = [each.night.target for each in tonight if each.status in ALARMS]
    absent = [each.night.target for each in tonight if each.status == "no data"]
    lines = [f"**Alarm: {', '.join(code(each) for each in alarms)}.**"] if alarms else ["No alarm."]
    lines += [f"No data of {', '.join(code(each) for each in absent)}."] if absent else []
    return " ".join(lines)


def _last_night(shown: History, date: str) -> str:
    rates = [each.night.rate for nights in shown.values() for each in nights]
    known = [each for each in rates if each is not None]
    low, high = min(known, default=0.0), max(known, default=1.0)
    rows = [
        (
            code(each.night.target),
            percent(each.night.rate),
            band_of(each),
            f"`{trend(shown[each.night.target], low, high)}`",
            evidence_of(each),
            _cell(reason(each)),
            _money(each),
        )
        for each in _of(shown, date)
    ]
    heads = (
        "target",
        "compliant",
        "band of unchanged nights",
        "trend",
        "evidence of drift",
        "tonight",
        "cost",
    )
    return _table(heads, rows) + f"\n\nBars lie between {percent(low)} and {percent(high)}; `·` is no data."


def band_of(judged: Judged) -> str:
    """Return the band in which an unchanged night lies, and how many nights say so."""
    band = judged.band
    if band is None:
        return NOTHING
    return f"{100 * band.low:.1f} to {percent(band.high)} ({counted(band.nights, 'night')})"


def evidence_of(judged: Judged) -> str:
    """Return how far the evidence of drift has come, or that it takes more nights."""
    watched = judged.watched
    if watched is None:
        return NOTHING
    if watched.nights < FEWEST_NIGHTS:
        return f"from {FEWEST_NIGHTS} nights on"
    return f"{watched.evidence:,.1f} of {watched.limit:,.0f}"


def _nights(shown: History, dates: Sequence[str]) -> str:
    found = {(target, each.night.date): each for target, nights in shown.items() for each in nights}
    rows = [
        (date, *(_mark(found.get((target, date))) for target in shown))
        for date in sorted(dates, reverse=True)
    ]
    return _table(("night", *(code(each) for each in shown)), rows)


def _mark(judged: Judged | None) -> str:
    if judged is None:
        return ""
    if judged.status == "no data":
        return "no data"
    rate = percent(judged.night.rate)
    if judged.status in ALARMS:
        return f"**{rate}** {judged.status}"
    kinds = dict.fromkeys(each.kind for each in judged.changes)
    return f"{rate} ({', '.join(kinds)})" if kinds else rate


def _changes(shown: History) -> str:
    lines = [
        f"- {each.night.date} {code(each.night.target)}: {_cell(', '.join(map(str, each.changes)))}"
        for nights in shown.values()
        for each in nights
        if each.changes
    ]
    return "\n".join(sorted(lines, reverse=True))


def _reasons(alarms: Iterable[Judged]) -> str:
    lines = [f"- {each.night.date} {code(each.night.target)}: {_cell(reason(each))}" for each in alarms]
    return "\n".join(sorted(lines, reverse=True))


def _dimensions(shown: History, date: str) -> str:
    lines = [line for each in _of(shown, date) for line in each.night.lines.values()]
    names = [name for name in (ALL, *DIMENSIONS) if any(name in each.dimensions for each in lines)]
    rows = [
        (
            code(line.target),
            line.contract,
            f"{line.scored} of {line.planned}",
            *(_rate(line.dimensions.get(name)) for name in names),
        )
        for line in lines
    ]
    return _table(("target", "contract", "scored", *names), rows)


def _rate(counts: Sequence[int] | None) -> str:
    return percent(counts[0] / counts[1]) if counts and counts[1] else NOTHING


def _promise(terms: Terms, targets: int) -> str:
    return (
        f"Unchanged models raise a false alarm of drift in at most {percent(terms.alpha)} of months of "
        f"thirty nights, all of {counted(targets, 'target')} together; falls of less than "
        f"{100 * terms.margin:.1f} points are not told."
    )


def _of(shown: History, date: str) -> list[Judged]:
    return [each for nights in shown.values() for each in nights if each.night.date == date]


def _money(judged: Judged) -> str:
    costs = [each.cost for each in judged.night.lines.values()]
    known = [each for each in costs if each is not None]
    return f"${sum(known):.2f}" if known and len(known) == len(costs) else NOTHING


def _cell(text: str) -> str:
    """Return a sentence that may hold names that providers made up, as nothing but text."""
    shown = visible(capped(text, 600)).translate(_ENTITIES)
    # Of these GitHub makes addresses.
    return shown.replace("://", "&#58;//").replace("www.", "www&#46;")


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join([*lines, *("| " + " | ".join(each) + " |" for each in rows)])


def night_as_json(judged: Judged) -> dict[str, Any]:
    """Return one night of one target as plain values; a rate without data is None."""
    passed, n = judged.night.counts()
    lines = judged.night.lines.values()
    return {
        "date": judged.night.date,
        "target": judged.night.target,
        "status": judged.status,
        "reason": reason(judged),
        "compliant": {"passed": passed, "n": n, "rate": judged.night.rate},
        "band": judged.band._asdict() if judged.band else None,
        "outside": judged.outside,
        "evidence": judged.watched.evidence if judged.watched else None,
        "limit": judged.watched.limit if judged.watched else None,
        "changes": [each._asdict() for each in judged.changes],
        "coverage": judged.night.coverage,
        "reported": sorted({name for each in lines for name in each.reported}),
        "runs": list(dict.fromkeys(each.run for each in lines if each.run)),
    }


def as_json(history: History, last: int) -> dict[str, Any]:
    """Return the last so many nights of every target."""
    dates = sorted({each.night.date for nights in history.values() for each in nights})[-last:]
    return {
        "nights": dates,
        "targets": {
            target: [night_as_json(each) for each in nights if each.night.date in dates]
            for target, nights in history.items()
        },
    }

"""Put report.html together: one file with its data, its styles and its one script inside.

The policy in its head names style and script by their digests and allows nothing else: whatever a model
wrote is data, and stays data even where a browser is fooled.
"""

import json
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from harness.gate.verdict import EXIT_CODES
from harness.model import Scenario
from harness.reporting.figures import counted, interval, percent
from harness.reporting.html import plots
from harness.reporting.html.columns import MAX_NAME, Column, Reported, reported
from harness.reporting.html.comparison import Comparison, compared, scenarios_at_hand
from harness.reporting.html.samples import MAX_PACKED, Listed, listed
from harness.reporting.html.standing import Standing, standing
from harness.reporting.html.tables import (
    clause_lines,
    matrices,
    most_broken,
    scenario_lines,
    state,
)
from harness.reporting.html.texts import short
from harness.reporting.metrics import MAX_MISTAKEN
from harness.reporting.pacing import pace_line, spent_line
from harness.reporting.verdicts import signed
from harness.store import Run

FOLDER = Path(__file__).parent
MAX_FLIPPED = 200

_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def render_html(runs: Sequence[Run], limit: int = MAX_PACKED) -> str:
    """Return the page of one run, or of several beside each other.

    Args:
        runs: graded runs; of exactly two the second is compared with the first.
        limit: characters of packed transcripts, about.

    Raises:
        InvalidRun: a run was never graded, or cannot be read.
    """
    found = reported(runs)
    columns = [each for one in found for each in one.columns]
    scenarios = {each.number: scenarios_at_hand(each.run) for each in found} if len(columns) > 1 else {}
    comparisons = compared(found[0], found[1], scenarios) if len(found) == 2 else []
    samples = listed(found, comparisons, limit)
    style = (FOLDER / "page.css").read_text(encoding="utf-8")
    script = (FOLDER / "page.js").read_text(encoding="utf-8")
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            policy=policy(script, style),
            style=Markup(style),  # noqa: S704 - our own file
            script=Markup(script),  # noqa: S704 - our own file
            data=embedded(samples.as_json(columns, found)),
            samples=samples,
            interval=interval,
            counted=counted,
            state=state,
            plots=plots,
            **_verdict(found, columns, scenarios, comparisons),
            **_drawn(found, columns),
            **_tables(found, columns, samples),
        )
    )


def policy(script: str, style: str) -> str:
    """Return the content security policy that lets one script and one style sheet in, by digest."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_digest(script)}'",
            f"style-src '{_digest(style)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


def embedded(value: Any) -> Markup:
    """Return JSON that can stand inside a script element: nothing in it ends one, or starts a comment."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character, escape in _ESCAPES.items():
        text = text.replace(character, escape)
    return Markup(text)  # noqa: S704 - no character of markup is left


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode('utf-8')).digest()).decode('ascii')}"


def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(percent=percent, short=short, signed=signed)
    return made


def _verdict(
    runs: Sequence[Reported],
    columns: Sequence[Column],
    scenarios: Mapping[int, Mapping[str, Scenario]],
    comparisons: Sequence[Comparison],
) -> dict[str, Any]:
    families = {name: each.family for known in scenarios.values() for name, each in known.items()}
    standings = [
        standing(name, [each for each in columns if each.contract == name], families)
        for name in dict.fromkeys(each.contract for each in columns)
    ]
    return {
        "title": _title(runs),
        "lead": _lead(standings, comparisons),
        "standings": standings,
        "broken": most_broken(runs, columns),
        "comparisons": comparisons,
        "shared_notes": [
            each
            for each in (comparisons[0].notes if comparisons else ())
            if all(each in one.notes for one in comparisons)
        ],
        "max_flipped": MAX_FLIPPED,
        "runs": runs,
        "facts": [(each, list(_facts(each))) for each in runs],
    }


def _title(runs: Sequence[Reported]) -> str:
    return f"{'Run' if len(runs) == 1 else 'Runs'} {', '.join(short(each.run.id, 60) for each in runs)}"


def _lead(standings: Sequence[Standing], comparisons: Sequence[Comparison]) -> str:
    """Return what the page comes to, in one sentence."""
    outcomes = Counter(each.verdict.outcome for each in comparisons if each.verdict)
    if len(comparisons) == 1 and outcomes:
        return f"From run A to run B, {comparisons[0].after}: {', '.join(outcomes)}."
    if outcomes:
        told = [f"{outcomes[name]} {name}" for name in EXIT_CODES if outcomes[name]]
        return f"From run A to run B, by target: {', '.join(told)}."
    if not standings:
        return "No sample was graded."
    if len(standings) == 1:
        return standings[0].lead
    targets = {each.target for one in standings for each in one.ranked}
    return f"{counted(len(targets), 'target')} under {len(standings)} contracts"


def _facts(each: Reported) -> Iterator[tuple[str, str]]:
    info = each.run.info
    yield "Status", short(info.status)
    yield "Created", short(info.created)
    yield "Targets", ", ".join(short(name, 80) for name in info.targets)
    yield (
        "Contracts",
        ", ".join(f"{short(name, 80)} ({short(key, 16)})" for name, key in info.contracts.items()),
    )
    yield "Asked", f"{counted(len(info.scenarios), 'scenario')}, {counted(info.trials, 'trial')} of each"
    yield "Seed", str(info.seed)
    if info.limits:
        yield "Pace", short(pace_line(info), 300)
    if spent_line(info):
        yield "Spent", short(spent_line(info), 300)
    yield (
        "Versions",
        ", ".join(f"{short(name, 40)} {short(version, 40)}" for name, version in info.versions.items()),
    )


def _drawn(runs: Sequence[Reported], columns: Sequence[Column]) -> dict[str, Any]:
    prefixes = [(each, f"{each.label} · " if len(runs) > 1 else "") for each in runs]
    return {
        "columns": columns,
        "pareto": plots.pareto(runs),
        "trends": plots.trends(runs) if len(runs) > 1 else [],
        "severities": [
            one for each, prefix in prefixes for one in matrices(each.data.measured.severities, prefix)
        ],
        "signal_types": [
            (prefix + short(one.target, MAX_NAME), one)
            for each, prefix in prefixes
            for one in each.data.measured.signal_types
            if one.mistaken
        ],
        "max_mistaken": MAX_MISTAKEN,
    }


def _tables(runs: Sequence[Reported], columns: Sequence[Column], samples: Listed) -> dict[str, Any]:
    return {
        "clause_lines": clause_lines(runs, columns),
        "scenario_lines": scenario_lines(columns),
        "filters": {
            "targets": list(dict.fromkeys(each.link["target"] for each in columns)),
            "contracts": list(dict.fromkeys(each.link["contract"] for each in columns)),
            "clauses": sorted(short(each, 40) for each in samples.clauses),
            "scenarios": sorted(short(each) for each in samples.scenarios),
        },
        "causes": [(each, one) for each in runs for one in each.data.causes],
    }

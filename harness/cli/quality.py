"""harness list scenarios --quality: what the suite is worth."""

import os
from collections.abc import Sequence
from typing import Any

from harness.cli.output import console, print_json, print_rows
from harness.cli.progress import counted
from harness.errors import UnknownName
from harness.model import Scenario
from harness.quality import Core, Coverage, Quality, core_of, coverage_of, measure

WEAKEST = 10
"""So many of the scenarios that tell the fewest vices apart are shown to people."""


def show_quality(scenarios: Sequence[Scenario], *, as_json: bool) -> int:
    """Play the mocks over the scenarios and print what these are worth; 1 where something is wrong."""
    if not scenarios:
        raise UnknownName("scenario", "any", [])
    with counted("playing", quiet=as_json) as tell:
        quality = measure(scenarios, tell, processes=min(os.cpu_count() or 1, 4))
    coverage, core = coverage_of(scenarios, quality), core_of(scenarios, quality)
    problems = [*quality.problems(), *coverage.gaps(), *core.problems()]
    if as_json:
        print_json(_json(quality, coverage, core, problems))
    else:
        _print(quality, coverage, core, problems)
    return 1 if problems else 0


def _json(quality: Quality, coverage: Coverage, core: Core, problems: list[str]) -> dict[str, Any]:
    return {
        "scenarios": [
            {
                "id": each.id,
                "contract": each.contract,
                "caught": sorted(each.caught),
                "kills": len(each.kills),
                "discrimination": each.discrimination,
                "relation": each.relation,
            }
            for each in quality.scenarios
        ],
        "counts": dict(coverage.counts),
        "clauses": {
            name: {"applies": applies, "broken": broken}
            for name, (applies, broken) in coverage.clauses.items()
        },
        "core": {
            "tagged": list(core.tagged),
            "missing": [" ".join(each) for each in core.missing],
            "suggested": list(core.suggested),
        },
        "problems": problems,
    }


def _print(quality: Quality, coverage: Coverage, core: Core, problems: list[str]) -> None:
    out = console()
    weakest = sorted(quality.scenarios, key=lambda each: (len(each.kills), each.id))[:WEAKEST]
    print_rows(
        ("weakest scenarios", "caught", "kills"),
        [(each.id, ", ".join(sorted(each.caught)), str(len(each.kills))) for each in weakest],
        numbers={"kills"},
    )
    out.print()
    print_rows(
        ("clause", "applies in", "broken in"),
        [(name, str(applies), str(broken)) for name, (applies, broken) in coverage.clauses.items()],
        numbers={"applies in", "broken in"},
    )
    out.print()
    print_rows(
        ("kind", "scenarios"),
        [(kind, str(count)) for kind, count in coverage.counts.items()],
        numbers={"scenarios"},
    )
    out.print()
    for each in problems:
        out.print(each, soft_wrap=True, markup=False)
    out.print(_verdict(quality, core, problems), soft_wrap=True, markup=False)


def _verdict(quality: Quality, core: Core, problems: list[str]) -> str:
    found = f"{len(problems)} problem{'' if len(problems) == 1 else 's'}" if problems else "no problem"
    return (
        f"{len(quality.scenarios)} scenarios catch vices in {len(quality.kills)} ways; "
        f"{len(core.tagged)} are tagged core, {len(core.suggested)} are suggested: {found}"
    )

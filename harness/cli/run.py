"""harness run: record, grade, report."""

import argparse
import asyncio
import platform
import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from harness import __version__
from harness.cli.output import RUNS, add_json, add_out, add_project, console, print_json, project, say
from harness.cli.progress import progress
from harness.contracts.clauses import DIMENSIONS
from harness.errors import InvalidInput
from harness.model import Scenario
from harness.pipeline import Plan, contracts_for, grade_run, record
from harness.prompting import render
from harness.scenarios import load_scenarios
from harness.store import Run, RunInfo, ScoreRow, create_run, open_run
from harness.targets import Target, TargetOptions, open_target

COVERAGE_FLOOR = 0.95
INTERRUPTED = 130


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness run` takes."""
    parser.add_argument(
        "-t", "--target", action="append", default=[], metavar="TARGET",
        help="mock:NAME or litellm:provider/model; may be given several times (default: mock:oracle)",
    )  # fmt: skip
    parser.add_argument(
        "-c", "--contract", action="append", default=[], metavar="CONTRACT",
        help="a contract id; may be given several times (default: the newest of each flow)",
    )  # fmt: skip
    parser.add_argument(
        "-s", "--scenario", action="append", default=[], metavar="GLOB",
        help="a scenario id or a glob like 'recovery/*' (default: all)",
    )  # fmt: skip
    parser.add_argument("--tag", action="append", default=[], help="only scenarios with this tag")
    parser.add_argument("-n", "--trials", type=_positive, help="trials of each scenario (default: 1)")
    parser.add_argument("--seed", type=int, help="the run's seed (default: 0)")
    parser.add_argument(
        "--concurrency", type=_positive, default=8, metavar="N", help="trials under way at once (default: 8)"
    )
    parser.add_argument(
        "--prompts", type=Path, metavar="DIR", help="prompt packs other than the built-in ones"
    )
    again = parser.add_mutually_exclusive_group()
    again.add_argument("--resume", metavar="RUN", help="go on with this run; its own plan is used")
    again.add_argument(
        "--retry-unscored", metavar="RUN", help="go on, and ask again where the target could not be asked"
    )
    parser.add_argument(
        "--fail-on", action="append", default=[], choices=["all", *DIMENSIONS], metavar="DIMENSION",
        help=f"exit 1 if a sample breaks this dimension: all, {', '.join(DIMENSIONS)}",
    )  # fmt: skip
    parser.add_argument("--api-base", metavar="URL", help="where a litellm target is served")
    parser.add_argument("--temperature", type=float, help="sent to litellm targets (default: not sent)")
    parser.add_argument("--max-tokens", type=_positive, help="sent to litellm targets (default: not sent)")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="for one request (default: 300)")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress and no summary")
    add_out(parser)
    add_project(parser)
    add_json(parser)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"found {text!r}; use a whole number, 1 or more")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    """Record what is missing, grade everything, write the reports."""
    from harness.reporting.write import write_reports

    run, plan, targets = _resumed(arguments) if _reference(arguments) else _new(arguments)
    if not _record(run, plan, targets, arguments):
        say(f"interrupted; go on with: harness run --resume {_named(run)}")
        return INTERRUPTED
    with progress("grading", run.info.counts["recorded"], 0, quiet=_silent(arguments)) as graded:
        rows = grade_run(run, {each.id: each for each in plan.scenarios}, graded)
    run.info.counts = _counts(rows)
    run.save()
    written = write_reports(run, ("md", "csv"), None)
    for note in run.notes:
        say(f"note: {note}")
    if arguments.json:
        print_json(_result(run))
    elif not arguments.quiet:
        from harness.reporting.overview import overview
        from harness.reporting.terminal import print_summary

        print_summary(console(), overview(run), written)
    return _verdict(run, rows, arguments.fail_on)


def _silent(arguments: argparse.Namespace) -> bool:
    return arguments.quiet or arguments.json


def _named(run: Run) -> str:
    """Return what finds this run again: its id, or its folder where runs lie elsewhere."""
    return run.id if run.folder.parent == RUNS else str(run.folder)


def _options(settings: Mapping[str, Any]) -> TargetOptions:
    """Return target options from parsed arguments, or from what run.json recorded of a target."""
    given = {name: settings.get(name) for name in ("api_base", "temperature", "max_tokens", "timeout")}
    return TargetOptions(**{name: value for name, value in given.items() if value is not None})


def _new(arguments: argparse.Namespace) -> tuple[Run, Plan, list[Target]]:
    scenarios = load_scenarios(project(arguments), arguments.scenario, arguments.tag)
    if not scenarios:
        msg = "no scenario was chosen; see `harness list scenarios`"
        raise InvalidInput(msg)
    contracts = contracts_for(scenarios, arguments.contract)
    names = list(dict.fromkeys(arguments.target or ["mock:oracle"]))
    targets = [open_target(name, _options(vars(arguments))) for name in names]
    plan = _plan(
        scenarios,
        [each.id for each in contracts],
        arguments.trials or 1,
        arguments.seed or 0,
        arguments.prompts,
    )
    # Whatever is wrong with a prompt pack shows before there is a run.
    for scenario, contract in plan.pairs():
        render(scenario, contract, plan.packs)
    asked = {scenario.id: scenario for scenario, _ in plan.pairs()}
    now = datetime.now(UTC)
    info = RunInfo(
        id=f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}",
        created=now.isoformat(timespec="microseconds"),
        versions={"harness": __version__, "python": platform.python_version()},
        targets={each.name: dict(each.settings) for each in targets},
        contracts={each.id: each.digest() for each in plan.contracts},
        scenarios={name: each.digest() for name, each in asked.items()},
        trials=plan.trials,
        seed=plan.seed,
        prompts=str(arguments.prompts) if arguments.prompts else None,
    )
    return create_run(arguments.out, info), plan, targets


def _reference(arguments: argparse.Namespace) -> str | None:
    """Return the run to go on with, if any."""
    return arguments.resume or arguments.retry_unscored


OWN_PLAN = {
    "target": "-t", "contract": "-c", "scenario": "-s", "tag": "--tag", "trials": "-n", "seed": "--seed",
    "prompts": "--prompts", "api_base": "--api-base", "temperature": "--temperature",
    "max_tokens": "--max-tokens", "timeout": "--timeout",
}  # fmt: skip
"""What a run recorded of itself, and which option would contradict it."""


def _resumed(arguments: argparse.Namespace) -> tuple[Run, Plan, list[Target]]:
    extra = [option for name, option in OWN_PLAN.items() if getattr(arguments, name) not in (None, [])]
    if extra:
        msg = f"{', '.join(extra)}: a run goes on with its own plan and targets; leave this out"
        raise InvalidInput(msg)
    run = open_run(_reference(arguments) or "", arguments.out)
    info = run.info
    scenarios = load_scenarios(project(arguments), list(info.scenarios))
    changed = [each.id for each in scenarios if each.digest() != info.scenarios[each.id]]
    if changed:
        msg = f"{run.folder}: cannot go on: {', '.join(changed)} changed since; start a new run"
        raise InvalidInput(msg)
    prompts = Path(info.prompts) if info.prompts else None
    plan = _plan(scenarios, list(info.contracts), info.trials, info.seed, prompts)
    return run, plan, [open_target(name, _options(settings)) for name, settings in info.targets.items()]


def _plan(
    scenarios: Sequence[Scenario], contracts: Sequence[str], trials: int, seed: int, prompts: Path | None
) -> Plan:
    from harness.prompting.render import PACKS

    chosen = contracts_for(scenarios, list(contracts))
    return Plan(scenarios, chosen, trials, seed, prompts or PACKS)


def _record(run: Run, plan: Plan, targets: Sequence[Target], arguments: argparse.Namespace) -> bool:
    """Record what is missing; return whether the run is complete now."""
    run.info.status = "running"
    run.begin()
    total, done = plan.count(len(targets)), run.finished(answered=bool(arguments.retry_unscored))
    try:
        with progress("recording", total, len(done), quiet=_silent(arguments)) as finished:
            asyncio.run(
                record(run, plan, targets, done=done, concurrency=arguments.concurrency, finished=finished)
            )
    except (KeyboardInterrupt, asyncio.CancelledError):
        run.info.status = "interrupted"
    finally:
        run.info.counts = {"recorded": len(run.finished())}
        if run.info.counts["recorded"] == total:
            run.info.status = "complete"
        run.save()
        run.end()
    return run.info.status == "complete"


def _outcomes(rows: Sequence[ScoreRow]) -> dict[str, set[str]]:
    """Return, per sample, the outcomes of its MUST clauses."""
    found: dict[str, set[str]] = {}
    for row in rows:
        if row.level == "MUST" and row.dimension != "relation":
            found.setdefault(row.sample, set()).add(row.outcome)
    return found


def _counts(rows: Sequence[ScoreRow]) -> dict[str, int]:
    outcomes = _outcomes(rows).values()
    failed = sum("fail" in each for each in outcomes)
    unscored = sum("unscored" in each and "fail" not in each for each in outcomes)
    return {
        "recorded": len(outcomes),
        "samples": len(outcomes),
        "scored": len(outcomes) - unscored,
        "unscored": unscored,
        "compliant": len(outcomes) - failed - unscored,
    }


def _result(run: Run) -> dict[str, object]:
    counts = run.info.counts
    return {
        "run": str(run.folder),
        "status": run.info.status,
        "samples": counts["samples"],
        "scored": counts["scored"],
        "unscored": counts["unscored"],
        "targets": list(run.info.targets),
    }


def _verdict(run: Run, rows: Sequence[ScoreRow], fail_on: Sequence[str]) -> int:
    """Return 3 where too little could be scored, 1 where a dimension of --fail-on was broken."""
    counts = run.info.counts
    if counts["scored"] < COVERAGE_FLOOR * counts["samples"]:
        say(
            f"only {counts['scored']} of {counts['samples']} samples could be scored; "
            f"see report.md for the causes"
        )
        return 3
    judged = {row.dimension for row in rows if row.level == "MUST" and row.outcome in {"pass", "fail"}}
    unjudged = [each for each in fail_on if each not in {*judged, "all"}]
    if unjudged:
        say(f"nothing was judged in: {', '.join(unjudged)}; so nothing is known of it")
        return 3
    broken = {row.dimension for row in rows if row.level == "MUST" and row.outcome == "fail"}
    hit = sorted(broken & set(fail_on)) or (["all"] if broken and "all" in fail_on else [])
    if hit:
        say(f"failed on: {', '.join(hit)}")
        return 1
    return 0

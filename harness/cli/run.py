"""harness run: record, grade, report."""

import argparse
import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.cli import replaying
from harness.cli.output import RUNS, add_json, add_out, add_project, console, print_json, project, say
from harness.cli.progress import progress
from harness.cli.selecting import as_recorded, changed_since, failed_samples, recorded_contracts
from harness.contracts.clauses import DIMENSIONS
from harness.errors import InvalidInput
from harness.model import Scenario
from harness.pipeline import Plan, contracts_for, grade_run, new_info, record, settle
from harness.prompting import render
from harness.scenarios import load_scenarios, with_world
from harness.store import EVERYTHING, Run, RunInfo, ScoreRow, Selection, Shard, create_run, open_run
from harness.targets import Target, TargetOptions, open_target

COVERAGE_FLOOR = 0.95
INTERRUPTED = 130


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness run` takes."""
    parser.add_argument(
        "-t", "--target", action="append", default=[], metavar="TARGET",
        help="mock:NAME, litellm:provider/model or replay:DIR; may be repeated (default: mock:oracle)",
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
    again.add_argument(
        "--only-failed", metavar="RUN", help="a new run of the samples that broke a MUST clause in this one"
    )
    again.add_argument(
        "--changed-since", metavar="RUN", help="only scenarios that this run does not hold as they are now"
    )
    parser.add_argument("--shard", metavar="i/N", help="only the ith of N parts; `harness merge` joins them")
    replaying.add_arguments(parser)
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
    begun = _resumed(arguments) if _reference(arguments) else _new(arguments)
    if begun is None:
        return _nothing(arguments)
    run, plan, targets = begun
    if not _record(run, plan, targets, arguments):
        say(f"interrupted; go on with: harness run --resume {_named(run)}")
        return INTERRUPTED
    run.notes += replaying.replay_notes(run, targets)
    return conclude(run, plan.scenarios, arguments, arguments.fail_on)


def conclude(
    run: Run, scenarios: Iterable[Scenario], arguments: argparse.Namespace, fail_on: Sequence[str]
) -> int:
    """Grade a recorded run, write its reports, say what came out; return the exit code."""
    from harness.reporting.write import write_reports

    with progress("grading", run.info.counts["recorded"], 0, quiet=_silent(arguments)) as graded:
        rows = grade_run(run, {each.id: each for each in scenarios}, graded)
    written = write_reports(run, ("md", "csv"), None)
    for note in run.notes:
        say(f"note: {note}")
    if arguments.json:
        print_json(_result(run))
    elif not arguments.quiet:
        from harness.reporting.overview import overview
        from harness.reporting.terminal import print_summary

        print_summary(console(), overview(run), written)
    return _verdict(run, rows, fail_on)


def _nothing(arguments: argparse.Namespace) -> int:
    say("nothing to run: no sample is left to ask")
    if arguments.json:
        counted = dict.fromkeys(("samples", "scored", "unscored"), 0)
        print_json({"run": None, "status": "complete", **counted, "targets": []})
    return 0


def _silent(arguments: argparse.Namespace) -> bool:
    return arguments.quiet or arguments.json


def _named(run: Run) -> str:
    """Return what finds this run again: its id, or its folder where runs lie elsewhere."""
    return run.id if run.folder.parent == RUNS else str(run.folder)


def _options(settings: Mapping[str, Any]) -> TargetOptions:
    """Return target options from parsed arguments, or from what run.json recorded of a target."""
    given = {name: settings.get(name) for name in ("api_base", "temperature", "max_tokens", "timeout")}
    return TargetOptions(**{name: value for name, value in given.items() if value is not None})


Begun = tuple[Run, Plan, list[Target]]


def _new(arguments: argparse.Namespace) -> Begun | None:
    """Return a new run with its plan and targets, or None where nothing is left to ask."""
    recorded, targets, selection = _source(arguments)
    if recorded:
        as_recorded(arguments, recorded)
    scenarios = load_scenarios(project(arguments), arguments.scenario, arguments.tag)
    if not scenarios:
        msg = "no scenario was chosen; see `harness list scenarios`"
        raise InvalidInput(msg)
    scenarios = [each for each in scenarios if selection.has(each.id)]
    contracts = arguments.contract or (recorded_contracts(recorded, scenarios) if recorded else [])
    plan = _plan(scenarios, contracts, arguments.trials or 1, arguments.seed or 0, arguments.prompts)
    shard = Shard.parse(arguments.shard) if arguments.shard else selection.shard
    plan = replace(plan, selection=replace(selection, shard=shard))
    # Whatever is wrong with a prompt pack or a world shows before there is a run.
    for scenario, contract in plan.pairs():
        render(with_world(scenario), contract, plan.packs)
    if arguments.changed_since:
        plan = changed_since(open_run(arguments.changed_since, arguments.out), plan)
    if not plan.scenarios:
        return None
    replaying.check_openings(plan, targets)
    return create_run(arguments.out, new_info(plan, targets)), plan, targets


def _source(arguments: argparse.Namespace) -> tuple[RunInfo | None, list[Target], Selection]:
    """Return the stored run that a new one follows, if any, whom to ask, and which samples."""
    cassette = replaying.cassette_of(arguments)
    if arguments.only_failed:
        _refuse(arguments, [each for each in OWN_PLAN if each not in {"scenario", "tag", "prompts", "shard"}])
        before = open_run(arguments.only_failed, arguments.out)
        only = failed_samples(before, load_scenarios(project(arguments), list(before.info.scenarios)))
        names = {each.target for each in only}
        targets = [each for each in _targets_of(before.info) if each.name in names]
        return before.info, targets, Selection(only=only)
    if cassette:
        return cassette.run.info, [*cassette.targets()], Selection.of(cassette.run.info)
    names = list(dict.fromkeys(arguments.target or ["mock:oracle"]))
    return None, [open_target(name, _options(vars(arguments))) for name in names], EVERYTHING


def _targets_of(info: RunInfo) -> list[Target]:
    """Return the targets of a stored run, with the settings that it recorded."""
    cassette = replaying.reopened(info)
    if cassette:
        return [*cassette.targets()]
    return [open_target(name, _options(settings)) for name, settings in info.targets.items()]


def _reference(arguments: argparse.Namespace) -> str | None:
    """Return the run to go on with, if any."""
    return arguments.resume or arguments.retry_unscored


OWN_PLAN = {
    "target": "-t", "contract": "-c", "scenario": "-s", "tag": "--tag", "trials": "-n", "seed": "--seed",
    "prompts": "--prompts", "api_base": "--api-base", "temperature": "--temperature",
    "max_tokens": "--max-tokens", "timeout": "--timeout", "shard": "--shard",
    "live_tools": "--live-tools", "max_age": "--max-age",
}  # fmt: skip
"""What a run recorded of itself, and which option would contradict it."""


def _refuse(arguments: argparse.Namespace, names: Iterable[str]) -> None:
    extra = [OWN_PLAN[each] for each in names if getattr(arguments, each) not in (None, [], False)]
    if extra:
        msg = f"{', '.join(extra)}: a run goes on with its own plan and targets; leave this out"
        raise InvalidInput(msg)


def _resumed(arguments: argparse.Namespace) -> Begun:
    _refuse(arguments, OWN_PLAN)
    run = open_run(_reference(arguments) or "", arguments.out)
    info = run.info
    scenarios = load_scenarios(project(arguments), list(info.scenarios))
    changed = [each.id for each in scenarios if each.digest() != info.scenarios[each.id]]
    if changed:
        msg = f"{run.folder}: cannot go on: {', '.join(changed)} changed since; start a new run"
        raise InvalidInput(msg)
    return run, stored_plan(info, scenarios), _targets_of(info)


def stored_plan(info: RunInfo, scenarios: Sequence[Scenario]) -> Plan:
    """Return the plan that a stored run recorded of itself."""
    plan = _plan(scenarios, list(info.contracts), info.trials, info.seed, info.prompts)
    return replace(plan, selection=Selection.of(info))


def _plan(
    scenarios: Sequence[Scenario],
    contracts: Sequence[str],
    trials: int,
    seed: int,
    prompts: Path | str | None,
) -> Plan:
    from harness.prompting.render import PACKS

    chosen = contracts_for(scenarios, list(contracts))
    return Plan(scenarios, chosen, trials, seed, Path(prompts) if prompts else PACKS)


def _record(run: Run, plan: Plan, targets: Sequence[Target], arguments: argparse.Namespace) -> bool:
    """Record what is missing; return whether the run is complete now."""
    run.info.status = "running"
    run.begin()
    total = sum(1 for _ in plan.samples(each.name for each in targets))
    done = run.finished(answered=bool(arguments.retry_unscored))
    complete = False
    try:
        with progress("recording", total, len(done), quiet=_silent(arguments)) as finished:
            asyncio.run(
                record(run, plan, targets, done=done, concurrency=arguments.concurrency, finished=finished)
            )
    except (KeyboardInterrupt, asyncio.CancelledError):
        pass
    finally:
        complete = settle(run, total)
    return complete


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

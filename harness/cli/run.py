"""harness run: record, grade, report."""

import argparse
import asyncio
from contextlib import closing
from dataclasses import replace
from threading import Timer
from typing import Literal

from harness.cli import deciding, replaying
from harness.cli.beginning import Begun, begin
from harness.cli.budgeting import check_budget, open_budget, stopped_by_budget
from harness.cli.concluding import conclude, graded, result, scoring_of, silent
from harness.cli.estimating import print_estimates
from harness.cli.limiting import check_limits
from harness.cli.numbers import dollars, temperature, timeout, whole
from harness.cli.output import RUNS, add_json, add_out, add_project, print_json, say
from harness.cli.progress import progress
from harness.contracts.clauses import DIMENSIONS
from harness.gate import Verdict
from harness.gate.sequential import told as standing
from harness.pipeline import Scoring, new_info, record, settle
from harness.store import Run, RunInfo, create_run
from harness.targets.accounts import open_accounts
from harness.waves import Question, record_until_decided

BUDGET_REACHED = 3
INTERRUPTED = 130
SOON = 0.3
"""Seconds in which the first requests go out."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness run` takes."""
    parser.add_argument(
        "-t", "--target", action="append", default=[], metavar="TARGET",
        help="mock:NAME, litellm:provider/model, openai:URL, http:URL, replay:DIR or a name of targets.yaml; "
        "may be repeated (default: mock:oracle)",
    )  # fmt: skip
    parser.add_argument(
        "-c", "--contract", action="append", default=[], metavar="CONTRACT",
        help="a contract id, or the path of its folder; may be given several times (default: the newest of "
        "each flow)",
    )  # fmt: skip
    parser.add_argument(
        "-s", "--scenario", action="append", default=[], metavar="GLOB",
        help="a scenario id or a glob like 'recovery/*' (default: all)",
    )  # fmt: skip
    parser.add_argument("--tag", action="append", default=[], help="only scenarios with this tag")
    parser.add_argument("-n", "--trials", type=whole, help="trials of each scenario (default: 1)")
    parser.add_argument("--seed", type=int, help="the run's seed (default: 0)")
    parser.add_argument(
        "--concurrency",
        type=whole,
        metavar="N",
        help="so many trials under way at once, of each account (default: at most 8, and fewer at first)",
    )
    parser.add_argument(
        "--max-cost", type=dollars, metavar="USD", help="stop before more than this is spent; exit 3"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="only say how many calls, tokens and dollars it would take"
    )
    parser.add_argument(
        "--prompts", action="append", default=[], metavar="DIR",
        help="prompt packs other than the built-in ones; given several times, each target is asked with "
        "each, as TARGET+NAME (built-in: those of the harness)",
    )  # fmt: skip
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
    deciding.add_arguments(parser)
    replaying.add_arguments(parser)
    parser.add_argument(
        "--fail-on", action="append", default=[], choices=["all", *DIMENSIONS], metavar="DIMENSION",
        help=f"exit 1 if a sample breaks this dimension: all, {', '.join(DIMENSIONS)}",
    )  # fmt: skip
    parser.add_argument("--api-base", metavar="URL", help="where a litellm target is served")
    parser.add_argument(
        "--temperature", type=temperature, help="sent to models over a wire (default: not sent)"
    )
    parser.add_argument("--max-tokens", type=whole, help="sent to models over a wire (default: not sent)")
    parser.add_argument("--timeout", type=timeout, metavar="SECONDS", help="for one request (default: 300)")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress and no summary")
    add_out(parser)
    add_project(parser)
    add_json(parser)


Ending = Literal["complete", "interrupted", "budget"]


def run(arguments: argparse.Namespace) -> int:
    """Record what is missing, grade everything, write the reports."""
    deciding.check_options(arguments)
    begun = begin(arguments)
    question = deciding.question_of(begun, arguments) if begun else None
    if begun and question:
        begun = replace(begun, plan=question.plan)
    if arguments.dry_run:
        print_estimates(begun, arguments)
        return 0
    if begun is None:
        return _nothing(arguments)
    # Whatever forbids the run shows before there is one.
    check_budget(begun, arguments.max_cost)
    check_limits(begun)
    run = begun.run or create_run(arguments.out, _first_info(begun, question, arguments))
    with closing(scoring_of(run, begun.plan)) as scoring:
        return _recorded_and_graded(begun, run, scoring, arguments, question)


def _recorded_and_graded(
    begun: Begun, run: Run, scoring: Scoring, arguments: argparse.Namespace, question: Question | None
) -> int:
    ending, verdict = _record(begun, run, scoring, arguments, question)
    if ending == "interrupted":
        say(f"interrupted; go on with: harness run --resume {_named(run)}")
        return INTERRUPTED
    run.notes += replaying.replay_notes(run, begun.targets)
    if question and verdict:
        code = _decided(run, scoring, question, verdict, arguments)
    else:
        code = conclude(run, scoring, arguments, arguments.fail_on)
    if ending == "budget":
        say(stopped_by_budget(run, arguments.max_cost, _named(run)))
        return BUDGET_REACHED
    return code


def _first_info(begun: Begun, question: Question | None, arguments: argparse.Namespace) -> RunInfo:
    info = new_info(begun.plan, begun.targets)
    return deciding.first_info(info, question, arguments) if question else info


def _decided(
    run: Run, scoring: Scoring, question: Question, verdict: Verdict, arguments: argparse.Namespace
) -> int:
    """Grade a run that was recorded until it was decided, say the verdict; return the exit code."""
    graded(run, scoring, arguments)
    if arguments.json:
        print_json({**result(run), **verdict.as_json()})
    elif not arguments.quiet:
        deciding.print_decision(run, deciding.side_of(run, question), question, verdict)
    return verdict.exit_code


def _nothing(arguments: argparse.Namespace) -> int:
    say("nothing to run: no sample is left to ask")
    if arguments.json:
        counted = dict.fromkeys(("samples", "scored", "unscored"), 0)
        print_json({"run": None, "status": "complete", **counted, "targets": []})
    return 0


def _named(run: Run) -> str:
    """Return what finds this run again: its id, or its folder where runs lie elsewhere."""
    return run.id if run.folder.parent == RUNS else str(run.folder)


def _record(
    begun: Begun, run: Run, scoring: Scoring, arguments: argparse.Namespace, question: Question | None
) -> tuple[Ending, Verdict | None]:
    """Record what is missing, or until it is decided; return how that ended, and the verdict."""
    from harness.reporting.write import load

    targets = begun.targets
    accounts = open_accounts(targets, arguments.concurrency)
    budget = open_budget(begun, arguments.max_cost)
    run.info.status = "running"
    run.begin()
    # A torn last line is known only now that the run is ours.
    done = run.finished(answered=begun.unscored_again)
    total = sum(1 for _ in begun.plan.samples(each.name for each in targets))
    interrupted, complete = True, False
    verdict: Verdict | None = None
    # What reports need takes half a second to load, in which replies are awaited anyway.
    ahead = Timer(SOON, load)
    if accounts:
        ahead.start()
    try:
        with progress("recording", total, len(done), quiet=silent(arguments), accounts=accounts) as finished:
            if question:
                verdict = asyncio.run(
                    record_until_decided(
                        run, question, concurrency=arguments.concurrency, finished=finished,
                        looked=lambda each: None if silent(arguments) else say(standing(each)),
                        accounts=accounts, budget=budget, take=scoring.take,
                        unscored_again=begun.unscored_again,
                    )
                )  # fmt: skip
            else:
                asyncio.run(
                    record(
                        run, begun.plan, targets, done=done, concurrency=arguments.concurrency,
                        finished=finished, accounts=accounts, budget=budget, take=scoring.take,
                    )
                )  # fmt: skip
        interrupted = False
    except (KeyboardInterrupt, asyncio.CancelledError):
        pass
    finally:
        ahead.cancel()
        stopped = budget.money.reached and not interrupted
        if question:
            total = 0 if interrupted else question.samples_of(run.info.trials)
        if question and not interrupted:
            verdict = deciding.conclude_looks(
                run, question, verdict, "stopped by --max-cost" if stopped else None
            )
        complete = settle(run, total, "incomplete" if stopped else "interrupted")
    if complete:
        return "complete", verdict
    return "budget" if stopped else "interrupted", verdict

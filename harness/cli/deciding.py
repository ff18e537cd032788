"""harness run --until-decided: under which terms, against which baseline, and what is said of it."""

import argparse
from dataclasses import replace
from pathlib import Path

from harness.cli.beginning import Begun
from harness.cli.comparing import baseline_of, share, terms, told, with_turns
from harness.cli.output import console
from harness.errors import InvalidInput
from harness.gate import Side, Terms, Verdict, side_of_rows
from harness.gate.baselines import FOLDER
from harness.gate.known_failures import FILE
from harness.gate.sequential import concluded, measure
from harness.pipeline import new_info
from harness.reporting.figures import counted
from harness.store import Run, RunInfo
from harness.store.deciding import Deciding
from harness.waves import Question, deciding_of, refuse_other_measures

CAP = 10
"""Trials of each scenario at most, where nobody says."""

_DEFAULTS = Terms()
_APART = {
    "only_failed": "--only-failed", "changed_since": "--changed-since", "shard": "--shard",
    "fail_on": "--fail-on", "resume": "--resume", "retry_unscored": "--retry-unscored",
}  # fmt: skip
_TERMS = {
    "baseline": "--baseline", "baseline_target": "--baseline-target", "margin": "--margin",
    "alpha": "--alpha", "common": "--common",
}  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness run` takes to decide while it records."""
    parser.add_argument(
        "--until-decided", action="store_true",
        help=f"wave after wave of trials, at most -n (default: {CAP}), until it is a pass or a regression "
        "against --baseline; ends as `harness gate` does",
    )  # fmt: skip
    parser.add_argument(
        "--baseline", metavar="FILE|RUN", help="with --until-decided: a baseline by file or name, or a run"
    )
    parser.add_argument("--baseline-target", metavar="NAME", help="which target of the baseline")
    parser.add_argument("--margin", type=share, metavar="SHARE", help="as for `harness gate` (default: 0.05)")
    parser.add_argument("--alpha", type=share, metavar="SHARE", help="as for `harness gate` (default: 0.05)")
    parser.add_argument("--common", action="store_true", help="as for `harness gate`")
    parser.add_argument(
        "--baselines", type=Path, default=FOLDER, metavar="DIR",
        help=f"the folder of baselines, with {FILE} (default: %(default)s)",
    )  # fmt: skip


def check_options(arguments: argparse.Namespace) -> None:
    """Raise InvalidInput where options make no sense together; fill in what --until-decided leaves open."""
    if not arguments.until_decided:
        unset = (None, False)
        given = [
            option
            for name, option in _TERMS.items()
            if not any(vars(arguments)[name] is each for each in unset)
        ]
        if given:
            raise InvalidInput(
                f"{', '.join(given)}: belong to --until-decided; a run that is there is decided by "
                f"`harness gate RUN --baseline B`"
            )
        return
    apart = [option for name, option in _APART.items() if vars(arguments)[name]]
    if apart:
        raise InvalidInput(
            f"--until-decided: found {', '.join(apart)} beside it; it begins a whole run of its own, "
            f"and `harness run --resume RUN` goes on with it"
        )
    if not arguments.baseline:
        raise InvalidInput("--until-decided: found no --baseline; name what it is decided against")
    if any(each.startswith("replay:") for each in arguments.target):
        raise InvalidInput("--until-decided: found a replay, which says nothing that is not recorded already")
    arguments.trials = arguments.trials or CAP


def question_of(begun: Begun, arguments: argparse.Namespace) -> Question | None:
    """Return what is to be decided; None where the number of trials was given.

    Raises:
        InvalidInput: several targets, or a baseline that is another than when the run began.
    """
    stored = begun.run.info.deciding if begun.run else None
    if stored:
        _as_begun(arguments, stored)
    elif not arguments.until_decided:
        return None
    if len(begun.targets) != 1:
        found = ", ".join(each.name for each in begun.targets)
        raise InvalidInput(f"--until-decided: found {found}; it asks one target")
    arguments.margin = _DEFAULTS.margin if arguments.margin is None else arguments.margin
    arguments.alpha = _DEFAULTS.alpha if arguments.alpha is None else arguments.alpha
    how, (target,) = terms(arguments), begun.targets
    baseline = baseline_of(arguments, arguments.baseline, target.name)
    if stored and measure(baseline, how) != stored.against:
        raise InvalidInput(
            f"{baseline.place}: is not what {begun.run and begun.run.folder} was held against at first, or "
            f"the known failures changed; put that back, or start a new run"
        )
    plan = replace(begun.plan, trials=stored.cap) if stored else begun.plan
    question = Question(plan, target, baseline, how)
    refuse_other_measures(begun.run or Run(arguments.out, new_info(plan, begun.targets)), question)
    return question


def _as_begun(arguments: argparse.Namespace, stored: Deciding) -> None:
    """Let the terms be those that a run began with."""
    if arguments.fail_on:
        raise InvalidInput("--fail-on: this run ends as it is decided; leave this out")
    arguments.baseline, arguments.baseline_target = stored.baseline, stored.baseline_target
    arguments.margin, arguments.alpha, arguments.common = stored.margin, stored.alpha, stored.common
    arguments.baselines = Path(stored.baselines)


def first_info(info: RunInfo, question: Question, arguments: argparse.Namespace) -> RunInfo:
    """Return the run.json of a run that is to be recorded until it is decided."""
    how = question.terms
    deciding = Deciding(
        baseline=question.baseline.place,
        baseline_target=arguments.baseline_target,
        against=measure(question.baseline, how),
        baselines=str(arguments.baselines),
        margin=how.margin,
        alpha=how.alpha,
        common=how.common,
        cap=question.plan.trials,
    )
    return info.model_copy(update={"trials": 1, "deciding": deciding})


def conclude_looks(run: Run, question: Question, verdict: Verdict | None, cut: str | None) -> Verdict:
    """Return the verdict, and put it into run.json, which `settle` writes."""
    found = concluded(verdict, question.terms, cut)
    deciding = deciding_of(run.info)
    deciding.outcome, deciding.because = found.outcome, found.because
    return found


def side_of(run: Run, question: Question) -> Side:
    """Return a graded run as a side, for reading."""
    graded = run.info.graded
    if graded is None:
        msg = f"{run.folder}: was not graded"
        raise ValueError(msg)
    scenarios = {each.id: each for each in question.plan.scenarios}
    return side_of_rows(run.scores(), run.info, graded, scenarios, place=str(run.folder))


def print_decision(run: Run, candidate: Side, question: Question, verdict: Verdict) -> None:
    """Print a verdict as `harness gate` does, and how it was come by."""
    from harness.reporting.verdicts import print_verdict

    print_verdict(
        console(), with_turns(verdict, candidate, question.baseline), told(candidate, question.baseline)
    )
    deciding = deciding_of(run.info)
    last = deciding.looks[-1] if deciding.looks else None
    console().print(
        f"{counted(len(deciding.looks), 'look')}, {run.info.counts['samples']} of at most "
        f"{question.samples_of(deciding.cap)} samples; {last.spent if last else 0:.2g} of alpha "
        f"{deciding.alpha:g} spent",
        soft_wrap=True,
    )

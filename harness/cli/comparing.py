"""The two sides of `compare` and `gate`, found by what was typed."""

import argparse
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

from harness.cli.output import project
from harness.errors import HarnessError, InvalidInput, InvalidRun, UnknownName
from harness.gate import (
    Side,
    Terms,
    Verdict,
    accepted_baseline,
    read_known_failures,
    side_of_baseline,
    side_of_run,
)
from harness.gate.baselines import FOLDER, find_baseline
from harness.gate.known_failures import FILE
from harness.gate.turns import parting
from harness.model import SampleId, Scenario, Transcript
from harness.scenarios import load_scenarios, scenario_ids
from harness.store import Run, find_runs, open_run

LEAST_ALPHA = 1e-6


def add_comparison(parser: argparse.ArgumentParser) -> None:
    """Add what `compare` and `gate` share."""
    parser.add_argument(
        "--common", action="store_true", help="compare what both sides share, and say what was left out"
    )
    parser.add_argument(
        "--margin", type=share, default=0.05, help="drop that is forgiven, as a share (default: %(default)s)"
    )
    parser.add_argument(
        "--alpha", type=share, default=0.05, help="share of unchanged pairs that may be called a regression "
        "(default: %(default)s)",
    )  # fmt: skip
    parser.add_argument("--target", metavar="NAME", help="which target of a run that holds several")
    parser.add_argument(
        "--baseline-target", metavar="NAME", help="which target of the baseline (default: as --target)"
    )
    add_baselines(parser)


def add_baselines(parser: argparse.ArgumentParser) -> None:
    """Add --baselines."""
    parser.add_argument(
        "--baselines", type=Path, default=FOLDER, metavar="DIR",
        help=f"the folder of baselines, with {FILE} (default: %(default)s)",
    )  # fmt: skip


def add_printed(parser: argparse.ArgumentParser) -> None:
    """Add --json and --markdown, of which one says what is printed."""
    printed = parser.add_mutually_exclusive_group()
    printed.add_argument("--json", action="store_true", help="print one JSON value on standard output")
    printed.add_argument(
        "--markdown", action="store_true",
        help="print Markdown for a job's step summary, or a comment on a pull request",
    )  # fmt: skip


def share(text: str) -> float:
    """Return the share that an option spells; it lies between 0 and 1."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"found {text!r}; use a share from 0 to below 1, as 0.05")
    return value


def check_alpha(alpha: float) -> None:
    """Raise InvalidInput where nobody could mean such a share of false alarms, or compute with it."""
    if not LEAST_ALPHA <= alpha <= 0.5:
        raise InvalidInput(f"--alpha: found {alpha}; use a share from {LEAST_ALPHA:g} up to 0.5, as 0.05")


def today() -> date:
    """Return the day by which known failures expire."""
    return datetime.now(UTC).date()


def terms(arguments: argparse.Namespace) -> Terms:
    """Return the terms that the arguments set."""
    check_alpha(arguments.alpha)
    return Terms(
        margin=arguments.margin,
        alpha=arguments.alpha,
        common=arguments.common,
        known=read_known_failures(arguments.baselines / FILE, today()),
    )


def sides(arguments: argparse.Namespace, candidate: str, baseline: str) -> tuple[Side, Side]:
    """Return candidate and baseline."""
    ours = _side(arguments, candidate, arguments.target)
    wanted = arguments.baseline_target
    if wanted is None:
        wanted = _same_target(arguments, baseline, arguments.target or ours.target)
    return ours, _side(arguments, baseline, wanted)


def baseline_of(arguments: argparse.Namespace, reference: str, target: str) -> Side:
    """Return the baseline of a candidate that is still to be recorded from this target."""
    wanted = arguments.baseline_target or _same_target(arguments, reference, target)
    return _side(arguments, reference, wanted)


def _same_target(arguments: argparse.Namespace, reference: str, name: str) -> str | None:
    """Return the candidate's target where the baseline is a run that has it among others."""
    if find_baseline(reference, arguments.baselines) is not None:
        return None
    targets = _run(reference, arguments).info.targets
    return name if name in targets and len(targets) > 1 else None


def _side(arguments: argparse.Namespace, reference: str, target: str | None) -> Side:
    file = find_baseline(reference, arguments.baselines)
    if file is not None:
        baseline, notes = accepted_baseline(file)
        side = replace(side_of_baseline(baseline, file), notes=notes)
        if target not in {None, side.target}:
            raise InvalidInput(f"{file}: {UnknownName('target', str(target), [side.target])}")
        return side
    run = _run(reference, arguments)
    return side_of_run(run, project_scenarios(arguments, run), target)


def _run(reference: str, arguments: argparse.Namespace) -> Run:
    try:
        return open_run(reference, arguments.out)
    except UnknownName as error:
        folder = arguments.baselines
        names = sorted(each.stem for each in folder.glob("*.json")) if folder.is_dir() else []
        known = [*(each.name for each in find_runs(arguments.out)), *names]
        raise InvalidRun(
            f"{arguments.out}, {folder}: {UnknownName('run or baseline', reference, known)}"
        ) from error


def project_scenarios(arguments: argparse.Namespace, run: Run) -> Mapping[str, Scenario]:
    """Return the scenarios of a run that are still in the project, by id."""
    here = project(arguments)
    present = [each for each in scenario_ids(here) if each in run.info.scenarios]
    return {each.id: each for each in load_scenarios(here, present)} if present else {}


def with_turns(verdict: Verdict, candidate: Side, baseline: Side) -> Verdict:
    """Return a verdict whose flips say where the conversations part, as far as transcripts are at hand."""
    if not verdict.flipped:
        return verdict
    ours = _transcripts(candidate, {each.sample for each in verdict.flipped})
    theirs = _transcripts(baseline, {each.baseline for each in verdict.flipped})
    flipped = tuple(
        replace(each, turn=found.turn, differs=found.how)
        if each.sample in ours
        and each.baseline in theirs
        and (found := parting(theirs[each.baseline], ours[each.sample]))
        else each
        for each in verdict.flipped
    )
    return replace(verdict, flipped=flipped)


def _transcripts(side: Side, samples: set[SampleId]) -> dict[SampleId, Transcript]:
    """Return the transcripts of some samples; a run that is gone, or cannot be read, has none."""
    found: dict[SampleId, Transcript] = {}
    for folder in side.runs:
        if (Path(folder) / "run.json").is_file():
            try:
                run = open_run(folder)
                found |= {each.id: each for each in run.transcripts() if each.id in samples}
            except HarnessError:
                continue
    return found


def told(candidate: Side, baseline: Side) -> str:
    """Return which sides are compared, in one line."""
    return f"candidate {candidate.target} ({candidate.place}), baseline {baseline.target} ({baseline.place})"

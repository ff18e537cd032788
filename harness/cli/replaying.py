"""What `harness run` does when its target is a recorded run."""

import argparse
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from harness.cli.output import say
from harness.conversation import tools_for
from harness.errors import InvalidInput, InvalidRun, ReplayMiss
from harness.pipeline import Plan, trials_of
from harness.store import Run, RunInfo
from harness.targets import Binding, ModelRequest, Target
from harness.targets.replay import Cassette, Replay, open_cassette

PREFIX = "replay:"
OLD = timedelta(days=90)
"""A model behind a name changes within such a time: a cassette that is older is worth a note."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what only a replay takes."""
    parser.add_argument(
        "--live-tools", action="store_true", help="with replay:DIR: tools answer anew, not as recorded"
    )
    parser.add_argument(
        "--max-age", type=_days, metavar="DAYS", help="with replay:DIR: end with 3 if it is older"
    )


def _days(text: str) -> timedelta:
    try:
        days = timedelta(days=float(text))
    except (ValueError, OverflowError):
        days = timedelta(0)
    if days <= timedelta(0):
        raise argparse.ArgumentTypeError(f"found {text!r}; use a number of days above 0")
    return days


def cassette_of(arguments: argparse.Namespace) -> Cassette | None:
    """Return the cassette that a run is to replay, if it is to.

    Raises:
        InvalidInput: a replay beside other targets, or an option of replays without one.
        ReplayMiss: the cassette is older than --max-age.
    """
    folders = [each.removeprefix(PREFIX) for each in arguments.target if each.startswith(PREFIX)]
    if not folders:
        given = {"--live-tools": arguments.live_tools, "--max-age": arguments.max_age}
        for option in (name for name, value in given.items() if value):
            msg = f"{option}: takes a replay; add -t replay:DIR"
            raise InvalidInput(msg)
        return None
    if len(arguments.target) > 1:
        msg = f"-t {PREFIX}{folders[0]}: a replay is a run of its own; leave the other targets out"
        raise InvalidInput(msg)
    cassette = open_cassette(Path(folders[0]), live_tools=arguments.live_tools)
    _check_age(cassette.run, arguments.max_age)
    return cassette


def _check_age(run: Run, limit: timedelta | None) -> None:
    try:
        created = datetime.fromisoformat(run.info.created)
    except ValueError as error:
        msg = f"{run.folder}: created {run.info.created!r}; use a date and time in ISO 8601"
        raise InvalidRun(msg) from error
    # A time without a zone is ours, and ours are UTC.
    age = datetime.now(UTC) - (created if created.tzinfo else created.replace(tzinfo=UTC))
    if limit is not None and age > limit:
        msg = (
            f"{run.folder}: recorded {age.days} days ago, on {run.info.created:.10}; --max-age allows "
            f"{limit / timedelta(days=1):g}; record it again"
        )
        raise ReplayMiss(msg)
    if age > OLD:
        say(f"note: {run.folder}: recorded {age.days} days ago; the model may answer otherwise today")


def reopened(info: RunInfo) -> Cassette | None:
    """Return the cassette that a stored run replayed, if it did."""
    for settings in info.targets.values():
        if settings.get("kind") == "replay":
            return open_cassette(Path(settings["cassette"]), live_tools=settings["live_tools"])
    return None


def check_openings(plan: Plan, targets: Sequence[Target]) -> None:
    """Raise ReplayMiss where the first request of a sample was never recorded, before there is a run."""
    for target in targets:
        if isinstance(target, Replay):
            for trial in trials_of(plan, target):
                request = ModelRequest(trial.prompt, tools_for(trial.contract), trial.seed)
                sample = target.sample(request, Binding(trial.scenario, trial.contract))
                target.cassette.check(sample, request)


def replay_notes(run: Run, targets: Sequence[Target]) -> list[str]:
    """Return what a replay has to report once a run is recorded: drift, leftovers."""
    cassettes = {id(each.cassette): each.cassette for each in targets if isinstance(each, Replay)}
    return [note for each in cassettes.values() for note in each.notes(run.finished())]

"""How `harness nightly` records a night: target after target, whatever became of the others."""

import argparse
import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

from harness import __version__
from harness.cli.beginning import Begun, begin
from harness.cli.budgeting import check_budget, open_budget, spent_before
from harness.cli.limiting import check_limits
from harness.cli.naming import configured
from harness.cli.output import project, say
from harness.cli.progress import progress
from harness.errors import HarnessError, InvalidInput, UnknownName
from harness.model import Scenario
from harness.nightly import Began, History, Night
from harness.nightly.lines import FLOOR
from harness.nightly.summing import nights_of_run, no_night
from harness.pipeline import Plan, contracts_for, grade_run, new_info, record, settle
from harness.scenarios import load_scenarios
from harness.scenarios.contracts import find_contracts, is_path
from harness.store import Run, create_run, open_run
from harness.targets.accounts import open_accounts

INTERRUPTED = 130
CORE = "core"
FIRST_DAY = date(2020, 1, 1)


@dataclass(slots=True)
class Asking:
    """What a night asks of whom."""

    date: str
    targets: list[str]
    plan: Plan
    canary: frozenset[str]

    @classmethod
    def of(cls, arguments: argparse.Namespace, tonight: str) -> "Asking":
        """Return what the arguments ask for.

        Raises:
            InvalidInput: there is no target, or a name, a contract or a canary means nothing.
        """
        here = project(arguments)
        scenarios = load_scenarios(here, arguments.scenario, arguments.tag)
        contracts = contracts_for(scenarios, find_contracts(arguments.contract, here))
        known = configured(arguments) if not all(":" in each for each in arguments.target or [""]) else {}
        targets = list(dict.fromkeys(arguments.target or known))
        if not targets:
            msg = "no target: name some in targets.yaml, or with -t (docs/how-to/nightly.md)"
            raise InvalidInput(msg)
        for each in targets:
            if ":" not in each and each not in known:
                raise UnknownName("target", each, known)
            if each.startswith("replay:"):
                raise InvalidInput(f"-t {each}: a replay says each night what was recorded; name a model")
        plan = Plan(scenarios, contracts, arguments.trials, seed_of(tonight))
        return cls(tonight, targets, plan, _canary(scenarios, arguments.canary))

    def counts(self, target: str) -> Counter[tuple[str, str]]:
        """Return how many trials a target is asked, by scenario and contract."""
        return Counter((each.scenario, each.contract) for each in self.plan.samples([target]))


def _counts(lines: Sequence[Night]) -> Counter[tuple[str, str]]:
    trials = Counter[tuple[str, str]]()
    for line in lines:
        trials += Counter({(name, line.contract): line.planned // len(line.cells) for name in line.cells})
    return trials


def seed_of(night: str) -> int:
    """Return the seed of a night: another each night, or no night would say anything that others have not."""
    return abs((date.fromisoformat(night) - FIRST_DAY).days)


def _canary(scenarios: list[Scenario], wanted: list[str]) -> frozenset[str]:
    if not wanted:
        found = frozenset(each.id for each in scenarios if CORE in each.tags)
        return found or frozenset(each.id for each in scenarios)
    names: set[str] = set()
    for want in wanted:
        meant = {each.id for each in scenarios if want in each.tags or fnmatchcase(each.id, want)}
        if not meant:
            raise InvalidInput(f"--canary {want}: is neither a tag nor an id of what is asked tonight")
        names |= meant
    return frozenset(names)


def record_night(asking: Asking, history: History, arguments: argparse.Namespace) -> bool:
    """Record what the night still lacks, target after target; return whether nobody interrupted it."""
    for number, target in enumerate(asking.targets, start=1):
        where = f"{asking.date} {target} ({number} of {len(asking.targets)})"
        told = partial(_say, quiet=arguments.quiet or arguments.json)
        lines = history.of(asking.date, target)
        if any(each.run for each in lines) and asking.counts(target) != _counts(lines):
            say(f"{where}: was asked otherwise tonight, and a night is asked once; this counts from the next")
        if lines and all(each.scored == each.planned for each in lines):
            told(f"{where}: recorded already")
            continue
        told(f"{where}: {'asked again where it gave no answer' if lines else 'asked'}")
        try:
            found = _record(target, asking, history, arguments)
        except HarnessError as error:
            say(f"{where}: {error}")
            if lines:
                say(f"{where}: what was recorded before stays")
                continue
            found = no_night(asking.plan, target, asking.date, "not_asked", __version__)
        if found is None:
            return False
        history.add(found)
    return True


def _say(text: str, *, quiet: bool) -> None:
    if not quiet:
        say(text)


def _record(
    target: str, asking: Asking, history: History, arguments: argparse.Namespace
) -> list[Night] | None:
    """Record one target's night, or go on with it, and return its lines; None where it was interrupted."""
    begun = _begun(target, asking, history, arguments)
    limit = None
    if arguments.max_cost is not None:
        limit = arguments.max_cost - _spent_otherwise(history, asking.date, begun.run)
        if limit <= 0:
            msg = f"--max-cost: tonight's other runs have spent all of ${arguments.max_cost:.2f}"
            raise InvalidInput(msg)
    check_budget(begun, limit)
    check_limits(begun)
    run = begun.run
    if run is None:
        info = new_info(begun.plan, begun.targets)
        runs = history.folder / "runs"
        # Said before there is a folder: so no folder is ever lost.
        history.add([Began(date=asking.date, target=target, run=str(runs / info.id))])
        run = create_run(runs, info)
    if not _recorded(begun, run, limit, arguments):
        return None
    scenarios = {each.id: each for each in begun.plan.scenarios}
    contracts = {each.id: each for each in begun.plan.contracts}
    grade_run(run, scenarios, contracts)
    history.notes += run.notes
    lines = nights_of_run(run, begun.plan, asking.date, asking.canary)
    if any(each.scored < FLOOR * each.planned for each in lines):
        say(f"{asking.date} {target}: too little could be scored; the same command asks again")
    return lines


def _spent_otherwise(history: History, tonight: str, run: Run | None) -> float:
    """Return the US dollars that a night has cost but for one run, whoever asked and however it ended."""
    others = history.runs(tonight) - ({run.folder} if run else set())
    return sum(spent_before(open_run(str(each))) for each in others if (each / "run.json").is_file())


def _begun(target: str, asking: Asking, history: History, arguments: argparse.Namespace) -> Begun:
    """Return the stored run of this night to go on with, or what a new one asks."""
    stored = history.began(asking.date, target)
    if stored and (Path(stored) / "run.json").is_file():
        folders = [each for each in arguments.contract if is_path(each)]
        try:
            found = begin(_as_run(["--retry-unscored", stored, *_contracts(folders)], arguments))
        except InvalidInput as error:
            say(f"{asking.date} {target}: begins anew: {error}")
        else:
            if found is not None:
                return found
    words = [
        "-t",
        target,
        "-n",
        str(arguments.trials),
        "--seed",
        str(asking.plan.seed),
        *_contracts(arguments.contract),
    ]
    words += [word for each in arguments.scenario for word in ("-s", each)]
    words += [word for each in arguments.tag for word in ("--tag", each)]
    found = begin(_as_run(words, arguments))
    if found is None:
        raise InvalidInput(f"{target}: nothing is to be asked")
    return found


def _contracts(named: list[str]) -> list[str]:
    return [word for each in named for word in ("-c", each)]


def _as_run(words: list[str], arguments: argparse.Namespace) -> argparse.Namespace:
    """Return what `harness run` would be told."""
    from harness.cli import parser_for

    words = ["run", *words]
    if arguments.project is not None:
        words += ["--project", str(arguments.project)]
    return parser_for(words).parse_args(words)


def _recorded(begun: Begun, run: Run, limit: float | None, arguments: argparse.Namespace) -> bool:
    """Record what is missing; return whether nobody interrupted it."""
    accounts = open_accounts(begun.targets, arguments.concurrency)
    budget = open_budget(begun, limit)
    run.info.status = "running"
    run.begin()
    done = run.finished(answered=begun.unscored_again)
    total = sum(1 for _ in begun.plan.samples(each.name for each in begun.targets))
    interrupted = True
    try:
        with progress(
            "recording", total, len(done), quiet=arguments.quiet or arguments.json, accounts=accounts
        ) as finished:
            asyncio.run(
                record(
                    run, begun.plan, begun.targets, done=done, concurrency=arguments.concurrency,
                    finished=finished, accounts=accounts, budget=budget,
                )
            )  # fmt: skip
        interrupted = False
    except (KeyboardInterrupt, asyncio.CancelledError):
        pass
    finally:
        stopped = budget.money.reached and not interrupted
        settle(run, total, "incomplete" if stopped else "interrupted")
    return not interrupted

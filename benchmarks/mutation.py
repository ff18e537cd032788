"""Do the tests notice when graders, extraction and contracts are changed? Mutants, and which of them survive.

    python benchmarks/mutation.py                              # a fixed part, about one in eight
    python benchmarks/mutation.py --write                      # and its figures into the page
    python benchmarks/mutation.py --part 1                     # another eighth
    python benchmarks/mutation.py --one-in 1                   # all of them; hours on two cores
    python benchmarks/mutation.py --go-on                      # after tests were added: what survived, again
    python benchmarks/mutation.py harness/graders/severity.py  # of one module; survivors with their change
    python benchmarks/mutation.py --key 'graders.severity.supported 0f3a91c2'

One process collects the tests, and notes which lines each of them runs and how long it takes. Each mutant
then has a forked copy of that process: its function is changed there, and the tests of its lines run until
one fails. Ends with 1 where more than 5 % of the mutants survive, or one that docs/reference/mutation.md does
not argue, or where an argued one is gone or is killed.
"""

import argparse
import gc
import os
import pickle
import re
import resource
import signal
import sys
import time
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from coverage import Coverage
from mutants import Mutant, mutants, put_in
from tabulate import tabulate

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "mutation.md"
JOURNAL = ROOT / ".venv" / "mutation.tsv"
"""What became of each mutant of the last run, as it goes."""
SCOPE = ("harness/graders", "harness/extraction", "harness/contracts")
"""Their modules, not their packages: contracts/schemas is held to the vendors' own transformers."""
SHELF = (
    "model",
    "contracts",
    "store",
    "cluster",
    "scenarios",
    "prompting",
    "targets",
    "extraction",
    "graders",
)
"""Packages with caches, each of which knows only those before it."""

TESTS = (
    "tests/graders",
    "tests/extraction",
    "tests/contracts",
    "tests/fuzzing/test_bounded_schemas.py",
    "tests/violations/test_splicing.py",
    "tests/exam/test_stratified_part.py",
)
WITHOUT = "not in_time and not in_a_moment and not rewritten_where_ci"
"""A loaded machine would kill for the clock, and a test that starts pytest again sees no mutant."""
IGNORED = ("tests/contracts/test_schema_oracles.py", "tests/contracts/test_schema_dialects.py")
"""They hold contracts/schemas, which is not in scope, to others' programs, slowly."""

AT_MOST = 0.05
ONE_IN = 8
PROCESSES = 2
SPARE_SECONDS = 4.0
MEMORY = 8 << 30

KILLED, SURVIVED, TIMED_OUT, UNREACHED, SAME = "killed", "survived", "timed out", "unreached", "same code"
ALIVE = frozenset({SURVIVED, UNREACHED})

Test = tuple[int, pytest.Item, float]
"""A test's number, itself, and the processor seconds that it takes."""
Outcomes = Mapping[str, str]
"""Key of a mutant -> what became of it."""


@dataclass(frozen=True)
class Reached:
    """What the unchanged code showed: seconds of each test, and by file and line the tests that run it."""

    seconds: dict[int, float]
    tests: dict[str, dict[int, set[int]]]

    def by(self, mutant: Mutant) -> set[int]:
        """Return the tests that run a line of the change; of the function where the change is a default."""
        lines = self.tests.get(mutant.file, {})
        found, within = (
            {test for line in several for test in lines.get(line, ())}
            for several in (mutant.lines, mutant.within)
        )
        return found or within


@dataclass
class Runner:
    """A pytest plugin whose run is: the tests once, then those that matter once for each mutant."""

    todo: Sequence[Mutant]

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self) -> None:
        """Let Hypothesis draw the same few examples every time, and stop at the first that fails."""
        from hypothesis import Phase, settings

        phases = [Phase.explicit, Phase.generate]
        settings.register_profile(
            "mutation", deadline=None, derandomize=True, database=None, max_examples=30, phases=phases
        )

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run everything in forked processes, so that no test sees what another one left."""
        # Made once, of the unchanged code, as it would be before any test of a run.
        sys.modules["test_stratified_part"].prepared()
        _caches()
        gc.freeze()
        reached: Reached = pickle.loads(_forked(lambda: pickle.dumps(_reached(session.items)), 1800)[1])  # noqa: S301
        _say(f"{len(session.items)} tests take {sum(reached.seconds.values()):.0f} s")
        children = [
            _begun(lambda: _try_all(self.todo[first::PROCESSES], session.items, reached))  # noqa: B023 - runs at once
            for first in range(PROCESSES)
        ]
        statuses = [os.waitpid(each, 0)[1] for each in children]
        if any(statuses):
            raise RuntimeError("a process that tried mutants ended early; see above")
        return True


def _begun(work: Callable[[], None]) -> int:
    """Return a forked process that does the work."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        work()
        status = 0
    except BaseException:  # noqa: BLE001 - printed; the parent sees the status
        traceback.print_exc(file=sys.__stderr__)
    finally:
        os._exit(status)


def _try_all(todo: Sequence[Mutant], items: Sequence[pytest.Item], reached: Reached) -> None:
    """Try some mutants, and write what became of each into the journal at once."""
    killers: dict[str, list[int]] = defaultdict(list)
    start = time.monotonic()
    for number, mutant in enumerate(todo, start=1):
        known = killers[f"{mutant.file} {mutant.function}"]
        chosen = reached.by(mutant)
        order = [each for each in known if each in chosen]
        order += sorted(chosen - set(order), key=lambda each: (reached.seconds[each], each))
        outcome, killer = _tried(mutant, [(each, items[each], reached.seconds[each]) for each in order])
        with JOURNAL.open("a", encoding="utf-8") as journal:
            journal.write(f"{mutant.key}\t{outcome}\n")
        if killer is not None:
            known[:] = [killer, *(each for each in known if each != killer)][:8]
        if outcome in ALIVE:
            _say(f"{outcome}: {mutant.key} line {mutant.lines.start}\n{mutant.change}")
        if not number % 25:
            _say(f"[{number} of {len(todo)}, {(time.monotonic() - start) / number:.2f} s each]")


def _tried(mutant: Mutant, tests: Sequence[Test]) -> tuple[str, int | None]:
    """Return what became of a mutant, and the test that killed it."""
    status, said = _forked(lambda: _judged(mutant, tests), SPARE_SECONDS)
    if os.WIFSIGNALED(status):
        return TIMED_OUT, None
    if said.isdigit():
        return KILLED, int(said)
    if said:
        return SAME, None
    return (SURVIVED if tests else UNREACHED), None


def _judged(mutant: Mutant, tests: Sequence[Test]) -> bytes:
    """Return the number of the first test that fails, or nothing."""
    if not put_in(mutant):
        return SAME.encode()
    _forget(SHELF[: SHELF.index(mutant.file.split("/")[1])])
    for position, (number, item, seconds) in enumerate(tests):
        signal.setitimer(signal.ITIMER_PROF, SPARE_SECONDS + 3 * seconds)
        following = tests[position + 1][1] if position + 1 < len(tests) else None
        if any(each.failed for each in runtestprotocol(item, log=False, nextitem=following)):
            return str(number).encode()
    return b""


@cache
def _caches() -> list[Any]:
    """Return the caches of the harness; those of the tests hold what the unchanged code made, as is meant."""
    kind = type(_caches)
    found: list[Any] = [each for each in gc.get_objects() if isinstance(each, kind)]
    return [each for each in found if str(each.__module__).startswith("harness")]


def _forget(kept: Sequence[str] = ()) -> None:
    """Empty the caches, but not those of packages that know nothing of what was changed."""
    for each in _caches():
        if each.__module__.split(".")[1] not in kept:
            each.cache_clear()


def _reached(items: Sequence[pytest.Item]) -> Reached:
    seconds: dict[int, float] = {}
    coverage = Coverage(data_file=None, include=[f"{ROOT}/{each}/*.py" for each in SCOPE], config_file=False)
    coverage.start()
    for number, item in enumerate(items):
        # What is cached is run by whoever comes first; each test is to show all that it needs.
        _forget()
        coverage.switch_context(str(number))
        start = time.process_time()
        following = items[number + 1] if number + 1 < len(items) else None
        reports = runtestprotocol(item, log=False, nextitem=following)
        if wrong := [each.longreprtext for each in reports if each.failed]:
            msg = f"{item.nodeid}: fails on the unchanged code; repair that first\n{wrong[0]}"
            raise RuntimeError(msg)
        seconds[number] = time.process_time() - start
    coverage.stop()
    data = coverage.get_data()
    tests = {
        str(Path(file).relative_to(ROOT)): {
            line: {int(each) for each in contexts if each}
            for line, contexts in data.contexts_by_lineno(file).items()
        }
        for file in data.measured_files()
    }
    return Reached(seconds, tests)


def _forked(work: Callable[[], bytes], seconds: float) -> tuple[int, bytes]:
    """Return the status of a forked process and what `work` returned in it, given so much processor time."""
    out, into = os.pipe()
    child = os.fork()
    if not child:
        _alone(out, seconds)
        try:
            said = work()
        except BaseException as error:  # noqa: BLE001 - a mutant may raise anything; the parent is told
            said = f"error: {type(error).__name__}: {error}".encode()
        with os.fdopen(into, "wb") as pipe:
            pipe.write(said)
        os._exit(0)
    os.close(into)
    with os.fdopen(out, "rb") as pipe:
        said = pipe.read()
    status = os.waitpid(child, 0)[1]
    if said.startswith(b"error: "):
        raise RuntimeError(said.decode())
    return status, said


def _alone(out: int, seconds: float) -> None:
    os.close(out)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for each in (0, 1, 2):
        os.dup2(nowhere, each)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    # What waits for something spends no processor time.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(1800)


def _say(text: str) -> None:
    os.write(2, f"\n{text}\n".encode())


# The page


def argued(page: str) -> dict[str, str]:
    """Return why a survivor changes nothing that anything can notice, by key, as the page says it."""
    return dict(re.findall(r"^\| `([\w.]+ [0-9a-f]{8})` \|.*\| (.+) \|$", page, re.MULTILINE))


def table(made: Sequence[Mutant], outcomes: Outcomes, reasons: Mapping[str, str]) -> str:
    """Return the outcomes by file, as a table in Markdown."""
    rows = [
        _row(file, [each.key for each in made if each.file == file], outcomes, reasons)
        for file in dict.fromkeys(each.file for each in made)
    ]
    total = ["all", *(sum(row[column] for row in rows) for column in range(1, 6))]
    headers = ["module", "mutants", "tried", "killed", "survived", "of these argued"]
    return tabulate([*rows, total], headers=headers, tablefmt="github")


def _row(file: str, keys: Sequence[str], outcomes: Outcomes, reasons: Mapping[str, str]) -> list[Any]:
    tried = [each for each in keys if outcomes.get(each, SAME) != SAME]
    alive = [each for each in tried if outcomes[each] in ALIVE]
    return [file, len(keys), len(tried), len(tried) - len(alive), len(alive), len({*alive} & {*reasons})]


def complaints(made: Sequence[Mutant], outcomes: Outcomes, reasons: Mapping[str, str]) -> list[str]:
    """Return what keeps the tests from having passed."""
    known = {each.key for each in made}
    modules = {each.rpartition(" ")[0].rpartition(".")[0] for each in known}
    alive = {key for key, outcome in outcomes.items() if outcome in ALIVE}
    tried = sum(outcome != SAME for outcome in outcomes.values())
    stale = [each for each in reasons if each.startswith(tuple(modules)) and each not in known]
    noticed = [each for each in reasons if outcomes.get(each, SURVIVED) not in ALIVE]
    return [
        *(
            [f"{len(alive) / tried:.1%} survive, at most {AT_MOST:.0%} may"]
            if len(alive) > AT_MOST * tried
            else []
        ),
        *(
            f"{each}: survives; kill it, or argue it in {PAGE.relative_to(ROOT)}"
            for each in sorted(alive - {*reasons})
        ),
        *(f"{each}: is argued, but no such mutant is left; take it out of the page" for each in stale),
        *(f"{each}: is argued, but is killed; take it out of the page" for each in noticed),
    ]


def summary(outcomes: Outcomes) -> str:
    """Return how many survive, with the 95 % interval that a part leaves open."""
    # Late: pytest rewrites the plugin of the harness, which must not have been imported by then.
    from harness.statistics.intervals import wilson

    alive = sum(outcome in ALIVE for outcome in outcomes.values())
    tried = sum(outcome != SAME for outcome in outcomes.values())
    interval = wilson(alive, tried)
    if interval is None:
        return "No mutant was tried."
    low, high = interval.low, interval.high
    return f"{alive} of {tried} survive: {alive / tried:.1%} (95 % Wilson interval {low:.1%} to {high:.1%})."


# The command


def _sources(only: Iterable[str]) -> list[Path]:
    if only:
        return [ROOT / each for each in only]
    return [each for folder in SCOPE for each in sorted((ROOT / folder).glob("*.py"))]


def _chosen(made: Sequence[Mutant], told: argparse.Namespace) -> list[Mutant]:
    """Return a part that is the same in every run: what the key's digest says, not where it stands."""
    if told.key:
        return [each for each in made if each.key in told.key]
    return [each for each in made if int(each.key[-8:], 16) % told.one_in == told.part]


def _kept() -> dict[str, str]:
    """Return what the journal says; the last word on a mutant counts."""
    if not JOURNAL.exists():
        return {}
    return dict(each.split("\t") for each in JOURNAL.read_text(encoding="utf-8").splitlines())


def main() -> int:
    """Make the mutants, run the tests against them, say what survived."""
    command = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    command.add_argument("files", nargs="*", help="modules to change, by default all in scope")
    command.add_argument(
        "--one-in", type=int, default=ONE_IN, metavar="N", help="a fixed part: about one in N"
    )
    command.add_argument("--part", type=int, default=0, help="which of the N parts, from 0 on")
    command.add_argument("--key", action="append", default=[], help="only this mutant; may be repeated")
    command.add_argument(
        "--go-on", action="store_true", help="what the last run killed stays so: tests were only added since"
    )
    command.add_argument(
        "--write", action="store_true", help="put the figures into docs/reference/mutation.md"
    )
    told = command.parse_args()
    os.chdir(ROOT)
    made = [each for file in _sources(told.files) for each in mutants(file, ROOT)]
    chosen = _chosen(made, told)
    if not told.go_on:
        JOURNAL.unlink(missing_ok=True)
    dead = {key for key, outcome in _kept().items() if outcome not in ALIVE}
    status = pytest.main(
        ["-q", "-s", "-p", "no:xdist", "-p", "no:cacheprovider", "-o", "timeout=0", "-k", WITHOUT,
         "--hypothesis-profile=mutation", *(f"--ignore={each}" for each in IGNORED), *TESTS],
        [Runner([each for each in chosen if each.key not in dead])],
    )  # fmt: skip
    if status:
        return int(status)
    kept = _kept()
    return _told(made, {each.key: kept[each.key] for each in chosen if each.key in kept}, write=told.write)


def _told(made: Sequence[Mutant], outcomes: Outcomes, *, write: bool) -> int:
    page = PAGE.read_text(encoding="utf-8")
    reasons = argued(page)
    figures = f"{table(made, outcomes, reasons)}\n\n{summary(outcomes)}"
    print(f"{figures}\n")
    if write:
        head, _, rest = page.partition("<!-- figures -->")
        _, _, tail = rest.partition("<!-- end -->")
        PAGE.write_text(f"{head}<!-- figures -->\n\n{figures}\n\n<!-- end -->{tail}", encoding="utf-8")
    wrong = complaints(made, outcomes, reasons)
    print("\n".join(wrong))
    return int(bool(wrong))


if __name__ == "__main__":
    raise SystemExit(main())

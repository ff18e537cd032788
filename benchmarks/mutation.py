"""Do the tests notice when graders, extraction and contracts are changed? Mutants, and which of them survive.

    python benchmarks/mutation.py                               # all of them; hours on one core
    python benchmarks/mutation.py --one-in 8 --write            # a fixed part, and docs/reference/mutation.md
    python benchmarks/mutation.py harness/graders/severity.py   # a module; survivors with their change
    python benchmarks/mutation.py --key 'graders.severity.supported 0f3a91c2'

One process collects the tests, and notes which lines each of them runs and how long it takes. Each mutant then has a
forked copy of that process: its function is changed there, and the tests of its lines run until one fails. Ends with
1 where more than 5 % of the mutants survive and are not argued in docs/reference/mutation.md.
"""

import argparse
import gc
import json
import os
import pickle
import re
import resource
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import _lru_cache_wrapper, cache
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from coverage import Coverage
from mutants import Mutant, mutants, put_in
from tabulate import tabulate

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "mutation.md"
SCOPE = ("harness/graders", "harness/extraction", "harness/contracts")
"""Their modules, not their packages: contracts/schemas is held to the vendors' own transformers."""

TESTS = (
    "tests/graders", "tests/extraction", "tests/violations/test_splicing.py", "tests/exam/test_stratified_part.py",
    "tests/contracts/test_contract_differences.py", "tests/contracts/test_contracts.py",
    "tests/contracts/test_reading.py", "tests/contracts/test_requests.py", "tests/contracts/test_rubric.py",
    "tests/contracts/test_schemas.py", "tests/contracts/test_golden.py",
)  # fmt: skip
CLOCKED = "not in_time and not in_a_moment and not rewritten_where_ci"
"""A loaded machine would kill for the clock, and a test that starts pytest again sees no mutant."""

AT_MOST = 0.05
SPARE_SECONDS = 4.0
MEMORY = 8 << 30

KILLED, SURVIVED, TIMED_OUT, UNREACHED, SAME = "killed", "survived", "timed out", "unreached", "same code"


@dataclass
class Tried:
    """The mutants of one file by outcome, and those that nothing noticed."""

    outcomes: Counter[str] = field(default_factory=Counter)
    alive: list[Mutant] = field(default_factory=list)


@dataclass(frozen=True)
class Reached:
    """What the unchanged code showed: seconds of each test, and by file and line the tests that run it."""

    seconds: dict[int, float]
    tests: dict[str, dict[int, set[int]]]


class Runner:
    """A pytest plugin whose run is: the tests once, then once for each mutant."""

    def __init__(self, todo: Sequence[Mutant]) -> None:
        self.todo = todo
        self.results: dict[str, Tried] = defaultdict(Tried)
        self.killers: dict[str, list[int]] = defaultdict(list)

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
        sys.modules["test_stratified_part"].prepared()
        _caches()
        gc.freeze()
        reached = pickle.loads(_forked(lambda: pickle.dumps(_reached(session.items)), 1800)[1])  # noqa: S301
        start = time.monotonic()
        for number, mutant in enumerate(self.todo, start=1):
            outcome = self._tried(mutant, session.items, reached)
            tried = self.results[mutant.file]
            tried.outcomes[outcome] += 1
            if outcome in {SURVIVED, UNREACHED}:
                tried.alive.append(mutant)
                sys.__stderr__.write(f"\n{outcome}: {mutant.key} line {mutant.lines[0]}\n{mutant.change}\n")
            if not number % 50:
                pace = (time.monotonic() - start) / number
                sys.__stderr__.write(f"\n[{number} of {len(self.todo)}, {pace:.2f} s each]\n")
            sys.__stderr__.flush()
        return True

    def _tried(self, mutant: Mutant, items: Sequence[pytest.Item], reached: Reached) -> str:
        lines = reached.tests.get(mutant.file, {})
        chosen = {test for line in range(mutant.lines[0], mutant.lines[1] + 1) for test in lines.get(line, ())}
        known = self.killers[f"{mutant.file} {mutant.function}"]
        order = [each for each in known if each in chosen]
        order += sorted(chosen - set(order), key=lambda each: (reached.seconds[each], each))
        limit = SPARE_SECONDS + 3 * sum(reached.seconds[each] for each in order)
        status, said = _forked(lambda: _judged(mutant, [(each, items[each]) for each in order]), limit)
        if os.WIFSIGNALED(status):
            return TIMED_OUT
        if said.isdigit():
            killer = int(said)
            known[:] = [killer, *(each for each in known if each != killer)][:8]
            return KILLED
        return SURVIVED if order or said == SAME.encode() else UNREACHED if said != SAME.encode() else SAME


def _judged(mutant: Mutant, items: Sequence[tuple[int, pytest.Item]]) -> bytes:
    """Return the number of the first test that fails, or nothing."""
    if not put_in(mutant):
        return SAME.encode()
    _forget()
    for position, (number, item) in enumerate(items):
        following = items[position + 1][1] if position + 1 < len(items) else None
        if _fails(item, following):
            return str(number).encode()
    return b""


def _fails(item: pytest.Item, following: pytest.Item | None) -> bool:
    return any(each.failed for each in runtestprotocol(item, log=False, nextitem=following))


@cache
def _caches() -> "list[_lru_cache_wrapper[Any]]":
    """Return the caches of the harness; those of the tests hold what the unchanged code made, as they should."""
    found = [each for each in gc.get_objects() if isinstance(each, _lru_cache_wrapper)]
    return [each for each in found if str(each.__module__).startswith("harness")]


def _forget() -> None:
    for each in _caches():
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
            line: {int(each) for each in contexts if each} for line, contexts in data.contexts_by_lineno(file).items()
        }
        for file in data.measured_files()
    }
    return Reached(seconds, tests)


def _forked(work: Callable[[], bytes], seconds: float) -> tuple[int, bytes]:
    """Return the status of a forked process, and what `work` returned in it; processor seconds are limited."""
    out, into = os.pipe()
    child = os.fork()
    if not child:
        _alone(out, seconds)
        try:
            said = work()
        except BaseException as error:  # noqa: BLE001 - a mutant may raise anything; the parent is told
            said = f"error: {error}".encode()
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
    signal.alarm(int(seconds * 20) + 60)


# The command


def _sources(only: Iterable[str]) -> list[Path]:
    if only:
        return [ROOT / each for each in only]
    return sorted(each for folder in SCOPE for each in (ROOT / folder).glob("*.py"))


def _part(made: Iterable[Mutant], one_in: int, key: str | None) -> list[Mutant]:
    """Return a part that is the same in every run: what the key's digest says, not where it stands."""
    return [
        each
        for each in made
        if (each.key.endswith(key) if key else int(each.key.rsplit(" ", 1)[1], 16) % one_in == 0)
    ]


def argued() -> dict[str, str]:
    """Return why a survivor changes nothing that matters, by key, as the page says it."""
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    return dict(re.findall(r"^\| `([\w.]+ [0-9a-f]{8})` \|.*\| (.+) \|$", text, re.MULTILINE))


def table(made: Counter[str], results: dict[str, Tried], reasons: dict[str, str]) -> str:
    """Return the outcomes by file, as a table in Markdown."""
    rows: list[list[Any]] = []
    for file, tried in sorted(results.items()):
        counts, excused = tried.outcomes, sum(each.key in reasons for each in tried.alive)
        run = sum(counts.values()) - counts[SAME]
        open_ = len(tried.alive) - excused
        rows.append([file, made[file], run, counts[KILLED], counts[TIMED_OUT], len(tried.alive), excused, open_])
    total = [sum(row[column] for row in rows) for column in range(1, 8)]
    headers = ["module", "mutants", "run", "killed", "timed out", "survived", "of these argued", "open"]
    return tabulate([*rows, ["all", *total]], headers=headers, tablefmt="github")


def main() -> int:
    """Make the mutants, run the tests against them, say what survived."""
    command = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    command.add_argument("files", nargs="*", help="modules to change, by default all in scope")
    command.add_argument("--one-in", type=int, default=1, metavar="N", help="a fixed part: about one in N")
    command.add_argument("--key", help="only the mutants whose key ends so")
    command.add_argument("--write", action="store_true", help="put the table into docs/reference/mutation.md")
    command.add_argument("--json", metavar="FILE", help="write the survivors there")
    told = command.parse_args()
    made = [each for file in _sources(told.files) for each in mutants(file, ROOT)]
    todo = _part(made, told.one_in, told.key)
    runner = Runner(todo)
    os.chdir(ROOT)
    status = pytest.main(
        ["-q", "-s", "-p", "no:xdist", "-p", "no:cacheprovider", "-o", "timeout=0", "-k", CLOCKED,
         "--hypothesis-profile=mutation", *TESTS],
        [runner],
    )  # fmt: skip
    if status:
        return int(status)
    return _told(made, runner, told)


def _told(made: Sequence[Mutant], runner: Runner, told: argparse.Namespace) -> int:
    reasons = argued()
    counts = Counter(each.file for each in made)
    text = table(counts, runner.results, reasons)
    alive = [each for tried in runner.results.values() for each in tried.alive]
    open_ = [each for each in alive if each.key not in reasons]
    run = sum(sum(each.outcomes.values()) - each.outcomes[SAME] for each in runner.results.values())
    share = len(open_) / run if run else 0.0
    print(f"{text}\n\n{len(open_)} of {run} survive without an argument: {share:.1%}; at most {AT_MOST:.0%} may.")
    if told.json:
        kept = [{"key": each.key, "line": each.lines[0], "change": each.change} for each in alive]
        Path(told.json).write_text(json.dumps(kept, indent=1, ensure_ascii=False), encoding="utf-8")
    if told.write:
        page = PAGE.read_text(encoding="utf-8")
        head, _, rest = page.partition("<!-- table -->")
        _, _, tail = rest.partition("<!-- end -->")
        PAGE.write_text(f"{head}<!-- table -->\n{text}\n<!-- end -->{tail}", encoding="utf-8")
    return int(share > AT_MOST)


if __name__ == "__main__":
    sys.exit(main())

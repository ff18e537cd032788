"""Progress of a run: a bar where a person watches, plain lines where nobody does."""

import sys
import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from harness.model import Transcript

if TYPE_CHECKING:
    from harness.targets.accounts import Account

Finished = Callable[[Transcript], None]
PLAIN_EVERY = 10.0
DRAWN_EVERY = 0.1


class Tally:
    """What was seen so far: samples, unscored ones, tokens, dollars. None of it is guessed."""

    def __init__(self, total: int, done: int, accounts: "Mapping[str, Account] | None" = None) -> None:
        self._accounts = accounts or {}
        self.total, self.done, self.resumed = total, done, done
        self.tokens, self.cost, self.priced = 0, 0.0, False
        self.failures: Counter[str] = Counter()
        self.started = time.monotonic()

    def add(self, transcript: Transcript) -> None:
        """Count one finished trial."""
        self.done += 1
        for turn in transcript.turns:
            self.tokens += (turn.usage.prompt_tokens or 0) + (turn.usage.completion_tokens or 0)
            if turn.usage.cost is not None:
                self.cost, self.priced = self.cost + turn.usage.cost, True
        if transcript.failure:
            self.failures[transcript.failure.cause] += 1

    def details(self) -> str:
        """Return rate, tokens, cost and failures in a few words."""
        seconds = max(time.monotonic() - self.started, 0.001)
        parts = [f"{(self.done - self.resumed) / seconds:.1f}/s"]
        paced = {each.name: each.pace.limit for each in self._accounts.values()}
        several = len(paced) > 1
        parts += [f"{limit} at once" + (f" ({name})" if several else "") for name, limit in paced.items()]
        if self.tokens:
            parts.append(f"{self.tokens:,} tokens")
        if self.priced:
            parts.append(f"${self.cost:.4f}")
        parts += [f"{count} unscored ({cause})" for cause, count in self.failures.most_common(3)]
        return "  ".join(parts)

    def left(self) -> float | None:
        """Return how many seconds are left at the rate so far, or None where none is known."""
        made = self.done - self.resumed
        seconds = time.monotonic() - self.started
        return seconds / made * (self.total - self.done) if made else None


@contextmanager
def progress(
    doing: str, total: int, done: int, *, quiet: bool, accounts: "Mapping[str, Account] | None" = None
) -> Generator[Finished]:
    """Yield a function that is told of each finished trial; `doing` is one word, as "recording".

    Of `accounts`, by target, the present limits are shown.
    """
    tally = Tally(total, done, accounts)
    if quiet:
        yield tally.add
    elif sys.stderr.isatty():
        with _bar(doing, tally) as finished:
            yield finished
    else:
        yield _lines(doing, tally)


def _lines(doing: str, tally: Tally) -> Finished:
    last = time.monotonic()

    def finished(transcript: Transcript) -> None:
        nonlocal last
        tally.add(transcript)
        now = time.monotonic()
        if now - last >= PLAIN_EVERY or (tally.done == tally.total and doing == "recording"):
            last = now
            left = tally.left()
            eta = f"  {left:.0f} s left" if left and tally.done < tally.total else ""
            print(f"{doing} {tally.done}/{tally.total} samples  {tally.details()}{eta}", file=sys.stderr)

    return finished


@contextmanager
def _bar(doing: str, tally: Tally) -> Generator[Finished]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn(doing),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[details]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=tally.total, completed=tally.done, details="")

        def finished(transcript: Transcript) -> None:
            tally.add(transcript)
            bar.update(task, completed=tally.done, details=tally.details())

        yield finished


@contextmanager
def counted(doing: str, *, quiet: bool) -> Generator[Callable[[int, int], None]]:
    """Yield a function that is told how much is done, and of how much; `doing` is one word, as "breaking"."""
    if quiet:
        yield lambda _done, _total: None
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import Progress

        drawn = 0.0
        # It draws itself: processes are forked meanwhile, and no thread of its own may hold a lock then.
        with Progress(console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
            task = bar.add_task(doing, total=None)

            def draw(done: int, total: int) -> None:
                nonlocal drawn
                is_due = time.monotonic() - drawn >= DRAWN_EVERY
                drawn = time.monotonic() if is_due else drawn
                bar.update(task, completed=done, total=total, refresh=is_due)

            yield draw
    else:
        last = time.monotonic()

        def tell(done: int, total: int) -> None:
            nonlocal last
            if time.monotonic() - last >= PLAIN_EVERY:
                last = time.monotonic()
                print(f"{doing} {done}/{total}", file=sys.stderr)

        yield tell

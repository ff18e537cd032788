"""The engine of one machine: processes that are forked, and share what is loaded."""

import gc
import multiprocessing
import os
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import chain, islice
from signal import SIG_DFL, SIGTERM, signal
from threading import Thread
from typing import Any

from harness.engines.engine import Done, Work
from harness.errors import EngineFailed

AHEAD = 2
"""How many works wait for each process."""


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """So many processes, no more than there are works; a single one is this process itself."""

    jobs: int

    def in_order(self, do: Callable[[Work], Done], works: Iterable[Work]) -> Generator[Done]:
        """Yield `do(each)` for each work, in order.

        Raises:
            EngineFailed: a process was ended from outside.
        """
        waiting = iter(works)
        first = list(islice(waiting, self.jobs))
        if len(first) < 2 or "fork" not in multiprocessing.get_all_start_methods():
            yield from map(do, chain(first, waiting))
        else:
            yield from _forked(do, chain(first, waiting), len(first))


def _forked(do: Callable[[Work], Done], works: Iterable[Work], jobs: int) -> Generator[Done]:
    # A fork shares what is loaded; what stays is not looked at by every collection in every process.
    gc.freeze()
    context = multiprocessing.get_context("fork")
    pool = ProcessPoolExecutor(jobs, context, initializer=_begin, initargs=(do, os.getpid()))
    waiting: deque[Future[Done]] = deque()
    try:
        for each in works:
            waiting.append(pool.submit(_do, each))
            while len(waiting) >= jobs * AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool as error:
        msg = "a process was ended from outside, as for want of memory; try fewer --jobs"
        raise EngineFailed(msg) from error
    finally:
        gc.unfreeze()
        pool.shutdown(wait=True, cancel_futures=True)


_DO: list[Callable[[Any], Any]] = []
"""What this process does, if it was forked to do it: inherited, so that it is not sent with every work."""


def _begin(do: Callable[[Any], Any], parent: int) -> None:
    _DO[:] = [do]
    # Whatever ends this process ends it alone: how the parent takes a signal is not its business.
    signal(SIGTERM, SIG_DFL)
    Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """End this process soon after its parent was killed: it would wait, and hold files, for ever."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _do(work: Any) -> Any:
    return _DO[0](work)

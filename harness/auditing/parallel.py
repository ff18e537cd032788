"""Judge pieces in several processes; results come in the order of the pieces, and few are under way."""

import gc
import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from harness.errors import HarnessError

Work = TypeVar("Work")
Done = TypeVar("Done")

AHEAD = 2
"""How many pieces wait for each process."""


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_order(do: Callable[[Work], Done], works: Iterable[Work], jobs: int) -> Generator[Done]:
    """Yield `do(each)` for each work, in order; a single job is done here.

    Raises:
        HarnessError: a process was ended from outside.
    """
    if jobs < 2 or "fork" not in multiprocessing.get_all_start_methods():
        yield from map(do, works)
        return
    # A fork shares what is loaded; what stays is not looked at by every collection in every process.
    gc.freeze()
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("fork"))
    waiting: deque[Future[Done]] = deque()
    try:
        for each in works:
            waiting.append(pool.submit(do, each))
            while len(waiting) >= jobs * AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool as error:
        msg = "audit: a process that judged was ended from outside, as for want of memory; try fewer --jobs"
        raise HarnessError(msg) from error
    finally:
        gc.unfreeze()
        pool.shutdown(wait=True, cancel_futures=True)

"""Work in several processes: in order, not far ahead, and told where a process is killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from harness.engines import local_engine, processors
from harness.engines.local import AHEAD
from harness.errors import EngineFailed


def slow_first(number: int) -> tuple[int, int]:
    time.sleep(0.2 if number == 0 else 0.0)
    return number, os.getpid()


def killed(number: int) -> int:
    if number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def inverse(number: int) -> float:
    return 1 / number


def test_results_come_in_the_order_of_the_work_from_other_processes() -> None:
    found = list(local_engine(2).in_order(slow_first, range(9)))

    assert [number for number, _ in found] == list(range(9))
    assert os.getpid() not in {process for _, process in found}


def test_one_job_is_done_here() -> None:
    assert list(local_engine(1).in_order(slow_first, range(2))) == [(0, os.getpid()), (1, os.getpid())]


def test_a_single_work_is_done_here_whatever_the_jobs() -> None:
    assert list(local_engine(4).in_order(slow_first, [3])) == [(3, os.getpid())]


@pytest.mark.parametrize("jobs", [2, 3])
def test_work_is_taken_no_further_ahead_than_is_under_way(jobs: int) -> None:
    taken: list[int] = []

    def works() -> Iterator[int]:
        for number in range(1, 50):
            taken.append(number)
            yield number

    results = local_engine(jobs).in_order(inverse, works())
    for _ in range(5):
        next(results)

    assert len(taken) == jobs * AHEAD + 4
    results.close()


def test_a_killed_process_is_told_in_one_line() -> None:
    with pytest.raises(EngineFailed, match=r"^a process was ended from outside"):
        list(local_engine(2).in_order(killed, range(4)))


def test_what_a_work_raises_is_raised() -> None:
    results = local_engine(2).in_order(inverse, [1, 0, 1])

    assert next(results) == 1
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_there_is_a_processor() -> None:
    assert processors() >= 1


ABANDONED = """
import time
from harness.engines import local_engine

def work(number):
    print(number, flush=True)
    time.sleep(60)

list(local_engine(2).in_order(work, range(4)))
"""


def test_processes_end_when_the_one_that_forked_them_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", ABANDONED], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        begun = {parent.stdout.readline() for _ in range(2)}
        parent.kill()
        # It ends when nobody is left who could write.
        left, _ = parent.communicate(timeout=20)

    assert (begun, left) == ({"0\n", "1\n"}, "")

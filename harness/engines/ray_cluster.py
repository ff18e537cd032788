"""The engine of a Ray cluster: works are its tasks, and are done again where a worker or a node is lost."""

import gc
import logging
import os
import socket
from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from platform import node
from typing import Any, NamedTuple

from harness import __version__
from harness.engines.engine import Done, Work
from harness.errors import EngineFailed, InvalidInput

AHEAD = 2
"""How many works are under way for each processor of the cluster."""

RETRIES = 5
"""How often a work is done again when what did it was lost; what is always lost may be at fault itself."""

PATIENCE = 10.0
"""Seconds in which a cluster has to be heard of: Ray itself waits for minutes."""

INSTALL = "pip install 'contract-harness[ray]'"


class Caller(NamedTuple):
    """Who gives works out: the version of the harness, and the folder that paths are relative to."""

    version: str
    folder: str


@contextmanager
def open_cluster(address: str | None, jobs: int) -> Generator["RayEngine"]:
    """Yield the engine of a cluster, or without an address of one with so many processors on this machine.

    What Ray would print on standard output, which may be one JSON value, goes nowhere.

    Raises:
        InvalidInput: Ray is not installed, or the address is of no cluster.
    """
    try:
        ray: Any = import_module("ray")
    except ImportError as error:
        raise InvalidInput(f"--engine ray: ray is not installed; install it with {INSTALL}") from error
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        try:
            _connect(ray, address, jobs)
            yield RayEngine(ray)
        finally:
            ray.shutdown()


def _connect(ray: Any, address: str | None, jobs: int) -> None:
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address:
        _knock(address)
    try:
        if address:
            ray.init(address, **quiet)
        else:
            ray.init("local", num_cpus=jobs, include_dashboard=False, **quiet)
    except Exception as error:
        where = f"--address {address}: " if address else "--engine ray: no cluster could be started: "
        raise InvalidInput(f"{where}{str(error).partition(chr(10))[0]}") from error


def _knock(address: str) -> None:
    """Raise InvalidInput where nothing listens; `auto` is looked up by Ray."""
    host, _, port = address.rpartition(":")
    if address == "auto":
        return
    if not host or "/" in host or not port.isdecimal():
        raise InvalidInput(f"--address: found {address!r}; use HOST:PORT or auto")
    try:
        socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise InvalidInput(f"--address {address}: no cluster answers there: {error}") from error


@dataclass(frozen=True, slots=True)
class RayEngine:
    """A cluster that this process is connected to."""

    ray: Any

    def in_order(self, do: Callable[[Work], Done], works: Iterable[Work]) -> Generator[Done]:
        """Yield `do(each)` for each work, in order; `do` is sent once, and works as they are needed.

        Raises:
            EngineFailed: a work was lost too often, or the cluster was.
        """
        shared = self.ray.put(do)
        task = self.ray.remote(max_retries=RETRIES)(_done)
        caller = Caller(__version__, str(Path.cwd()))
        waiting: deque[Any] = deque()
        try:
            for each in works:
                waiting.append(task.remote(caller, shared, each))
                while len(waiting) >= self._room():
                    yield self._result(waiting.popleft())
            while waiting:
                yield self._result(waiting.popleft())
        finally:
            # Whoever lets go of this after the cluster must not start another.
            for each in waiting if self.ray.is_initialized() else ():
                self.ray.cancel(each)

    def _room(self) -> int:
        """Return how many works may be under way: nodes come and go."""
        return AHEAD * max(int(self.ray.cluster_resources().get("CPU", 1)), 1)

    def _result(self, work: Any) -> Any:
        """Return what a work came to, or raise what it raised."""
        errors = self.ray.exceptions
        try:
            return self.ray.get(work)
        except errors.RayTaskError as error:
            raise getattr(error, "cause", None) or EngineFailed(str(error)) from error
        except errors.RayError as error:
            raise EngineFailed(
                f"the cluster lost a work {RETRIES + 1} times, or was lost itself ({type(error).__name__}); "
                f"what is done stays, and the same command goes on"
            ) from error


def _done(caller: Caller, do: Callable[[Work], Done], work: Work) -> Done:
    """Do a work on a node as the caller would have done it."""
    if caller.version != __version__:
        raise EngineFailed(
            f"{node()}: has harness {__version__}, and {caller.version} gives the works out; install the "
            f"same version on every node"
        )
    if Path(caller.folder).is_dir():
        os.chdir(caller.folder)
    # As the command line does: worlds are large trees without cycles.
    gc.set_threshold(100_000)
    return do(work)

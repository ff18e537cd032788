"""When nobody looks for cycles in memory: while a suite is loaded, and once the process ends."""

import atexit
import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def undisturbed() -> Generator[None]:
    """Let nobody look for cycles meanwhile: what is loaded has none, and looking takes as long as loading."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def end_quickly() -> None:
    """Let nobody look for cycles when the process ends: all that a session holds goes with it.

    Not before that: who asks for the holders of an object is told of none that are frozen.
    """
    # A process may have had a session before.
    atexit.unregister(gc.freeze)
    atexit.register(gc.freeze)

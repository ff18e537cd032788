"""Record samples in a thread with its own event loop, while the session goes on."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from threading import Thread

from harness.model import Transcript
from harness.pipeline import Plan, new_info, record, settle
from harness.store import create_run
from harness.targets import Target


class Recording:
    """One run under way, begun by making it; `stop` must follow."""

    def __init__(self, folder: Path, plan: Plan, targets: Sequence[Target], concurrency: int | None) -> None:
        """Make the run's folder and begin.

        Raises:
            InvalidRun: the folder cannot be made.
        """
        info = new_info(plan, targets).model_copy(update={"id": folder.name})
        self.run = create_run(folder.parent, info)
        self.run.begin()
        self.planned = sum(1 for _ in plan.samples(each.name for each in targets))
        self.complete = False
        self._loop = asyncio.new_event_loop()
        asking = record(self.run, plan, targets, done=(), concurrency=concurrency, finished=_heard)
        self._task = self._loop.create_task(asking)
        # A daemon, so that a session which dies without a word does not hang on it.
        self._thread = Thread(target=self._work, name="harness-recording", daemon=True)
        self._thread.start()

    def over(self) -> bool:
        """Return whether nothing more will come."""
        return not self._thread.is_alive()

    def stop(self) -> BaseException | None:
        """End recording, drop what is under way, and return what broke it, if anything did."""
        self._loop.call_soon_threadsafe(self._task.cancel)
        self._thread.join()
        self._loop.close()
        return None if self._task.cancelled() else self._task.exception()

    def _work(self) -> None:
        # Waiting for the task never raises: stop() tells what broke it.
        self._loop.run_until_complete(asyncio.wait([self._task]))
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        # Processes that cannot see this thread read from run.json that it is over.
        self.complete = settle(self.run, self.planned)


def _heard(_: Transcript) -> None:
    """Whoever waits for a transcript looks into the folder."""

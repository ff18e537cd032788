"""A worker: HolmesGPT in a process of its own, asked by lines of JSON."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from harness.errors import TargetUnavailable
from harness.targets.scrubbing import environment_secrets, scrubbed

WORKER = Path(__file__).with_name("holmes_worker.py")
LARGEST_LINE = 64 * 2**20
"""Bytes; an investigation of thirty turns with long logs stays below ten million."""
STARTING = 120.0
"""Seconds; cold, the imports take five, and on a loaded machine several times that."""
_LOG = "worker.log"
_END_OF_LOG = 2000


class Worker:
    """One process; it answers one line at a time."""

    def __init__(
        self, process: asyncio.subprocess.Process, home: Path, secrets: tuple[str | None, ...]
    ) -> None:
        """Take over a process that was just started."""
        self._process, self._home, self._secrets = process, home, secrets
        self._killed = False
        self.versions: Mapping[str, str] = {}

    async def ask(self, line: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Return the answer to one line.

        Whatever else than an answer comes, an interruption too, is the end of the process: the rest of an
        investigation that nobody waits for would still cost money.

        Raises:
            TargetUnavailable: none came in time, or none at all.
        """
        answered = False
        try:
            async with asyncio.timeout(seconds):
                answer = await self._exchange(line)
            answered = True
            return answer
        except TimeoutError:
            raise TargetUnavailable("timeout", f"HolmesGPT did not end within {seconds:g} s") from None
        finally:
            if not answered:
                self._kill()

    async def _exchange(self, line: Mapping[str, Any]) -> dict[str, Any]:
        writing, reading = self._process.stdin, self._process.stdout
        if writing is None or reading is None:
            msg = "the worker was started without pipes"
            raise TypeError(msg)
        try:
            writing.write(json.dumps(line).encode() + b"\n")
            await writing.drain()
            read = await reading.readline()
        except (ConnectionError, ValueError):
            # Of the two, ValueError is a line longer than anybody keeps.
            read = b""
        try:
            answer: Any = json.loads(read)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise TargetUnavailable(
                "worker", f"HolmesGPT's process ended or broke its protocol: {self._last_words()}"
            )
        return cast("dict[str, Any]", answer)

    @property
    def ready(self) -> bool:
        """Whether it can be asked again."""
        return not self._killed and self._process.returncode is None

    def _last_words(self) -> str:
        try:
            log = (self._home / _LOG).read_bytes()[-_END_OF_LOG:].decode("utf-8", "replace")
        except OSError:
            log = ""
        lines = [each for each in log.splitlines() if each.strip()]
        return scrubbed(lines[-1] if lines else "no word of why", *self._secrets, *environment_secrets())

    def _kill(self) -> None:
        self._killed = True
        if self._process.returncode is None:
            self._process.kill()

    async def close(self) -> None:
        """End the process: politely, by the end of its input, then not."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            async with asyncio.timeout(5):
                await self._process.wait()
        except TimeoutError:
            self._kill()
            await self._process.wait()


async def start(
    python: Path,
    home: Path,
    settings: Mapping[str, Any],
    secrets: tuple[str | None, ...],
    worker: Path = WORKER,
) -> Worker:
    """Return a worker that is ready.

    Args:
        python: the interpreter that has HolmesGPT.
        home: an empty folder, for what HolmesGPT writes into its home, and for the log.
        settings: the configuration; `home` is added.
        secrets: what no message may hold.
        worker: the script.

    Raises:
        TargetUnavailable: there is no such interpreter, or it has no HolmesGPT.
    """
    with (home / _LOG).open("wb") as log:
        try:
            # -I: neither the folder of the script nor variables like PYTHONPATH decide what is imported.
            process = await asyncio.create_subprocess_exec(
                python, "-I", worker,
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=log,
                cwd=home, limit=LARGEST_LINE, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            msg = f"{str(python)!r} cannot be run ({error.strerror}); name the interpreter that has HolmesGPT"
            raise TargetUnavailable("worker", msg) from None
    made = Worker(process, home, secrets)
    ready = False
    try:
        answer = await made.ask({**settings, "home": str(home)}, STARTING)
        if problem := answer.get("error"):
            said = scrubbed(f"{problem['type']}: {problem['text']}", *secrets, *environment_secrets())
            raise TargetUnavailable("worker", f"HolmesGPT cannot be loaded by {str(python)!r}: {said}")
        made.versions = answer["versions"]
        ready = True
        return made
    finally:
        if not ready:
            await made.close()

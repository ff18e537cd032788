"""Who goes first while a run is recorded: requests, then judging; and the disk beside both."""

import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from conftest import recorded

from harness.model import Message, Scenario, Transcript
from harness.pipeline import Plan, contracts_for, new_info, record
from harness.pipeline.aside import MOST, Aside
from harness.store import Run, create_run
from harness.targets import Binding, ModelReply, ModelRequest

LONG = 20.0
"""Seconds after which something that should have happened never will."""


class AtOnce:
    """A target whose replies all come together, some at a time; `events` hears of each request."""

    name = "double:at-once"
    settings: Mapping[str, Any] = {"kind": "double"}

    def __init__(self, together: int, events: list[str]) -> None:
        self._barrier = asyncio.Barrier(together)
        self._events = events

    async def reply(self, request: ModelRequest, binding: Binding) -> ModelReply:
        assert request.messages, binding
        self._events.append("asked")
        await self._barrier.wait()
        return ModelReply(Message("assistant", "{}"), "stop")

    async def close(self) -> None:
        pass


def recording(
    folder: Path, scenario: Scenario, events: list[str], *, trials: int, together: int
) -> Callable[[], None]:
    """Return what records trials of one scenario, and notes in `events` what happens."""
    plan = Plan([scenario], contracts_for([scenario], ()), trials, 0)

    async def scene() -> None:
        target = AtOnce(together, events)
        run = create_run(folder, new_info(plan, [target]))
        run.begin()
        await record(
            run, plan, [target], done=(), concurrency=together,
            finished=lambda _: events.append("heard"), take=lambda _: events.append("taken"),
        )  # fmt: skip
        run.end()

    return lambda: asyncio.run(scene())


def test_replies_that_come_at_once_are_all_answered_before_the_second_is_judged(
    tmp_path: Path, incident: Scenario
) -> None:
    events: list[str] = []

    recording(tmp_path, incident, events, trials=6, together=3)()

    places = {word: [at for at, each in enumerate(events) if each == word] for word in set(events)}
    assert {word: len(found) for word, found in places.items()} == {"asked": 6, "taken": 6, "heard": 6}
    assert places["asked"][5] < places["taken"][1]


def test_the_next_request_does_not_wait_for_the_disk_but_the_one_after_it_does(
    tmp_path: Path, incident: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []
    commit = Run.commit
    at_commit: list[list[str]] = []
    began = Event()

    def slow(run: Run) -> None:
        if not began.is_set():
            began.set()
            until = time.monotonic() + LONG
            while events.count("taken") < 2 and time.monotonic() < until:
                time.sleep(0.01)
            time.sleep(0.1)
            at_commit.append(list(events))
        commit(run)

    monkeypatch.setattr(Run, "commit", slow)

    recording(tmp_path, incident, events, trials=4, together=1)()

    [seen] = at_commit
    assert (seen.count("asked"), seen.count("taken"), seen.count("heard")) == (2, 2, 0)
    assert (events.count("asked"), events.count("heard")) == (4, 4)


def test_no_more_than_so_many_trials_wait_and_all_are_taken_in_the_end(incident: Scenario) -> None:
    said = recorded(incident)
    taken: list[Transcript] = []
    at_last = 0

    async def scene() -> None:
        nonlocal at_last
        async with asyncio.TaskGroup() as group:
            aside = Aside(taken.append, group)
            for _ in range(MOST + 5):
                aside.put(said)
            at_last = len(taken)

    asyncio.run(scene())

    assert (at_last, len(taken)) == (5, MOST + 5)


def test_what_judging_raises_is_raised(incident: Scenario) -> None:
    said = recorded(incident)

    def broken(_: Transcript) -> None:
        raise ZeroDivisionError

    async def scene() -> None:
        async with asyncio.TaskGroup() as group:
            Aside(broken, group).put(said)

    with pytest.raises(ExceptionGroup) as raised:
        asyncio.run(scene())

    assert isinstance(raised.value.exceptions[0], ZeroDivisionError)

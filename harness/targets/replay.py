"""A recorded run that answers in its targets' stead: exactly what was recorded, or an error.

A cassette is a run folder, and is never written to. A request is known by its sample and by the digest of
every message so far and every tool; what was never recorded is not guessed.
"""

import json
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness.errors import InvalidRun, ReplayMiss, TargetUnavailable
from harness.model import Message, SampleId, ToolCall, ToolSpec, Transcript, prompt_digest
from harness.store import Run, RunInfo, open_run
from harness.store.encoding import request_digest
from harness.store.secrets import refuse_secrets, secret_in
from harness.targets.protocol import SEEDS_PER_RUN, Binding, BrokeOff, ModelReply, ModelRequest, OwnWork
from harness.targets.scrubbing import scrubbed

AGENTS = {"holmes", "http"}
"""Kinds of targets that investigate by themselves."""
NAMED = 5
"""So many samples are named in a note; the others are counted."""
AROUND = 30
"""So many characters are shown before and after the place where two texts part."""


class Cassette:
    """A recorded run, and what was asked of it so far.

    Args:
        run: the recorded run.
        live_tools: whether tools answer from the world as it is now, not as it was recorded.
    """

    def __init__(self, run: Run, *, live_tools: bool = False) -> None:
        self.run = run
        self.live_tools = live_tools
        self.drift: list[str] = []
        self._recorded = {each.id: _checked(each, run) for each in run.transcripts()}
        self._replies: dict[SampleId, dict[str, int]] = {}
        self._asked: dict[SampleId, set[int]] = {}

    def targets(self) -> list["Replay"]:
        """Return a target for each that was recorded; they keep their names, so that samples do."""
        return [Replay(self, name) for name in self.run.info.targets]

    def position(self, sample: SampleId, request: ModelRequest) -> int:
        """Return which of a sample's recorded requests this is, from 0 on; raise ReplayMiss."""
        transcript = self._recorded.get(sample)
        if transcript is None:
            raise ReplayMiss(self._miss(sample, "turn 1, message 0: nothing was recorded of this sample"))
        if sample not in self._replies:
            self._replies[sample] = {key: index for index, key in enumerate(_requests(transcript))}
        found = self._replies[sample].get(request_digest(request.messages, request.tools))
        if found is None:
            raise ReplayMiss(self._miss(sample, _difference(transcript, request)))
        return found

    def reply(self, sample: SampleId, request: ModelRequest) -> ModelReply:
        """Return what was answered to this request.

        Raises:
            ReplayMiss: it was never recorded.
            TargetUnavailable: it was, and the target could not be asked then.
        """
        if self._is_an_agents(sample):
            return self._investigated(sample, request)
        index = self.position(sample, request)
        self._asked.setdefault(sample, set()).add(index)
        transcript = self._recorded[sample]
        if index == len(transcript.turns):
            raise _failure(transcript)
        turn = transcript.turns[index]
        return ModelReply(
            message=transcript.messages[turn.sent],
            finish_reason=turn.finish_reason,
            usage=turn.usage,
            model=turn.model,
            seconds=turn.seconds,
            attempts=turn.attempts,
            seed=turn.seed,
            wire=turn.wire,
        )

    def check(self, sample: SampleId, request: ModelRequest) -> None:
        """Raise ReplayMiss where a sample's first request was never recorded."""
        if self._is_an_agents(sample):
            self._investigation(sample, request)
        else:
            self.position(sample, request)

    def _is_an_agents(self, sample: SampleId) -> bool:
        return recorded_settings(self.run.info, sample.target).get("kind") in AGENTS

    def _investigation(self, sample: SampleId, request: ModelRequest) -> Transcript:
        transcript = self._recorded.get(sample)
        if transcript is None:
            raise ReplayMiss(self._miss(sample, "turn 1, message 0: nothing was recorded of this sample"))
        if transcript.digests.get("prompt") != prompt_digest(request.messages):
            raise ReplayMiss(self._miss(sample, "turn 1: the agent was given another prompt"))
        return transcript

    def _investigated(self, sample: SampleId, request: ModelRequest) -> ModelReply:
        """Return what an agent made of its prompt, whole: no request to its model was the harness's."""
        transcript = self._investigation(sample, request)
        self._asked[sample] = set(range(len(transcript.turns)))
        shown = OwnWork(
            transcript.messages, transcript.tools, transcript.turns, transcript.shows_tools, transcript.gaps
        )
        if transcript.failure:
            raise BrokeOff(transcript.failure.cause, transcript.failure.detail, shown)
        ended = transcript.turns[-1].finish_reason if transcript.turns else None
        work = replace(shown, messages=transcript.messages[:-1])
        return ModelReply(transcript.messages[-1], ended, work=work)

    def results(
        self, sample: SampleId, said: Sequence[Message], calls: Sequence[ToolCall], live: Sequence[Message]
    ) -> Sequence[Message]:
        """Return what answers the calls: the recorded messages, or those that the tools give now.

        Args:
            sample: whose conversation this is.
            said: every message until now; the last one makes the calls.
            calls: what is called.
            live: what the tools answer now; what differs from the recording is drift.
        """
        recorded = self._recorded[sample].messages[len(said) : len(said) + len(calls)]
        if self.live_tools or len(recorded) < len(calls):
            return live
        for index, (call, then, now) in enumerate(zip(calls, recorded, live, strict=True), start=len(said)):
            if (then.content or "") != (now.content or ""):
                called = scrubbed(f"{call.name}({call.arguments:.200})")
                self.drift.append(
                    f"drift: {sample}: message {index}: {called} answers otherwise now: "
                    f"{_parted(then.content, now.content)}"
                )
        return recorded

    def notes(self, done: Collection[SampleId]) -> list[str]:
        """Return what is to be reported at the end: the cassette's own notes, drift, and leftovers.

        Args:
            done: samples that need not be asked any more, as those of a run that went on.
        """
        return [*(f"cassette: {each}" for each in self.run.notes), *self.drift, *self._leftovers(done)]

    def _leftovers(self, done: Collection[SampleId]) -> Iterator[str]:
        never = [each for each in self._recorded if each not in self._asked and each not in done]
        if never:
            more = f" and {len(never) - NAMED} more" if len(never) > NAMED else ""
            named = ", ".join(str(each) for each in never[:NAMED])
            yield f"leftover: {len(never)} recorded samples were never asked for: {named}{more}"
        for sample, asked in self._asked.items():
            turns = [index + 1 for index in range(len(self._recorded[sample].turns)) if index not in asked]
            if turns:
                numbers = ", ".join(str(each) for each in turns)
                yield f"leftover: {sample}: recorded turns were never asked for: {numbers}"

    def _miss(self, sample: SampleId, why: str) -> str:
        return f"{self.run.folder}: {sample}: {why}; record it with: {recording(self.run.info, sample)}"


@dataclass(frozen=True)
class Replay:
    """One recorded target, under its own name."""

    cassette: Cassette
    name: str

    @property
    def settings(self) -> Mapping[str, Any]:
        """What a run records of it: where the recording is, and the settings that were recorded."""
        cassette = self.cassette
        return {
            "kind": "replay",
            "cassette": str(cassette.run.folder),
            "run": cassette.run.id,
            "live_tools": cassette.live_tools,
            "recorded": recorded_settings(cassette.run.info, self.name),
        }

    def sample(self, request: ModelRequest, binding: Binding) -> SampleId:
        """Return the sample that a request belongs to; its seed tells the trial."""
        trial = request.seed % SEEDS_PER_RUN
        return SampleId(binding.scenario.id, binding.contract.id, self.name, trial)

    async def reply(self, request: ModelRequest, binding: Binding) -> ModelReply:
        """Return the recorded reply; raise ReplayMiss where there is none."""
        return self.cassette.reply(self.sample(request, binding), request)

    async def close(self) -> None:
        """Nothing to let go of."""


def open_cassette(folder: Path, *, live_tools: bool = False) -> Cassette:
    """Return the recorded run in a folder.

    Raises:
        InvalidRun: it is no run, holds a line that seems to be a secret, or what no target could have said.
    """
    if not (folder / "run.json").is_file():
        msg = f"replay:{folder}: holds no run.json; a cassette is the folder of a run"
        raise InvalidRun(msg)
    refuse_secrets(folder)
    return Cassette(open_run(str(folder)), live_tools=live_tools)


def recorded_settings(info: RunInfo, target: str) -> Mapping[str, Any]:
    """Return the settings that a target was first recorded with: a replayed run names them too."""
    settings = info.targets[target]
    return settings["recorded"] if settings.get("kind") == "replay" else settings


def recording(info: RunInfo, sample: SampleId) -> str:
    """Return the command that records a sample as its run was recorded."""
    settings = recorded_settings(info, sample.target)
    packs = list(dict.fromkeys(recorded_settings(info, each).get("prompts") for each in info.targets))
    several = [each for each in packs if each]
    options = {
        "-t": sample.target.rpartition("+")[0] if settings.get("prompts") else sample.target,
        "-c": sample.contract,
        "-s": sample.scenario,
        "-n": max(info.trials, sample.trial),
        "--seed": info.seed,
        "--prompts": info.prompts,
        **{f"--{each.replace('_', '-')}": settings.get(each) for each in SETTINGS},
    }
    stated = [word for name, value in options.items() if value is not None for word in (name, str(value))]
    stated += [word for each in several for word in ("--prompts", str(each))]
    return shlex.join(["harness", "run", *stated])


SETTINGS = ("api_base", "temperature", "max_tokens", "timeout")
"""What options of the command line say of a target."""


def _checked(transcript: Transcript, run: Run) -> Transcript:
    """Return a transcript of which every turn has its reply; raise InvalidRun."""
    roles = [each.role for each in transcript.messages]
    if any(roles[turn.sent : turn.sent + 1] != ["assistant"] for turn in transcript.turns):
        msg = f"{run.folder}: {transcript.id}: a turn has no reply; record it again with `harness run`"
        raise InvalidRun(msg)
    return transcript


def _requests(transcript: Transcript) -> Iterator[str]:
    """Yield the digest of each recorded request, in order; the last may be one that nobody answered."""
    for turn in transcript.turns:
        yield request_digest(transcript.messages[: turn.sent], transcript.tools)
    if transcript.failure:
        yield request_digest(transcript.messages, transcript.tools)


def _failure(transcript: Transcript) -> TargetUnavailable:
    cause, detail = (transcript.failure.cause, transcript.failure.detail) if transcript.failure else ("", "")
    return TargetUnavailable(cause, detail)


def _difference(transcript: Transcript, request: ModelRequest) -> str:
    """Return where a request first parts from the recorded conversation: turn, message, and the texts."""
    turn = 1 + sum(each.role == "assistant" for each in request.messages)
    for index, now in enumerate(request.messages):
        if index >= len(transcript.messages):
            return f"turn {turn}: message {index} ({now.role}) was not recorded: the recording ends before it"
        then = transcript.messages[index]
        if request_digest([then], ()) != request_digest([now], ()):
            return f"turn {turn}: message {index} ({now.role}) differs: {_parted(_text(then), _text(now))}"
    names = _changed_tools(transcript.tools, request.tools)
    if names:
        return f"turn {turn}: the tools differ: {', '.join(names)}"
    return f"turn {turn}: no reply to message {len(request.messages) - 1} was recorded"


def _changed_tools(then: Sequence[ToolSpec], now: Sequence[ToolSpec]) -> list[str]:
    before = {each.name: request_digest((), (each,)) for each in then}
    after = {each.name: request_digest((), (each,)) for each in now}
    changed = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    return changed or (["their order"] if list(before) != list(after) else [])


def _text(message: Message) -> str:
    calls = "".join(f" {each.name}({each.arguments}) as {each.id}" for each in message.tool_calls)
    return f"{message.content or ''}{calls}"


def _parted(then: str | None, now: str | None) -> str:
    """Return the place where two texts part: short, on one line, in ASCII, and never a key."""
    before, after = then or "", now or ""
    at = next((i for i, (one, two) in enumerate(zip(before, after, strict=False)) if one != two), None)
    at = min(len(before), len(after)) if at is None else at
    secret = secret_in(before) or secret_in(after)
    if secret:
        return f"from character {at} on (not shown: there seems to be {secret})"
    part = slice(max(at - AROUND, 0), at + AROUND)
    return f"from character {at} on, recorded {json.dumps(before[part])}, now {json.dumps(after[part])}"

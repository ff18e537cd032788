"""Runs as OpenTelemetry spans of the GenAI conventions, one request in OTLP's JSON on each line.

A collector's file receiver reads spans.jsonl, and any OTLP/HTTP endpoint takes its lines one by one. A sample
is a trace: the agent's span, below it a span for each turn of the model and each call of a tool, and on it an
event `gen_ai.evaluation.result` for each clause that was judged. What was said stays in the run.
"""

import base64
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime
from hashlib import sha256
from importlib import import_module
from itertools import takewhile
from typing import Any, NamedTuple, cast

from harness import __version__
from harness.errors import InvalidInput
from harness.model import Message, Transcript, Turn
from harness.store import Run
from harness.store.scores import ScoreRow

EVENT = "gen_ai.evaluation.result"
VALUES = {"pass": 1.0, "fail": 0.0}
_SECOND = 10**9
_IDS = {"traceId", "spanId", "parentSpanId"}


class _Library(NamedTuple):
    """The modules of the extra `otel`, which ship no types that survive their releases."""

    sdk: Any
    trace: Any
    encoder: Any
    json_format: Any
    resource: Any


def render_spans(run: Run) -> Iterator[str]:
    """Yield one line for each graded or failed sample of a run.

    Raises:
        InvalidInput: the extra is not installed.
    """
    library = _library()
    rows: dict[str, list[ScoreRow]] = defaultdict(list)
    for row in run.scores():
        rows[row.sample].append(row)
    resource = library.resource.Resource({"service.name": "contract-harness", "service.version": __version__})
    for transcript in run.transcripts():
        spans = _Trace(library, resource, run.id, transcript).spans(rows[str(transcript.id)])
        request = library.json_format.MessageToDict(library.encoder.encode_spans(list(spans)))
        yield json.dumps(_with_hex_ids(request))


def _library() -> _Library:
    try:
        return _Library(
            import_module("opentelemetry.sdk.trace"),
            import_module("opentelemetry.trace"),
            import_module("opentelemetry.exporter.otlp.proto.common.trace_encoder"),
            import_module("google.protobuf.json_format"),
            import_module("opentelemetry.sdk.resources"),
        )
    except ImportError:
        msg = "report -f otel: OpenTelemetry's SDK is not installed; pip install 'contract-harness[otel]'"
        raise InvalidInput(msg) from None


class _Trace:
    """The spans of one sample, with ids that are the same whenever they are made."""

    def __init__(self, library: _Library, resource: Any, run_id: str, transcript: Transcript) -> None:
        self._library, self._resource = library, resource
        self._run_id, self._transcript = run_id, transcript
        self._seed = f"{run_id} {transcript.id}"
        self._trace_id = _id(self._seed, 16)
        self._made = 0

    def spans(self, rows: list[ScoreRow]) -> Iterator[Any]:
        """Yield the agent's span, and those of its turns and calls in their order."""
        transcript = self._transcript
        began = _nanoseconds(transcript.started)
        ended = began + sum(_length(each) for each in transcript.turns)
        agent = self._span(
            f"invoke_agent {transcript.id.scenario}",
            (began, ended),
            {
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.agent.name": transcript.id.target,
                "gen_ai.conversation.id": str(transcript.id),
                "harness.run": self._run_id,
                "harness.scenario": transcript.id.scenario,
                "harness.contract": transcript.id.contract,
                "harness.trial": transcript.id.trial,
                **({"error.type": transcript.failure.cause} if transcript.failure else {}),
            },
            events=[self._event(each, ended) for each in rows if each.outcome in VALUES],
        )
        yield agent
        now = began
        for turn, message, results in _turns(transcript):
            then = now + _length(turn)
            yield self._chat(agent, turn, (now, then))
            for call in message.tool_calls if message else ():
                answered = call.id in results
                attributes = {
                    "gen_ai.operation.name": "execute_tool",
                    "gen_ai.tool.name": _encodable(call.name),
                    "gen_ai.tool.call.id": _encodable(call.id),
                    **({} if answered else {"error.type": "unanswered"}),
                }
                yield self._span(f"execute_tool {_encodable(call.name)}", (then, then), attributes, agent)
            now = then

    def _chat(self, agent: Any, turn: Turn, between: tuple[int, int]) -> Any:
        given = {
            "gen_ai.request.seed": turn.seed,
            "gen_ai.response.model": turn.model,
            "gen_ai.response.finish_reasons": [turn.finish_reason] if turn.finish_reason else None,
            "gen_ai.usage.input_tokens": turn.usage.prompt_tokens,
            "gen_ai.usage.output_tokens": turn.usage.completion_tokens,
            "harness.cost_usd": turn.usage.cost,
            "harness.attempts": turn.attempts,
        }
        target = self._transcript.id.target
        attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": target.partition(":")[0],
            "gen_ai.request.model": target,
            **{name: value for name, value in given.items() if value is not None},
        }
        return self._span(f"chat {target}", between, attributes, agent, client=True)

    def _span(
        self,
        name: str,
        between: tuple[int, int],
        attributes: Mapping[str, Any],
        parent: Any = None,
        *,
        events: list[Any] | None = None,
        client: bool = False,
    ) -> Any:
        trace = self._library.trace
        self._made += 1
        context = trace.SpanContext(
            self._trace_id,
            _id(f"{self._seed} {self._made}", 8),
            is_remote=False,
            trace_flags=trace.TraceFlags(1),
        )
        return self._library.sdk.ReadableSpan(
            name=name[:300],
            context=context,
            parent=parent.get_span_context() if parent else None,
            resource=self._resource,
            attributes=dict(attributes),
            events=events or [],
            kind=trace.SpanKind.CLIENT if client else trace.SpanKind.INTERNAL,
            start_time=between[0],
            end_time=between[1],
        )

    def _event(self, row: ScoreRow, at: int) -> Any:
        attributes = {
            "gen_ai.evaluation.name": row.clause,
            "gen_ai.evaluation.score.label": row.outcome,
            "gen_ai.evaluation.score.value": VALUES[row.outcome],
            **({"gen_ai.evaluation.explanation": _encodable(row.reason)} if row.reason else {}),
        }
        return self._library.sdk.Event(EVENT, attributes, at)


def _turns(transcript: Transcript) -> Iterator[tuple[Turn, Message | None, set[str | None]]]:
    """Yield each turn with the message that it brought and the ids of the calls that were answered."""
    messages = transcript.messages
    for turn in transcript.turns:
        said = messages[turn.sent] if turn.sent < len(messages) else None
        results = takewhile(lambda each: each.role == "tool", messages[turn.sent + 1 :])
        yield turn, said, {each.tool_call_id for each in results}


def _id(text: str, size: int) -> int:
    """Return an id of so many bytes, never zero, which means none."""
    return int.from_bytes(sha256(text.encode()).digest()[:size]) or 1


def _nanoseconds(started: str) -> int:
    return int(datetime.fromisoformat(started).timestamp()) * _SECOND if started else 0


def _length(turn: Turn) -> int:
    return int(turn.seconds * _SECOND)


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _with_hex_ids(value: Any) -> Any:
    """Return a request with its ids as OTLP's JSON spells them; protobuf's own writes them in base64."""
    if isinstance(value, list):
        return [_with_hex_ids(each) for each in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    items = cast("dict[str, Any]", value).items()
    return {key: base64.b64decode(item).hex() if key in _IDS else _with_hex_ids(item) for key, item in items}

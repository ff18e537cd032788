"""report -f otel: what a collector reads is what the run holds, by the names of the conventions."""

import importlib.util
import json
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

import pytest

from harness.store import open_run
from tests.commanding import SUITE, harness, rows_of, run_of
from tests.parts import Talked

INSTALLED = importlib.util.find_spec("opentelemetry.exporter") is not None

pytestmark = [
    pytest.mark.part("inspect"),
    pytest.mark.skipif(not INSTALLED, reason="OpenTelemetry's SDK is not installed"),
]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record and report a run of a mock with failures."""
    made = run_of("run", "-t", "mock:rambler", *SUITE, "--out", str(tmp_path_factory.mktemp("runs")))
    assert harness("report", str(made), "-f", "otel").code == 0
    return made


def requests_of(run: Path) -> list[Any]:
    """Return the requests as the protocol's own library reads them."""
    service: Any = import_module("opentelemetry.proto.collector.trace.v1.trace_service_pb2")
    reader: Any = import_module("google.protobuf.json_format")
    lines = (run / "spans.jsonl").read_text(encoding="utf-8").splitlines()
    # Its JSON reader wants ids in base64, where the protocol has hexadecimal digits, as checked below.
    return [
        reader.Parse(json.dumps(_base64(json.loads(line))), service.ExportTraceServiceRequest())
        for line in lines
    ]


def _base64(value: Any) -> Any:
    from base64 import b64encode

    if isinstance(value, list):
        return [_base64(each) for each in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    items = cast("dict[str, Any]", value).items()
    ids = {"traceId", "spanId", "parentSpanId"}
    return {
        key: b64encode(bytes.fromhex(item)).decode() if key in ids else _base64(item) for key, item in items
    }


def spans_of(request: Any) -> list[Any]:
    return [
        span for resource in request.resource_spans for scope in resource.scope_spans for span in scope.spans
    ]


def attributes_of(thing: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in thing.attributes}


def test_a_sample_is_a_trace_of_its_turns_and_calls(run: Path, talked: Talked) -> None:
    transcripts = list(open_run(str(run)).transcripts())
    requests = requests_of(run)
    talked("OpenTelemetry SDK", version("opentelemetry-sdk"), len(requests))
    assert len(requests) == len(transcripts)
    for request, transcript in zip(requests, transcripts, strict=True):
        agent, *below = spans_of(request)
        names = [attributes_of(each)["gen_ai.operation.name"] for each in below]
        assert names.count("chat") == len(transcript.turns)
        calls = [call.name for message in transcript.messages for call in message.tool_calls]
        assert [n for each in below if (n := attributes_of(each).get("gen_ai.tool.name"))] == calls
        assert {each.parent_span_id for each in below} == {agent.span_id}
        assert {each.trace_id for each in [agent, *below]} == {agent.trace_id}
        assert len({each.span_id for each in [agent, *below]}) == 1 + len(below)
        assert attributes_of(agent)["gen_ai.conversation.id"] == str(transcript.id)


def test_verdicts_are_evaluation_events(run: Path) -> None:
    found = {
        (attributes_of(span)["gen_ai.conversation.id"], said["gen_ai.evaluation.name"]): (
            said["gen_ai.evaluation.score.label"], said["gen_ai.evaluation.score.value"],
        )
        for request in requests_of(run) for span in spans_of(request) for event in span.events
        if event.name == "gen_ai.evaluation.result" for said in [attributes_of(event)]
    }  # fmt: skip
    rows = {(each["sample"], each["clause"]): each["outcome"] for each in rows_of(run)}
    values = {"pass": 1.0, "fail": 0.0}
    assert found == {key: (each, values[each]) for key, each in rows.items() if each in values}
    assert ("fail", 0.0) in found.values()


def test_names_are_those_of_the_conventions(run: Path) -> None:
    conventions: Any = import_module("opentelemetry.semconv._incubating.attributes.gen_ai_attributes")
    names = [each for each in dir(conventions) if each.startswith("GEN_AI_")]
    known = {getattr(conventions, each) for each in names}
    used = {
        each.key
        for request in requests_of(run) for span in spans_of(request) for thing in [span, *span.events]
        for each in thing.attributes if each.key.startswith("gen_ai.")
    }  # fmt: skip
    assert used <= known, used - known


def test_ids_are_hexadecimal_and_the_same_whenever_they_are_made(run: Path) -> None:
    first = (run / "spans.jsonl").read_text(encoding="utf-8")
    assert harness("report", str(run), "-f", "otel").code == 0
    assert (run / "spans.jsonl").read_text(encoding="utf-8") == first
    span = json.loads(first.splitlines()[0])["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
    assert len(span["traceId"]) == 32
    assert len(span["spanId"]) == 16


def test_nothing_that_was_said_leaves_the_run(run: Path) -> None:
    written = (run / "spans.jsonl").read_text(encoding="utf-8")
    for transcript in open_run(str(run)).transcripts():
        for message in transcript.messages:
            assert not message.content or json.dumps(message.content)[1:60] not in written

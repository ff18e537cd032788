"""The analysis API over real HTTP: whose request it is, what its result has, and what is refused."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, Literal, NamedTuple

import aiohttp
import pytest
from conftest import PROJECT, recorded
from jsonschema import Draft202012Validator

from harness.errors import InvalidInput, TargetUnavailable
from harness.model import Message
from harness.model.scenario import Flow
from harness.scenarios import load_scenario
from harness.serving.api import Served, serve_api
from harness.serving.api_document import document
from harness.serving.api_requests import knowledge_of
from harness.targets import Binding, ModelReply, ModelRequest, Target, TargetOptions, open_target
from harness.targets.http_requests import deployed_request
from tests.doubles import Scripted
from tests.targets.openapi import documents

INCIDENT = load_scenario(PROJECT, "incident/oom-behind-latency")
RECOVERY = load_scenario(PROJECT, "recovery/scale-out-failed")
SCENARIOS = [INCIDENT, RECOVERY]
KNOWN = knowledge_of(SCENARIOS)
REQUESTS: dict[Flow, Any] = {
    each.binding.scenario.flow: deployed_request(
        each.binding.contract, each.binding.scenario, 1, "medium-low", 1
    )
    for each in KNOWN.values()
}
UNREADABLE = Scripted(Message("assistant", "I would rather not say."))


class Seen(NamedTuple):
    """One response."""

    status: int
    body: Any
    kind: str


Send = Callable[..., Awaitable[Seen]]


def talk(
    scene: Callable[[Send], Awaitable[Any]],
    *,
    target: Target | None = None,
    generation: Literal[1, 2] = 1,
    lines: list[str] | None = None,
) -> Any:
    """Return what a scene makes of a server."""

    async def play() -> Any:
        served = Served(target or open_target("mock:oracle", TargetOptions()), KNOWN, generation)
        log = lines if lines is not None else []
        async with serve_api(served, log=log.append) as url, aiohttp.ClientSession() as session:

            async def send(path: str, body: Any = None, method: str | None = None) -> Seen:
                payload = body if isinstance(body, bytes) else json.dumps(body).encode()
                how = method or ("GET" if body is None else "POST")
                async with session.request(
                    how, url + path, data=payload if body is not None else None
                ) as got:
                    text = await got.text()
                    return Seen(got.status, json.loads(text), got.content_type)

            return await scene(send)

    return asyncio.run(play())


def analyzed(flow: str, target: Target | None = None, **changed: Any) -> Seen:
    """Return the answer of the first generation to a scenario's request with some facts changed."""
    body: dict[str, Any] = {**REQUESTS["incident" if flow == "incident" else "recovery"], **changed}
    given = {name: value for name, value in body.items() if value is not None}
    return talk(lambda send: send(f"/api/v1/{flow}/analyze", given), target=target)


def said(scenario: Any) -> str:
    """Return the oracle's last message."""
    final = recorded(scenario).final
    return (final.content if final else None) or ""


def test_an_incident_is_answered_in_parts_and_word_for_word() -> None:
    seen = analyzed("incident")

    answer = json.loads(said(INCIDENT))
    assert seen == (
        200,
        {
            "incident_id": REQUESTS["incident"]["incident_id"],
            "analysis": said(INCIDENT),
            "root_cause_analysis": {
                "summary": answer["root_cause_assessment"],
                "severity": answer["rca_severity"],
            },
            "selected_workflow": answer["selected_workflow"],
            "confidence": answer["selected_workflow"]["confidence"],
            "timestamp": "2026-02-03T10:00:00+00:00",
            "alternative_workflows": [],
            "warnings": [],
            "needs_human_review": False,
            "human_review_reason": None,
        },
        "application/json",
    )


def test_a_recovery_has_every_part_that_the_first_generation_promised() -> None:
    """PSR-1."""
    body = analyzed("recovery").body

    answer = json.loads(said(RECOVERY))
    told = {name: body[name] for name in ("recovery_analysis", "recovery_strategy", "selected_workflow")}
    assert told == answer
    assert (body["is_recovery_attempt"], body["recovery_attempt_number"]) == (True, 2)
    assert (body["can_recover"], body["parse_error"]) == (True, None)
    assert body["analysis_confidence"] == answer["selected_workflow"]["confidence"]
    assert body["raw_analysis"] == said(RECOVERY)


def test_where_nothing_can_be_read_nothing_is_made_up() -> None:
    """PSR-2."""
    body = analyzed("recovery", UNREADABLE).body

    assert (body["can_recover"], body["analysis_confidence"], body["selected_workflow"]) == (False, 0.0, None)
    assert body["raw_analysis"] == "I would rather not say."
    assert body["parse_error"].startswith("no answer could be read")
    assert body["human_review_reason"] == "llm_parsing_error"


def test_a_breach_of_the_contract_is_told_and_logged_with_the_original_answer() -> None:
    """PSR-4."""
    answer: dict[str, Any] = {**json.loads(said(INCIDENT)), "rca_severity": "urgent"}
    answer["selected_workflow"] = {**answer["selected_workflow"], "confidence": 7}
    lines: list[str] = []
    target = Scripted(Message("assistant", json.dumps(answer)))

    seen = talk(
        lambda send: send("/api/v1/incident/analyze", REQUESTS["incident"]), target=target, lines=lines
    )

    assert json.loads(seen.body["analysis"]) == answer
    assert (seen.body["confidence"], seen.body["needs_human_review"]) == (0.0, True)
    assert [each.split(":")[0] for each in seen.body["warnings"]] == [
        "the answer breaks its contract at /rca_severity",
        "the answer breaks its contract at /selected_workflow/confidence",
    ]
    assert sum("breaks its contract" in each for each in lines) == 2


@pytest.mark.parametrize(
    "selection", ["a workflow", ["w"], {"workflow_id": "w", "confidence": "high"}, {"confidence": True}, None]
)
def test_a_hostile_selection_keeps_the_shape_of_the_api(selection: Any) -> None:
    answer: dict[str, Any] = {
        "root_cause_assessment": "x",
        "selected_workflow": selection,
        "alternative_workflows": [1, {}],
    }
    body = analyzed("incident", Scripted(Message("assistant", json.dumps(answer)))).body

    assert (body["confidence"], body["alternative_workflows"]) == (0.0, [])
    assert body["selected_workflow"] == (selection if isinstance(selection, dict) else None)
    declined = body["human_review_reason"] == "no_matching_workflows"
    assert declined is (selection is None)


def test_a_request_is_known_by_its_facts_where_its_id_is_not() -> None:
    assert analyzed("incident", incident_id="inc-of-somebody").status == 200


@pytest.mark.parametrize(
    "changed",
    [
        {"incident_id": "inc-of-somebody", "resource_name": "other"},
        {"resource_namespace": "elsewhere"},
        {"signal_type": "Other"},
    ],
)
def test_a_request_without_a_scenario_has_no_answer(changed: dict[str, Any]) -> None:
    seen = analyzed("incident", **changed)

    assert (seen.status, seen.kind) == (404, "application/problem+json")
    assert set(seen.body) == {"type", "title", "detail", "status", "instance"}


@pytest.mark.parametrize(
    "changed",
    [
        {"remediation_id": ""},
        {"remediation_id": None},
        {"recovery_attempt_number": 0},
        {"is_recovery_attempt": False},
        {"enrichment_results": None},
        {"previous_execution": None},
    ],
)
def test_a_recovery_that_says_too_little_is_refused(changed: dict[str, Any]) -> None:
    """REQ-2."""
    seen = analyzed("recovery", **changed)

    assert (seen.status, seen.kind) == (422, "application/problem+json")
    assert seen.body["detail"].startswith(next(iter(changed)))


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("reason", "The pod was not ready", 422),
        ("reason", "QuotaOfSomethingNew", 200),
        ("failed_step_index", -1, 422),
        ("failed_step_index", 1.0, 200),
        ("failed_at", "yesterday", 422),
        ("execution_time", "long", 422),
    ],
)
def test_how_it_failed_is_said_in_codes_and_numbers(name: str, value: Any, status: int) -> None:
    """REQ-2."""
    past: dict[str, Any] = REQUESTS["recovery"]["previous_execution"]
    seen = analyzed("recovery", previous_execution={**past, "failure": {**past["failure"], name: value}})

    assert seen.status == status, seen.body
    if value == "QuotaOfSomethingNew":
        assert "no reason code that is known" in seen.body["warnings"][0]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b"[" * 100_000])
def test_a_body_that_is_none_is_refused(body: bytes) -> None:
    seen = talk(lambda send: send("/api/v1/incident/analyze", body))

    assert (seen.status, seen.body["title"]) == (422, "Not such a request")


def test_a_path_or_method_that_is_not_served_is_a_problem() -> None:
    async def scene(send: Send) -> list[tuple[int, str]]:
        found = [await send("/api/v1/other/analyze", {}), await send("/health", {}, "DELETE")]
        return [(each.status, each.kind) for each in found]

    assert talk(scene) == [(404, "application/problem+json"), (405, "application/problem+json")]


def test_a_target_that_cannot_be_asked_is_a_problem_of_the_service() -> None:
    seen = analyzed("incident", Scripted(TargetUnavailable("rate_limited", "slow down")))

    assert (seen.status, seen.body["detail"]) == (503, "rate_limited: slow down")


async def finished(send: Send, session: str) -> Seen:
    """Return the state of a session once it has ended."""
    while True:
        seen = await send(session)
        if seen.body["status"] in {"completed", "failed"}:
            return seen
        await asyncio.sleep(0.01)


def test_a_session_goes_from_asked_to_answered() -> None:
    async def scene(send: Send) -> tuple[Seen, Seen, Seen]:
        asked = await send("/api/v1/incident/analyze", REQUESTS["incident"])
        session = f"/api/v1/incident/session/{asked.body['session_id']}"
        state = await finished(send, session)
        return asked, state, await send(f"{session}/result")

    asked, state, result = talk(scene, generation=2)

    assert asked.status == 202
    assert state.body == {"session_id": asked.body["session_id"], "status": "completed"}
    assert (result.status, result.body) == (200, analyzed("incident").body)


def test_the_second_generation_tells_no_strategy_and_no_raw_text_of_a_recovery() -> None:
    async def scene(send: Send) -> Seen:
        asked = await send("/api/v1/recovery/analyze", REQUESTS["recovery"])
        session = f"/api/v1/recovery/session/{asked.body['session_id']}"
        await finished(send, session)
        return await send(f"{session}/result")

    body = talk(scene, generation=2).body
    assert body["can_recover"]
    assert not {"recovery_strategy", "raw_analysis"} & set(body)


class Slow(Scripted):
    """A target that does not answer in time."""

    async def reply(self, request: ModelRequest, binding: Binding) -> ModelReply:
        await asyncio.Event().wait()
        return await super().reply(request, binding)


def test_a_result_is_not_ready_while_the_target_thinks() -> None:
    async def scene(send: Send) -> tuple[Seen, Seen]:
        asked = await send("/api/v1/incident/analyze", REQUESTS["incident"])
        session = f"/api/v1/incident/session/{asked.body['session_id']}"
        return await send(session), await send(f"{session}/result")

    state, result = talk(scene, target=Slow(), generation=2)

    assert state.body["status"] in {"pending", "investigating"}
    assert (result.status, result.kind) == (409, "application/problem+json")


def test_a_session_fails_where_the_target_cannot_be_asked_and_may_be_asked_for_again() -> None:
    target = Scripted(TargetUnavailable("timeout", "no answer"))

    async def scene(send: Send) -> tuple[Seen, Seen, int]:
        asked = await send("/api/v1/incident/analyze", REQUESTS["incident"])
        session = f"/api/v1/incident/session/{asked.body['session_id']}"
        state = await finished(send, session)
        result = await send(f"{session}/result")
        await send("/api/v1/incident/analyze", REQUESTS["incident"])
        await finished(send, session)
        return state, result, len(target.requests)

    state, result, asked = talk(scene, target=target, generation=2)

    assert (state.body["status"], state.body["error"]) == ("failed", "timeout: no answer")
    assert (result.status, result.body["error_detail"]) == (500, "timeout: no answer")
    assert asked == 2


def test_the_same_request_has_the_same_session_and_no_other_flow_finds_it() -> None:
    async def scene(send: Send) -> tuple[str, str, str, int]:
        again = {**REQUESTS["incident"], "remediation_id": "req-2"}
        ids = [
            (await send("/api/v1/incident/analyze", each)).body["session_id"]
            for each in (REQUESTS["incident"], REQUESTS["incident"], again)
        ]
        return (*ids, (await send(f"/api/v1/recovery/session/{ids[0]}")).status)

    one, same, other, elsewhere = talk(scene, generation=2)

    assert one == same != other
    assert elsewhere == 404


def test_the_first_generation_has_no_sessions() -> None:
    assert talk(lambda send: send("/api/v1/incident/session/s-1")).status == 404


def test_a_trial_is_the_number_that_the_remediation_ends_in() -> None:
    target = Scripted(Message("assistant", "{}"))
    analyzed("incident", target, remediation_id="req-abc-300007")
    analyzed("incident", target, remediation_id="req-abc")

    assert [each.seed for each in target.requests] == [300_007, 1]


def test_health_and_what_can_be_asked_are_told() -> None:
    async def scene(send: Send) -> list[Any]:
        return [(await send(path)).body for path in ("/health", "/ready", "/scenarios")]

    health, ready, scenarios = talk(scene)

    assert (health["status"], ready) == ("healthy", {"status": "ready", "target": "mock:oracle"})
    assert {each["scenario"]: each["request"] for each in scenarios} == {
        INCIDENT.id: REQUESTS["incident"],
        RECOVERY.id: REQUESTS["recovery"],
    }


def test_the_log_has_a_line_for_each_request_and_stays_on_it() -> None:
    lines: list[str] = []
    talk(lambda send: send("/api/v1/incident/analyze", REQUESTS["incident"]), lines=lines)

    assert len(lines) == 1
    assert lines[0].startswith(f"POST /api/v1/incident/analyze 200 {INCIDENT.id} seed=1 ")


def test_a_port_that_is_taken_is_said_in_one_line() -> None:
    async def scene() -> None:
        served = Served(open_target("mock:oracle", TargetOptions()), KNOWN, 1)
        async with (
            serve_api(served, log=print) as url,
            serve_api(served, port=int(url.rpartition(":")[2]), log=print),
        ):
            pass

    with pytest.raises(InvalidInput, match="cannot listen there"):
        asyncio.run(scene())


@pytest.mark.parametrize("target", [None, UNREADABLE], ids=["oracle", "unreadable"])
@pytest.mark.parametrize("flow", ["incident", "recovery"])
def test_a_result_is_what_the_document_says(
    flow: Literal["incident", "recovery"], target: Target | None
) -> None:
    about = talk(lambda send: send("/openapi.json")).body
    assert about == document(1, REQUESTS)

    schema = {**about["components"]["schemas"][f"{flow.capitalize()}Response"]}
    validator: Any = Draft202012Validator(schema)
    assert list(validator.iter_errors(analyzed(flow, target).body)) == []


def test_results_are_those_of_the_real_services() -> None:
    for real in documents():
        for flow in ("incident", "recovery"):
            schema = f"{flow.capitalize()}Response"
            for target in (None, UNREADABLE):
                if real.has(schema):
                    assert real.breaches(schema, analyzed(flow, target).body) == [], (real.file, flow)

"""http:URL against a fake service: what is sent, waited for, asked again, and given up."""

import asyncio
import json
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest
from conftest import PROJECT

from harness.contracts import DEFAULT_BY_FLOW, load_contract
from harness.errors import InvalidInput, TargetUnavailable
from harness.model import Message
from harness.scenarios import load_scenario
from harness.targets import Binding, ModelReply, ModelRequest, TargetOptions, open_target
from harness.targets.configured import open_entry, open_recorded, read_targets
from harness.targets.http import RESUBMISSIONS, open_http
from harness.targets.retrying import RetryPolicy
from tests.targets.deployed import RESULT, Deployed, Step, deployed

KEY = "canary-9f3b7c21d4"
INCIDENT = load_scenario(PROJECT, "incident/oom-behind-latency")
RECOVERY = load_scenario(PROJECT, "recovery/scale-out-failed")
REQUEST = ModelRequest((Message("user", "What is wrong?"),), (), 300_002)
ACCEPTED = Step(202, {"session_id": "s-1"})
GONE = Step(404, {"title": "Not found", "detail": "no such session"})


def ask(
    service: Deployed,
    query: str = "generation=2",
    *,
    scenario: Any = INCIDENT,
    options: TargetOptions | None = None,
) -> tuple[ModelReply, list[float]]:
    """Return the reply of a service, and for how long was waited."""
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    async def scene() -> ModelReply:
        async with deployed(service) as url:
            policy = RetryPolicy(attempts=2, base=0.01, sleep=sleep)
            target = open_http(f"{url}?{query}", options or TargetOptions(api_key=KEY), retry=policy)
            try:
                binding = Binding(scenario, load_contract(DEFAULT_BY_FLOW[scenario.flow]))
                return await target.reply(REQUEST, binding)
            finally:
                await target.close()

    return asyncio.run(scene()), pauses


def failure(service: Deployed, query: str = "generation=2", **more: Any) -> TargetUnavailable:
    """Return why there is no reply."""
    with pytest.raises(TargetUnavailable) as caught:
        ask(service, query, **more)
    return caught.value


def test_a_session_is_polled_until_it_has_a_result() -> None:
    states = [Step(200, {"status": each}) for each in ("pending", "investigating", "running", "completed")]
    service = Deployed(state=states)

    reply, pauses = ask(service, "generation=2&poll=7")

    assert service.asked == ["post", "state", "state", "state", "state", "result"]
    assert pauses == [7.0, 7.0, 7.0]
    assert json.loads(reply.message.content or "")["selected_workflow"] == RESULT["selected_workflow"]
    assert json.loads(reply.message.reasoning or "") == RESULT
    assert (reply.attempts, reply.seed, reply.finish_reason) == (1, None, "stop")


def test_nothing_of_the_investigation_is_shown() -> None:
    work = ask(Deployed())[0].work

    assert work is not None
    assert not work.shows_tools
    assert [(each.sent, each.attempts) for each in work.turns] == [(0, 1)]
    assert set(work.gaps) == {"request", "prompt", "arguments", "results", "order", "wording"}


def test_the_first_generation_answers_at_once() -> None:
    service = Deployed(post=[Step(200, RESULT)])

    reply, pauses = ask(service, "generation=1")

    assert (service.asked, pauses) == (["post"], [])
    assert reply.message.content


def test_the_key_goes_out_as_a_bearer_token_with_every_request() -> None:
    service = Deployed()
    ask(service)

    assert {headers["Authorization"] for _, headers, _ in service.seen} == {f"Bearer {KEY}"}


def test_without_a_key_nothing_is_claimed() -> None:
    service = Deployed()
    ask(service, options=TargetOptions())

    assert all("Authorization" not in headers for _, headers, _ in service.seen)


@pytest.mark.parametrize("lost", ["state", "result"])
def test_a_session_that_is_gone_is_asked_for_anew(lost: str) -> None:
    service = (
        Deployed(state=[GONE, Step(200, {"status": "completed"})])
        if lost == "state"
        else Deployed(result=[GONE, Step(200, RESULT)])
    )

    reply, _ = ask(service)

    posts = [body for kind, _, body in service.seen if kind == "post"]
    assert (len(posts), posts[0] == posts[1], reply.attempts) == (2, True, 2)


def test_a_service_that_forgets_every_session_is_given_up() -> None:
    service = Deployed(state=[GONE])

    assert failure(service).cause == "session_lost"
    assert service.asked.count("post") == 1 + RESUBMISSIONS


def test_a_result_that_is_not_ready_is_waited_for() -> None:
    service = Deployed(result=[Step(409, {"detail": "not yet"}), Step(200, RESULT)])

    _, pauses = ask(service)

    assert pauses == [15.0]
    assert service.asked == ["post", "state", "result", "state", "result"]


@pytest.mark.parametrize("state", ["failed", "cancelled"])
def test_a_failed_investigation_is_no_answer(state: str) -> None:
    said = failure(Deployed(state=[Step(200, {"status": state, "error": f"no model, key {KEY}"})]))

    assert (said.cause, said.retry) == ("investigation_failed", False)
    assert "no model" in said.detail
    assert KEY not in said.detail


def test_a_result_that_says_failed_is_no_answer_and_not_asked_for_again() -> None:
    service = Deployed(result=[Step(500, {"session_id": "s-1", "status": "failed", "error_detail": "broke"})])

    assert failure(service).detail.startswith("broke")
    assert service.asked == ["post", "state", "result"]


@pytest.mark.parametrize(
    ("status", "cause", "posts"),
    [(401, "bad_key", 1), (403, "forbidden", 1), (422, "bad_request", 1), (503, "server_error", 2)],
)
def test_a_refusal_has_its_cause_and_tells_no_key(status: int, cause: str, posts: int) -> None:
    problem = {"title": "Refused", "detail": f"token {KEY} is not welcome", "status": status}
    service = Deployed(post=[Step(status, problem)])

    said = failure(service)

    assert said.cause == cause
    assert f"HTTP {status}: Refused: token" in said.detail
    assert KEY not in said.detail
    assert service.asked == ["post"] * posts


@pytest.mark.parametrize("generation", [1, 2])
def test_an_investigation_that_never_ends_is_given_up(generation: int) -> None:
    hangs, began = Deployed(post=[Step(None)]), perf_counter()

    said = failure(hangs, f"generation={generation}&patience=0.2")

    assert (said.cause, said.retry) == ("timeout", False)
    assert "no result within 0.2 s" in said.detail
    assert perf_counter() - began < 2


def test_a_key_does_not_follow_a_redirect() -> None:
    service = Deployed(post=[Step(302, "", Location="/elsewhere")])

    assert failure(service).cause == "bad_response"
    assert service.asked == ["post", "post"]


def test_a_poll_that_hangs_is_sent_again() -> None:
    service = Deployed(state=[Step(None), Step(200, {"status": "completed"})])

    ask(service, options=TargetOptions(timeout=0.2))

    assert service.asked == ["post", "state", "state", "result"]


@pytest.mark.parametrize(
    "service",
    [
        Deployed(post=[Step(202, {"session_id": "../config"})]),
        Deployed(post=[Step(202, {})]),
        Deployed(post=[Step(202, "not json")]),
        Deployed(state=[Step(200, {"status": "daydreaming"})]),
        Deployed(result=[Step(200, [1, 2])]),
        Deployed(result=[Step(200, {"analysis": "x" * (5 * 2**20)})]),
    ],
    ids=["path", "no-session", "no-json", "unknown-state", "list", "too-large"],
)
def test_what_no_such_service_says_is_a_bad_response(service: Deployed) -> None:
    assert failure(service).cause == "bad_response"


def test_the_third_generation_has_no_recovery() -> None:
    service = Deployed()

    assert failure(service, "generation=3", scenario=RECOVERY).cause == "unsupported"
    assert service.seen == []


def test_an_address_alone_says_its_kind() -> None:
    told = {
        name: open_target(name, TargetOptions()).name
        for name in ("http://a:1", "https://a?generation=3", "http:http://a:1/?generation=2&poll=15")
    }
    assert told == {
        "http://a:1": "http:http://a:1?generation=2",
        "https://a?generation=3": "http:https://a?generation=3",
        "http:http://a:1/?generation=2&poll=15": "http:http://a:1?generation=2",
    }


@pytest.mark.parametrize(
    "address",
    [
        "http:nowhere",
        "http://user:pass@a",
        "http://a?generation=4",
        "http://a?poll=0",
        "http://a?poll=soon",
        "http://a?analysis=maybe",
        "http://a?token=abc",
        "http://a?poll=1&poll=2",
        "http://a#top",
    ],
)
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(InvalidInput):
        open_target(address, TargetOptions())


def test_what_a_run_records_opens_the_same_target_again() -> None:
    address = "http://a:1?generation=3&poll=2&patience=60&analysis=raw&severities=medium-low"
    options = TargetOptions(api_key=KEY, api_key_env="TOKEN", name="prod")
    target = open_http(address, options)

    again = open_recorded("prod", target.settings)

    assert KEY not in json.dumps(dict(target.settings))
    assert (again.name, again.settings) == ("prod", target.settings)
    assert open_http(address, TargetOptions()).name == f"http:{address}"


def written(folder: Path, text: str) -> Path:
    """Return a folder whose targets.yaml has one service."""
    lines = ["prod:", "  kind: http", *(f"  {each}" for each in text.splitlines())]
    (folder / "targets.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def test_a_service_of_targets_yaml_is_the_one_of_its_address(tmp_path: Path) -> None:
    text = "api_base: https://a:8443\napi: {generation: 3, poll: 5, analysis: raw}\napi_key_env: TOKEN"
    entry = read_targets(written(tmp_path, text))["prod"]

    target = open_entry("prod", entry, key=KEY)

    assert entry.means == "http:https://a:8443?generation=3&poll=5&analysis=raw"
    assert target.name == "prod"
    assert (target.settings["api_base"], target.settings["api_key_env"]) == ("https://a:8443", "TOKEN")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("api: {generation: 2}", "targets.yaml"),
        ("api_base: https://a\napi: {generation: 4}", "prod.api.generation: found 4"),
        ("api_base: https://a\napi: {pol: 4}", "did you mean 'poll'?"),
        ("api_base: https://a\nmodel: gpt", "targets.yaml:4: prod.model: a service chooses its own"),
        (
            "api_base: https://a\nsettings: {temperature: 0}",
            "prod.settings.temperature: a service takes none",
        ),
        ("api_base: https://a\nkind: openai\nmodel: m\napi: {generation: 1}", "prod.api: only kind http"),
    ],
)
def test_a_service_that_cannot_be_asked_so_is_refused(text: str, said: str, tmp_path: Path) -> None:
    folder = written(tmp_path, text)
    if "kind: openai" in text:
        file = folder / "targets.yaml"
        file.write_text(file.read_text(encoding="utf-8").replace("  kind: http\n", ""), encoding="utf-8")

    with pytest.raises(InvalidInput) as caught:
        read_targets(folder)

    assert said in str(caught.value)

"""Faults over real HTTP: what each does to an exchange that was right, and which requests it hits."""

import asyncio
import json
from collections.abc import Mapping
from time import perf_counter
from typing import Any, NamedTuple

import aiohttp
import pytest

from harness.cli import main
from harness.contracts import load_contract
from harness.errors import HarnessError
from harness.model import Message, ToolCall
from harness.prompting import render
from harness.scenarios.load import CHECKOUT
from harness.serving.faults import FAULTS, REFUSAL, UNDECLARED_TOOL
from harness.serving.injecting import OPTIONS, hits_of, read_injection
from harness.serving.openai import bindings_for, serve
from harness.targets import Target
from tests.doubles import Scripted, small_scenario

CONTRACT = load_contract("workflow-selection-2.7")
SCENARIO = small_scenario()
OTHER = small_scenario("recovery/other", alert="the disk is full")
BINDINGS = bindings_for([SCENARIO, OTHER], [CONTRACT])
KEY = "canary-5e0b71"
CALLS = Message(
    "assistant", None, (ToolCall("c1", "look", '{"at": "pod"}'), ToolCall("c2", "search", '{"query": "OOM"}'))
)
ANSWER = Message("assistant", "It ran out of memory.")


class Seen(NamedTuple):
    """One response, how long it took, and what the log says of it."""

    status: int
    text: str
    headers: Mapping[str, str]
    seconds: float

    @property
    def error(self) -> Any:
        return json.loads(self.text)["error"]

    @property
    def choice(self) -> Any:
        return json.loads(self.text)["choices"][0]


def asked_for(scenario: str = SCENARIO.id, **fields: Any) -> dict[str, Any]:
    """Return the body of a first request of a scenario."""
    one = SCENARIO if scenario == SCENARIO.id else OTHER
    return {"messages": [{"role": "user", "content": render(one, CONTRACT)[0].content}], **fields}


def play(
    *faults: str, bodies: list[dict[str, Any]] | None = None, target: Target | None = None
) -> tuple[list[Seen], list[str]]:
    """Return what a server with these faults answers to the bodies, one after the other, and its log."""

    async def scene() -> tuple[list[Seen], list[str]]:
        lines: list[str] = []
        injections = [read_injection(each) for each in faults]
        async with (
            serve(target or Scripted(CALLS, ANSWER), BINDINGS, log=lines.append, faults=injections) as server,
            aiohttp.ClientSession(headers={"Authorization": f"Bearer {KEY}"}) as session,
        ):
            url = f"{server.url}/chat/completions"
            return [await _sent(session, url, each) for each in bodies or [asked_for()]], lines

    return asyncio.run(scene())


async def _sent(session: aiohttp.ClientSession, url: str, body: Mapping[str, Any]) -> Seen:
    began = perf_counter()
    async with session.post(url, json=body) as response:
        text = await response.text()
        return Seen(response.status, text, dict(response.headers), perf_counter() - began)


def first(*faults: str, **fields: Any) -> Seen:
    """Return what the first request gets."""
    return play(*faults, bodies=[asked_for(**fields)])[0][0]


FAILURES = [
    ("bad-key", 401, "invalid_api_key"),
    ("forbidden", 403, "permission_denied"),
    ("not-found", 404, "model_not_found"),
    ("request-timeout", 408, "request_timeout"),
    ("rate-limited", 429, "rate_limit_exceeded"),
    ("rate-limited-wait", 429, "rate_limit_exceeded"),
    ("server-error", 500, "internal_error"),
    ("unavailable", 503, "service_unavailable"),
    ("overloaded", 529, "overloaded_error"),
    ("context-overflow", 400, "context_length_exceeded"),
    ("filtered-prompt", 400, "content_policy_violation"),
]


@pytest.mark.parametrize(("fault", "status", "code"), FAILURES, ids=[each[0] for each in FAILURES])
def test_a_failure_has_the_status_and_the_code_of_the_provider(fault: str, status: int, code: str) -> None:
    seen = first(fault)

    assert (seen.status, seen.error["code"]) == (status, code)
    assert seen.headers["Content-Type"] == "application/json; charset=utf-8"


def test_retry_after_is_sent_where_the_fault_has_one() -> None:
    assert "Retry-After" not in first("rate-limited").headers
    assert first("rate-limited-wait").headers["Retry-After"] == "1"
    assert first("rate-limited-wait:seconds=7").headers["Retry-After"] == "7"


def test_a_bad_key_and_a_page_of_html_quote_the_key() -> None:
    assert KEY in first("bad-key").error["message"]
    assert KEY in first("html-page").text


@pytest.mark.parametrize(("fault", "status"), [("html-page", 200), ("bad-gateway", 502)])
def test_html_comes_as_html(fault: str, status: int) -> None:
    seen = first(fault)

    assert (seen.status, seen.headers["Content-Type"]) == (status, "text/html; charset=utf-8")
    assert seen.text.startswith("<html>")


def test_a_temperature_is_refused_where_one_is_sent() -> None:
    with_it = first("unsupported-parameter", temperature=0.2)

    assert (with_it.status, with_it.error["param"]) == (400, "temperature")
    assert first("unsupported-parameter").status == 200


def test_a_malformed_body_is_half_of_the_right_one() -> None:
    right, half = first(), first("malformed-body")

    assert (half.status, half.headers["Content-Type"]) == (200, right.headers["Content-Type"])
    assert len(half.text) == len(right.text) // 2
    with pytest.raises(ValueError, match=r"Unterminated|Expecting"):
        json.loads(half.text)


def test_a_reset_connection_says_nothing() -> None:
    with pytest.raises(aiohttp.ClientConnectionError):
        first("reset")


def test_a_cut_off_body_begins_rightly_and_does_not_end() -> None:
    with pytest.raises(aiohttp.ClientPayloadError):
        first("cut-off")


def test_a_slow_answer_comes_whole_and_late() -> None:
    seen = first("slow-answer:seconds=0.3")

    assert seen.choice == first().choice
    assert 0.3 <= seen.seconds < 5


def test_a_slow_body_comes_whole_in_pieces() -> None:
    async def scene() -> list[tuple[float, bytes]]:
        faults = [read_injection("slow-drip:seconds=0.5")]
        async with (
            serve(Scripted(CALLS), BINDINGS, log=print, faults=faults) as server,
            aiohttp.ClientSession() as session,
            session.post(f"{server.url}/chat/completions", json=asked_for()) as response,
        ):
            began = perf_counter()
            return [(perf_counter() - began, piece) async for piece in response.content.iter_any()]

    pieces = asyncio.run(scene())

    assert len(pieces) > 3
    assert 0.3 < pieces[-1][0] - pieces[0][0] < 5
    assert json.loads(b"".join(piece for _, piece in pieces))["choices"][0] == first().choice


def test_whoever_does_not_wait_is_logged_and_not_waited_for() -> None:
    async def scene() -> list[str]:
        lines: list[str] = []
        faults = [read_injection("slow-answer:seconds=60")]
        async with (
            serve(Scripted(CALLS), BINDINGS, log=lines.append, faults=faults) as server,
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=0.2)) as session,
        ):
            with pytest.raises(TimeoutError):
                await _sent(session, f"{server.url}/chat/completions", asked_for())
        return lines

    (line,) = asyncio.run(scene())

    assert line.startswith(f"POST /v1/chat/completions 499 {SCENARIO.id} ")
    assert line.endswith(" fault=slow-answer")


# Faults of replies

TOOL_RESULTS: list[dict[str, Any]] = [
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "OOMKilled"},
]


def second(*faults: str) -> Seen:
    """Return what a request gets whose conversation has a tool result: without a fault, the answer."""
    body = asked_for()
    return play(*faults, bodies=[{**body, "messages": [*body["messages"], *TOOL_RESULTS]}])[0][0]


def test_without_a_fault_tools_are_called_and_then_the_answer_is_given() -> None:
    assert [each["function"]["name"] for each in first().choice["message"]["tool_calls"]] == [
        "look",
        "search",
    ]
    assert second().choice["message"]["content"] == ANSWER.content


def test_malformed_arguments_are_the_last_calls_alone() -> None:
    calls = first("malformed-arguments").choice["message"]["tool_calls"]

    assert [each["function"]["arguments"] for each in calls] == ['{"at": "pod"}', '{"query"']
    assert second("malformed-arguments").choice == second().choice


def test_an_unknown_tool_is_called_beside_the_others() -> None:
    choice = first("unknown-tool").choice

    assert [each["function"]["name"] for each in choice["message"]["tool_calls"]] == [
        "look", "search", UNDECLARED_TOOL,
    ]  # fmt: skip
    assert choice["finish_reason"] == "tool_calls"
    assert second("unknown-tool").choice == second().choice


def test_an_endless_loop_makes_the_first_calls_again_under_new_ids() -> None:
    one, other = first("endless-loop").choice["message"], second("endless-loop").choice["message"]

    assert [each["function"] for each in one["tool_calls"]] == [
        each["function"] for each in other["tool_calls"]
    ]
    assert not {each["id"] for each in one["tool_calls"]} & {each["id"] for each in other["tool_calls"]}


@pytest.mark.parametrize(
    ("fault", "message", "finish_reason"),
    [
        ("empty-answer", {"content": ""}, "stop"),
        ("refusal", {"content": None, "refusal": REFUSAL}, "stop"),
        ("content-filter", {"content": ""}, "content_filter"),
        ("truncated", {"content": "It ran out"}, "length"),
    ],
)
def test_an_answer_is_replaced_or_cut(fault: str, message: dict[str, Any], finish_reason: str) -> None:
    choice = second(fault).choice

    assert choice["message"] == {"role": "assistant", **message}
    assert choice["finish_reason"] == finish_reason


def test_a_truncated_tool_call_ends_within_its_arguments() -> None:
    choice = first("truncated").choice

    assert choice["message"]["tool_calls"][1]["function"]["arguments"] == '{"query"'
    assert choice["finish_reason"] == "length"


# Which requests are hit


@pytest.mark.parametrize(
    ("injection", "statuses"),
    [
        ("server-error", [500, 500, 500, 500]),
        ("server-error:every", [500, 500, 500, 500]),
        ("server-error:first=2", [500, 500, 200, 200]),
        ("server-error:nth=3", [200, 200, 500, 200]),
        ("server-error:scenario=recovery/*", [200, 500, 200, 500]),
        ("server-error:scenario=recovery/*,nth=2", [200, 200, 200, 500]),
        ("server-error:first=1,scenario=*small", [500, 200, 200, 200]),
    ],
)
def test_the_options_say_which_requests_are_hit(injection: str, statuses: list[int]) -> None:
    bodies = [asked_for(each) for each in (SCENARIO.id, OTHER.id) * 2]

    seen, lines = play(injection, bodies=bodies)

    assert [each.status for each in seen] == statuses
    assert [line.endswith(" fault=server-error") for line in lines] == [each == 500 for each in statuses]


def test_faults_are_played_in_the_order_given_and_count_each_for_itself() -> None:
    faults = ("rate-limited:first=2", "server-error:first=3", "bad-key:nth=5")

    seen, _ = play(*faults, bodies=[asked_for()] * 6)

    assert [each.status for each in seen] == [429, 429, 500, 200, 401, 200]


def test_a_prompt_of_no_scenario_is_hit_where_no_scenario_is_named() -> None:
    unknown = [{"messages": [{"role": "user", "content": "hello"}]}]

    assert play("rate-limited", bodies=unknown)[0][0].status == 429
    assert play("rate-limited:scenario=incident/*", bodies=unknown)[0][0].status == 404


def test_the_log_never_holds_a_key() -> None:
    seen, lines = play("bad-key", bodies=[asked_for()] * 2)

    assert [each.status for each in seen] == [401, 401]
    assert len(lines) == 2
    assert KEY not in "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rate-limit", "no fault 'rate-limit'; did you mean 'rate-limited'"),
        ("", "no fault ''"),
        ("reset:frist=2", "no option of --fault 'frist'; did you mean 'first'?"),
        ("reset:", None),
        ("reset:first", "found 'first'; write every, first=N"),
        ("reset:first=", "found 'first='; write every, first=N"),
        ("reset:every=1", "found 'every=1'; write every, first=N"),
        ("reset:first=2,first=3", "found 'first=3'; write every, first=N"),
        ("reset:first=2,nth=3", "says twice which requests are hit"),
        ("reset:every,nth=3", "says twice which requests are hit"),
        ("reset:first=0", "found '0'; use a whole number"),
        ("reset:nth=-1", "found '-1'; use a whole number"),
        ("reset:nth=²", "found '²'; use a whole number"),
        ("reset:nth=" + "9" * 5000, "use a whole number"),
        ("reset:seconds=1", "reset takes no seconds; these do: rate-limited-wait, slow-drip, slow-answer"),
        ("slow-answer:seconds=soon", "found 'soon' seconds; use a number from 0 to 3600"),
        ("slow-answer:seconds=nan", "found 'nan' seconds"),
        ("slow-answer:seconds=-1", "found '-1' seconds"),
        ("slow-answer:seconds=1e9", "found '1e9' seconds"),
    ],
)
def test_what_is_no_fault_is_refused_with_what_would_be(text: str, message: str | None) -> None:
    if message is None:
        assert read_injection(text).fault.name == "reset"
        return
    with pytest.raises(HarnessError) as caught:
        read_injection(text)

    assert message in str(caught.value)
    assert caught.value.exit_code == 2


def test_what_hits_is_decided_by_counting_alone() -> None:
    hits = hits_of([read_injection("reset:nth=2")])

    assert [hits("a") is not None for _ in range(3)] == [False, True, False]


# What is said of them


def test_health_names_every_fault_and_those_that_are_played() -> None:
    async def scene() -> Any:
        faults = [read_injection("reset:first=2")]
        async with (
            serve(Scripted(), BINDINGS, log=print, faults=faults) as server,
            aiohttp.ClientSession() as session,
            session.get(server.url.removesuffix("/v1") + "/healthz") as response,
        ):
            return await response.json()

    health = asyncio.run(scene())

    assert health["playing"] == ["reset:first=2"]
    assert health["faults"] == [
        {"name": each.name, "summary": each.summary, "whose": each.whose} for each in FAULTS
    ]


def test_names_are_unique_and_summaries_are_one_line() -> None:
    assert len({each.name for each in FAULTS}) == len(FAULTS)
    assert all(0 < len(each.summary) <= 60 and "\n" not in each.summary for each in FAULTS)


def test_every_fault_and_option_is_in_the_documentation() -> None:
    page = (CHECKOUT / "docs" / "how-to" / "faults.md").read_text(encoding="utf-8")

    assert [
        each.name for each in FAULTS if f"| `{each.name}`" not in page and f", `{each.name}`" not in page
    ] == []
    assert [each for each in OPTIONS if f"| `{each}" not in page] == []


def test_help_lists_every_fault_with_its_summary(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["serve", "openai", "--help"])

    shown = capsys.readouterr().out
    assert [each.name for each in FAULTS if f"  {each.name} " not in shown or each.summary not in shown] == []


def test_a_wrong_fault_ends_the_server_with_two(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "openai", "--port", "0", "--fault", "rest"]) == 2
    assert "no fault 'rest'; did you mean 'reset'" in capsys.readouterr().err

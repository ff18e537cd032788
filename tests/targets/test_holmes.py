"""The target holmes and its worker's protocol, spoken by a script in place of HolmesGPT."""

import asyncio
import json
import re
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from commanding import harness, run_of
from conftest import PROJECT, recorded
from mcp import Client

from harness.contracts import load_contract
from harness.conversation import Trial, converse, tools_for
from harness.errors import InvalidInput
from harness.extraction import read_sample
from harness.graders import grade
from harness.model import Message, SampleId, Transcript
from harness.prompting import render
from harness.scenarios import load_scenario
from harness.serving.mcp import serve_binding
from harness.store import find_runs, open_run
from harness.targets import Binding, TargetOptions
from harness.targets.chat import chat_messages, chat_tools
from harness.targets.configured import open_recorded, read_targets
from harness.targets.holmes import open_holmes
from harness.targets.holmes_frames import bare_result
from harness.targets.holmes_options import HolmesOptions
from harness.targets.holmes_worker import shared_beginning
from harness.targets.prices import Prices

KEY = "canary-71c0de44aa"
CONTRACT = load_contract("workflow-selection-2.7")
SCENARIO = load_scenario(PROJECT, "incident/oom-behind-latency")
ORACLE = recorded(SCENARIO)
OFFERED = sorted(each.name for each in ORACLE.tools)

# What each answers with is made by the test; {} stands for the dict of answers.
SCRIPT = """\
import json, os, sys, time
configuration = json.loads(sys.stdin.readline())
plan = json.loads({plan!r})
if plan.get("error"):
    print(json.dumps({{"error": plan["error"]}}))
    sys.exit()
print(json.dumps({{"versions": {{"holmesgpt": "9.9.9"}}}}), flush=True)
for number, line in enumerate(sys.stdin):
    asked = json.loads(line)
    with open({heard!r}, "a") as heard:
        heard.write(json.dumps([os.getpid(), configuration, asked]) + "\\n")
    if plan.get("dies"):
        sys.stderr.write("out of memory with key {key}\\n")
        sys.exit(3)
    time.sleep(plan.get("sleeps", 0))
    print(plan["raw"] if "raw" in plan else json.dumps(plan["answer"]), flush=True)
"""


def calls_of(transcript: Transcript, *, frame: str = "") -> list[dict[str, Any]]:
    """Return what a worker tells of the calls that make a transcript."""
    found: list[dict[str, Any]] = []
    kept = 0
    for index, message in enumerate(transcript.messages):
        if message.role != "assistant":
            continue
        sent = chat_messages(transcript.messages[:index])
        for each in sent:
            if each["role"] == "tool":
                each["content"] = frame + each["content"]
        (said,) = chat_messages([message])
        choice = {"message": said, "finish_reason": "tool_calls" if message.tool_calls else "stop"}
        used = {"prompt_tokens": 1000, "completion_tokens": 100}
        found.append(
            {
                "kept": kept,
                "messages": sent[kept:],
                "tools": chat_tools(transcript.tools),
                "response": {"model": "m-1", "choices": [choice], "usage": used},
                "cost": None,
                "seconds": 0.5,
            }
        )
        kept = len(sent)
    return found


def answer(calls: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    result = ORACLE.messages[-1].content
    return {"offered": OFFERED, "seeded": True, "calls": calls, "result": result, "error": None} | more


class Scene:
    """A target over a script that plays a worker, and what the script heard."""

    def __init__(self, folder: Path, plan: dict[str, Any], **options: Any) -> None:
        self.heard = folder / "heard.jsonl"
        script = folder / "worker.py"
        script.write_text(SCRIPT.format(plan=json.dumps(plan), heard=str(self.heard), key=KEY))
        own = {each: options.pop(each) for each in ("max_steps", "version", "workers") if each in options}
        given = TargetOptions(
            tool_server=nobody,
            api_key=KEY,
            holmes=HolmesOptions(options.pop("python", sys.executable), **own),
            **options,
        )
        self.target = open_holmes("openai/m", given, worker=script)

    def transcripts(self, count: int = 1) -> list[Transcript]:
        """Return trials that are made at the same time."""

        async def scene() -> list[Transcript]:
            try:
                return await asyncio.gather(*(converse(self.target, trial(each)) for each in range(count)))
            finally:
                await self.target.close()

        return asyncio.run(scene())

    def transcript(self) -> Transcript:
        (found,) = self.transcripts()
        return found

    def lines(self) -> list[Any]:
        return [json.loads(each) for each in self.heard.read_text().splitlines()]


@asynccontextmanager
async def nobody(_: Binding) -> AsyncGenerator[str]:
    yield "http://tools.example/mcp"


def trial(number: int) -> Trial:
    sample = SampleId(SCENARIO.id, CONTRACT.id, "holmes", number + 1)
    return Trial(sample, SCENARIO, CONTRACT, render(SCENARIO, CONTRACT), 300_001 + number, {})


def outcomes(transcript: Transcript) -> dict[str, str]:
    return {each.clause: score.outcome for each, score in grade(read_sample(transcript, CONTRACT, SCENARIO))}


def test_an_investigation_is_kept_as_the_model_wrote_it(tmp_path: Path) -> None:
    made = Scene(tmp_path, {"answer": answer(calls_of(ORACLE))}, prices=Prices(1.0, 10.0)).transcript()
    assert made.messages == ORACLE.messages
    assert made.tools == tools_for(CONTRACT)
    assert made.failure is None
    assert not made.gaps
    assert outcomes(made) == outcomes(ORACLE)
    assert [each.sent for each in made.turns] == [each.sent for each in ORACLE.turns]
    assert {(each.seed, each.model, each.seconds) for each in made.turns} == {(300_001, "m-1", 0.5)}
    assert {each.usage.cost for each in made.turns} == {0.002}


def test_a_worker_hears_the_prompt_the_tools_and_where_they_are(tmp_path: Path) -> None:
    scene = Scene(tmp_path, {"answer": answer(calls_of(ORACLE))}, temperature=0.5, timeout=60.0)
    scene.transcript()
    ((_, configuration, asked),) = scene.lines()
    assert configuration["model"] == "openai/m"
    assert configuration["api_key"] == KEY
    assert configuration["args"] == {"temperature": 0.5}
    assert not Path(configuration["home"]).exists()
    assert asked["messages"] == chat_messages(ORACLE.prompt)
    assert asked["url"] == "http://tools.example/mcp"
    assert sorted(asked["needed"]) == OFFERED
    assert [each["parameters"] for each in asked["tools"]] == [each.parameters for each in ORACLE.tools]


FRAME = (
    'Params used for the tool call: {"a": "{. The tool call output follows"}. The tool call output follows '
    'on the next line.\ntool_call_metadata={"tool_name": "x}", "tool_call_id": "1"}'
)


def test_what_holmes_writes_around_a_result_is_taken_off(tmp_path: Path) -> None:
    made = Scene(tmp_path, {"answer": answer(calls_of(ORACLE, frame=FRAME))}).transcript()
    assert made.messages == ORACLE.messages


@pytest.mark.parametrize(
    ("then", "now", "same"),
    [
        ({"content": "a"}, {"content": "a", "token_count": 3}, 1),
        ({"content": [{"type": "text", "text": "a", "cache_control": "x"}]}, {"content": "a"}, 1),
        ({"content": "a"}, {"content": "b"}, 0),
        ({"content": None, "tool_calls": [1]}, {"content": None, "tool_calls": [2]}, 0),
    ],
)
def test_a_conversation_goes_on_where_its_words_do(then: Any, now: Any, same: int) -> None:
    assert shared_beginning([{"role": "user", **then}], [{"role": "user", **now}, {"role": "tool"}]) == same


@pytest.mark.parametrize("text", ["", "plain", '{"a": 1}', "tool_call_metadata={broken", "Params used for"])
def test_what_has_no_frame_is_left_as_it_is(text: str) -> None:
    assert bare_result(text) == text
    assert bare_result(FRAME + text) == text


def test_a_worker_serves_one_after_another_and_several_at_once(tmp_path: Path) -> None:
    scene = Scene(tmp_path, {"answer": answer(calls_of(ORACLE)), "sleeps": 0.3}, workers=2)
    made = scene.transcripts(4)
    assert [each.failure for each in made] == [None] * 4
    assert len({process for process, *_ in scene.lines()}) == 2


def test_a_catalog_tool_that_is_not_offered_leaves_the_sample_unscored(tmp_path: Path) -> None:
    offered = [each for each in OFFERED if each != "search_workflow_catalog"]
    made = Scene(tmp_path, {"answer": answer([], offered=offered, result=None)}).transcript()
    assert made.failure
    assert made.failure.cause == "tool_missing"
    assert "does not offer search_workflow_catalog" in made.failure.detail
    assert set(outcomes(made).values()) == {"unscored"}


def test_a_tool_missing_from_the_request_itself_leaves_the_sample_unscored(tmp_path: Path) -> None:
    calls = calls_of(ORACLE)
    calls[0]["tools"] = [each for each in calls[0]["tools"] if "catalog" not in each["function"]["name"]]
    made = Scene(tmp_path, {"answer": answer(calls)}).transcript()
    assert set(outcomes(made).values()) == {"unscored"}


def test_an_error_in_the_middle_keeps_what_was_said_until_then(tmp_path: Path) -> None:
    calls = calls_of(ORACLE)
    error = {"type": "InternalServerError", "status": 500, "text": f"boom with {KEY}"}
    calls[-1] = {**calls[-1], "response": None, "error": error}
    made = Scene(tmp_path, {"answer": answer(calls, result=None, error=error)}).transcript()
    assert made.failure
    assert made.failure.cause == "server_error"
    assert "boom with ***" in made.failure.detail
    assert made.messages == ORACLE.messages[:-1]
    assert len(made.turns) == len(ORACLE.turns) - 1
    assert set(outcomes(made).values()) == {"unscored"}


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        ({"type": "RateLimitError", "status": 429, "text": "slow down"}, "rate_limited"),
        ({"type": "AuthenticationError", "status": 401, "text": "no"}, "bad_key"),
        ({"type": "BadRequestError", "status": 400, "text": "maximum context length"}, "context_overflow"),
        ({"type": "APIConnectionError", "status": 500, "text": "refused"}, "connection"),
        ({"type": "Timeout", "status": 408, "text": "late"}, "timeout"),
        ({"type": "KeyError", "status": None, "text": "its own"}, "agent"),
    ],
)
def test_an_error_is_told_by_its_cause(tmp_path: Path, error: dict[str, Any], cause: str) -> None:
    call = {**calls_of(ORACLE)[0], "response": None, "error": error}
    made = Scene(tmp_path, {"answer": answer([call], result=None, error=error)}).transcript()
    assert made.failure
    assert made.failure.cause == cause


def test_a_model_that_calls_tools_to_the_last_step_has_no_answer_and_is_graded(tmp_path: Path) -> None:
    calls = calls_of(ORACLE)[:-1]
    error = {"type": "Exception", "status": None, "text": "Too many LLM calls - exceeded max_steps: 2/2"}
    told = answer(calls, result=None, error=error)
    made = Scene(tmp_path, {"answer": told}, max_steps=len(calls)).transcript()
    assert made.failure is None
    assert made.final is None
    assert made.turns[-1].finish_reason == "max_steps"
    assert outcomes(made)["CAR-1"] == "fail"


def test_a_conversation_that_holmes_rewrote_leaves_searches_in_doubt(tmp_path: Path) -> None:
    calls = calls_of(ORACLE)
    summary = {"role": "user", "content": "What was found so far: nothing."}
    again = chat_messages(ORACLE.messages[:-1])
    calls[-1] = {**calls[-1], "kept": 0, "messages": [again[0], summary, *again[1:]]}
    made = Scene(tmp_path, {"answer": answer(calls)}).transcript()
    assert set(made.gaps) == {"results", "order"}
    assert outcomes(made)["QRY-2"] == "unscored"
    # What was said before is not said twice.
    said = Message("user", "What was found so far: nothing.")
    assert made.messages == (*ORACLE.messages[:-2], said, *ORACLE.messages[-2:])


def test_ids_that_come_again_in_another_turn_hide_no_result(tmp_path: Path) -> None:
    calls = calls_of(ORACLE)
    names = {each.id: "call_0" for message in ORACLE.messages for each in message.tool_calls[:1]}
    text = json.dumps(answer(calls))
    for each in names:
        text = text.replace(f'"{each}"', '"call_0"')
    made = Scene(tmp_path, {"answer": json.loads(text)}).transcript()
    assert [each.content for each in made.messages] == [each.content for each in ORACLE.messages]


def test_a_worker_that_dies_is_told_with_its_last_words_and_replaced(tmp_path: Path) -> None:
    scene = Scene(tmp_path, {"dies": True}, workers=1)
    made = scene.transcripts(2)
    for each in made:
        assert each.failure
        assert each.failure.cause == "worker"
        assert "out of memory with key ***" in each.failure.detail
    assert len({process for process, *_ in scene.lines()}) == 2


@pytest.mark.parametrize("raw", ["no json", "[1]", ""])
def test_a_worker_that_breaks_its_protocol_is_unscored(tmp_path: Path, raw: str) -> None:
    made = Scene(tmp_path, {"raw": raw}).transcript()
    assert made.failure
    assert made.failure.cause == "worker"


def test_an_investigation_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    scene = Scene(tmp_path, {"answer": answer(calls_of(ORACLE)), "sleeps": 60}, timeout=1.0)
    made = scene.transcript()
    assert made.failure
    assert made.failure.cause == "timeout"
    ((process, *_),) = scene.lines()
    assert not Path(f"/proc/{process}").exists()


def test_a_process_that_was_ended_is_not_asked_again(tmp_path: Path) -> None:
    scene = Scene(tmp_path, {"answer": answer(calls_of(ORACLE)), "sleeps": 60}, timeout=0.5, workers=1)
    assert [each.failure.cause for each in scene.transcripts(2) if each.failure] == ["timeout", "timeout"]


def test_an_interpreter_without_holmes_says_so(tmp_path: Path) -> None:
    error = {"type": "ModuleNotFoundError", "status": None, "text": "No module named 'holmes'"}
    made = Scene(tmp_path, {"error": error}).transcript()
    assert made.failure
    assert "cannot be loaded" in made.failure.detail
    assert "No module named 'holmes'" in made.failure.detail


def test_the_worker_itself_says_that_holmes_is_missing() -> None:
    options = TargetOptions(tool_server=nobody, holmes=HolmesOptions(sys.executable))
    target = open_holmes("openai/m", options)
    made = asyncio.run(converse(target, trial(0)))
    asyncio.run(target.close())
    assert made.failure
    assert "No module named 'holmes'" in made.failure.detail


def test_an_interpreter_that_is_not_there_says_so(tmp_path: Path) -> None:
    made = Scene(tmp_path, {}, python=str(tmp_path / "nowhere")).transcript()
    assert made.failure
    assert "nowhere' cannot be run" in made.failure.detail


def test_another_release_than_the_stated_one_is_refused(tmp_path: Path) -> None:
    made = Scene(tmp_path, {"answer": answer(calls_of(ORACLE))}, version="0.45.0").transcript()
    assert made.failure
    assert "has HolmesGPT '9.9.9', and targets.yaml says '0.45.0'" in made.failure.detail


def test_the_tools_of_a_scenario_have_their_address_while_they_are_served() -> None:
    async def scene() -> tuple[str, list[str]]:
        async with serve_binding(Binding(SCENARIO, CONTRACT)) as url, Client(url) as client:
            return url, [each.name for each in (await client.list_tools()).tools]

    url, names = asyncio.run(scene())
    assert f"/s/{SCENARIO.digest()}/mcp" in url
    assert sorted(names) == OFFERED


# Its place in targets.yaml


YAML = """\
holmes:
  kind: holmes
  model: openai/gpt-x
  api_base: http://127.0.0.1:8089/v1
  holmes: {python: /opt/holmes/bin/python, mode: toolset, max_steps: 12}
"""


def test_targets_yaml_names_it_and_a_run_records_it(tmp_path: Path) -> None:
    (tmp_path / "targets.yaml").write_text(YAML)
    (entry,) = read_targets(tmp_path).values()
    own: dict[str, Any] = {
        "python": "/opt/holmes/bin/python",
        "mode": "toolset",
        "max_steps": 12,
        "workers": 2,
        "version": None,
    }
    assert entry.options("holmes").holmes == HolmesOptions(**own)
    target = open_recorded("holmes", {"kind": "holmes", "model": "openai/gpt-x", "holmes": own})
    assert target.name == "holmes"
    assert target.settings["holmes"] == own


def named_here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a folder a project whose targets.yaml names a scene's script."""
    interpreter = folder / "python"
    interpreter.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{folder / "worker.py"}"\n')
    interpreter.chmod(0o700)
    (folder / "scenarios").symlink_to(PROJECT.scenarios)
    (folder / "targets.yaml").write_text(YAML.replace("/opt/holmes/bin/python", "./python"))
    monkeypatch.chdir(folder)


def test_a_run_by_name_lends_it_the_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(tmp_path, {"answer": answer(calls_of(ORACLE))})
    named_here(tmp_path, monkeypatch)
    run = run_of("run", "-t", "holmes", "-s", SCENARIO.id, "--project", str(tmp_path), "--out", "runs")
    (made,) = open_run(str(run)).transcripts()
    assert made.messages == ORACLE.messages
    ((_, configuration, asked),) = scene.lines()
    assert configuration["mode"] == "toolset"
    assert re.fullmatch(rf"http://127\.0\.0\.1:\d+/s/{SCENARIO.digest()}/mcp", asked["url"])


@pytest.mark.parametrize("fails", [False, True])
def test_a_recorded_investigation_is_replayed_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, fails: bool
) -> None:
    calls = calls_of(ORACLE)
    calls[0]["tools"][0]["function"]["parameters"] = {"type": "object"}
    error = {"type": "InternalServerError", "status": 500, "text": "boom"}
    told = answer(calls)
    if fails:
        calls[-1] = {**calls[-1], "response": None, "error": error}
        told = answer(calls, result=None, error=error)
    Scene(tmp_path, {"answer": told})
    named_here(tmp_path, monkeypatch)
    given = ("-s", SCENARIO.id, "--project", str(tmp_path), "--out", "runs")
    code = 3 if fails else 0
    assert harness("run", "-t", "holmes", *given).code == code
    (first,) = find_runs(Path("runs"))
    assert harness("run", "-t", f"replay:{first}", *given, "--json").code == code
    made, again = (open_run(str(each)) for each in find_runs(Path("runs")))
    then, now = (list(each.transcripts()) for each in (made, again))
    assert [replace(each, started="") for each in now] == [replace(each, started="") for each in then]
    assert not again.notes


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            ("  holmes: {python: /opt/holmes/bin/python, mode: toolset, max_steps: 12}\n", ""),
            "holmes.holmes: missing",
        ),
        (("kind: holmes", "kind: litellm"), "only kind holmes has it"),
        (("mode: toolset", "mode: telnet"), "mode"),
        (("max_steps: 12", "max_steps: 31"), "max_steps"),
        (("  api_base", "  settings: {response_format: json-schema}\n  api_base"), "HolmesGPT takes none"),
    ],
)
def test_what_cannot_be_is_refused_with_its_line(tmp_path: Path, changed: tuple[str, str], said: str) -> None:
    (tmp_path / "targets.yaml").write_text(YAML.replace(*changed))
    with pytest.raises(InvalidInput, match=r"targets.yaml:\d+: ") as refused:
        read_targets(tmp_path)
    assert said in str(refused.value)


def test_a_name_alone_does_not_say_where_holmes_is() -> None:
    with pytest.raises(InvalidInput, match=r"needs an interpreter; give the target a name in targets\.yaml"):
        open_holmes("openai/m", TargetOptions())

"""The command line as people use it: in-process where it can be, as a process where it must be."""
# ruff: noqa: E501 - command lines are one line

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import PROJECT

from harness.cli import COMMANDS, main

SUITE = ["--project", str(PROJECT.root)]
INCIDENT = "incident/oom-behind-latency"
Harness = Callable[..., tuple[int, str, str]]


@pytest.fixture
def harness(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Harness:
    """Run one command in an empty folder; return its exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> tuple[int, str, str]:
        try:
            code = main(arguments)
        except SystemExit as ending:
            code = ending.code if isinstance(ending.code, int) else 1
        out, err = capsys.readouterr()
        return code, out, err

    return call


def as_json(answer: tuple[int, str, str]) -> Any:
    code, out, err = answer
    assert code == 0, err
    return json.loads(out)


def test_a_run_leaves_every_file_and_one_json_value(harness: Harness, tmp_path: Path) -> None:
    made = as_json(harness("run", "-t", "mock:oracle", "-t", "mock:meddler", "-n", "2", "--json", *SUITE))

    folder = Path(made["run"])
    assert {key: made[key] for key in ("status", "samples", "scored", "unscored", "targets")} == {
        "status": "complete",
        "samples": 12,
        "scored": 12,
        "unscored": 0,
        "targets": ["mock:oracle", "mock:meddler"],
    }
    assert {each.name for each in folder.iterdir()} == {
        "run.json", "transcripts.jsonl", "blobs.jsonl", "scores.jsonl", "report.md", "summary.csv", "samples.csv",
    }  # fmt: skip
    assert folder.parent == Path("reports/runs")
    assert tmp_path in folder.resolve().parents


def test_scores_carry_every_field_and_one_row_for_each_clause(harness: Harness) -> None:
    made = as_json(harness("run", "-t", "mock:meddler", "-s", INCIDENT, "--json", *SUITE))

    rows = [json.loads(line) for line in (Path(made["run"]) / "scores.jsonl").read_text().splitlines()]

    assert list(rows[0]) == [
        "sample", "scenario", "contract", "target", "trial", "grader", "clause", "dimension", "level",
        "outcome", "reason", "expected", "observed", "place",
    ]  # fmt: skip
    assert len({(row["sample"], row["clause"]) for row in rows}) == len(rows)
    failed = [row for row in rows if row["outcome"] == "fail" and row["dimension"] == "pass_through"]
    assert failed
    assert all(row["place"].startswith("message ") and row["expected"] != row["observed"] for row in failed)


def test_the_report_says_rates_with_intervals_and_each_failure(harness: Harness) -> None:
    made = as_json(harness("run", "-t", "mock:meddler", "--json", *SUITE))

    report = (Path(made["run"]) / "report.md").read_text()
    summary = (Path(made["run"]) / "summary.csv").read_text().splitlines()

    assert "label." in report
    assert "PAS-" in report
    assert summary[0] == "target,contract,dimension,n,passed,rate,low,high,unscored,not_applicable"
    assert any(line.startswith("mock:meddler,workflow-selection-2.7,pass_through,2,0,0") for line in summary)


def test_fail_on_ends_with_one(harness: Harness) -> None:
    assert harness("run", "-t", "mock:meddler", "-q", "--fail-on", "pass_through", *SUITE)[0] == 1
    assert harness("run", "-t", "mock:meddler", "-q", "--fail-on", "schema", *SUITE)[0] == 0
    assert harness("run", "-t", "mock:oracle", "-q", "--fail-on", "all", *SUITE)[0] == 0
    assert harness("run", "-t", "mock:meddler", "-q", "--fail-on", "all", *SUITE)[0] == 1


def test_a_dimension_that_nothing_was_judged_in_is_not_passed(harness: Harness) -> None:
    code, _, err = harness("run", "-q", "-s", INCIDENT, "--fail-on", "non_repetition", *SUITE)

    assert code == 3
    assert "nothing was judged in: non_repetition" in err


def test_a_refused_run_leaves_no_folder(harness: Harness, tmp_path: Path) -> None:
    harness("run", "--prompts", "nowhere", *SUITE)

    assert not (tmp_path / "reports").exists()


def test_going_on_asks_the_target_that_was_recorded(harness: Harness) -> None:
    plan = ["-t", "litellm:openai/any", "--api-base", "http://127.0.0.1:9/v1", "--timeout", "3"]
    harness("run", *plan, "-q", "-s", INCIDENT, *SUITE)

    code, _, _ = harness("run", "--retry-unscored", "latest", "-q", *SUITE)
    info = as_json(harness("show", "latest", "--json"))

    assert code == 3
    assert info["targets"]["litellm:openai/any"]["api_base"] == "http://127.0.0.1:9/v1"
    assert info["targets"]["litellm:openai/any"]["timeout"] == 3.0


def test_grading_again_moves_nothing(harness: Harness) -> None:
    made = as_json(harness("run", "-t", "mock:flaky", "-n", "3", "--json", *SUITE))
    before = (Path(made["run"]) / "scores.jsonl").read_bytes()

    again = as_json(harness("grade", "latest", "--json", *SUITE))

    assert again["moved"] == []
    assert (Path(made["run"]) / "scores.jsonl").read_bytes() == before


def test_grading_says_which_verdict_moved(harness: Harness) -> None:
    made = as_json(harness("run", "-t", "mock:oracle", "-s", INCIDENT, "--json", *SUITE))
    path = Path(made["run"]) / "scores.jsonl"
    path.write_text(path.read_text().replace('"clause": "SEL-1", "dimension": "selection", "level": "MUST", '
                                             '"outcome": "pass"', '"clause": "SEL-1", "dimension": "selection", '
                                             '"level": "MUST", "outcome": "fail"'))  # fmt: skip

    moved = as_json(harness("grade", "latest", "--json", *SUITE))["moved"]

    assert [(each["clause"], each["was"], each["is"], each["cause"]) for each in moved] == [
        ("SEL-1", "fail", "pass", "grader")
    ]


def test_show_tells_what_would_have_run(harness: Harness) -> None:
    harness("run", "-t", "mock:oracle", "-q", *SUITE)

    code, out, _ = harness("show", "latest", INCIDENT)

    assert code == 0
    assert "this is what would have run: raise-memory-limit" in out
    assert "search_workflow_catalog" in out


def test_show_without_a_sample_summarises_the_run(harness: Harness) -> None:
    harness("run", "-t", "mock:meddler", "-q", *SUITE)

    code, out, _ = harness("show", "latest")

    assert code == 0
    assert "mock:meddler" in out


def test_reports_are_written_elsewhere(harness: Harness, tmp_path: Path) -> None:
    harness("run", "-q", *SUITE)

    code, out, _ = harness("report", "latest", "-f", "md,csv", "--out", str(tmp_path / "published"))

    assert code == 0
    assert len(out.splitlines()) == 3
    assert (tmp_path / "published" / "report.md").is_file()


@pytest.mark.parametrize("what", ["scenarios", "contracts", "clauses", "graders", "targets", "runs"])
def test_lists_are_tables_and_json(harness: Harness, what: str) -> None:
    assert isinstance(as_json(harness("list", what, "--json", *SUITE)), list)
    assert harness("list", what, *SUITE)[0] == 0


def test_clauses_are_listed_with_who_grades_them(harness: Harness) -> None:
    rows = {row["id"]: row for row in as_json(harness("list", "clauses", "--json", *SUITE))}

    assert rows["MET-1"]["graded_by"] == "relations.unmoved"
    assert not [row["id"] for row in rows.values() if row["level"] == "MUST" and row["graded_by"] is None]
    assert rows["PAS-1"]["graded_by"] == "pass_through.environment_unchanged"
    assert set(rows["PAS-1"]) >= {
        "id",
        "level",
        "dimension",
        "source",
        "contracts",
        "graded_by",
        "violations",
        "scenarios",
    }


def test_scenarios_are_listed_with_what_programs_need(harness: Harness) -> None:
    row = as_json(harness("list", "scenarios", "--json", *SUITE))[0]

    assert row["id"] == INCIDENT
    assert row["accepted_signal_types"] == ["OOMKilled"]
    assert row["accepted_severities"] == ["critical"]
    assert row["hostile"] is False


def test_render_prints_the_prompt_alone(harness: Harness) -> None:
    code, out, err = harness("render", INCIDENT, *SUITE)

    assert code == 0
    assert out.startswith("# Investigation Request\n")
    assert err.startswith("tokens  section\n")


def test_schema_prints_the_schema_of_the_answer(harness: Harness) -> None:
    schema = as_json(harness("schema", "workflow-selection-2.7"))

    assert schema["additionalProperties"] is False
    assert "rca_severity" in schema["required"]


WRONG = [
    (["run", "-t", "mock:orakle"], "did you mean 'oracle'"),
    (["run", "-t", "oracle"], "write mock:NAME"),
    (["run", "-t", "smock:oracle"], "did you mean 'mock'"),
    (["run", "-c", "workflow-selection-2.8"], "did you mean 'workflow-selection-2.7'"),
    (["run", "-s", "incident/x"], "no scenario 'incident/x'"),
    (["run", "-s", "incident/*", "-c", "workflow-recovery-1.0"], "takes recovery scenarios"),
    (["run", "--resume", "nothing"], "no run 'nothing'"),
    (["run", "--resume", "latest", "-t", "mock:null", "-n", "3"], "-t, -n: a run goes on with its own plan"),
    (["run", "--out", "/proc/nowhere"], "--out /proc/nowhere"),
    (["run", "--prompts", "nowhere"], "no such prompt template"),
    (["run", "-n", "none"], "found 'none'; use a whole number"),
    (["run", "--fail-on", "safty"], "did you mean 'safety'"),
    (["runn"], "did you mean 'run'"),
    (["serve", "openai", "--model", "litellm:openai/x"], "only mocks are served"),
    (["grade", "latest"], "no run 'latest'"),
    (["report", "latest"], "no run 'latest'"),
    (["audit", "missing.json"], "missing.json: cannot be read"),
    (["run", "--project", "nowhere"], "holds no folder scenarios/"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG, ids=[" ".join(each[0]) for each in WRONG])
def test_bad_input_ends_with_two_and_one_line(harness: Harness, arguments: list[str], message: str) -> None:
    takes_project = arguments[0] in {"run", "grade", "audit"} and "--project" not in arguments
    code, out, err = harness(*arguments, *(SUITE if takes_project else []))

    assert code == 2
    assert out == ""
    assert message in err
    assert "Traceback" not in err
    assert len(err.strip().splitlines()) == 1


def test_every_command_has_help(harness: Harness) -> None:
    for command in COMMANDS:
        code, out, _ = harness(command.name, "--help")
        assert code == 0
        assert command.summary.split(",")[0] in " ".join(out.split())


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "harness", *arguments]


def samples(folder: Path) -> list[str]:
    lines = (folder / "transcripts.jsonl").read_text().splitlines()
    return [json.loads(line)["sample"] for line in lines]


def test_a_killed_run_goes_on_to_the_same_samples(tmp_path: Path) -> None:
    plan = ["-t", "mock:oracle", "-t", "mock:flaky", "-n", "60", "--seed", "7", "-q", *SUITE]
    subprocess.run(command("run", *plan, "--out", "whole"), cwd=tmp_path, check=True)
    (whole,) = (tmp_path / "whole").iterdir()

    killed = subprocess.Popen(command("run", *plan, "--out", "cut"), cwd=tmp_path)
    wait_for_lines(tmp_path / "cut", 20)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    (cut,) = (tmp_path / "cut").iterdir()
    before = samples_so_far(cut)
    assert 0 < len(before) < 360
    subprocess.run(
        command("run", "--resume", cut.name, "-q", *SUITE, "--out", "cut"), cwd=tmp_path, check=True
    )

    assert sorted(samples(cut)) == sorted(samples(whole))
    assert len(set(samples(cut))) == 360
    assert (cut / "scores.jsonl").read_bytes() == (whole / "scores.jsonl").read_bytes()


def wait_for_lines(parent: Path, lines: int) -> None:
    ends = time.monotonic() + 60
    while time.monotonic() < ends:
        files = list(parent.glob("*/transcripts.jsonl")) if parent.is_dir() else []
        if files and files[0].read_bytes().count(b"\n") >= lines:
            return
        time.sleep(0.01)
    pytest.fail("the run wrote nothing")


def samples_so_far(folder: Path) -> list[bytes]:
    return (folder / "transcripts.jsonl").read_bytes().splitlines()


def test_an_interrupted_run_says_how_to_go_on(tmp_path: Path) -> None:
    plan = ["-t", "mock:oracle", "-n", "400", *SUITE, "--out", "cut"]
    running = subprocess.Popen(command("run", *plan), cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    wait_for_lines(tmp_path / "cut", 5)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=20)
    (cut,) = (tmp_path / "cut").iterdir()

    assert running.returncode == 130
    assert f"harness run --resume cut/{cut.name}" in err
    assert len(samples(cut)) < 1200
    assert "Traceback" not in err
    assert json.loads((cut / "run.json").read_text())["status"] == "interrupted"


def test_what_could_not_be_asked_is_unscored_and_asked_again(tmp_path: Path) -> None:
    nobody = ["-t", "litellm:openai/any", "--api-base", "http://127.0.0.1:9/v1", "--timeout", "5"]
    plan = [*nobody, "-s", INCIDENT, "--json", *SUITE]
    asked = subprocess.run(command("run", *plan), cwd=tmp_path, capture_output=True, text=True, check=False)
    made = json.loads(asked.stdout)
    folder = tmp_path / made["run"]

    again = subprocess.run(
        command("run", "--retry-unscored", folder.name, "--json", *SUITE),
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert asked.returncode == again.returncode == 3
    assert (made["samples"], made["scored"], made["unscored"]) == (1, 0, 1)
    assert {row["outcome"] for row in lines(folder, "scores.jsonl")} == {"unscored"}
    assert len(lines(folder, "transcripts.jsonl")) == 2
    assert "connection" in (folder / "report.md").read_text()


def test_help_loads_nothing_heavy() -> None:
    loaded = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "harness", "--help"],
        capture_output=True,
        text=True,
        check=True,
    ).stderr

    names = {line.rsplit("|", 1)[-1].strip().split(".")[0] for line in loaded.splitlines()}
    assert not names & {"litellm", "pandas", "scipy", "rich", "numpy", "jinja2", "aiohttp"}


def test_a_mock_run_loads_neither_litellm_nor_pandas(tmp_path: Path) -> None:
    code = (
        "import sys; from harness.cli import main; "
        f"assert main(['run', '-q', '--project', {str(PROJECT.root)!r}]) == 0; "
        "assert not {'litellm', 'pandas', 'scipy', 'aiohttp'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)


def test_litellm_through_the_mock_server_scores_as_the_mock_itself(tmp_path: Path) -> None:
    serving = command("serve", "openai", "--model", "mock:meddler", "--port", "0", *SUITE)
    server = subprocess.Popen(serving, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    assert server.stderr
    try:
        port = re.search(r"http://127\.0\.0\.1:(\d+)/v1", server.stderr.readline())
        assert port
        base = f"http://127.0.0.1:{port[1]}/v1"
        plan = ["-n", "2", "--seed", "3", "-q", *SUITE]
        live = ["-t", "litellm:openai/any", "--api-base", base, "--out", "live"]
        subprocess.run(command("run", *live, *plan), cwd=tmp_path, check=True)
        subprocess.run(
            command("run", "-t", "mock:meddler", *plan, "--out", "direct"), cwd=tmp_path, check=True
        )
    finally:
        server.send_signal(signal.SIGINT)
        _, log = server.communicate(timeout=30)
    (over_http,) = (tmp_path / "live").iterdir()
    (direct,) = (tmp_path / "direct").iterdir()

    assert scores_without_target(over_http) == scores_without_target(direct)
    turns = [turn for line in lines(over_http, "transcripts.jsonl") for turn in line["turns"]]
    requests = [line for line in log.splitlines() if "POST" in line]
    assert len(requests) == len(turns) == 18
    assert all(turn["attempts"] == 1 for turn in turns)


def lines(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def scores_without_target(folder: Path) -> list[dict[str, Any]]:
    rows = lines(folder, "scores.jsonl")
    return [{name: value for name, value in row.items() if name not in {"target", "sample"}} for row in rows]


def test_a_closed_pipe_leaves_the_verdict(tmp_path: Path) -> None:
    shell = f"{sys.executable} -m harness list clauses | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", shell], cwd=tmp_path, capture_output=True, text=True, check=True)  # noqa: S607

    assert done.stdout.splitlines()[-1] in {"0", "141"}
    assert done.stderr == ""


def test_lost_texts_never_cost_verdicts(harness: Harness) -> None:
    made = as_json(harness("run", "-s", INCIDENT, "--json", *SUITE))
    folder = Path(made["run"])
    before = (folder / "scores.jsonl").read_bytes()
    (folder / "blobs.jsonl").write_text("")

    code, _, err = harness("grade", "latest", *SUITE)

    assert code == 2
    assert "restore the file from a copy" in err
    assert (folder / "scores.jsonl").read_bytes() == before

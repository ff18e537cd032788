"""A contract from outside the package goes everywhere that a released one goes."""

import json
import shutil
from pathlib import Path

import pytest
from commanding import harness, info_of, rows_of, run_of
from conftest import PROJECT
from outside import ID, write_contract

INCIDENT = "incident/oom-behind-latency"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder: the small project, and beside it a contract that nobody named yet."""
    shutil.copytree(PROJECT.scenarios, tmp_path / "scenarios")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def folder(here: Path) -> Path:
    return write_contract(here / "elsewhere" / "short")


def change(folder: Path) -> None:
    """Change what the contract's code does, and nothing that it declares."""
    path = folder / "contract.py"
    path.write_text(path.read_text(encoding="utf-8").replace('f"inc-', 'f"incident-'), encoding="utf-8")


def test_it_is_run_and_the_oracle_passes_it(folder: Path) -> None:
    run = run_of("run", "-c", str(folder), "--fail-on", "all")

    rows = rows_of(run)
    assert {each["contract"] for each in rows} == {ID}
    assert {each["outcome"] for each in rows if each["level"] == "MUST"} == {"pass", "not_applicable"}
    kept = info_of(run)["contract_folders"][ID]
    assert (kept["folder"], len(kept["digest"])) == (str(folder), 64)


def test_findings_point_into_its_own_spelling(folder: Path) -> None:
    rows = rows_of(run_of("run", "-c", str(folder), "-t", "mock:meddler", "-t", "mock:forger"))

    places = {each["place"] for each in rows if each["outcome"] == "fail"}
    assert "/selected/version" in places
    assert any(" label_priority" in each for each in places if each)
    assert not any("workflow_id" in each for each in places if each)


def test_it_is_graded_again_from_where_it_lies(folder: Path) -> None:
    run = run_of("run", "-c", str(folder))
    before = (run / "scores.jsonl").read_bytes()

    ending = harness("grade", str(run), "--json")

    assert (ending.code, json.loads(ending.out)["moved"]) == (0, [])
    assert (run / "scores.jsonl").read_bytes() == before


def test_an_interrupted_run_goes_on_with_it(folder: Path) -> None:
    run = run_of("run", "-c", str(folder), "-n", "3")
    whole = rows_of(run)
    path = run / "transcripts.jsonl"
    path.write_text("".join(path.read_text(encoding="utf-8").splitlines(keepends=True)[:1]), encoding="utf-8")

    run_of("run", "--resume", str(run))

    assert rows_of(run) == whole


def test_shards_under_it_are_merged(folder: Path) -> None:
    shards = [run_of("run", "-c", str(folder), "-n", "2", "--shard", f"{i}/2") for i in (1, 2)]

    merged = run_of("merge", *map(str, shards))

    assert len({each["sample"] for each in rows_of(merged)}) == 4
    assert info_of(merged)["contract_folders"][ID]["folder"] == str(folder)


GONE_ON = [("grade",), ("run", "--resume"), ("run", "--only-failed"), ("merge",)]


@pytest.mark.parametrize("command", GONE_ON, ids=" ".join)
def test_a_folder_that_is_gone_is_said_and_may_be_named_where_it_is_now(
    folder: Path, command: tuple[str, ...]
) -> None:
    run = run_of("run", "-c", str(folder), "-t", "mock:forger")
    moved = folder.rename(folder.parent / "moved")

    refused = harness(*command, str(run))
    taken = harness(*command, str(run), "-c", str(moved))

    assert refused.code == 2
    assert f"was recorded under the contract '{ID}' of {folder}, which is gone" in refused.err
    assert taken.code == 0, taken.err


def test_code_that_changed_is_not_run_until_it_is_named(folder: Path) -> None:
    run = run_of("run", "-c", str(folder))
    code = folder / "contract.py"
    code.write_text(code.read_text(encoding="utf-8") + "\nopen('ran', 'w').close()\n", encoding="utf-8")

    refused = harness("grade", str(run))

    assert refused.code == 2
    assert (
        f"its contract '{ID}', changed since it was recorded; to judge by it, name its folder: -c"
        in refused.err
    )
    assert not Path("ran").exists()


def test_a_changed_contract_that_is_named_judges_and_says_so(folder: Path) -> None:
    run = run_of("run", "-c", str(folder))
    change(folder)

    ending = harness("grade", str(run), "-c", str(folder))

    assert ending.code == 0
    assert f"note: the contract {ID} changed since this was recorded" in ending.err


def test_a_run_does_not_go_on_under_a_changed_contract(folder: Path) -> None:
    run = run_of("run", "-c", str(folder))
    change(folder)

    ending = harness("run", "--resume", str(run), "-c", str(folder))

    assert ending.code == 2
    assert f"cannot go on: {ID} changed since" in ending.err


def test_code_among_runs_is_never_run_for_their_sake(here: Path) -> None:
    run = run_of("run", "-c", str(write_contract(here / "reports" / "runs" / "sent" / "short")))

    ending = harness("grade", str(run))

    assert ending.code == 2
    assert "lies among runs" in ending.err


def test_reports_need_none_of_its_code(folder: Path) -> None:
    run = run_of("run", "-c", str(folder))
    before = harness("show", str(run))
    shutil.rmtree(folder)

    after = harness("show", str(run))
    reported = harness("report", str(run), "-f", "md")

    assert (after, reported.code) == (before, 0)
    assert f"not graded under {ID}: MET-1" in after.out


def test_another_contract_cannot_be_slipped_into_a_run(folder: Path, here: Path) -> None:
    run = run_of("run", "-c", str(folder))
    other = write_contract(here / "other", "other-1.0")

    ending = harness("grade", str(run), "-c", str(other))

    assert ending.code == 2
    assert f"has no sample under the contract 'other-1.0'; it holds '{ID}'" in ending.err


def test_a_project_holds_contracts_of_its_own(here: Path) -> None:
    write_contract(here / "contracts" / ID)

    listed = json.loads(harness("list", "contracts", "--json").out)
    run = run_of("run", "-c", ID)
    change(here / "contracts" / ID)
    graded = harness("grade", str(run))

    assert listed[-1]["id"] == ID
    assert listed[-1]["folder"] == str(here / "contracts" / ID)
    assert {each["contract"] for each in rows_of(run)} == {ID}
    assert graded.code == 0, graded.err
    assert f"the contract {ID} changed since" in graded.err


def test_lint_holds_its_prompt_against_it(folder: Path) -> None:
    good = harness("lint", "-c", str(folder))
    prompt = folder / "prompt.md.j2"
    text = prompt.read_text(encoding="utf-8")
    prompt.write_text(text.replace("Required are `in_short`", "Required are `summary`"), encoding="utf-8")

    bad = harness("lint", "-c", str(folder))

    assert "elsewhere" not in good.out, good.out
    assert "elsewhere/short/prompt.md.j2:" in bad.out
    assert " CAR-3" in bad.out


def test_lint_names_the_line_of_its_code(folder: Path) -> None:
    path = folder / "contract.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("Returns name, version,", "Returns version,"), encoding="utf-8")
    line = next(i for i, each in enumerate(text.splitlines(), 1) if "result=ResultShape" in each)

    found = harness("lint", "-c", str(folder)).out

    assert f"elsewhere/short/contract.py:{line}: CAT-3 {ID}: the description of" in found


def test_render_schema_and_explain_take_its_path(folder: Path) -> None:
    prompt = harness("render", INCIDENT, "-c", str(folder))
    schema = harness("schema", str(folder))
    told = harness("explain", "PAS-7", "-c", str(folder), "--json")

    assert '"in_short": ' in prompt.out
    assert "selected" in json.loads(schema.out)["properties"]
    assert json.loads(told.out)["contracts"] == [ID]
    assert json.loads(told.out)["example"]["place"] == "/selected/confidence"


def test_audit_judges_by_its_path_and_never_by_a_path_that_a_transcript_names(folder: Path) -> None:
    run = run_of("run", "-c", str(folder))
    line = json.loads((run / "transcripts.jsonl").read_text(encoding="utf-8").splitlines()[0])
    answer = line["messages"][-1]["content"]
    chat = {"messages": [{"role": "assistant", "content": answer}], "scenario": INCIDENT}
    Path("asked.jsonl").write_text(json.dumps(chat) + "\n", encoding="utf-8")
    Path("named.jsonl").write_text(json.dumps({**chat, "contract": str(folder)}) + "\n", encoding="utf-8")

    asked = harness("audit", "asked.jsonl", "-c", str(folder), "--json")
    named = harness("audit", "named.jsonl", "--json")

    verdicts = {each["clause"]: each["outcome"] for each in json.loads(asked.out)[0]["scores"]}
    assert (verdicts["CAR-3"], verdicts["SEV-2"]) == ("pass", "pass")
    assert named.code == 2
    assert "no contract" in named.err


def test_pytest_takes_its_path(folder: Path, pytester: pytest.Pytester) -> None:
    (pytester.path / "pytest.ini").write_text(
        f"[pytest]\nharness_project = {PROJECT.root}\n", encoding="utf-8"
    )
    plugins = ("-p", "no:hypothesispytest", "-p", "no:anyio")

    recorded = pytester.runpytest(*plugins, "--target", "mock:oracle", f"--contract={folder}")
    judged = pytester.runpytest(*plugins, "--run", "latest")

    recorded.assert_outcomes(passed=2)
    judged.assert_outcomes(passed=2)

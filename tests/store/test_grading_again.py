"""Grading again: each verdict that moved says what moved it, and of several causes the first."""

import json
import shutil
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from commanding import SUITE, harness, info_of, rows_of, run_of
from conftest import PROJECT

from harness.cli.grade import moves
from harness.graders import GRADERS, RELATIONS
from harness.pipeline import EXTRACTION_VERSION
from harness.store import Grading, ScoreRow
from harness.store.regrading import differing

INCIDENT = "incident/oom-behind-latency"
PAIRED = "paired/oom-renamed"
CONTRACT = "workflow-selection-2.7"
CLAUSE = "SEL-1"


@pytest.fixture
def graded(tmp_path: Path) -> Path:
    """Record and grade one sample that passes."""
    return run_of("run", "-s", INCIDENT, "--out", str(tmp_path / "runs"), *SUITE)


def grade(folder: Path, *project: str) -> tuple[list[dict[str, Any]], str]:
    """Grade again; return what moved, and what was said beside it."""
    code, out, err = harness("grade", str(folder), "--json", *(project or SUITE))
    assert code == 0, err
    return json.loads(out)["moved"], err


def as_if(folder: Path, *outdated: str) -> None:
    """Make a run look as if its clause had failed, when these things were others than today."""
    info, rows = info_of(folder), rows_of(folder)
    then = info["graded"]
    for each in outdated:
        match each:
            case "scenario":
                then["scenarios"][INCIDENT] = "0" * 16
            case "contract":
                then["contracts"][CONTRACT] = "0" * 16
            case "extraction":
                then["extraction"] = 0
            case _:
                then["graders"][CLAUSE] = 0
    (folder / "run.json").write_text(json.dumps(info), encoding="utf-8")
    changed = [{**row, "outcome": "fail"} if row["clause"] == CLAUSE else row for row in rows]
    text = "".join(json.dumps(row) + "\n" for row in changed)
    (folder / "scores.jsonl").write_text(text, encoding="utf-8")


CAUSES = [
    (("grader",), "grader"),
    (("extraction",), "extraction"),
    (("contract",), "contract"),
    (("scenario",), "scenario"),
    (("extraction", "grader"), "extraction"),
    (("contract", "extraction", "grader"), "contract"),
    (("scenario", "contract", "extraction", "grader"), "scenario"),
]


@pytest.mark.parametrize(("outdated", "cause"), CAUSES, ids=["+".join(each) for each, _ in CAUSES])
def test_a_verdict_says_what_moved_it(graded: Path, outdated: tuple[str, ...], cause: str) -> None:
    as_if(graded, *outdated)

    moved, err = grade(graded)

    sample = f"{INCIDENT}@{CONTRACT}@mock:oracle#1"
    assert moved == [{"sample": sample, "clause": CLAUSE, "was": "fail", "is": "pass", "cause": cause}]
    assert "no version was raised" not in err


def test_people_read_how_many_were_moved_by_what(graded: Path) -> None:
    as_if(graded, "extraction")

    out = harness("grade", str(graded), *SUITE).out

    assert f"{INCIDENT}@{CONTRACT}@mock:oracle#1  SEL-1  fail -> pass  (extraction)\n" in out
    assert out.endswith(" verdicts, 1 moved: 1 by extraction\n")


def test_a_move_without_a_raised_version_is_the_graders_and_is_told(graded: Path) -> None:
    as_if(graded)

    moved, err = grade(graded)

    assert [each["cause"] for each in moved] == ["grader"]
    assert "note: 1 verdicts moved though no version was raised; a grader whose verdicts move" in err


def test_what_moved_once_does_not_move_again(graded: Path) -> None:
    as_if(graded, "contract", "grader")
    grade(graded)

    assert grade(graded) == ([], "")


def stricter(tmp_path: Path) -> list[str]:
    """Return the options of a project whose incident, and so its pair, accepts another severity."""
    root = tmp_path / "stricter"
    shutil.copytree(PROJECT.root, root)
    file = root / "scenarios" / f"{INCIDENT}.yaml"
    text = file.read_text(encoding="utf-8")
    assert "severities: [critical]" in text
    file.write_text(text.replace("severities: [critical]", "severities: [low]"), encoding="utf-8")
    return ["--project", str(root)]


def test_a_changed_scenario_moves_its_own_verdicts(tmp_path: Path) -> None:
    folder = run_of("run", "-n", "2", "--out", str(tmp_path / "runs"), *SUITE)

    moved, _ = grade(folder, *stricter(tmp_path))

    assert {each["sample"].partition("@")[0] for each in moved} == {INCIDENT, PAIRED}
    assert {each["cause"] for each in moved} == {"scenario"}
    assert ("SEV-2", "pass", "fail") in {(each["clause"], each["was"], each["is"]) for each in moved}


def test_a_run_says_what_it_was_graded_with(graded: Path) -> None:
    then = Grading.model_validate(info_of(graded)["graded"])

    assert then.extraction == EXTRACTION_VERSION
    assert then.graders == {each.clause: each.version for each in (*GRADERS, *RELATIONS)}
    assert then.scenarios == info_of(graded)["scenarios"]
    assert then.contracts == info_of(graded)["contracts"]
    assert then.transcripts == 1


def test_grading_again_says_so_in_run_json(graded: Path) -> None:
    before = info_of(graded)
    as_if(graded, "scenario", "contract", "extraction", "grader")

    grade(graded)

    assert info_of(graded) == before


def test_a_run_whose_grading_is_not_known_moves_as_recorded(graded: Path) -> None:
    as_if(graded, "contract")
    info = info_of(graded)
    (graded / "run.json").write_text(json.dumps({**info, "graded": None}), encoding="utf-8")

    moved, err = grade(graded)

    assert [each["cause"] for each in moved] == ["grader"]
    assert "no version was raised" not in err


def test_what_was_recorded_since_has_not_moved(tmp_path: Path) -> None:
    folder = run_of("run", "-n", "3", "-s", INCIDENT, "--out", str(tmp_path / "runs"), *SUITE)
    lines = (folder / "transcripts.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    kept = "".join(lines[:1])
    (folder / "transcripts.jsonl").write_text(kept, encoding="utf-8")
    assert len(grade(folder)[0]) > 0
    failing = lines[0].replace('"failure": null', '"failure": ["timeout", "too slow"]')
    assert failing != lines[0]
    (folder / "transcripts.jsonl").write_text(kept + failing + lines[2], encoding="utf-8")

    assert grade(folder) == ([], "note: transcripts.jsonl: 1 lines are superseded by later ones\n")
    assert any(row["outcome"] == "unscored" for row in rows_of(folder))


def row(clause: str, outcome: str, sample: str = "s@c@t#1") -> ScoreRow:
    scenario, contract, rest = sample.split("@")
    target, trial = rest.split("#")
    return ScoreRow(
        sample, scenario, contract, target, int(trial), "g", clause, "d", "MUST", outcome, "", None, None, ""
    )


def grading(**changes: Any) -> Grading:
    known: dict[str, Any] = {
        "extraction": 1,
        "graders": {},
        "contracts": {},
        "scenarios": {},
        "transcripts": 1,
    }
    return Grading.model_validate({**known, **changes})


def test_a_verdict_that_appears_or_goes_has_moved() -> None:
    sample = [row("A-1", "pass"), row("A-2", "pass")], [row("A-2", "pass"), row("A-3", "fail")]
    then, now = grading(graders={"A-1": 1}), grading(graders={"A-3": 1})

    moved = moves([sample], then=then, now=now, scenarios={})

    assert [(each["clause"], each["was"], each["is"], each["cause"]) for each in moved] == [
        ("A-1", "pass", None, "grader"),
        ("A-3", None, "fail", "grader"),
    ]


def test_where_nothing_was_graded_nothing_moved(graded: Path) -> None:
    (graded / "scores.jsonl").write_text("", encoding="utf-8")

    assert grade(graded)[0] == []
    (graded / "scores.jsonl").unlink()
    assert grade(graded)[0] == []


def test_only_samples_that_differ_are_compared() -> None:
    gone, same, new = (row("A-1", "pass", f"s@c@t#{trial}") for trial in (1, 2, 10))
    was, now = row("A-2", "pass", "s@c@t#3"), row("A-2", "fail", "s@c@t#3")

    found = list(differing(file_of(gone, same, was), file_of(same, now, new)))

    assert found == [([gone], []), ([was], [now]), ([], [new])]


def test_files_that_are_alike_as_far_as_one_goes_differ_in_what_comes_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("harness.store.regrading.BLOCK", len(file_of(row("A-1", "pass")).getvalue()))
    one, other = (row("A-1", "pass", f"s@c@t#{trial}") for trial in (1, 2))

    assert list(differing(file_of(one), file_of(one))) == []
    assert list(differing(file_of(one), file_of(one, other))) == [([], [other])]
    assert list(differing(file_of(one, other), file_of(one))) == [([other], [])]
    assert list(differing(file_of(), file_of(one))) == []


def file_of(*rows: ScoreRow) -> BytesIO:
    return BytesIO(b"".join(json.dumps(each.as_json()).encode() + b"\n" for each in rows))


@pytest.mark.parametrize("damage", ["{", '{"sample": "x"}', None, "[]"])
def test_damaged_scores_move_nothing(graded: Path, damage: str | None) -> None:
    path = graded / "scores.jsonl"
    whole = path.read_text(encoding="utf-8")
    lines = whole.splitlines()
    broken = lines[3][:100] if damage is None else damage

    for text in (f"{broken}\n", "\n".join([*lines[:3], broken, *lines[4:]]) + "\n"):
        path.write_text(text, encoding="utf-8")

        assert grade(graded)[0] == []
        assert path.read_text(encoding="utf-8") == whole


def test_of_a_pair_nothing_is_superseded_twice(tmp_path: Path) -> None:
    folder = run_of("run", "-s", INCIDENT, "-s", PAIRED, "--out", str(tmp_path), *SUITE)
    path = folder / "transcripts.jsonl"
    path.write_text(path.read_text(encoding="utf-8") * 2, encoding="utf-8")

    _, said = grade(folder)

    assert "transcripts.jsonl: 2 lines are superseded by later ones" in said

"""Runs on disk: what was added stays, what was torn is dropped and said."""

import json
from pathlib import Path

import pytest
from conftest import recorded
from keeping import write_scores

from harness.errors import InvalidRun, UnknownName
from harness.model import Scenario, Transcript
from harness.store import Grading, Run, RunInfo, ScoreRow, create_run, find_runs, open_run


def run_with(folder: Path, *transcripts: Transcript, name: str = "r1", created: str = "2026-01-01") -> Run:
    run = create_run(folder, RunInfo(id=name, created=created))
    run.begin()
    for each in transcripts:
        run.add(each)
    run.end()
    return run


def test_a_transcript_comes_back_equal(tmp_path: Path, incident: Scenario) -> None:
    transcript = recorded(incident)
    run_with(tmp_path, transcript)

    assert list(open_run(str(tmp_path / "r1")).transcripts()) == [transcript]


def test_repeated_texts_are_stored_once(tmp_path: Path, incident: Scenario) -> None:
    one, other = recorded(incident), recorded(incident)
    run = run_with(tmp_path, one, other)

    lines = run.path("blobs.jsonl").read_text(encoding="utf-8").splitlines()

    assert len({json.loads(each)["digest"] for each in lines}) == len(lines)


def test_a_torn_last_line_is_dropped_on_the_next_write_and_reported(
    tmp_path: Path, incident: Scenario, recovery: Scenario
) -> None:
    run = run_with(tmp_path, recorded(incident))
    path = run.path("transcripts.jsonl")
    path.write_bytes(path.read_bytes() + b'{"sample": "incident/x@c@t#2", "mess')

    again = open_run(str(run.folder))
    again.begin()
    again.add(recorded(recovery))
    again.end()

    assert any("torn" in each for each in again.notes)
    assert [each.id.scenario for each in open_run(str(run.folder)).transcripts()] == [
        incident.id,
        recovery.id,
    ]


def test_a_reader_ignores_a_torn_line_and_says_so(tmp_path: Path, incident: Scenario) -> None:
    run = run_with(tmp_path, recorded(incident))
    path = run.path("transcripts.jsonl")
    path.write_bytes(path.read_bytes() + b'{"sample"')

    reader = open_run(str(run.folder))

    assert len(list(reader.transcripts())) == 1
    assert any("torn" in each for each in reader.notes)


def test_foreign_lines_are_ignored_and_reported(tmp_path: Path, incident: Scenario) -> None:
    run = run_with(tmp_path, recorded(incident))
    path = run.path("transcripts.jsonl")
    path.write_text(
        "hello\n[1]\n" + path.read_text(encoding="utf-8") + '{"sample": "a@b@c#1"}\n', encoding="utf-8"
    )

    reader = open_run(str(run.folder))

    assert len(list(reader.transcripts())) == 1
    assert len(reader.notes) == 3


def test_of_one_sample_only_the_last_line_counts(tmp_path: Path, incident: Scenario) -> None:
    run_with(tmp_path, recorded(incident), recorded(incident, "mock:oracle"))

    reader = open_run(str(tmp_path / "r1"))

    assert len(list(reader.transcripts())) == 1
    assert any("superseded" in each for each in reader.notes)


def test_two_writers_are_refused(tmp_path: Path) -> None:
    run = run_with(tmp_path)
    run.begin()

    with pytest.raises(InvalidRun, match="another process is writing"):
        open_run(str(run.folder)).begin()
    run.end()


def test_a_run_never_overwrites_another(tmp_path: Path) -> None:
    run_with(tmp_path)

    with pytest.raises(InvalidRun, match="exists"):
        run_with(tmp_path)


def test_runs_are_found_by_folder_id_and_latest(tmp_path: Path) -> None:
    run_with(tmp_path, name="b", created="2026-01-02")
    run_with(tmp_path, name="a", created="2026-01-03")

    assert open_run("latest", tmp_path).id == "a"
    assert open_run("b", tmp_path).id == "b"
    assert open_run(str(tmp_path / "b")).id == "b"
    assert [each.name for each in find_runs(tmp_path)] == ["a", "b"]
    with pytest.raises(UnknownName, match="no run 'c'"):
        open_run("c", tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [("{", "cannot be read"), ('{"format": 2}', "found format 2"), ('{"format": 1}', "Field required")],
)
def test_a_foreign_run_json_is_refused(tmp_path: Path, text: str, message: str) -> None:
    run = run_with(tmp_path)
    run.path("run.json").write_text(text, encoding="utf-8")

    with pytest.raises(InvalidRun, match=message):
        open_run(str(run.folder))


def test_scores_come_back_equal(tmp_path: Path) -> None:
    row = ScoreRow(
        "s@c@t#1", "s", "c", "t", 1, "g", "CAR-1", "schema", "MUST", "fail", "r", [1], {"a": "\ud800"}, "/x"
    )
    run = run_with(tmp_path)
    write_scores(run, [row])

    assert list(open_run(str(run.folder)).scores()) == [row]


def test_a_run_without_scores_says_how_to_get_them(tmp_path: Path) -> None:
    run = run_with(tmp_path)

    with pytest.raises(InvalidRun, match="harness grade r1"):
        list(run.scores())


def test_a_broken_line_hides_no_earlier_one_of_its_sample(tmp_path: Path, incident: Scenario) -> None:
    said = recorded(incident)
    run = run_with(tmp_path, said)
    path = run.path("transcripts.jsonl")
    broken = json.loads(path.read_text(encoding="utf-8"))
    broken["messages"][0]["blob"] = "0" * 16
    path.write_text(path.read_text(encoding="utf-8") + json.dumps(broken) + "\n", encoding="utf-8")

    reader = open_run(str(run.folder))

    assert list(reader.transcripts()) == [said]
    assert reader.finished() == {said.id}
    assert reader.notes == [
        (
            "blobs.jsonl: lacks 0000000000000000, which transcripts.jsonl:2 needs; "
            "an earlier line of that sample is read"
        )
    ]


def test_two_broken_lines_hide_no_earlier_one(tmp_path: Path, incident: Scenario) -> None:
    said = recorded(incident)
    run = run_with(tmp_path, said)
    path = run.path("transcripts.jsonl")
    line = path.read_text(encoding="utf-8")
    path.write_text(line + line.replace('"messages"', '"nothing"') * 2, encoding="utf-8")

    reader = open_run(str(run.folder))

    assert list(reader.transcripts()) == [said]
    assert [each.partition(";")[0] for each in reader.notes] == [
        "transcripts.jsonl:3: not a transcript",
        "transcripts.jsonl:2: not a transcript",
    ]


FOREIGN = [
    '{"sample": "no sample", "failure": null, "messages": [], "tools": "x"}',
    '{"sample": 7}',
    '{"sample": "a@b@c#1", "failure": null, "messages": [[]]}',
    '{"sample": "a@b@c#1", "failure": 3}',
    '{"sample": "a@b@c#1", "failure": null, "messages": null}',
]


@pytest.mark.parametrize("line", FOREIGN)
def test_a_foreign_object_is_no_finished_sample(tmp_path: Path, incident: Scenario, line: str) -> None:
    run = run_with(tmp_path, recorded(incident))
    path = run.path("transcripts.jsonl")
    path.write_text(line + "\n" + path.read_text(encoding="utf-8"), encoding="utf-8")

    reader = open_run(str(run.folder))

    assert len(reader.finished()) == 1
    assert [each.partition(": ")[0] for each in reader.notes] == ["transcripts.jsonl:1"]


def test_foreign_and_repeated_blobs_are_ignored_and_reported(tmp_path: Path, incident: Scenario) -> None:
    said = recorded(incident)
    run = run_with(tmp_path, said)
    path = run.path("blobs.jsonl")
    text = path.read_text(encoding="utf-8")
    first = text.splitlines(keepends=True)[0]
    forged = json.dumps({"digest": json.loads(first)["digest"], "text": "another text"}) + "\n"
    path.write_text(forged + '{"digest": 1}\n' + text + first, encoding="utf-8")

    reader = open_run(str(run.folder))

    assert list(reader.transcripts()) == [said]
    assert [each.partition(": ")[2] for each in reader.notes] == [
        "not a text and its digest; ignored",
        "not a text and its digest; ignored",
        "a text that is there already; ignored",
    ]


def test_a_refused_writer_touches_nothing(tmp_path: Path, incident: Scenario) -> None:
    writer = run_with(tmp_path, recorded(incident))
    writer.begin()
    path = writer.path("transcripts.jsonl")
    path.write_bytes(path.read_bytes() + b'{"sample": "half of')
    before = path.read_bytes()

    with pytest.raises(InvalidRun, match="another process is writing"):
        open_run(str(writer.folder)).begin()
    writer.end()

    assert path.read_bytes() == before


def test_grading_leaves_what_a_writer_says_meanwhile(tmp_path: Path) -> None:
    reader = open_run(str(run_with(tmp_path).folder))
    writer = open_run(str(reader.folder))
    writer.info.status = "complete"
    writer.save()

    graded = Grading(extraction=1, graders={}, contracts={}, scenarios={}, transcripts=0)
    reader.save_grading(graded, {"samples": 0})

    info = open_run(str(reader.folder)).info
    assert (info.status, info.graded, info.counts) == ("complete", graded, {"samples": 0})


def test_a_lost_blob_is_an_error_that_names_it(tmp_path: Path, incident: Scenario) -> None:
    run = run_with(tmp_path, recorded(incident))
    run.path("blobs.jsonl").write_text("", encoding="utf-8")

    with pytest.raises(
        InvalidRun, match=r"blobs\.jsonl: lacks [0-9a-f]{16}, which transcripts\.jsonl:1 needs"
    ):
        list(open_run(str(run.folder)).transcripts())

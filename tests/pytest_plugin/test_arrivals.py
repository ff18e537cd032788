"""Transcripts are read as they arrive, whole or not yet."""

from pathlib import Path
from threading import Timer

from conftest import recorded

from harness.model import Scenario, Transcript
from harness.pipeline import Plan, new_info
from harness.pytest_plugin.arrivals import Arrivals
from harness.store import Run, create_run


def stored(tmp_path: Path, *transcripts: Transcript) -> Run:
    run = create_run(tmp_path, new_info(Plan([], [], 1, 0), []))
    run.begin()
    for each in transcripts:
        run.add(each)
    run.end()
    return run


def test_what_is_there_is_what_was_recorded(tmp_path: Path, incident: Scenario, renamed: Scenario) -> None:
    first, second = recorded(incident), recorded(renamed)
    run = stored(tmp_path, first, second)
    arrivals = Arrivals(run.folder, lambda: False)

    assert arrivals.wait(second.id) == second
    assert arrivals.wait(first.id) == first


def test_what_does_not_come_is_none(tmp_path: Path, incident: Scenario, renamed: Scenario) -> None:
    run = stored(tmp_path, recorded(incident))

    assert Arrivals(run.folder, lambda: True).wait(recorded(renamed).id) is None
    assert Arrivals(tmp_path / "nowhere", lambda: True).wait(recorded(renamed).id) is None


def test_a_line_half_written_is_waited_for(tmp_path: Path, incident: Scenario) -> None:
    transcript = recorded(incident)
    run = stored(tmp_path, transcript)
    path = run.path("transcripts.jsonl")
    whole = path.read_bytes()
    path.write_bytes(whole[:300])
    arrivals = Arrivals(run.folder, lambda: False)
    assert Arrivals(run.folder, lambda: True).wait(transcript.id) is None

    timer = Timer(0.1, lambda: path.write_bytes(whole))
    timer.start()

    assert arrivals.wait(transcript.id) == transcript
    timer.join()

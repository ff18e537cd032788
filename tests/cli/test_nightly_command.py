"""harness nightly, on the small project."""

import importlib.util
import json
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from calling import INCIDENT, SUITE, Ended, call

from harness.cli import nights
from harness.errors import InvalidInput, TargetUnavailable
from harness.gate.baselines import FOLDER
from harness.nightly import read_history
from harness.targets import ModelReply
from harness.targets.mock import mocks

Ask = Callable[..., Ended]
TWO = ("-t", "mock:oracle", "-t", "mock:meddler")


@pytest.fixture
def nightly(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    monkeypatch.chdir(tmp_path)

    def ask(date: str, *arguments: str) -> Ended:
        words = ("--date", date, "-n", "1", "--json", *SUITE)
        return call(capsys, "nightly", *words, *(arguments or TWO))

    return ask


def runs() -> list[Path]:
    return sorted(Path("reports/nightly/runs").glob("*"))


def statuses(ended: Ended) -> dict[str, str]:
    return {each["target"]: each["status"] for each in ended.value["targets"]}


def test_two_nights_of_two_targets_leave_lines_runs_and_a_page(nightly: Ask) -> None:
    first, second = nightly("2026-11-18"), nightly("2026-11-19")

    assert (first.code, second.code) == (0, 0), second.err
    assert statuses(first) == {"mock:oracle": "first", "mock:meddler": "first"}
    assert statuses(second) == {"mock:oracle": "as ever", "mock:meddler": "as ever"}
    rates = {each["target"]: each["compliant"]["rate"] for each in second.value["targets"]}
    assert rates == {"mock:oracle": 1.0, "mock:meddler": 0.0}
    lines = read_history(Path("reports/nightly")).nights()
    # Two nights, two targets, two contracts.
    assert len(lines) == 8
    assert len(runs()) == 4
    assert {each.planned for each in lines} == {each.scored for each in lines}
    assert all(cell.prompt and cell.scenario for each in lines for cell in each.cells.values())
    page = Path("reports/nightly/nightly.md").read_text(encoding="utf-8")
    assert "| 2026-11-19 | 0.0 % | 100.0 % |" in page
    assert set(second.value) == {
        "date", "outcome", "history", "files", "deleted", "targets", "nights",
    }  # fmt: skip


def test_each_night_has_a_seed_of_its_own_and_the_same_one_again(nightly: Ask) -> None:
    nightly("2026-11-18", "-t", "mock:oracle")
    nightly("2026-11-19", "-t", "mock:oracle")

    seeds = {json.loads((each / "run.json").read_text())["seed"] for each in runs()}
    assert len(seeds) == 2


def test_the_same_command_on_the_same_night_asks_nothing_again(nightly: Ask) -> None:
    nightly("2026-11-18")
    before = Path("reports/nightly/nights.jsonl").read_bytes()

    assert nightly("2026-11-18").code == 0
    assert Path("reports/nightly/nights.jsonl").read_bytes() == before
    assert len(runs()) == 2


def test_an_interrupted_night_goes_on_where_it_stopped(nightly: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    reply: Any = mocks.MockTarget.reply
    asked = 0

    async def interrupted(self: Any, *arguments: Any) -> ModelReply:
        nonlocal asked
        asked += 1
        if asked == 5:
            signal.raise_signal(signal.SIGINT)
        return await reply(self, *arguments)

    monkeypatch.setattr(mocks.MockTarget, "reply", interrupted)
    ended = nightly("2026-11-18", "-t", "mock:oracle", "--concurrency", "1")
    assert ended.code == 130
    assert "--date 2026-11-18" in ended.err
    assert read_history(Path("reports/nightly")).nights() == []
    (folder,) = runs()
    half = (folder / "transcripts.jsonl").read_bytes()

    again = nightly("2026-11-18", "-t", "mock:oracle")
    assert again.code == 0, again.err
    assert runs() == [folder]
    assert (folder / "transcripts.jsonl").read_bytes().startswith(half)
    assert half


def test_a_target_that_is_down_has_no_data_stops_no_other_and_is_asked_again(
    nightly: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    nightly("2026-11-18")
    reply: Any = mocks.MockTarget.reply

    async def down(self: Any, *arguments: Any) -> ModelReply:
        if self.name == "mock:oracle":
            raise TargetUnavailable("server_error", "503")
        return await reply(self, *arguments)

    monkeypatch.setattr(mocks.MockTarget, "reply", down)
    ended = nightly("2026-11-19")
    assert (ended.code, ended.value["outcome"]) == (3, "no data")
    assert statuses(ended) == {"mock:oracle": "no data", "mock:meddler": "as ever"}
    oracle = next(each for each in ended.value["targets"] if each["target"] == "mock:oracle")
    assert oracle["compliant"]["rate"] is None
    assert "server_error" in oracle["reason"]

    monkeypatch.setattr(mocks.MockTarget, "reply", reply)
    again = nightly("2026-11-19")
    assert again.code == 0
    assert statuses(again) == {"mock:oracle": "as ever", "mock:meddler": "as ever"}
    assert len(runs()) == 4


def test_a_target_that_cannot_be_opened_has_no_data(nightly: Ask, tmp_path: Path) -> None:
    project = tmp_path / "own"
    project.mkdir()
    (project / "scenarios").symlink_to(Path(SUITE[1]) / "scenarios")
    (project / "targets.yaml").write_text(
        "keyless: {kind: litellm, model: openai/x, api_key_env: NOBODY_SETS_THIS}\n"
        "reference: {kind: mock, model: oracle}\n"
    )
    ended = nightly("2026-11-18", "--project", str(project))

    assert ended.code == 3
    assert statuses(ended) == {"keyless": "no data", "reference": "first"}
    assert "NOBODY_SETS_THIS" in ended.err


def test_a_model_that_falls_behind_its_name_ends_with_an_alarm(
    nightly: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    dates = [f"2026-11-{each:02}" for each in range(1, 10)]
    for each in dates[:-3]:
        assert nightly(each, "-t", "mock:oracle", "-n", "3").code == 0
    meddler: Any = mocks.open_mock("meddler")
    reply: Any = mocks.MockTarget.reply

    async def fallen(_: Any, *arguments: Any) -> ModelReply:
        return replace(await reply(meddler, *arguments), model="oracle")

    monkeypatch.setattr(mocks.MockTarget, "reply", fallen)
    ended = [nightly(each, "-t", "mock:oracle", "-n", "3") for each in dates[-3:]]

    assert 1 in {each.code for each in ended}
    told = next(each for each in ended if each.code == 1)
    assert statuses(told) == {"mock:oracle": "drift"}
    assert told.value["outcome"] == "alarm"
    assert "since 2026-11-07" in told.value["targets"][0]["reason"]


def test_judging_alone_asks_nobody(nightly: Ask) -> None:
    nightly("2026-11-18")
    Path("reports/nightly/nightly.md").unlink()

    ended = nightly("2026-11-18", "--judge")
    assert ended.code == 0
    assert len(runs()) == 2
    assert Path("reports/nightly/nightly.md").is_file()
    assert nightly("2026-11-20", "--judge").code == 2


def test_old_runs_go_their_lines_stay_and_what_a_baseline_names_is_never_touched(
    nightly: Ask, capsys: pytest.CaptureFixture[str]
) -> None:
    oracle = ("-t", "mock:oracle")
    nightly("2026-11-16", *oracle, "-n", "3")
    (blessed,) = runs()
    assert call(capsys, "bless", str(blessed), "--as", "oracle", "--why", "x", *SUITE).code == 0
    assert (FOLDER / "oracle.json").is_file()
    for night in ("17", "18"):
        nightly(f"2026-11-{night}", *oracle)
    lines = Path("reports/nightly/nights.jsonl").read_bytes()
    old = next(each for each in runs() if _date_of(each) == "2026-11-17")

    ended = nightly("2026-11-19", *oracle, "--keep", "2")
    assert ended.value["deleted"] == [str(old)]
    assert f"deleted {old}" in ended.err
    assert f"kept {blessed}: a baseline names it" in ended.err
    assert blessed.is_dir()
    assert len(runs()) == 3
    assert Path("reports/nightly/nights.jsonl").read_bytes().startswith(lines)


def test_what_is_recorded_tonight_is_never_deleted_whatever_its_date(nightly: Ask) -> None:
    oracle = ("-t", "mock:oracle")
    for night in ("17", "18"):
        nightly(f"2026-11-{night}", *oracle)

    assert nightly("2026-11-10", *oracle, "--keep", "2").value["deleted"] == []
    assert len(runs()) == 3


def test_a_night_under_way_is_never_deleted(nightly: Ask) -> None:
    oracle = ("-t", "mock:oracle")
    for night in ("17", "18"):
        nightly(f"2026-11-{night}", *oracle)
    file = Path("reports/nightly/nights.jsonl")
    under_way, lines = runs()[-1], file.read_text().splitlines()
    # As it stands while the night of the 18th is recorded: it has begun and has come to nothing yet.
    file.write_text("".join(f"{each}\n" for each in lines if '"began"' in each or "2026-11-17" in each))

    assert nightly("2026-11-17", "--judge", "--keep", "1").value["deleted"] == []
    assert under_way.is_dir()


def test_a_night_that_cannot_be_gone_on_with_keeps_what_it_came_to(
    nightly: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply: Any = mocks.MockTarget.reply
    asked = 0

    async def down_once(self: Any, *arguments: Any) -> ModelReply:
        nonlocal asked
        asked += 1
        if asked == 1:
            raise TargetUnavailable("server_error", "503")
        return await reply(self, *arguments)

    monkeypatch.setattr(mocks.MockTarget, "reply", down_once)
    many = ("-t", "mock:oracle", "-n", "20")
    first = nightly("2026-11-18", *many)
    assert first.value["targets"][0]["coverage"] > 0.95
    assert first.value["targets"][0]["coverage"] < 1

    def closed(*_: Any, **__: Any) -> None:
        raise InvalidInput("targets.yaml: the key is gone")

    monkeypatch.setattr(nights, "check_budget", closed)
    again = nightly("2026-11-18", *many)
    assert "the key is gone" in again.err
    assert "what was recorded before stays" in again.err
    assert again.value["targets"] == first.value["targets"]


def test_other_questions_on_a_night_that_is_recorded_are_said_not_to_be_asked(nightly: Ask) -> None:
    nightly("2026-11-18", "-t", "mock:oracle", "-s", INCIDENT)

    ended = nightly("2026-11-18", "-t", "mock:oracle")
    assert "was asked otherwise" in ended.err
    assert "was asked otherwise" not in nightly("2026-11-18", "-t", "mock:oracle", "-s", INCIDENT).err


def _date_of(run: Path) -> str:
    began = [json.loads(each) for each in Path("reports/nightly/nights.jsonl").read_text().splitlines()]
    return next(each["date"] for each in began if each["run"] == str(run))


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("-t", "nobody"), "no target 'nobody'"),
        (("-t", "replay:x"), "name a model"),
        (("-t", "mock:oracle", "--canary", "no-such"), "--canary no-such"),
        (("-t", "mock:oracle", "--alpha", "0"), "never an alarm"),
        (("-t", "mock:oracle", "--keep", "0"), "1 or more"),
        ((), "no target"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_written(
    nightly: Ask, arguments: tuple[str, ...], what: str
) -> None:
    ended = nightly("2026-11-18", *(arguments or ("-q",)))

    assert ended.code == 2
    assert what in ended.err
    assert not Path("reports").exists()


def test_the_table_has_a_row_for_each_dimension_where_pyarrow_is_installed(nightly: Ask) -> None:
    if importlib.util.find_spec("pyarrow") is None:
        assert not [each for each in nightly("2026-11-18").value["files"] if each.endswith(".parquet")]
        pytest.skip("pyarrow is not installed: pip install 'contract-harness[parquet]'")
    import pandas as pd

    nightly("2026-11-18")
    table = pd.read_parquet("reports/nightly/nightly.parquet")
    whole = table[(table["dimension"] == "all") & (table["target"] == "mock:oracle")]
    assert list(whole["rate"]) == [1.0, 1.0]

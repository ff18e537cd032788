"""harness run --until-decided, on the small project."""

import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from calling import RECOVERY, SUITE, Ended, call, made_run
from commanding import info_of, samples_of

from harness.targets import ModelReply
from harness.targets.mock import mocks

RUN_KEYS = {"run", "status", "samples", "scored", "unscored", "targets"}
GATE_KEYS = {"outcome", "dimensions", "hard", "minimum_detectable", "coverage", "flipped"}
DECIDED = "--until-decided"

Ask = Callable[..., Ended]


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: call(capsys, *map(str, arguments), *SUITE)


@pytest.fixture
def oracle(capsys: pytest.CaptureFixture[str], ask: Ask, tmp_path: Path) -> str:
    """A baseline of three trials."""
    run = made_run(capsys, tmp_path / "reports" / "runs", "-n", "3")
    assert ask("bless", run, "--as", "oracle").code == 0
    return "oracle"


def decided(ask: Ask, *arguments: object) -> tuple[Ended, Path]:
    ended = ask("run", DECIDED, "--json", *arguments)
    return ended, Path(ended.value["run"])


def looks(folder: Path) -> list[dict[str, Any]]:
    return info_of(folder)["deciding"]["looks"]


class TestHowItEnds:
    def test_a_target_that_did_not_change_passes_before_the_cap(self, ask: Ask, oracle: str) -> None:
        ended, folder = decided(ask, "--baseline", oracle, "-n", 60, "--seed", 1)

        assert ended.code == 0
        assert set(ended.value) == RUN_KEYS | GATE_KEYS
        assert (ended.value["outcome"], ended.value["status"]) == ("pass", "complete")
        assert [each["wave"] for each in looks(folder)] == [1, 2, 3, 5, 7, 10, 14, 20, 28, 40]
        assert [each["outcome"] for each in looks(folder)] == ["inconclusive"] * 9 + ["pass"]
        assert ended.value["samples"] == 120 == len(samples_of(folder))
        info = info_of(folder)
        assert (info["trials"], info["deciding"]["cap"], info["deciding"]["outcome"]) == (40, 60, "pass")
        assert looks(folder)[-1]["spent"] == pytest.approx(0.05 * 40 / 60)

    def test_a_vice_ends_it_at_the_first_look_that_shows_it(self, ask: Ask, oracle: str) -> None:
        ended = ask("run", DECIDED, "--baseline", oracle, "-t", "mock:meddler", "-n", 20)

        assert ended.code == 1
        assert ended.out.startswith("regression: pass_through fell by 100.0 points, from 100.0 to 0.0 %")
        assert "of at most 60 samples" in ended.out.splitlines()[-1]
        said = [line for line in ended.err.splitlines() if line.startswith("wave ")]
        assert said[0].startswith("wave 1 of at most 20: compliance -100.0 points, bounds -")
        assert said[-1].endswith("; regression")
        assert len(said) < 6

    def test_a_hard_clause_ends_it_after_the_wave_that_breaks_it(self, ask: Ask, oracle: str) -> None:
        ended, folder = decided(
            ask, "--baseline", oracle, "-t", "mock:repeater", "-s", RECOVERY, "--common", "--seed", 3
        )

        assert ended.code == 1
        (only,) = looks(folder)
        assert (only["wave"], only["hard"]) == (1, ["REP-1"])

    def test_what_no_look_decides_is_inconclusive_at_the_cap(self, ask: Ask, oracle: str) -> None:
        ended, folder = decided(ask, "--baseline", oracle, "-n", 2)

        assert (ended.code, ended.value["outcome"]) == (4, "inconclusive")
        assert [each["wave"] for each in looks(folder)] == [1, 2]
        assert info_of(folder)["deciding"]["because"].startswith("compliance changed by +0.0 points")

    def test_a_target_that_cannot_be_asked_is_not_asked_more_often(self, ask: Ask, oracle: str) -> None:
        nobody = ("-t", "litellm:openai/any", "--api-base", "http://127.0.0.1:9/v1", "--timeout", "5")
        ended, folder = decided(ask, "--baseline", oracle, *nobody)

        assert (ended.code, ended.value["outcome"]) == (3, "insufficient")
        assert (ended.value["samples"], ended.value["unscored"]) == (3, 3)
        (only,) = looks(folder)
        assert only["outcome"] == "insufficient"
        again = ask("run", "--retry-unscored", folder, "--json")
        assert (again.code, again.value["samples"], len(samples_of(folder))) == (3, 3, 6)

    def test_ten_waves_are_the_most_where_nobody_says(self, ask: Ask, oracle: str) -> None:
        ended = ask("run", DECIDED, "--baseline", oracle, "--dry-run", "--json")

        assert ended.value["samples"] == 30


class TestGoingOn:
    def test_a_killed_run_comes_to_the_same_looks(self, ask: Ask, oracle: str) -> None:
        ended, folder = decided(ask, "--baseline", oracle, "-n", 60, "-t", "mock:flaky", "--seed", 7)
        before, scores = looks(folder), (folder / "scores.jsonl").read_bytes()
        assert len(before) > 2, "or there is nothing to see"
        cut(folder, lines=7, stored=before[:1])

        again = ask("run", "--resume", folder, "--json")

        assert (again.code, again.value) == (ended.code, ended.value)
        assert looks(folder) == before
        assert (folder / "scores.jsonl").read_bytes() == scores

    def test_an_interrupted_wave_is_gone_on_with(
        self, ask: Ask, oracle: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        reply, asked = mocks.MockTarget.reply, 0

        async def tired(*arguments: Any) -> ModelReply:
            nonlocal asked
            asked += 1
            if asked == 60:
                signal.raise_signal(signal.SIGINT)
            return await reply(*arguments)

        monkeypatch.setattr(mocks.MockTarget, "reply", tired)
        stopped = ask("run", DECIDED, "--baseline", oracle, "-n", 60)
        (folder,) = [each for each in Path("reports/runs").iterdir() if info_of(each)["deciding"]]
        seen = len(looks(folder))
        status = info_of(folder)["status"]
        monkeypatch.setattr(mocks.MockTarget, "reply", reply)

        again = ask("run", "--resume", folder, "--json")

        assert (stopped.code, status, info_of(folder)["deciding"]["outcome"]) == (130, "interrupted", "pass")
        assert "harness run --resume" in stopped.err
        assert 0 < seen < len(looks(folder))
        assert (again.code, again.value["samples"]) == (0, 120)

    def test_a_decided_run_is_not_asked_any_more(self, ask: Ask, oracle: str) -> None:
        ended, folder = decided(ask, "--baseline", oracle, "-t", "mock:meddler", "-n", 20)
        recorded = samples_of(folder)

        again = ask("run", "--resume", folder, "--json")

        assert (again.code, again.value) == (ended.code, ended.value)
        assert samples_of(folder) == recorded

    def test_samples_that_a_look_counted_are_not_asked_again(self, ask: Ask, oracle: str) -> None:
        ended, folder = decided(ask, "--baseline", oracle, "-n", 2)
        lines = (folder / "transcripts.jsonl").read_text().splitlines()
        first = json.loads(lines[0])
        first["failure"] = {"cause": "timeout", "detail": "played"}
        (folder / "transcripts.jsonl").write_text("\n".join([json.dumps(first), *lines[1:]]) + "\n")

        ask("run", "--retry-unscored", folder)

        assert ended.code == 4
        assert len(samples_of(folder)) == 6

    def test_another_baseline_than_at_first_is_refused(self, ask: Ask, oracle: str) -> None:
        _, folder = decided(ask, "--baseline", oracle, "-n", 2)
        assert ask("run", "-n", 4, "-t", "mock:null", "--out", "others").code == 0
        assert ask("bless", "latest", "--out", "others", "--as", "oracle", "--replace").code == 0

        ended = ask("run", "--resume", folder)

        assert ended.code == 2
        assert "golden/baselines/oracle.json: is not what" in ended.err
        assert "put that back, or start a new run" in ended.err


def cut(folder: Path, lines: int, stored: list[dict[str, Any]]) -> None:
    """Leave of a run what a kill leaves: some transcripts, and an earlier run.json."""
    transcripts = (folder / "transcripts.jsonl").read_text().splitlines(keepends=True)
    (folder / "transcripts.jsonl").write_text("".join(transcripts[:lines]))
    info = info_of(folder)
    info.update(status="running", trials=2, counts={}, graded=None)
    info["deciding"].update(looks=stored, outcome=None, because=None)
    (folder / "run.json").write_text(json.dumps(info))
    (folder / "scores.jsonl").unlink()


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            ((DECIDED,), "found no --baseline"),
            ((DECIDED, "--baseline", "oracle", "--shard", "1/2"), "found --shard beside it"),
            ((DECIDED, "--baseline", "oracle", "--only-failed", "latest"), "found --only-failed beside it"),
            ((DECIDED, "--baseline", "oracle", "--changed-since", "latest"), "found --changed-since"),
            ((DECIDED, "--baseline", "oracle", "--resume", "latest"), "found --resume beside it"),
            ((DECIDED, "--baseline", "oracle", "--fail-on", "all"), "found --fail-on beside it"),
            ((DECIDED, "--baseline", "oracle", "-t", "mock:null", "-t", "mock:oracle"), "it asks one target"),
            ((DECIDED, "--baseline", "oracle", "-s", RECOVERY), "only the baseline has"),
            ((DECIDED, "--baseline", "nowhere"), "no run or baseline 'nowhere'"),
            (("--baseline", "oracle"), "--baseline: belong to --until-decided"),
            (("--margin", "0"), "--margin: belong to --until-decided"),
        ],
    )
    def test_it_is_refused_before_there_is_a_run(
        self, ask: Ask, oracle: str, arguments: tuple[str, ...], told: str
    ) -> None:
        del oracle
        ended = ask("run", *arguments)

        assert ended.code == 2
        assert told in ended.err
        assert len(list(Path("reports/runs").iterdir())) == 1

    def test_a_baseline_of_other_measures_is_to_be_graded_again_and_the_run_to_come_is_not(
        self, ask: Ask, oracle: str
    ) -> None:
        (run,) = Path("reports/runs").iterdir()
        file = run / "run.json"
        info = json.loads(file.read_text())
        info["graded"]["graders"]["SEV-2"] = 0
        file.write_text(json.dumps(info))

        ended = ask("run", DECIDED, "--baseline", run)

        assert (ended.code, oracle) == (2, "oracle")
        assert f"grade the baseline's run again (`harness grade {run}`), or compare" in ended.err

    def test_a_replay_says_nothing_new(self, ask: Ask, oracle: str) -> None:
        (run,) = Path("reports/runs").iterdir()

        ended = ask("run", DECIDED, "--baseline", oracle, "-t", f"replay:{run}")

        assert (ended.code, "found a replay, which says nothing" in ended.err) == (2, True)


def test_the_gate_over_such_a_run_says_where_its_verdict_is(ask: Ask, oracle: str) -> None:
    _, folder = decided(ask, "--baseline", oracle, "-n", 2)

    ended = ask("gate", folder, "--baseline", oracle)

    assert (
        f"note: {folder}: was recorded until it was decided, and its run.json has that verdict" in ended.out
    )

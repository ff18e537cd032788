"""harness nightly --max-cost: the budget is of the night, in however many commands it is asked."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from calling import SUITE, Ended, call

from harness.cli import nights

Ask = Callable[..., Ended]


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> list[float | None]:
    """What each target of a night may cost."""
    opened, given = nights.open_budget, list[float | None]()

    def noted(begun: Any, limit: float | None) -> Any:
        given.append(limit)
        return opened(begun, limit)

    monkeypatch.setattr(nights, "open_budget", noted)
    return given


@pytest.fixture
def nightly(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Ask one target and say that it took two dollars; then ask what is given."""
    monkeypatch.chdir(tmp_path)
    words = ("nightly", "--date", "2026-11-18", "-n", "1", "--json", *SUITE)
    assert call(capsys, *words, "-t", "mock:oracle").code == 0
    (file,) = Path("reports/nightly/runs").glob("*/run.json")
    file.write_text(json.dumps({**json.loads(file.read_text()), "spent": 2.0}))
    return lambda *arguments: call(capsys, *words, *arguments)


def test_what_a_target_cost_before_an_interruption_counts_for_the_others(
    nightly: Ask, limits: list[float | None]
) -> None:
    ended = nightly("-t", "mock:oracle", "-t", "mock:meddler", "--max-cost", "3")

    assert ended.code == 0, ended.err
    assert limits == [1.0]


def test_what_a_target_of_another_command_cost_counts_too(nightly: Ask, limits: list[float | None]) -> None:
    assert nightly("-t", "mock:meddler", "--max-cost", "2.5").code == 0
    assert limits == [0.5]


def test_nobody_is_asked_once_all_is_spent(nightly: Ask, limits: list[float | None]) -> None:
    ended = nightly("-t", "mock:meddler", "--max-cost", "2")

    assert ended.code == 3
    assert "--max-cost: tonight's other runs have spent all of $2.00" in ended.err
    assert limits == []

"""serve api behind http:URL, through `harness run`: what the wire shows is judged as it is without it."""

import asyncio
import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from conftest import PROJECT

from harness.scenarios import load_scenarios
from harness.serving.api import Served, serve_api
from harness.serving.api_requests import knowledge_of
from harness.targets import TargetOptions, open_target
from tests.commanding import SUITE, harness, info_of, rows_of, run_of

Verdicts = dict[tuple[str, str], str]


@contextmanager
def served(mock: str, generation: Literal[1, 2]) -> Generator[str]:
    """Serve a mock beside this thread, and give its URL."""
    ready, urls, ends = threading.Event(), list[str](), list[Any]()

    async def serve() -> None:
        end = asyncio.Event()
        target = open_target(mock, TargetOptions())
        about = Served(target, knowledge_of(load_scenarios(PROJECT)), generation)
        async with serve_api(about, log=lambda _: None) as url:
            urls.append(url)
            ends.append((asyncio.get_running_loop(), end))
            ready.set()
            await end.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert ready.wait(5)
    try:
        yield urls[0]
    finally:
        loop, end = ends[0]
        loop.call_soon_threadsafe(end.set)
        thread.join(10)


def verdicts(folder: Path) -> Verdicts:
    """Return the outcomes of a run that are not unscored, by scenario with trial, and clause."""
    return {
        (row["sample"].partition("@")[0] + row["sample"][row["sample"].rindex("#") :], row["clause"]): row[
            "outcome"
        ]
        for row in rows_of(folder)
        if row["outcome"] != "unscored"
    }


def deployed(mock: str, generation: Literal[1, 2], query: str, out: Path) -> Path:
    """Return the run of a mock behind its API; no sample has every clause scored, so it ends with 3."""
    with served(mock, generation) as url:
        address = f"{url}?generation={generation}&poll=0.01{query}"
        ending = harness("run", "-t", address, "-n", "3", "--out", str(out), "-q", "--json", *SUITE)
    assert ending.code in {0, 3}, ending.err
    return Path(json.loads(ending.out)["run"])


def direct(mock: str, out: Path) -> Verdicts:
    """Return the verdicts of a mock that is asked directly."""
    return verdicts(run_of("run", "-t", mock, "-n", "3", "--out", str(out), "-q", *SUITE))


@pytest.mark.parametrize(
    ("generation", "query"), [(1, ""), (1, "&analysis=raw"), (2, ""), (2, "&analysis=raw")]
)
def test_the_oracle_behind_the_api_breaks_nothing(
    generation: Literal[1, 2], query: str, tmp_path: Path
) -> None:
    folder = deployed("mock:oracle", generation, query, tmp_path)

    found = verdicts(folder)
    scenarios = len(load_scenarios(PROJECT))
    assert "fail" not in found.values()
    assert (
        sum(clause == "SEL-2" and outcome == "pass" for (_, clause), outcome in found.items())
        == 3 * scenarios
    )
    settings = next(iter(info_of(folder)["targets"].values()))
    assert (settings["kind"], settings["model"].partition("&")[0]) == ("http", f"generation={generation}")


@pytest.mark.parametrize("mock", ["mock:flaky", "mock:rambler", "mock:forger"])
def test_faults_show_through_the_raw_text_and_nothing_else_does(mock: str, tmp_path: Path) -> None:
    known = direct(mock, tmp_path / "direct")
    found = verdicts(deployed(mock, 1, "&analysis=raw", tmp_path / "deployed"))

    told = {key: outcome for key, outcome in found.items() if outcome == "fail"}
    assert told
    assert told == {key: outcome for key, outcome in known.items() if key in told}
    carried = {key for key, outcome in known.items() if outcome == "fail" and key[1].startswith("CAR-")}
    assert carried <= set(told)


def test_without_raw_text_the_form_of_an_answer_is_unscored_and_its_substance_is_not(tmp_path: Path) -> None:
    known = direct("mock:forger", tmp_path / "direct")
    found = verdicts(deployed("mock:forger", 2, "", tmp_path / "deployed"))

    assert not {clause for _, clause in found if clause.startswith("CAR-")}
    failed = {key for key, outcome in found.items() if outcome == "fail"}
    assert failed
    assert failed <= {key for key, outcome in known.items() if outcome == "fail"}


def test_what_the_wire_cannot_show_is_unscored(tmp_path: Path) -> None:
    folder = deployed("mock:oracle", 2, "", tmp_path)

    unscored = {row["clause"] for row in rows_of(folder) if row["outcome"] == "unscored"}
    assert {"CAR-1", "CAR-3", "QRY-1", "PAS-1", "SEL-1", "SIG-2", "REC-3", "REC-5", "REP-3"} <= unscored
    assert not {"SEV-2", "SEL-2", "PAR-1", "PAR-3", "REP-1", "REP-2"} & unscored


def test_a_service_that_is_not_there_leaves_everything_unscored(tmp_path: Path) -> None:
    ending = harness(
        "run",
        "-t",
        "http://127.0.0.1:9?generation=2",
        "-s",
        "incident/*",
        "--out",
        str(tmp_path),
        "-q",
        *SUITE,
    )

    assert ending.code == 3
    assert "0 of 1 samples could be scored" in ending.err

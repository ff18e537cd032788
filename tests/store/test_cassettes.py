"""The recorded runs under golden/cassettes/: one for each contract, replayed without a network."""

import asyncio
import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, Never

import pytest
from commanding import SUITE, harness, info_of, rows_of, run_of, samples_of
from conftest import GOLDEN, PROJECT

from harness.contracts import CONTRACTS, load_contract
from harness.pipeline import Plan, grade_run, new_info, record, settle
from harness.scenarios import load_scenarios
from harness.store import create_run, open_run
from harness.store.merging import said
from harness.store.secrets import refuse_secrets
from harness.targets import TargetOptions, open_target

CASSETTES = GOLDEN / "cassettes"
IDS = [each.id for each in CONTRACTS]
TRIALS, SEED = 3, 1
RECORD = "run `make cassettes` and read the diff"


def record_cassette(contract_id: str, out: Path) -> Path:
    """Record the flaky mock under one contract, one trial after the other; return the folder."""
    contract = load_contract(contract_id)
    scenarios = [each for each in load_scenarios(PROJECT) if each.flow == contract.flow]
    plan = Plan(scenarios, [contract], TRIALS, SEED)
    target = open_target("mock:flaky", TargetOptions())
    run = create_run(out, new_info(plan, [target]).model_copy(update={"id": contract_id}))
    run.begin()
    asyncio.run(record(run, plan, [target], done=(), concurrency=1, finished=lambda _: None))
    assert settle(run, TRIALS * len(scenarios))
    grade_run(run, {each.id: each for each in scenarios})
    return run.folder


@pytest.mark.parametrize("contract_id", IDS)
def test_a_cassette_holds_what_make_cassettes_records(
    contract_id: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    kept, fresh = CASSETTES / contract_id, record_cassette(contract_id, tmp_path)

    # A recording that says the same is left alone: a new date in every diff would tell nobody anything.
    if request.config.getoption("--update-golden") and contents(kept) != contents(fresh):
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(fresh, kept)

    assert plan_of(kept) == plan_of(fresh), RECORD


def contents(folder: Path) -> list[object]:
    if not (folder / "run.json").is_file():
        return []
    transcripts = [(each.id, said(each)) for each in open_run(str(folder)).transcripts()]
    return [transcripts, info_of(folder)["graded"], (folder / "scores.jsonl").read_bytes()]


def plan_of(folder: Path) -> dict[str, object]:
    """Return what was asked; what has changed in it since is the replay's to find."""
    info = info_of(folder)
    names = {name: sorted(info[name]) for name in ("targets", "contracts", "scenarios")}
    return {**names, "trials": info["trials"], "seed": info["seed"], "status": info["status"]}


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection and every look-up; pairs of sockets, which event loops need, stay."""

    def refuse(*arguments: Any, **_: Any) -> Never:
        pytest.fail(f"a replay reached for the network: {arguments[-1]!r}")

    for name in ("connect", "connect_ex", "sendto", "bind", "listen"):
        monkeypatch.setattr(socket.socket, name, refuse)
    for name in ("create_connection", "getaddrinfo", "gethostbyname"):
        monkeypatch.setattr(socket, name, refuse)


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("contract_id", IDS)
def test_a_cassette_replays_to_its_scores_byte_for_byte(contract_id: str, tmp_path: Path) -> None:
    kept = CASSETTES / contract_id

    replayed = run_of("run", "-t", f"replay:{kept}", "--out", str(tmp_path), *SUITE)

    assert (replayed / "scores.jsonl").read_bytes() == (kept / "scores.jsonl").read_bytes(), RECORD
    assert sorted(samples_of(replayed)) == sorted(samples_of(kept))


def connected(address: tuple[str, int]) -> None:
    with socket.socket() as one:
        one.connect(address)


REACHES: list[Callable[[], object]] = [
    lambda: socket.create_connection(("127.0.0.1", 9), timeout=1),
    lambda: connected(("127.0.0.1", 9)),
    lambda: socket.getaddrinfo("localhost", 9),
]


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("reach", REACHES)
def test_the_network_is_out_of_reach(reach: Callable[[], object]) -> None:
    with pytest.raises(pytest.fail.Exception, match="reached for the network"):
        reach()


@pytest.mark.parametrize("contract_id", IDS)
def test_a_cassette_is_small_has_passes_and_fails_and_no_key(contract_id: str) -> None:
    folder = CASSETTES / contract_id
    outcomes = {row["outcome"] for row in rows_of(folder)}

    assert {"pass", "fail"} <= outcomes
    assert sum(each.stat().st_size for each in folder.iterdir()) < 200_000
    refuse_secrets(folder)


def test_every_cassette_is_a_contracts() -> None:
    assert sorted(each.name for each in CASSETTES.iterdir()) == sorted(IDS)
    for folder in CASSETTES.iterdir():
        assert {each.name for each in folder.iterdir()} == {
            "run.json", "transcripts.jsonl", "blobs.jsonl", "scores.jsonl",
        }  # fmt: skip


def test_the_documented_command_is_in_the_makefile_and_not_in_ci() -> None:
    root = GOLDEN.parent

    assert "\ncassettes:" in (root / "Makefile").read_text(encoding="utf-8")
    assert "cassettes" not in (root / ".ci" / "run").read_text(encoding="utf-8")


def test_a_cassette_that_lost_a_text_is_refused_by_name(tmp_path: Path) -> None:
    kept = CASSETTES / IDS[0]
    shutil.copytree(kept, tmp_path / "kept")
    blobs = tmp_path / "kept" / "blobs.jsonl"
    assert (
        harness("run", "-t", f"replay:{tmp_path / 'kept'}", "-q", "--out", str(tmp_path / "a"), *SUITE).code
        == 0
    )
    blobs.write_text(blobs.read_text(encoding="utf-8").partition("\n")[2], encoding="utf-8")

    code, _, err = harness("run", "-t", f"replay:{tmp_path / 'kept'}", "--out", str(tmp_path / "b"), *SUITE)

    assert code == 2
    assert "blobs.jsonl: lacks" in err
    assert "restore the file from a copy" in err

"""Works on a Ray cluster: in order, on every node, done again where a process or a node is lost."""

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from harness import __version__
from harness.engines import ray_cluster
from harness.engines.ray_cluster import AHEAD, RayEngine, open_cluster
from harness.errors import EngineFailed, InvalidRun
from tests.clusters import works
from tests.clusters.two_nodes import MARKS, Nodes

pytest_plugins = ["two_nodes"]
pytestmark = MARKS


@pytest.fixture
def engine(nodes: Nodes) -> Iterator[RayEngine]:
    with open_cluster(nodes.address, 1) as opened:
        yield opened


def test_works_are_done_in_order_by_both_nodes(engine: RayEngine) -> None:
    found = list(engine.in_order(works.placed, range(12)))

    assert [number for number, _ in found] == list(range(12))
    assert len({node for _, node in found}) == 2


def test_the_cluster_of_the_environment_is_found(nodes: Nodes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", nodes.address)

    with open_cluster("auto", 1) as engine:
        assert list(engine.in_order(works.refused, range(2, 8))) == [2, 3, 4, 5, 6, 7]
        assert engine.ray.cluster_resources()["CPU"] == 2


def test_no_more_works_are_taken_than_are_under_way(engine: RayEngine) -> None:
    taken: list[int] = []

    def counted() -> Iterator[int]:
        for number in range(50):
            taken.append(number)
            yield number

    results = engine.in_order(works.refused, (each + 2 for each in counted()))
    assert [next(results) for _ in range(5)] == [2, 3, 4, 5, 6]
    results.close()

    assert len(taken) == 2 * AHEAD + 4


def test_what_a_killed_process_had_is_done_again(engine: RayEngine, tmp_path: Path) -> None:
    assert list(engine.in_order(partial(works.killed_once, tmp_path), range(8))) == list(range(8))
    assert (tmp_path / "killed").exists()


def test_what_a_lost_node_had_is_done_again(engine: RayEngine, nodes: Nodes) -> None:
    results = engine.in_order(works.placed, range(12))
    first = [next(results) for _ in range(3)]
    nodes.lose_second()
    rest = list(results)

    assert [number for number, _ in (*first, *rest)] == list(range(12))
    assert len({node for _, node in rest[-4:]}) == 1


def test_a_work_that_kills_whoever_has_it_is_given_up(
    engine: RayEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_cluster, "RETRIES", 1)

    with pytest.raises(EngineFailed, match=r"^the cluster lost a work 2 times, or was lost itself \(Worker"):
        list(engine.in_order(works.killed, range(4)))


def test_what_a_work_raises_is_raised_here(engine: RayEngine) -> None:
    results = engine.in_order(works.refused, range(3))

    assert next(results) == 0
    with pytest.raises(InvalidRun, match=r"^run 1: is gone$"):
        next(results)


def test_a_node_of_another_version_is_refused(engine: RayEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_cluster, "__version__", "99.0")

    with pytest.raises(EngineFailed, match=rf"has harness {__version__}, and 99\.0 gives the works out"):
        list(engine.in_order(works.refused, range(3)))


def test_works_are_done_in_the_folder_of_whoever_asks(
    engine: RayEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert list(engine.in_order(works.here, range(2))) == [str(tmp_path)] * 2


@pytest.mark.usefixtures("nodes")
def test_a_cluster_of_its_own_is_started_and_ended(capfd: pytest.CaptureFixture[str]) -> None:
    with open_cluster(None, 2) as engine:
        assert list(engine.in_order(works.refused, range(2, 6))) == [2, 3, 4, 5]
        sys.stdout.write("what Ray has to say of a lost node")
        processors = engine.ray.cluster_resources()["CPU"]

    assert (processors, engine.ray.is_initialized()) == (2, False)
    assert capfd.readouterr() == ("", "")

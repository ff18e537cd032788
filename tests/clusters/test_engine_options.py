"""--engine and --address: what is missing or wrong is told before anything is judged; this needs no Ray."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness.engines.ray_cluster import open_cluster
from harness.errors import InvalidInput
from tests.commanding import SUITE, harness

ANSWER = "{}"


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Put something in Ray's place that starts nothing, and keeps what it was called with."""
    called: list[Any] = []

    def init(*of: Any, **more: Any) -> None:
        called.append((of, more))

    stub = SimpleNamespace(called=called, init=init, shutdown=lambda: called.append("shutdown"))
    monkeypatch.setitem(sys.modules, "ray", stub)
    return stub


def refused(*arguments: str) -> str:
    ended = harness(*arguments, *SUITE)
    assert (ended.code, ended.out) == (2, "")
    return ended.err


def test_without_ray_what_installs_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    file = tmp_path / "a.txt"
    file.write_text(ANSWER)

    said = refused("audit", str(file), "--out", str(tmp_path / "out"), "--engine", "ray")

    assert said == (
        "harness: --engine ray: ray is not installed; install it with pip install 'contract-harness[ray]'\n"
    )


@pytest.mark.parametrize("command", [("audit", "a.txt", "--out", "out"), ("grade", "latest")])
def test_an_address_is_a_clusters(command: tuple[str, ...]) -> None:
    assert refused(*command, "--address", "127.0.0.1:6379") == (
        "harness: --address: names a Ray cluster; use it with --engine ray\n"
    )


def test_what_a_cluster_judges_goes_into_a_folder() -> None:
    assert refused("audit", "a.txt", "--engine", "ray", "--json") == (
        "harness: --engine ray: what it judges is written into a folder; name it with --out\n"
    )


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("127.0.0.1:1", r"^--address 127\.0\.0\.1:1: no cluster answers there: .*refused"),
        ("127.0.0.1:99999", r"^--address 127\.0\.0\.1:99999: no cluster answers there: "),
        ("head", r"^--address: found 'head'; use HOST:PORT or auto$"),
        ("head:", r"^--address: found 'head:'; use HOST:PORT "),
        ("ray://head:10001", r"^--address: found 'ray://head:10001'; use HOST:PORT or auto$"),
    ],
)
def test_an_address_where_nothing_answers_is_told_at_once(
    ray: SimpleNamespace, address: str, said: str
) -> None:
    with pytest.raises(InvalidInput, match=said), open_cluster(address, 1):
        pass
    assert ray.called == ["shutdown"]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("auto", r"^--address auto: Could not find any running Ray instance\.$"),
        (None, r"^--engine ray: no cluster could be started: Could not find"),
    ],
)
def test_what_ray_refuses_is_told_in_one_line(ray: SimpleNamespace, address: str | None, said: str) -> None:
    def init(*_: Any, **__: Any) -> None:
        raise ConnectionError("Could not find any running Ray instance.\nMore.")

    ray.init = init
    with pytest.raises(InvalidInput, match=said), open_cluster(address, 1):
        pass


STARTED: list[tuple[str | None, Callable[[Any], bool]]] = [
    ("auto", lambda called: called[0] == ("auto",) and "num_cpus" not in called[1]),
    (None, lambda called: called[0] == ("local",) and called[1]["num_cpus"] == 3),
]


@pytest.mark.parametrize(("address", "right"), STARTED)
def test_jobs_are_the_processors_of_a_cluster_of_its_own(
    ray: SimpleNamespace, address: str | None, right: Callable[[Any], bool]
) -> None:
    with open_cluster(address, 3):
        assert right(ray.called[0])

    assert ray.called[0][1]["log_to_driver"] is False
    assert ray.called[1:] == ["shutdown"]

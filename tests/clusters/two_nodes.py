"""The fixtures `nodes` and `storage`: a Ray cluster of two nodes on this machine, and an S3 server."""

import tempfile
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.parts import Talked

ACCESS, SECRET = "AKIATESTEDHERE", "hushhush"
MARKS = [
    pytest.mark.part("ray"),
    pytest.mark.timeout(600),
    # Ray never closes the logs of the processes that it starts.
    pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning"),
]
ROOT = Path(__file__).parents[2]


class Nodes:
    """Two nodes of one processor each; the second comes back for the test after one that lost it."""

    def __init__(self, cluster: Any) -> None:
        self.cluster = cluster
        self.second: Any = None

    @property
    def address(self) -> str:
        """Where the cluster answers."""
        return self.cluster.address

    def complete(self) -> None:
        """See that there are two."""
        if self.second is None:
            self.second = self.cluster.add_node(num_cpus=1)

    def lose_second(self) -> None:
        """Kill every process of the second node."""
        self.cluster.remove_node(self.second, allow_graceful=False)
        self.second = None

    def workers(self) -> list[int]:
        """Return the processes that are at work, of both nodes."""
        nodes = (self.cluster.head_node, self.second)
        raylets = {each.all_processes["raylet"][0].process.pid for each in nodes if each}
        return [pid for pid in map(_number, Path("/proc").iterdir()) if pid and _works_for(pid, raylets)]


def _number(path: Path) -> int:
    return int(path.name) if path.name.isdecimal() else 0


def _works_for(pid: int, raylets: set[int]) -> bool:
    try:
        title = Path(f"/proc/{pid}/cmdline").read_bytes()
        parent = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1]
    except (OSError, ValueError):
        return False
    return title.startswith(b"ray::_done") and int(parent) in raylets


@pytest.fixture(scope="session")
def _server() -> Iterator[None]:
    """Run an S3 server, and put into the environment, of nodes too, where it is and its keys."""
    for each in ("ray", "s3fs", "moto"):
        if find_spec(each) is None:
            pytest.skip(f"{each} is not installed")
    servers: Any = import_module("moto.server")
    server = servers.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        patched.setenv("AWS_DEFAULT_REGION", "us-east-1")
        patched.setenv("AWS_EC2_METADATA_DISABLED", "true")
        patched.setenv("AWS_ACCESS_KEY_ID", ACCESS)
        patched.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
        yield
    server.stop()


@pytest.fixture
def storage(_server: None, talked: Talked) -> Any:
    """Give the file system of the S3 server, which begins empty."""
    files = import_module("fsspec").filesystem("s3")
    for each in files.ls("", refresh=True):
        files.rm(each, recursive=True)
    talked("moto's S3", version("moto"), 1)
    return files


@pytest.fixture(scope="session")
def _cluster(_server: None) -> Iterator[Nodes]:
    # Sockets lie in the folder, whose paths must be short.
    with pytest.MonkeyPatch.context() as patched, tempfile.TemporaryDirectory(prefix="ray-") as folder:
        patched.setenv("PYTHONPATH", str(ROOT))
        # Whatever Ray writes, it writes below this; an argument would not move the cluster's address.
        patched.setenv("RAY_TMPDIR", folder)
        patched.setenv("RAY_AUTH_MODE", "token")
        patched.setenv("RAY_AUTH_TOKEN", "0123456789abcdef" * 4)
        # Where other work is done at the same time, nodes start slowly.
        patched.setenv("RAY_raylet_start_wait_time_s", "120")
        # Ray reads the environment while it is imported.
        clusters: Any = import_module("ray.cluster_utils")
        head = {"num_cpus": 1, "include_dashboard": False}
        cluster = clusters.Cluster(initialize_head=True, head_node_args=head)
        yield Nodes(cluster)
        cluster.shutdown()


@pytest.fixture
def nodes(_cluster: Nodes, talked: Talked) -> Nodes:
    """Give the cluster with both of its nodes."""
    _cluster.complete()
    talked("Ray", version("ray"), 1)
    return _cluster

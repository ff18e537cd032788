"""Where works are done, as the command line says it."""

import argparse
from contextlib import AbstractContextManager, nullcontext

from harness.cli.numbers import whole
from harness.engines import Engine, local_engine, processors
from harness.errors import InvalidInput

LOCAL, RAY = "local", "ray"


def add_engine(parser: argparse.ArgumentParser, what: str) -> None:
    """Add --jobs, --engine and --address; `what` says what processes do, as "judge"."""
    parser.add_argument(
        "--jobs", type=whole, default=processors(), metavar="N",
        help=f"how many processes {what} (default: one for each processor)",
    )  # fmt: skip
    parser.add_argument(
        "--engine", choices=(LOCAL, RAY), default=LOCAL,
        help="processes of this machine, or tasks of a Ray cluster (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--address", metavar="ADDRESS",
        help="with --engine ray: the cluster, HOST:PORT or auto, with all its processors (default: one of "
        "--jobs processors, started here)",
    )  # fmt: skip


def engine_of(arguments: argparse.Namespace) -> AbstractContextManager[Engine]:
    """Return the engine that the arguments mean, to be entered: a cluster is connected to only then.

    While a cluster is entered, nothing is printed on standard output.

    Raises:
        InvalidInput: an address is given, and no cluster asked for.
    """
    if arguments.engine == RAY:
        from harness.engines.ray_cluster import open_cluster

        return open_cluster(arguments.address, arguments.jobs)
    if arguments.address:
        raise InvalidInput("--address: names a Ray cluster; use it with --engine ray")
    return nullcontext(local_engine(arguments.jobs))

"""Every kind's columns."""

from harness.cluster.columns.column import AGE, NAME, Column
from harness.cluster.columns.config import CONFIG
from harness.cluster.columns.network import NETWORK
from harness.cluster.columns.nodes import NODES
from harness.cluster.columns.pods import PODS
from harness.cluster.columns.policy import POLICY
from harness.cluster.columns.storage import STORAGE
from harness.cluster.columns.workloads import WORKLOADS

_COLUMNS = PODS | WORKLOADS | NODES | NETWORK | STORAGE | CONFIG | POLICY
_OTHERS = (NAME, AGE)


def columns(kind: str, *, wide: bool) -> tuple[Column, ...]:
    """Return the columns of a kind in order; an unknown kind has a name and an age."""
    return tuple(each for each in _COLUMNS.get(kind, _OTHERS) if wide or not each.wide)

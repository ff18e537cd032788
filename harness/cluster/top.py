"""`kubectl top`."""

from collections.abc import Mapping
from datetime import timedelta
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from harness.cluster import kinds
from harness.cluster.lookup import Refusal, Wanted, objects
from harness.cluster.manifests import Manifest, name, text
from harness.cluster.metrics.authored import CPU, MEMORY
from harness.cluster.metrics.usage import Usage, used_now
from harness.cluster.quantities import amount
from harness.cluster.remembering import once_per_world
from harness.cluster.rights import USAGE, require
from harness.cluster.tables import table
from harness.cluster.times import creation
from harness.model.scenario import World

_POD_HEADER = ("NAME", "CPU(cores)", "MEMORY(bytes)")
_NODE_HEADER = ("NAME", "CPU(cores)", "CPU%", "MEMORY(bytes)", "MEMORY%")
_MEBIBYTE = Decimal(1024**2)
# Metrics of a pod this young are still on their way.
_DELAY = timedelta(minutes=2)


def top(world: World, kind: str, namespace: str = "default") -> str:
    """Return what `kubectl top pods` or `kubectl top nodes` prints.

    Raise Refusal with what it prints where it fails: also where the world has no such metrics.
    """
    if not any(each.name in {CPU, MEMORY} for each in world.metrics):
        raise Refusal("error: Metrics API not available")
    require(world, Wanted(USAGE[kind]), namespace)
    return _nodes(world) if kind == "nodes" else _pods(world, namespace)


def _pods(world: World, namespace: str) -> str:
    pods = objects(world, kinds.KINDS_BY_NAME["Pod"], namespace)
    used = _usage(world)
    rows = [_row(name(each), used[namespace, name(each)]) for each in pods if (namespace, name(each)) in used]
    if rows:
        return table(_POD_HEADER, rows)
    for each in pods:
        age = world.now - creation(each)
        if age > _DELAY:
            missing = f"{namespace}/{name(each)}, age: {_duration(age)}"
            raise Refusal(f"error: Metrics not available for pod {missing}")
    if pods:
        raise Refusal("error: metrics not available yet")
    return f"No resources found in {namespace} namespace."


def _nodes(world: World) -> str:
    nodes, used = objects(world, kinds.KINDS_BY_NAME["Node"], None), _usage(world)
    known = [each for each in nodes if ("", name(each)) in used]
    if not known:
        raise Refusal("error: metrics not available yet")
    rows = [_node_row(each, used["", name(each)]) for each in known]
    silent = [[name(each), *["<unknown>"] * 4] for each in nodes if each not in known]
    return table(_NODE_HEADER, [*rows, *silent])


def _row(row_name: str, used: Usage) -> list[str]:
    cpu, memory = used
    return [row_name, f"{_milli(cpu)}m", f"{_whole(memory / _MEBIBYTE)}Mi"]


def _node_row(node: Manifest, used: Usage) -> list[str]:
    cpu, memory = used
    named, cores, mebibytes = _row(name(node), used)
    whole_cpu, whole_memory = (
        amount(text(node, "status", "allocatable", each)) for each in ("cpu", "memory")
    )
    shares = [_share(Decimal(_milli(cpu)), whole_cpu * 1000), _share(memory, whole_memory)]
    return [named, cores, shares[0], mebibytes, shares[1]]


def _share(taken: Decimal, whole: Decimal) -> str:
    return f"{_whole(taken / whole * 100)}%" if whole else "<unknown>"


def _milli(cores: Decimal) -> int:
    # The API server rounds a quantity up to thousandths.
    return int((cores * 1000).to_integral_value(ROUND_CEILING))


def _whole(value: Decimal) -> int:
    return int(value.to_integral_value(ROUND_FLOOR))


@once_per_world
def _usage(world: World) -> Mapping[tuple[str, str], Usage]:
    return used_now(world.metrics)


def _duration(age: timedelta) -> str:
    """Return a duration as Go prints it: `5h12m0s`, `3m20s`."""
    seconds = int(age.total_seconds())
    hours = f"{seconds // 3600}h" if seconds >= 3600 else ""
    return f"{hours}{seconds % 3600 // 60}m{seconds % 60}s"

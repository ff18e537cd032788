"""`kubectl logs`."""

from harness.cluster import kinds
from harness.cluster.lookup import Refusal, Wanted, find, one
from harness.cluster.manifests import (
    Manifest,
    by_name,
    is_silent,
    items,
    mapping,
    name,
    strings,
    text,
)
from harness.cluster.rights import LOGS, require
from harness.model.scenario import World

_DEFAULT = "kubectl.kubernetes.io/default-container"
_WAITING = {
    "ErrImagePull": "image can't be pulled",
    "ImagePullBackOff": "trying and failing to pull image",
}


def logs(
    world: World,
    pod: str,
    namespace: str = "default",
    container: str = "",
    *,
    previous: bool = False,
    tail: int = -1,
) -> str:
    """Return what `kubectl logs` prints; raise Refusal with what it prints where it fails.

    Args:
        world: the world to look at.
        pod: a pod's name, also as `pod/name`.
        namespace: where the pod is.
        container: which container; the first, or the annotated one, if none is named.
        previous: the run before the last restart.
        tail: only so many last lines; negative for all.
    """
    asked = Wanted(kinds.KINDS_BY_NAME["Pod"], pod.rpartition("/")[2])
    require(world, asked, namespace)
    found = one(world, asked, namespace)
    chosen, note = _container(found, container)
    try:
        require(world, Wanted(LOGS, asked.name), namespace)
        lines = _lines(world, found, chosen, previous=previous)
    except Refusal as refusal:
        raise Refusal("\n".join([*note, str(refusal)])) from refusal
    return "\n".join([*note, *(lines if tail < 0 else lines[len(lines) - min(tail, len(lines)) :])])


def _container(pod: Manifest, given: str) -> tuple[str, list[str]]:
    """Return the container to read, and the line by which kubectl says that it chose it itself."""
    regular = [text(each, "name") for each in items(pod, "spec", "containers")]
    initial = [text(each, "name") for each in items(pod, "spec", "initContainers")]
    known = [*regular, *initial]
    if given and given not in known:
        raise Refusal(f"error: container {given} is not valid for pod {name(pod)}")
    annotated = strings(pod, "metadata", "annotations").get(_DEFAULT, "")
    chosen = given or (annotated if annotated in known else "")
    if chosen or len(known) == 1:
        return chosen or regular[0], []
    offered = ", ".join([*regular, *(f"{each} (init)" for each in initial)])
    return regular[0], [f'Defaulted container "{regular[0]}" out of: {offered}']


def _lines(world: World, pod: Manifest, container: str, *, previous: bool) -> list[str]:
    if not text(pod, "spec", "nodeName"):
        return []
    current = _stream(world, pod, container, previous=False)
    before = _stream(world, pod, container, previous=True)
    if current is None and before is None:
        _refuse_where_silent(world, pod, container)
    status = _status(pod, container)
    if not status:
        raise _bad_request(f'container "{container}" in pod "{name(pod)}" is not available')
    if previous:
        if not mapping(status, "lastState", "terminated"):
            raise _bad_request(f'previous terminated container "{container}" in pod "{name(pod)}" not found')
        return before or []
    if "waiting" in mapping(status, "state"):
        if mapping(status, "lastState", "terminated"):
            # Between two runs kubectl shows the one that has ended.
            return (before if current is None else current) or []
        reason = text(status, "state", "waiting", "reason")
        why = _WAITING.get(reason, reason)
        raise _bad_request(f'container "{container}" in pod "{name(pod)}" is waiting to start: {why}')
    return current or []


def _status(pod: Manifest, container: str) -> Manifest:
    statuses = [*items(pod, "status", "containerStatuses"), *items(pod, "status", "initContainerStatuses")]
    return by_name(statuses, container)


def _stream(world: World, pod: Manifest, container: str, *, previous: bool) -> list[str] | None:
    wanted = (text(pod, "metadata", "namespace"), name(pod), container, previous)
    streams = [
        each for each in world.logs if (each.namespace, each.pod, each.container, each.previous) == wanted
    ]
    return streams[0].lines if streams else None


def _refuse_where_silent(world: World, pod: Manifest, container: str) -> None:
    node = text(pod, "spec", "nodeName")
    host = find(world, Wanted(kinds.KINDS_BY_NAME["Node"], node), "")
    if host is not None and is_silent(host):
        address = text(pod, "status", "hostIP")
        path = f"containerLogs/{text(pod, 'metadata', 'namespace')}/{name(pod)}/{container}"
        url = f"https://{address}:10250/{path}"
        reason = f"dial tcp {address}:10250: connect: no route to host"
        raise Refusal(f'Error from server: Get "{url}": {reason}')


def _bad_request(message: str) -> Refusal:
    return Refusal(f"Error from server (BadRequest): {message}")

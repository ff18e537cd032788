"""`kubectl logs`."""

from harness.cluster import kinds
from harness.cluster.lookup import Refusal, Wanted, one
from harness.cluster.manifests import (
    Manifest,
    by_name,
    by_type,
    first,
    items,
    kind,
    mapping,
    name,
    strings,
    text,
)
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
        container: which container; needed where there are several.
        previous: the run before the last restart.
        tail: only so many last lines; negative for all.
    """
    found = one(world, Wanted(kinds.KINDS_BY_NAME["Pod"], pod.rpartition("/")[2]), namespace)
    chosen = _container(found, container)
    lines = _lines(world, found, chosen, previous=previous)
    return "\n".join(lines if tail < 0 else lines[len(lines) - min(tail, len(lines)) :])


def _container(pod: Manifest, given: str) -> str:
    regular = [text(each, "name") for each in items(pod, "spec", "containers")]
    initial = [text(each, "name") for each in items(pod, "spec", "initContainers")]
    annotated = strings(pod, "metadata", "annotations").get(_DEFAULT, "")
    chosen = given or (annotated if annotated in regular else "")
    if chosen and chosen not in {*regular, *initial}:
        raise Refusal(f"error: container {chosen} is not valid for pod {name(pod)}")
    if not chosen and len(regular) > 1:
        more = f" or one of the init containers: [{' '.join(initial)}]" if initial else ""
        choice = f"choose one of: [{' '.join(regular)}]{more}"
        raise Refusal(f"error: a container name must be specified for pod {name(pod)}, {choice}")
    return chosen or regular[0]


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
    host = first(each for each in world.objects if kind(each) == "Node" and name(each) == node)
    ready = by_type(items(host, "status", "conditions"), "Ready")
    if text(ready, "status") == "Unknown":
        address = text(pod, "status", "hostIP")
        path = f"containerLogs/{text(pod, 'metadata', 'namespace')}/{name(pod)}/{container}"
        url = f"https://{address}:10250/{path}"
        reason = f"dial tcp {address}:10250: connect: no route to host"
        raise Refusal(f'Error from server: Get "{url}": {reason}')


def _bad_request(message: str) -> Refusal:
    return Refusal(f"Error from server (BadRequest): {message}")

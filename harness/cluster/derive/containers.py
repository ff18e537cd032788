"""The status of one container, where the world says little or nothing of it."""

from datetime import datetime, timedelta

from harness.cluster import names
from harness.cluster.manifests import Manifest, copied, items, mapping, name, namespace, number, section, text
from harness.cluster.times import creation, moment, stamp

_STATUSES = ("initContainerStatuses", "containerStatuses")
_STARTS = (("state", "running"), ("state", "terminated"), ("lastState", "terminated"))
_PAUSE = timedelta(seconds=2)
_RUN = timedelta(seconds=40)


def ended(status: Manifest) -> bool:
    """Say whether a container has ended well."""
    return "terminated" in mapping(status, "state") and number(status, "state", "terminated", "exitCode") == 0


def sidecar(container: Manifest) -> bool:
    """Say whether an init container keeps running beside the others."""
    return text(container, "restartPolicy") == "Always"


def lets_go(container: Manifest, status: Manifest) -> bool:
    """Say whether an init container lets the next one start."""
    return status.get("started") is True if sidecar(container) else ended(status)


def waiting(reason: str) -> Manifest:
    """Return the state of a container that waits."""
    return {"waiting": {"reason": reason}}


def terminated(reason: str, exit_code: int) -> Manifest:
    """Return the state of a container that has ended."""
    return {"terminated": {"reason": reason, "exitCode": exit_code}}


def status(
    pod: Manifest, container: Manifest, stated: Manifest, usual: Manifest, *, start: datetime, now: datetime
) -> Manifest:
    """Return the status of a container: what is stated, completed.

    `usual` is the state where none is stated; `start` is when the pod started.
    """
    result = copied(stated)
    result["name"] = text(container, "name")
    result.setdefault("state", copied(usual))
    looping = text(result, "state", "waiting", "reason") == "CrashLoopBackOff"
    result.setdefault("lastState", terminated("Error", 1) if looping else {})
    result.setdefault("restartCount", 1 if mapping(result, "lastState") else 0)
    _complete_endings(result, pod, now)
    _complete_start(result, start)
    running = "running" in mapping(result, "state")
    result.setdefault("ready", running)
    result.setdefault("started", running)
    result.setdefault("image", text(container, "image"))
    never_ran = "waiting" in mapping(result, "state") and not mapping(result, "lastState")
    result.setdefault("imageID", "" if never_ran else _image_id(text(container, "image")))
    result.setdefault("containerID", "" if never_ran else _container_id(pod, container, "now"))
    return result


def start_of(pod: Manifest) -> datetime:
    """Return when a pod started: as stated, or as soon as it was created and before any container did."""
    created = creation(pod)
    held = [each for key in _STATUSES for each in items(pod, "status", key)]
    begun = [
        found
        for each in held
        for path in _STARTS
        if (found := moment(each, *path, "startedAt")) and found >= created
    ]
    return moment(pod, "status", "startTime") or min([created + timedelta(seconds=1), *begun])


def _complete_endings(result: Manifest, pod: Manifest, now: datetime) -> None:
    latest = now
    started = moment(result, "state", "running", "startedAt")
    if started:
        latest = started - timedelta(seconds=1)
    for key in ("state", "lastState"):
        if "terminated" not in mapping(result, key):
            continue
        ending = section(result, key, "terminated")
        _complete_reason(ending)
        finished = moment(ending, "finishedAt") or latest - _RUN
        ending.setdefault("finishedAt", stamp(finished))
        ending.setdefault("startedAt", stamp(finished - _RUN))
        ending.setdefault("containerID", _container_id(pod, result, key))
        latest = moment(ending, "startedAt") or latest


def _complete_reason(ending: Manifest) -> None:
    usual = {"OOMKilled": 137, "Completed": 0, "Error": 1, "ContainerCannotRun": 127, "StartError": 128}
    ending.setdefault("exitCode", usual.get(text(ending, "reason", default="Completed"), 1))
    ending.setdefault("reason", "Completed" if ending["exitCode"] == 0 else "Error")


def _complete_start(result: Manifest, start: datetime) -> None:
    if "running" not in mapping(result, "state"):
        return
    running = section(result, "state", "running")
    last = moment(result, "lastState", "terminated", "finishedAt")
    running.setdefault("startedAt", stamp((last or start) + _PAUSE))


def _image_id(image: str) -> str:
    path, _, tag = image.rpartition(":")
    repository = image if not path or "/" in tag else path
    if "/" not in repository:
        repository = f"docker.io/library/{repository}"
    return f"{repository}@sha256:{names.digest('image', image)}"


def _container_id(pod: Manifest, container: Manifest, run: str) -> str:
    count = number(container, "restartCount")
    return f"containerd://{names.digest(namespace(pod), name(pod), text(container, 'name'), run, count)}"

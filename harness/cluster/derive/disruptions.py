"""Why a pod was made to go: the condition DisruptionTarget, which whoever ends a pod puts on it."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from harness.cluster.manifests import Manifest, by_type, is_silent, items, name, namespace, text
from harness.cluster.times import moment, stamp

TYPE = "DisruptionTarget"
# A kubelet that refuses a pod at its door ends nothing: the pod has never run.
_REFUSED = "The node had condition"
_BY_TAINT = ("DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint")
_BY_SCHEDULER = (
    "PreemptionByScheduler",
    "default-scheduler: preempting to accommodate a higher priority pod",
)

Reasons = Mapping[tuple[str, str], Manifest]


def reasons(events: Sequence[Manifest]) -> dict[tuple[str, str], Manifest]:
    """Return the last event by which each pod was evicted or preempted, by namespace and name."""
    found: dict[tuple[str, str], Manifest] = {}
    for each in events:
        about = each.get("involvedObject")
        if text(about, "kind") == "Pod" and text(each, "reason") in {
            "Evicted",
            "Preempted",
            "TaintManagerEviction",
        }:
            found[text(about, "namespace") or namespace(each), text(about, "name")] = each
    return found


def evicted(pod: Manifest, events: Reasons) -> datetime | None:
    """Return when a kubelet evicted a pod, as an event tells, or None."""
    event = events.get((namespace(pod), name(pod)), {})
    seen = moment(event, "firstTimestamp") or moment(event, "lastTimestamp")
    is_over = text(pod, "status", "reason") == "Evicted" and text(event, "reason") == "Evicted"
    return seen if is_over else None


def condition(pod: Manifest, node: Manifest, events: Reasons, ended: datetime) -> Manifest | None:
    """Return the condition of a pod that was made to go, or None.

    `ended` is when its containers did, where nothing tells more exactly when it was made to go.
    """
    stated = by_type(items(pod, "status", "conditions"), TYPE)
    message = text(pod, "status", "message")
    leaving = moment(pod, "metadata", "deletionTimestamp")
    event = text(events.get((namespace(pod), name(pod)), {}), "reason")
    if text(pod, "status", "reason") == "Evicted":
        if message.startswith(_REFUSED):
            return stated or None
        return _made("TerminationByKubelet", message, evicted(pod, events) or ended) | stated
    if leaving and event == "Preempted":
        return _made(*_BY_SCHEDULER, leaving) | stated
    if leaving and (event == "TaintManagerEviction" or is_silent(node)):
        return _made(*_BY_TAINT, leaving) | stated
    return stated or None


def _made(reason: str, message: str, since: datetime) -> Manifest:
    return {
        "type": TYPE,
        "status": "True",
        "lastProbeTime": None,
        "lastTransitionTime": stamp(since),
        "reason": reason,
        "message": message,
    }

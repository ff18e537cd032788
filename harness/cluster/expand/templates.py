"""What a workload leaves out of its spec: labels, selector, replicas, and the pods it wants by name."""

from datetime import datetime

from harness.cluster.manifests import Manifest, at, copied, mapping, name, section, strings, text, texts
from harness.cluster.times import creation, parse
from harness.errors import InvalidScenario

WORKLOADS = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CronJob")
AUTHORING = ("pods", "expand")
"""Keys of a world file that steer the builder; no cluster has them."""
FORMER = "former"
"""Where a Deployment keeps, while it is being built, what a change of its template replaced."""

_RESTARTED = "kubectl.kubernetes.io/restartedAt"


def completed(workload: Manifest) -> Manifest:
    """Return a copy with the labels, selector and replicas that the short form leaves out."""
    result = copied(workload)
    spec = section(result, "spec")
    kind = text(result, "kind")
    if kind == "CronJob":
        section(spec, "jobTemplate", "spec", "template", "spec").setdefault("restartPolicy", "Never")
        return result
    template = section(spec, "template")
    if kind == "Job":
        section(template, "spec").setdefault("restartPolicy", "Never")
        return result
    chosen = strings(spec, "selector", "matchLabels")
    labels = section(template, "metadata", "labels")
    wanted = chosen or ({} if labels else {"app": name(result)})
    labels.update({key: value for key, value in wanted.items() if key not in labels})
    if not mapping(spec, "selector"):
        spec["selector"] = {"matchLabels": {"app": labels["app"]} if "app" in labels else dict(labels)}
    if kind in {"Deployment", "ReplicaSet", "StatefulSet"}:
        spec.setdefault("replicas", 1)
    return result


def stripped(workload: Manifest) -> Manifest:
    """Return a workload without the keys that only steer the builder."""
    return {key: value for key, value in workload.items() if key not in (*AUTHORING, FORMER)}


def steering(workload: Manifest) -> Manifest:
    """Return what of a workload only steers how its pods are made."""
    return {key: workload[key] for key in ("pods", FORMER) if key in workload}


def expands(workload: Manifest) -> bool:
    """Say whether the builder makes pods for a workload; a ReplicaSet has them only where it names some."""
    if at(workload, "expand") is False or workload.get("pods") == []:
        return False
    return text(workload, "kind") != "ReplicaSet" or "pods" in workload


def pinned(workload: Manifest, where: str) -> list[str]:
    """Return the pod names that a workload asks for; raise InvalidScenario where one cannot be its own."""
    chosen = texts(workload, "pods")
    start = name(workload) + "-"
    for each in chosen:
        if not each.startswith(start) or len(each) == len(start):
            msg = f"{where}.pods: found {each!r}; the pods of {name(workload)} begin with {start!r}"
            raise InvalidScenario(msg)
    if len(set(chosen)) < len(chosen):
        msg = f"{where}.pods: found {chosen!r}; every pod needs a name of its own"
        raise InvalidScenario(msg)
    return chosen


def rolled_out(workload: Manifest) -> datetime:
    """Return when the present template came into force.

    That is its own creationTimestamp (which no cluster keeps), the restart that `kubectl rollout restart`
    notes on it, or else the creation of the workload.
    """
    template = mapping(workload, "spec", "template")
    written = text(template, "metadata", "creationTimestamp")
    noted = text(template, "metadata", "annotations", _RESTARTED)
    return parse(written or noted) if written or noted else creation(workload)

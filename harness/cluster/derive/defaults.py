"""What the API server fills into specs that leave it out."""

from collections.abc import Mapping
from typing import Any

from harness.cluster import names
from harness.cluster.manifests import Manifest, items, kind, mapping, name, namespace, number, section, text

_TEMPLATES = {
    "Deployment": ("spec", "template"),
    "ReplicaSet": ("spec", "template"),
    "StatefulSet": ("spec", "template"),
    "DaemonSet": ("spec", "template"),
    "Job": ("spec", "template"),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
}
_ROLLING = {"maxSurge": "25%", "maxUnavailable": "25%"}
_SPECS: dict[str, dict[str, Any]] = {
    "Deployment": {"progressDeadlineSeconds": 600, "revisionHistoryLimit": 10},
    "StatefulSet": {"podManagementPolicy": "OrderedReady", "revisionHistoryLimit": 10},
    "DaemonSet": {"revisionHistoryLimit": 10},
    "Job": {
        "parallelism": 1,
        "completions": 1,
        "completionMode": "NonIndexed",
        "backoffLimit": 6,
        "suspend": False,
    },
    "CronJob": {
        "concurrencyPolicy": "Allow",
        "suspend": False,
        "successfulJobsHistoryLimit": 3,
        "failedJobsHistoryLimit": 1,
    },
    "PersistentVolume": {"persistentVolumeReclaimPolicy": "Retain", "volumeMode": "Filesystem"},
    "PersistentVolumeClaim": {"volumeMode": "Filesystem", "accessModes": ["ReadWriteOnce"]},
    "HorizontalPodAutoscaler": {"minReplicas": 1},
    "NetworkPolicy": {"podSelector": {}},
    "Namespace": {"finalizers": ["kubernetes"]},
}
_PROBE = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}
_TOLERATIONS = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


def fill(value: Manifest) -> None:
    """Fill the defaults into the spec of one object, in place."""
    _absent(section(value, "spec") if kind(value) in _SPECS else {}, _SPECS.get(kind(value), {}))
    if kind(value) in _TEMPLATES:
        _fill_pod_spec(section(value, *_TEMPLATES[kind(value)], "spec"))
    if kind(value) == "Pod":
        _fill_pod(value)
    _fill_strategy(value)
    _fill_rest(value)


def _absent(spec: Manifest, defaults: Mapping[str, Any]) -> None:
    for key, default in defaults.items():
        spec.setdefault(key, default)


def _fill_strategy(value: Manifest) -> None:
    match kind(value):
        case "Deployment":
            strategy = section(value, "spec", "strategy")
            strategy.setdefault("type", "RollingUpdate")
            if strategy["type"] == "RollingUpdate":
                _absent(section(strategy, "rollingUpdate"), _ROLLING)
            else:
                # A change of the type leaves this behind, which no API server would take.
                strategy.pop("rollingUpdate", None)
        case "StatefulSet":
            _fill_rolling(value, {"partition": 0})
        case "DaemonSet":
            _fill_rolling(value, {"maxUnavailable": 1})
        case _:
            pass


def _fill_rolling(value: Manifest, usual: Mapping[str, Any]) -> None:
    strategy = section(value, "spec", "updateStrategy")
    if strategy.setdefault("type", "RollingUpdate") == "RollingUpdate":
        _absent(section(strategy, "rollingUpdate"), usual)
    else:
        strategy.pop("rollingUpdate", None)


def _fill_rest(value: Manifest) -> None:
    match kind(value):
        case "Namespace":
            section(value, "metadata", "labels").setdefault("kubernetes.io/metadata.name", name(value))
            section(value, "status").setdefault("phase", "Active")
        case "StorageClass":
            value.setdefault("reclaimPolicy", "Delete")
            value.setdefault("volumeBindingMode", "Immediate")
        case "PriorityClass":
            value.setdefault("preemptionPolicy", "PreemptLowerPriority")
            value.setdefault("globalDefault", False)
        case "Secret":
            value.setdefault("type", "Opaque")
            _encode(value)
        case "NetworkPolicy":
            spec = section(value, "spec")
            spec.setdefault("policyTypes", ["Ingress", *(["Egress"] if "egress" in spec else [])])
        case _:
            pass


def _encode(secret: Manifest) -> None:
    from base64 import b64encode

    plain = mapping(secret, "stringData")
    if plain:
        data = section(secret, "data")
        data.update({key: b64encode(text(plain, key).encode()).decode() for key in plain})
        del secret["stringData"]


def _fill_pod_spec(spec: Manifest) -> None:
    _absent(
        spec,
        {
            "restartPolicy": "Always",
            "dnsPolicy": "ClusterFirst",
            "schedulerName": "default-scheduler",
            "securityContext": {},
            "terminationGracePeriodSeconds": 30,
        },
    )
    for each in [*items(spec, "initContainers"), *items(spec, "containers")]:
        _fill_container(each)
    for each in items(spec, "volumes"):
        for source in ("configMap", "secret"):
            if source in each:
                section(each, source).setdefault("defaultMode", 420)


def _fill_container(container: Manifest) -> None:
    image = text(container, "image")
    latest = ":" not in image.rpartition("/")[2] or image.endswith(":latest")
    _absent(
        container,
        {
            "imagePullPolicy": "Always" if latest else "IfNotPresent",
            "resources": {},
            "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File",
        },
    )
    for each in items(container, "ports"):
        each.setdefault("protocol", "TCP")
    for side in ("limits", "requests"):
        resources = mapping(container, "resources", side)
        resources.update({key: text(resources, key) for key in resources})
    for key in ("livenessProbe", "readinessProbe", "startupProbe"):
        if key in container:
            _absent(section(container, key), _PROBE)
            if "httpGet" in mapping(container, key):
                _absent(section(container, key, "httpGet"), {"scheme": "HTTP", "path": "/"})
    for each in items(container, "env"):
        if "fieldRef" in mapping(each, "valueFrom"):
            section(each, "valueFrom", "fieldRef").setdefault("apiVersion", "v1")
        elif "value" in each:
            each["value"] = text(each, "value")


def _fill_pod(pod: Manifest) -> None:
    spec = section(pod, "spec")
    if text(pod, "metadata", "deletionTimestamp"):
        grace = number(spec, "terminationGracePeriodSeconds", default=30)
        section(pod, "metadata").setdefault("deletionGracePeriodSeconds", grace)
    _fill_pod_spec(spec)
    _absent(spec, {"serviceAccountName": "default", "preemptionPolicy": "PreemptLowerPriority"})
    _absent(spec, {"serviceAccount": spec["serviceAccountName"], "enableServiceLinks": True})
    _add_tolerations(spec)
    if spec.get("automountServiceAccountToken") is not False:
        _add_token(pod, spec)
    for each in [*items(spec, "initContainers"), *items(spec, "containers")]:
        limits = mapping(each, "resources", "limits")
        if limits:
            _absent(section(each, "resources", "requests"), limits)


def _add_tolerations(spec: Manifest) -> None:
    held = items(spec, "tolerations")
    present = {text(each, "key") for each in held if text(each, "effect") in {"", "NoExecute"}}
    everything = any(text(each, "operator") == "Exists" and not text(each, "key") for each in held)
    added = [
        {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
        for key in _TOLERATIONS
        if key not in present and not everything
    ]
    spec["tolerations"] = [*held, *added]


def _add_token(pod: Manifest, spec: Manifest) -> None:
    volumes = [*items(spec, "volumes")]
    if any(text(each, "name").startswith("kube-api-access-") for each in volumes):
        return
    volume_name = f"kube-api-access-{names.suffix('token', namespace(pod), name(pod))}"
    root = {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}
    field = {"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}
    sources = [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": root},
        {"downwardAPI": {"items": [field]}},
    ]
    spec["volumes"] = [*volumes, {"name": volume_name, "projected": {"defaultMode": 420, "sources": sources}}]
    mount = {
        "name": volume_name,
        "readOnly": True,
        "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
    }
    for each in [*items(spec, "initContainers"), *items(spec, "containers")]:
        each["volumeMounts"] = [*items(each, "volumeMounts"), dict(mount)]

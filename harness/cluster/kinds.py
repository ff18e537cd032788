"""The kinds of object that a cluster knows, and every word for them that kubectl takes."""

from collections.abc import Iterable
from dataclasses import dataclass

from harness.cluster.manifests import Manifest, first, kind, mapping, text, texts


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind: `version` is its apiVersion, `short` the abbreviations that kubectl takes."""

    name: str
    plural: str
    version: str
    short: tuple[str, ...] = ()
    namespaced: bool = True

    @property
    def singular(self) -> str:
        """The name in lower case."""
        return self.name.lower()

    @property
    def group(self) -> str:
        """The API group, empty for the core."""
        return self.version.rpartition("/")[0]

    @property
    def resource(self) -> str:
        """The plural with its group, as in the server's errors."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def prefix(self) -> str:
        """The singular with its group, as before the slash of `-o name`."""
        return f"{self.singular}.{self.group}" if self.group else self.singular

    @property
    def words(self) -> frozenset[str]:
        """Every spelling in lower case that means this kind."""
        plain = {self.singular, self.plural, *self.short}
        return frozenset(plain | {f"{each}.{self.group}" for each in plain if self.group})


_APPS, _BATCH, _STORAGE, _NET = "apps/v1", "batch/v1", "storage.k8s.io/v1", "networking.k8s.io/v1"
_RBAC = "rbac.authorization.k8s.io/v1"

KINDS: tuple[Kind, ...] = (
    Kind("ConfigMap", "configmaps", "v1", ("cm",)),
    Kind("Endpoints", "endpoints", "v1", ("ep",)),
    Kind("Event", "events", "v1", ("ev",)),
    Kind("LimitRange", "limitranges", "v1", ("limits",)),
    Kind("Namespace", "namespaces", "v1", ("ns",), namespaced=False),
    Kind("Node", "nodes", "v1", ("no",), namespaced=False),
    Kind("PersistentVolumeClaim", "persistentvolumeclaims", "v1", ("pvc",)),
    Kind("PersistentVolume", "persistentvolumes", "v1", ("pv",), namespaced=False),
    Kind("Pod", "pods", "v1", ("po",)),
    Kind("ReplicationController", "replicationcontrollers", "v1", ("rc",)),
    Kind("ResourceQuota", "resourcequotas", "v1", ("quota",)),
    Kind("Secret", "secrets", "v1"),
    Kind("ServiceAccount", "serviceaccounts", "v1", ("sa",)),
    Kind("Service", "services", "v1", ("svc",)),
    Kind("DaemonSet", "daemonsets", _APPS, ("ds",)),
    Kind("Deployment", "deployments", _APPS, ("deploy",)),
    Kind("ReplicaSet", "replicasets", _APPS, ("rs",)),
    Kind("StatefulSet", "statefulsets", _APPS, ("sts",)),
    Kind("HorizontalPodAutoscaler", "horizontalpodautoscalers", "autoscaling/v2", ("hpa",)),
    Kind("CronJob", "cronjobs", _BATCH, ("cj",)),
    Kind("Job", "jobs", _BATCH),
    Kind("Lease", "leases", "coordination.k8s.io/v1"),
    Kind("EndpointSlice", "endpointslices", "discovery.k8s.io/v1"),
    Kind("IngressClass", "ingressclasses", _NET, namespaced=False),
    Kind("Ingress", "ingresses", _NET, ("ing",)),
    Kind("NetworkPolicy", "networkpolicies", _NET, ("netpol",)),
    Kind("PodDisruptionBudget", "poddisruptionbudgets", "policy/v1", ("pdb",)),
    Kind("ClusterRoleBinding", "clusterrolebindings", _RBAC, namespaced=False),
    Kind("ClusterRole", "clusterroles", _RBAC, namespaced=False),
    Kind("RoleBinding", "rolebindings", _RBAC),
    Kind("Role", "roles", _RBAC),
    Kind("PriorityClass", "priorityclasses", "scheduling.k8s.io/v1", ("pc",), namespaced=False),
    Kind("StorageClass", "storageclasses", _STORAGE, ("sc",), namespaced=False),
    Kind(
        "CustomResourceDefinition",
        "customresourcedefinitions",
        "apiextensions.k8s.io/v1",
        ("crd", "crds"),
        namespaced=False,
    ),
)

KINDS_BY_NAME = {each.name: each for each in KINDS}

ALL: tuple[Kind, ...] = tuple(
    KINDS_BY_NAME[each]
    for each in (
        "Pod",
        "ReplicationController",
        "Service",
        "DaemonSet",
        "Deployment",
        "ReplicaSet",
        "StatefulSet",
        "HorizontalPodAutoscaler",
        "CronJob",
        "Job",
    )
)
"""What `kubectl get all` means, in its order."""


def known(name: str) -> Kind | None:
    """Return the kind of exactly this name, where a cluster has it from the start."""
    return KINDS_BY_NAME.get(name)


def in_world(objects: Iterable[Manifest]) -> tuple[Kind, ...]:
    """Return the kinds from the start, then those that custom resources of the world bring."""
    held = list(objects)
    names = sorted({kind(each) for each in held} - KINDS_BY_NAME.keys())
    return (*KINDS, *(_custom(each, held) for each in names))


def find(word: str, objects: Iterable[Manifest]) -> Kind | None:
    """Return the kind that a word means (any case, singular, plural, short, with group), or None."""
    lower = word.lower()
    plain = _without_version(lower)
    return next((each for each in in_world(objects) if lower in each.words or plain in each.words), None)


def _without_version(word: str) -> str:
    # kubectl also takes deployments.v1.apps and pods.v1.
    plural, dot, rest = word.partition(".")
    version, _, group = rest.partition(".")
    is_version = version[:1] == "v" and version[1:2].isdigit()
    if not dot or not is_version:
        return word
    return f"{plural}.{group}" if group else plural


def _custom(name: str, objects: list[Manifest]) -> Kind:
    examples = [each for each in objects if kind(each) == name]
    definition = _definition(name, objects)
    names = mapping(definition, "spec", "names")
    return Kind(
        name,
        text(names, "plural", default=_plural(name.lower())),
        text(examples[0], "apiVersion"),
        tuple(texts(names, "shortNames")),
        namespaced=any(text(each, "metadata", "namespace") for each in examples),
    )


def _definition(name: str, objects: list[Manifest]) -> Manifest:
    definitions = [each for each in objects if kind(each) == "CustomResourceDefinition"]
    return first(each for each in definitions if text(each, "spec", "names", "kind") == name)


def _plural(singular: str) -> str:
    if singular.endswith(("s", "x", "ch", "sh")):
        return singular + "es"
    return (
        singular[:-1] + "ies" if singular.endswith("y") and singular[-2:-1] not in "aeiou" else singular + "s"
    )

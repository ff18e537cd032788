"""The kinds of object that a cluster knows, and every word for them that kubectl takes."""

from collections.abc import Iterable, Mapping, Sequence
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
        return group_of(self.version)

    @property
    def key(self) -> tuple[str, str]:
        """What `key_of` says of an object of this kind."""
        return self.name, "" if self.name in KINDS_BY_NAME else self.group

    @property
    def resource(self) -> str:
        """The plural with its group, as in the server's errors."""
        return resource_text(self.plural, self.group)

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
    Kind(
        "CertificateSigningRequest",
        "certificatesigningrequests",
        "certificates.k8s.io/v1",
        ("csr",),
        namespaced=False,
    ),
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

_DEFINITION = "CustomResourceDefinition"


def known(name: str) -> Kind | None:
    """Return the kind of exactly this name, where a cluster has it from the start."""
    return KINDS_BY_NAME.get(name)


def in_world(objects: Iterable[Manifest]) -> tuple[Kind, ...]:
    """Return the kinds from the start, then those that custom resources of the world bring, by group."""
    held = [each for each in objects if kind(each) not in KINDS_BY_NAME or kind(each) == _DEFINITION]
    custom = [each for each in held if kind(each) != _DEFINITION]
    found = sorted({(group_of(text(each, "apiVersion")), kind(each)) for each in custom})
    return (*KINDS, *(_custom(name, group, held) for group, name in found))


def find(word: str, objects: Iterable[Manifest]) -> Kind | None:
    """Return the kind that a word means (any case, singular, plural, short, with group), or None."""
    return meant(word, _WORDS) or meant(word, words(in_world(objects)))


def words(among: Iterable[Kind]) -> dict[str, Kind]:
    """Return every word for some kinds; of two kinds with one word the first has it."""
    result: dict[str, Kind] = {}
    for each in among:
        result |= {word: each for word in each.words if word not in result}
    return result


def meant(word: str, known_words: Mapping[str, Kind]) -> Kind | None:
    """Return the kind that a word means among known words, or None."""
    lower = word.lower()
    return known_words.get(lower) or known_words.get(_without_version(lower))


def resource_text(plural: str, group: str) -> str:
    """Return a resource as the server's errors name it, `deployments.apps`."""
    return f"{plural}.{group}" if group else plural


def group_of(version: str) -> str:
    """Return the API group of an apiVersion, empty for the core."""
    return version.rpartition("/")[0]


def key_of(value: Manifest) -> tuple[str, str]:
    """Return what tells the kind of an object from all others: its name, and a group where it is custom."""
    name = kind(value)
    return name, "" if name in KINDS_BY_NAME else group_of(text(value, "apiVersion"))


def _without_version(word: str) -> str:
    # kubectl also takes deployments.v1.apps and pods.v1.
    plural, dot, rest = word.partition(".")
    version, _, group = rest.partition(".")
    is_version = version[:1] == "v" and version[1:2].isdigit()
    if not dot or not is_version:
        return word
    return f"{plural}.{group}" if group else plural


def _custom(name: str, group: str, held: Sequence[Manifest]) -> Kind:
    examples = [each for each in held if key_of(each) == (name, group)]
    names = mapping(_definition(name, group, held), "spec", "names")
    return Kind(
        name,
        text(names, "plural", default=_plural(name.lower())),
        text(examples[0], "apiVersion"),
        tuple(texts(names, "shortNames")),
        namespaced=any(text(each, "metadata", "namespace") for each in examples),
    )


def _definition(name: str, group: str, held: Sequence[Manifest]) -> Manifest:
    named = [each for each in held if text(each, "spec", "names", "kind") == name]
    return first(each for each in named if text(each, "spec", "group", default=group) == group)


def _plural(singular: str) -> str:
    if singular.endswith(("s", "x", "ch", "sh")):
        return singular + "es"
    return (
        singular[:-1] + "ies" if singular.endswith("y") and singular[-2:-1] not in "aeiou" else singular + "s"
    )


_WORDS = words(KINDS)

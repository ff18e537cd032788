"""The columns of configuration, events and rights."""

from datetime import datetime, timedelta

from harness.cluster.columns.column import AGE, NAME, Column, ago, of
from harness.cluster.durations import human, since
from harness.cluster.manifests import Manifest, items, mapping, number, text

_CREATED = Column("CREATED AT", of(lambda value: text(value, "metadata", "creationTimestamp")))


def _last_seen(event: Manifest, now: datetime) -> str:
    return since(event, now, "lastTimestamp" if text(event, "lastTimestamp") else "eventTime")


def _about(event: Manifest) -> str:
    return f"{text(event, 'involvedObject', 'kind').lower()}/{text(event, 'involvedObject', 'name')}"


def _source(event: Manifest) -> str:
    component = text(event, "source", "component") or text(event, "reportingComponent")
    host = text(event, "source", "host") or text(event, "reportingInstance")
    return f"{component}, {host}" if host else component


def _data(value: Manifest) -> str:
    return str(len(mapping(value, "data")) + len(mapping(value, "binaryData")))


def _requested(request: Manifest) -> str:
    seconds = number(request, "spec", "expirationSeconds")
    return human(timedelta(seconds=seconds)) if seconds else "<none>"


def _request_state(request: Manifest) -> str:
    found = {text(each, "type") for each in items(request, "status", "conditions")}
    decided = next((each for each in ("Denied", "Approved") if each in found), "Pending")
    failed = ["Failed"] if "Failed" in found else []
    issued = ["Issued"] if text(request, "status", "certificate") else []
    return ",".join([decided, *failed, *issued])


def _role(value: Manifest) -> str:
    return f"{text(value, 'roleRef', 'kind')}/{text(value, 'roleRef', 'name')}"


def _subjects(title: str, kind: str) -> Column:
    def cell(value: Manifest) -> str:
        found = [each for each in items(value, "subjects") if text(each, "kind") == kind]
        return ", ".join(
            "/".join(filter(None, (text(each, "namespace"), text(each, "name")))) for each in found
        )

    return Column(title, of(cell), wide=True)


_BINDING = (
    NAME,
    Column("ROLE", of(_role)),
    AGE,
    _subjects("USERS", "User"),
    _subjects("GROUPS", "Group"),
    _subjects("SERVICEACCOUNTS", "ServiceAccount"),
)

CONFIG: dict[str, tuple[Column, ...]] = {
    "ConfigMap": (NAME, Column("DATA", of(_data)), AGE),
    "Secret": (
        NAME,
        Column("TYPE", of(lambda value: text(value, "type"))),
        Column("DATA", of(lambda value: str(len(mapping(value, "data"))))),
        AGE,
    ),
    "ServiceAccount": (NAME, Column("SECRETS", of(lambda value: str(len(items(value, "secrets"))))), AGE),
    "Event": (
        Column("LAST SEEN", _last_seen),
        Column("TYPE", of(lambda value: text(value, "type"))),
        Column("REASON", of(lambda value: text(value, "reason"))),
        Column("OBJECT", of(_about)),
        Column("SUBOBJECT", of(lambda value: text(value, "involvedObject", "fieldPath")), wide=True),
        Column("SOURCE", of(_source), wide=True),
        Column("MESSAGE", of(lambda value: text(value, "message").strip())),
        Column("FIRST SEEN", ago("firstTimestamp"), wide=True),
        Column("COUNT", of(lambda value: text(value, "count", default="1")), wide=True),
        Column("NAME", of(lambda value: text(value, "metadata", "name")), wide=True),
    ),
    "CertificateSigningRequest": (
        NAME,
        AGE,
        Column("SIGNERNAME", of(lambda value: text(value, "spec", "signerName", default="<none>"))),
        Column("REQUESTOR", of(lambda value: text(value, "spec", "username"))),
        Column("REQUESTEDDURATION", of(_requested)),
        Column("CONDITION", of(_request_state)),
    ),
    "Role": (NAME, _CREATED),
    "ClusterRole": (NAME, _CREATED),
    "RoleBinding": _BINDING,
    "ClusterRoleBinding": _BINDING,
    "CustomResourceDefinition": (NAME, _CREATED),
}

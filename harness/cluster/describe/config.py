"""Namespaces, config maps, secrets and service accounts."""

from base64 import b64decode
from collections.abc import Sequence

from harness.cluster import kinds
from harness.cluster.describe.parts import events, head, marks
from harness.cluster.describe.policy import limit_lines, quota_lines
from harness.cluster.lookup import objects
from harness.cluster.manifests import Manifest, items, name, namespace, strings, text
from harness.model.scenario import World


def config_map(value: Manifest, world: World) -> list[str]:
    """Describe a config map with all of its data."""
    lines = [*head(value), *marks(value), "", "Data", "===="]
    for key, content in strings(value, "data").items():
        lines += [f"{key}:", "----", content, ""]
    lines += ["", "BinaryData", "===="]
    lines += [f"{key}: {_size(content)} bytes" for key, content in strings(value, "binaryData").items()]
    return [*lines, "", *events(world, value)]


def secret(value: Manifest, world: World) -> list[str]:
    """Describe a secret by the sizes of its values; kubectl shows no events here."""
    del world
    lines = [*head(value), *marks(value), "", f"Type:\t{text(value, 'type')}", "", "Data", "===="]
    return [*lines, *(f"{key}:\t{_size(content)} bytes" for key, content in strings(value, "data").items())]


def _size(content: str) -> int:
    try:
        return len(b64decode(content, validate=True))
    except ValueError:
        # A world file may hold a value that is no base64; its own length is as good.
        return len(content.encode())


def service_account(value: Manifest, world: World) -> list[str]:
    """Describe a service account."""
    held = {name(each) for each in objects(world, kinds.KINDS_BY_NAME["Secret"], namespace(value))}
    lines = [*head(value), *marks(value)]
    lines += _secrets("Image pull secrets:", items(value, "imagePullSecrets"), held)
    lines += _secrets("Mountable secrets: ", items(value, "secrets"), held)
    lines += _secrets("Tokens:            ", [], held)
    return [*lines, *events(world, value)]


def _secrets(title: str, found: Sequence[Manifest], held: set[str]) -> list[str]:
    names = [text(each, "name") + ("" if text(each, "name") in held else " (not found)") for each in found]
    first, *others = names or ["<none>"]
    return [f"{title}\t{first}", *(f"{' ' * len(title)}\t{each}" for each in others)]


def namespace_(value: Manifest, world: World) -> list[str]:
    """Describe a namespace with its quotas and limits; kubectl shows no events here."""
    quotas = objects(world, kinds.KINDS_BY_NAME["ResourceQuota"], name(value))
    limits = objects(world, kinds.KINDS_BY_NAME["LimitRange"], name(value))
    lines = [*head(value), *marks(value), f"Status:\t{text(value, 'status', 'phase')}", ""]
    if quotas:
        lines.append("Resource Quotas")
        for each in quotas:
            lines += [f"  Name:\t{name(each)}", *(f"  {line}" for line in quota_lines(each, "---"))]
    else:
        lines.append("No resource quota.")
    if not limits:
        return [*lines, "", "No LimitRange resource."]
    return [*lines, "", "Resource Limits", *(f" {line}" for line in limit_lines(limits))]

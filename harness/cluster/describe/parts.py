"""What many descriptions share: the head, labels, times, events."""

from collections.abc import Iterable, Mapping
from datetime import UTC

from harness.cluster.durations import since
from harness.cluster.events import interval
from harness.cluster.lookup import events_of
from harness.cluster.manifests import Manifest, at, items, name, namespace, owner, strings, text
from harness.cluster.times import moment
from harness.model.scenario import World

_LONGEST = 140
_UNSHOWN = ("kubectl.kubernetes.io/last-applied-configuration",)


def date(value: Manifest, *path: str) -> str:
    """Return the time at a path as in `Mon, 02 Mar 2026 10:15:00 +0000`."""
    found = moment(value, *path)
    if found is None:
        return "Mon, 01 Jan 0001 00:00:00 +0000"
    return found.astimezone(UTC).strftime("%a, %d %b %Y %H:%M:%S +0000")


def column(title: str, values: Iterable[str], indent: str = "") -> list[str]:
    """Return one line per value, the first with the title; `<none>` where there is no value."""
    first, *others = list(values) or ["<none>"]
    return [f"{indent}{title}:\t{first}", *(f"{indent}\t{each}" for each in others)]


def labels(title: str, pairs: Mapping[str, str], indent: str = "") -> list[str]:
    """Return labels as lines `key=value`, sorted."""
    return column(title, (f"{key}={value}" for key, value in sorted(pairs.items())), indent)


def annotations(value: Manifest, *path: str, title: str = "Annotations") -> list[str]:
    """Return annotations as lines `key: value`; long values stand on lines of their own, cut."""
    lines: list[str] = []
    for key, whole in strings(value, *(path or ("metadata",)), "annotations").items():
        if key in _UNSHOWN:
            continue
        content = whole.removesuffix("\n")
        if len(key) + len(content) + 2 > _LONGEST or "\n" in content:
            lines += [f"{key}:", *(f"  {_cut(each)}" for each in content.split("\n"))]
        else:
            lines.append(f"{key}: {content}")
    return column(title, lines)


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST - 2 else line[: _LONGEST - 2] + "..."


def head(value: Manifest) -> list[str]:
    """Return name, and namespace where there is one."""
    place = [f"Namespace:\t{namespace(value)}"] if namespace(value) else []
    return [f"Name:\t{name(value)}", *place]


def marks(value: Manifest) -> list[str]:
    """Return labels and annotations."""
    return [*labels("Labels", strings(value, "metadata", "labels")), *annotations(value)]


def controlled_by(value: Manifest) -> list[str]:
    """Return the line that names the controller, if there is one."""
    controller = owner(value)
    return [f"Controlled By:\t{text(controller, 'kind')}/{text(controller, 'name')}"] if controller else []


def events(world: World, value: Manifest) -> list[str]:
    """Return the events about an object as the table that ends most descriptions."""
    return event_lines(world, events_of(world, value))


def event_lines(world: World, found: list[Manifest]) -> list[str]:
    """Return events as a table, or that there are none."""
    if not found:
        return ["Events:\t<none>"]
    lines = ["Events:", "  Type\tReason\tAge\tFrom\tMessage", "  ----\t------\t----\t----\t-------"]
    for each in found:
        source = text(each, "source", "component") or text(each, "reportingComponent")
        cells = (text(each, "type"), text(each, "reason"), interval(each, world.now), source)
        lines.append("  " + "\t".join((*cells, text(each, "message").strip())))
    return lines


def conditions(value: Manifest) -> list[str]:
    """Return the conditions of a workload with their reasons, if it has any."""
    found = items(value, "status", "conditions")
    rows = [f"  {text(each, 'type')} \t{text(each, 'status')}\t{text(each, 'reason')}" for each in found]
    return ["Conditions:", "  Type\tStatus\tReason", "  ----\t------\t------", *rows] if found else []


def deleted_or(value: Manifest, status: str, world: World) -> str:
    """Return a status, or since when the object is being deleted."""
    if at(value, "metadata", "deletionTimestamp") is None:
        return status
    return f"Terminating (lasts {since(value, world.now, 'metadata', 'deletionTimestamp')})"


def bracketed(values: Iterable[str]) -> str:
    """Return a list as Go prints it."""
    return f"[{' '.join(values)}]"


def title_case(value: Manifest, *path: str) -> str:
    """Return a boolean as `True` or `False`, `<unset>` where there is none."""
    return text(value, *path, default="<unset>").capitalize() if at(value, *path) is not None else "<unset>"

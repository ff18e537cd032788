"""The series of a world, from base worlds and from changes."""

import re
from collections.abc import Sequence
from typing import Any, cast

from harness.cluster import names
from harness.cluster.authored import keys
from harness.cluster.manifests import Manifest, kind, name, text
from harness.cluster.metrics.shapes import between, number, points_of
from harness.cluster.metrics.subjects import Scene, Subject, subject, subjects, targets
from harness.errors import InvalidScenario
from harness.model.scenario import Series

MEMORY = "container_memory_working_set_bytes"
CPU = "container_cpu_usage_seconds_total"
ROOT = {"id": "/"}
"""The label by which the usage of a whole node is told from that of its containers."""

_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
_LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")


def with_metric(held: Sequence[Series], value: Any, scene: Scene, where: str) -> list[Series]:
    """Return the series with those of one entry {name, of, container, labels, values}.

    Every series of the name that has the entry's labels gets its values; where there is none, one is added.

    Raises:
        InvalidScenario: the entry has another form, or is about something that is not there.
    """
    entry = keys(value, ("name", "of", "container", "labels", "values"), where)
    metric = text(entry, "name")
    _check_words(entry, metric, where)
    result = list(held)
    for each in subjects(scene, entry, metric, where):
        result = _with_values(result, metric, each, entry.get("values"), f"{where}.values")
    return result


def with_usage(held: Sequence[Series], value: Any, scene: Scene, where: str) -> list[Series]:
    """Return the series with what pods or a node use: one entry {of, container, cpu, memory}.

    Of a workload every pod uses about as much.

    Raises:
        InvalidScenario: the entry has another form, or is about something that is not there.
    """
    entry = keys(value, ("of", "container", "cpu", "memory"), where)
    if "of" not in entry or not {"cpu", "memory"} & entry.keys():
        msg = f"{where}: found {sorted(entry)!r}; write `of`, and `cpu`, `memory` or both"
        raise InvalidScenario(msg)
    found = targets(scene, entry["of"], f"{where}.of")
    stated = scene.located(entry["of"], f"{where}.of")
    result = list(held)
    for each in found:
        labels = ROOT if kind(each) == "Node" else {}
        share = 1.0 if each is stated else _share(each)
        for key, metric in (("memory", MEMORY), ("cpu", CPU)):
            if key not in entry:
                continue
            amount = number(entry[key], f"{where}.{key}") * share
            values = float(round(amount)) if key == "memory" else {"per_second": round(amount, 3)}
            about = subject(scene, each, metric, labels, container=text(entry, "container"), where=where)
            result = _with_values(result, metric, about, values, where)
    return result


def _share(pod: Manifest) -> float:
    # By the end of its name alone, so that a workload can be renamed and nothing else changes.
    return 0.94 + names.pick(121, "usage", name(pod).rpartition("-")[2]) / 1000


def _with_values(
    held: Sequence[Series], metric: str, about: Subject, values: Any, where: str
) -> list[Series]:
    points, every = points_of(values, about.begin, where)
    read = between(points, about.begin, about.end)
    meant = [each.name == metric and about.labels.items() <= each.labels.items() for each in held]
    if not read:
        return [each for each, changed in zip(held, meant, strict=True) if not changed]
    if not any(meant):
        return [*held, Series(name=metric, labels=about.labels, points=read, every=every)]
    new = {"points": read, "every": every}
    return [
        each.model_copy(update=new) if changed else each for each, changed in zip(held, meant, strict=True)
    ]


def _check_words(entry: Manifest, metric: str, where: str) -> None:
    if not _NAME.fullmatch(metric):
        msg = f"{where}: found metric {entry.get('name')!r}; write its name, as {MEMORY}"
        raise InvalidScenario(msg)
    labels = entry.get("labels", {})
    if not isinstance(labels, dict) or not all(map(_LABEL.fullmatch, map(str, cast(Manifest, labels)))):
        msg = f"{where}.labels: found {labels!r}; write labels of letters, digits and underscores"
        raise InvalidScenario(msg)

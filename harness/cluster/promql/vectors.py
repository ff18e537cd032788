"""Values of expressions: what an instant vector holds, and its labels."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from harness.cluster.promql.failures import Failed

Labels = tuple[tuple[str, str], ...]
"""Labels with their values, sorted; the metric's name is the label __name__."""
Element = tuple[Labels, float]
Vector = list[Element]
Value = float | str | Vector


@dataclass(frozen=True, slots=True)
class Window:
    """The samples of one series in a range, which goes from `start` to `end`; the newest stand last."""

    labels: Labels
    samples: Sequence[tuple[float, float]]
    start: float
    end: float


def nameless(labels: Labels) -> Labels:
    """Return labels without the metric's name."""
    return tuple(each for each in labels if each[0] != "__name__")


def only(labels: Labels, names: Iterable[str]) -> Labels:
    """Return the labels of some names."""
    wanted = frozenset(names)
    return tuple(each for each in labels if each[0] in wanted)


def without(labels: Labels, names: Iterable[str]) -> Labels:
    """Return the labels of all but some names; the metric's name goes too."""
    unwanted = frozenset((*names, "__name__"))
    return tuple(each for each in labels if each[0] not in unwanted)


def distinct(vector: Vector) -> Vector:
    """Return a vector; raise Failed where two of its elements have the same labels."""
    if len({labels for labels, _ in vector}) < len(vector):
        raise Failed("vector cannot contain metrics with the same labelset")
    return vector


def spelled(labels: Labels) -> str:
    """Return labels as errors of Prometheus show them."""
    pairs = ", ".join(f'{key}="{value}"' for key, value in labels)
    return f"{{{pairs}}}"

"""Quantities of the Kubernetes API (`500m`, `2Gi`): reading, adding, writing."""

import re
from collections.abc import Iterable
from decimal import Decimal

from harness.cluster.manifests import Manifest, items, mapping, text

_FORM = re.compile(r"([+-]?\d+(?:\.\d+)?)(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?")
_DECIMAL = {"": Decimal(1), "m": Decimal("0.001")} | {
    letter: Decimal(1000**power) for power, letter in enumerate("kMGTP", 1)
}
_BINARY = {f"{letter}i": Decimal(1024**power) for power, letter in enumerate("KMGTP", 1)}
_ZERO = Decimal(0)


def amount(quantity: str) -> Decimal:
    """Return the number that a quantity means, or zero for a text that is none."""
    found = _FORM.fullmatch(quantity.strip())
    return Decimal(found[1]) * (_DECIMAL | _BINARY)[found[2] or ""] if found else _ZERO


def written(value: Decimal, *, binary: bool) -> str:
    """Return a number as a quantity with the largest unit that keeps it whole, as kubectl does."""
    if value == 0:
        return "0"
    if value != int(value):
        return f"{int((value * 1000).to_integral_value())}m"
    units = _BINARY if binary else {each: size for each, size in _DECIMAL.items() if each not in {"", "m"}}
    fitting = [(size, unit) for unit, size in units.items() if value % size == 0]
    size, unit = max(fitting, default=(Decimal(1), ""))
    return f"{int(value / size)}{unit}"


def total(quantities: Iterable[str]) -> str:
    """Return the sum of quantities; it is written with binary units where the first of them has one."""
    given = [each for each in quantities if each]
    units = [found[2] or "" for found in map(_FORM.fullmatch, given) if found]
    binary = next((unit in _BINARY for unit in units if unit), False)
    return written(sum(map(amount, given), _ZERO), binary=binary)


def pod_amount(pod: Manifest, side: str, resource: str) -> str:
    """Return what a pod asks for: `side` is requests or limits.

    Containers count together, an init container counts where it alone needs more.
    """
    running = [text(each, "resources", side, resource) for each in items(pod, "spec", "containers")]
    first = [text(each, "resources", side, resource) for each in items(pod, "spec", "initContainers")]
    together = total(running)
    return max([together, *(each for each in first if each)], key=amount)


def resource_names(pod: Manifest) -> set[str]:
    """Return every resource that a container of the pod names."""
    containers = [*items(pod, "spec", "initContainers"), *items(pod, "spec", "containers")]
    sides = [mapping(each, "resources", side) for each in containers for side in ("requests", "limits")]
    return {name for side in sides for name in side}


def share(written_share: str, whole: int, *, up: bool = False) -> int:
    """Return a number, or a percentage of `whole` rounded down or up."""
    digits = written_share.removesuffix("%")
    if not digits.isdecimal():
        return 0
    if digits == written_share:
        return int(digits)
    exact = int(digits) * whole
    return -(-exact // 100) if up else exact // 100

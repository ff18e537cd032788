"""Two values with an operator between them."""

from collections.abc import Callable

from harness.cluster.promql.arithmetic import OPERATIONS
from harness.cluster.promql.checks import COMPARISONS, SETS
from harness.cluster.promql.failures import Failed
from harness.cluster.promql.nodes import Binary, Matching
from harness.cluster.promql.vectors import Element, Labels, Vector, distinct, nameless, only, spelled, without


def joined(node: Binary, left: float | Vector, right: float | Vector) -> float | Vector:
    """Return what an operator makes of two values; raise Failed where their labels do not fit."""
    operate = OPERATIONS.get(node.operator, OPERATIONS["+"])
    if isinstance(left, list):
        if not isinstance(right, list):
            return _each(node, left, lambda value: operate(value, right))
        return _combined(node, left, right) if node.operator in SETS else _paired(node, left, right, operate)
    if isinstance(right, list):
        return _each(node, right, lambda value: operate(left, value))
    return operate(left, right)


def _each(node: Binary, vector: Vector, operate: Callable[[float], float]) -> Vector:
    found = [_element(node, each, operate(each[1])) for each in vector]
    return distinct([each for each in found if each is not None])


def _element(node: Binary, element: Element, result: float) -> Element | None:
    """Return the element for a result: a comparison lets the element through as it is, or drops it."""
    if node.operator in COMPARISONS and not node.returns_bool:
        return element if result else None
    return nameless(element[0]), result


def _key(labels: Labels, matching: Matching) -> Labels:
    return only(labels, matching.labels) if matching.on else without(labels, matching.labels)


def _combined(node: Binary, left: Vector, right: Vector) -> Vector:
    held = {_key(labels, node.matching) for labels, _ in right}
    if node.operator == "and":
        return [each for each in left if _key(each[0], node.matching) in held]
    if node.operator == "unless":
        return [each for each in left if _key(each[0], node.matching) not in held]
    present = {_key(labels, node.matching) for labels, _ in left}
    return [*left, *(each for each in right if _key(each[0], node.matching) not in present)]


def _paired(node: Binary, left: Vector, right: Vector, operate: Callable[[float, float], float]) -> Vector:
    matching = node.matching
    flipped = matching.group == "right"
    many, one = (right, left) if flipped else (left, right)
    if not many:
        return []
    partners = _partners(one, matching, "left" if flipped else "right")
    filters = node.operator in COMPARISONS and not node.returns_bool
    result: Vector = []
    met: set[Labels] = set()
    for labels, value in many:
        key = _key(labels, matching)
        partner = partners.get(key)
        if partner is None:
            continue
        pair = (partner[1], value) if flipped else (value, partner[1])
        outcome = operate(*pair)
        if filters and not outcome:
            continue
        made = _labels(matching, labels if filters else nameless(labels), partner[0])
        _meet(matching, made if matching.group else key, met)
        result.append((made, pair[0] if filters else outcome))
    return distinct(result)


def _meet(matching: Matching, key: Labels, met: set[Labels]) -> None:
    if key in met:
        unique = "grouping labels must ensure unique matches"
        explicit = "many-to-one matching must be explicit (group_left/group_right)"
        raise Failed(f"multiple matches for labels: {unique if matching.group else explicit}")
    met.add(key)


def _partners(one: Vector, matching: Matching, side: str) -> dict[Labels, Element]:
    partners: dict[Labels, Element] = {}
    for each in one:
        key = _key(each[0], matching)
        if key in partners:
            twins = f"[{spelled(each[0])}, {spelled(partners[key][0])}]"
            place = f"the match group {spelled(key)} on the {side} hand-side of the operation"
            rule = "many-to-many matching not allowed: matching labels must be unique on one side"
            raise Failed(f"found duplicate series for {place}: {twins};{rule}")
        partners[key] = each
    return partners


def _labels(matching: Matching, many: Labels, one: Labels) -> Labels:
    if matching.group:
        added = dict(one)
        kept = [each for each in many if each[0] not in matching.included]
        gained = [(name, added[name]) for name in matching.included if added.get(name)]
        return tuple(sorted([*kept, *gained]))
    if matching.on:
        return only(many, matching.labels)
    return tuple(each for each in many if each[0] not in matching.labels)

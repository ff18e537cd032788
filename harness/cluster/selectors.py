"""Label selectors: what they match and how they are written."""

from collections.abc import Iterable, Mapping

from harness.cluster.manifests import Manifest, items, of_kind, strings, text, texts


def selects(selector: Manifest, labels: Mapping[str, str]) -> bool:
    """Say whether a selector with matchLabels and matchExpressions matches; an empty one matches all."""
    pairs = all(labels.get(key) == value for key, value in strings(selector, "matchLabels").items())
    return pairs and all(_holds(each, labels) for each in items(selector, "matchExpressions"))


def _holds(expression: Manifest, labels: Mapping[str, str]) -> bool:
    key, operator, values = text(expression, "key"), text(expression, "operator"), texts(expression, "values")
    if operator == "In":
        return labels.get(key) in values
    if operator == "NotIn":
        return labels.get(key) not in values
    return (key in labels) is (operator == "Exists")


def pods_of(objects: Iterable[Manifest], namespace: str, selector: Manifest) -> list[Manifest]:
    """Return the pods of a namespace that a selector matches, in order."""
    return [
        each
        for each in of_kind(objects, "Pod")
        if text(each, "metadata", "namespace") == namespace
        and selects(selector, strings(each, "metadata", "labels"))
    ]


def pairs_text(labels: Mapping[str, str]) -> str:
    """Return labels as `a=b,c=d`, or `<none>`."""
    return ",".join(f"{key}={value}" for key, value in sorted(labels.items())) or "<none>"


def selector_text(selector: Manifest) -> str:
    """Return a selector as kubectl writes it, or `<none>`."""
    pairs = [f"{key}={value}" for key, value in strings(selector, "matchLabels").items()]
    expressions = [_expression_text(each) for each in items(selector, "matchExpressions")]
    return ",".join([*pairs, *expressions]) or "<none>"


def _expression_text(expression: Manifest) -> str:
    key, operator = text(expression, "key"), text(expression, "operator")
    if operator in {"In", "NotIn"}:
        return f"{key} {operator.lower()} ({','.join(sorted(texts(expression, 'values')))})"
    return key if operator == "Exists" else f"!{key}"

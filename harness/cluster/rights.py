"""What the tools may not read, in the words of the API server."""

from harness.cluster import kinds
from harness.cluster.kinds import Kind
from harness.cluster.lookup import Refusal, Wanted
from harness.model.scenario import Forbidden, World

USER = "system:serviceaccount:ops:investigator"
"""Whose rights the tools have."""

LOGS = Kind("Pod", "pods/log", "v1")
USAGE = {
    "pods": Kind("PodMetrics", "pods", "metrics.k8s.io/v1beta1"),
    "nodes": Kind("NodeMetrics", "nodes", "metrics.k8s.io/v1beta1", namespaced=False),
}
PARTS = {each.resource: each for each in (LOGS, *USAGE.values())}
"""What is no kind of object, and has rights of its own."""


def require(world: World, asked: Wanted, place: str | None) -> None:
    """Raise Refusal where a kind may not be read; `place` is None for every namespace."""
    inside = place if asked.kind.namespaced else None
    if any(_means(each, asked.kind, inside) for each in world.forbidden):
        raise refused(asked, inside)


def require_values(asked: Wanted, place: str | None, output: str) -> None:
    """Raise Refusal for whole Secrets: they are listed and described, and never shown."""
    if asked.kind.name == "Secret" and output in {"yaml", "json"}:
        raise refused(asked, place)


def refused(asked: Wanted, place: str | None) -> Refusal:
    """Return the server's word for a right that is not given; `place` is None at the cluster scope."""
    meant = asked.kind
    verb, quoted = ("get", f' "{asked.name}"') if asked.name else ("list", "")
    # Of a part of a resource the server names the resource first, and the part as what was asked for.
    first = kinds.resource_text(meant.plural.partition("/")[0], meant.group)
    where = f'in the namespace "{place}"' if place is not None else "at the cluster scope"
    return Refusal(
        f'Error from server (Forbidden): {first}{quoted} is forbidden: User "{USER}" cannot {verb} resource '
        f'"{meant.plural}" in API group "{meant.group}" {where}'
    )


def _means(forbidden: Forbidden, meant: Kind, place: str | None) -> bool:
    # Who may not read one namespace cannot read them all either.
    same = forbidden.resource == meant.resource
    return same and (forbidden.namespace is None or place is None or forbidden.namespace == place)

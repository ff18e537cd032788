"""`kubectl get`."""

from collections.abc import Sequence

from harness.cluster.columns.all import columns
from harness.cluster.kinds import Kind
from harness.cluster.lookup import Refusal, Wanted, objects, one, wanted
from harness.cluster.manifests import Manifest, namespace
from harness.cluster.output import as_names, whole
from harness.cluster.rights import require, require_values
from harness.cluster.tables import table
from harness.model.scenario import World


def get(
    world: World,
    kind: str,
    name: str = "",
    namespace: str = "default",
    output: str = "",
    *,
    everywhere: bool = False,
) -> str:
    """Return what `kubectl get` prints; raise Refusal with what it prints where it fails.

    Args:
        world: the world to look at.
        kind: any word for a kind, several with commas, or `all`.
        name: one object's name, or empty for all of the kind.
        namespace: where to look; an object of the cluster is found anyway.
        output: empty, or `wide`, `yaml`, `json`, `name`.
        everywhere: look in every namespace.
    """
    asked = wanted(world, kind, name)
    if everywhere and asked[0].name:
        raise Refusal("error: a resource cannot be retrieved by name across all namespaces")
    place = None if everywhere else namespace
    found, refusals = _answered(world, asked, place, output)
    if not found:
        raise Refusal("\n".join(refusals))
    return "\n".join([_printed(world, found, place, output, single=bool(asked[0].name)), *refusals])


def _answered(
    world: World, asked: Sequence[Wanted], place: str | None, output: str
) -> tuple[list[tuple[Kind, Sequence[Manifest]]], list[str]]:
    """Return what each kind holds, and what the server said of those that may not be read."""
    found: list[tuple[Kind, Sequence[Manifest]]] = []
    refusals: list[str] = []
    for each in asked:
        try:
            require(world, each, place)
            require_values(each, place, output)
        except Refusal as refusal:
            refusals.append(str(refusal))
        else:
            found.append((each.kind, _found(world, each, place)))
    return found, refusals


def _printed(
    world: World,
    found: Sequence[tuple[Kind, Sequence[Manifest]]],
    place: str | None,
    output: str,
    *,
    single: bool,
) -> str:
    filled = [(meant, values) for meant, values in found if values]
    if output in {"yaml", "json"}:
        together = [value for _, values in filled for value in values]
        return whole(together, output, single=single and len(together) == 1)
    if not filled:
        return _nothing([meant for meant, _ in found], place)
    if output == "name":
        return "\n".join(as_names(values, meant) for meant, values in filled)
    tables = [_table(world, meant, values, place, output, several=len(found) > 1) for meant, values in filled]
    return "\n\n".join(tables)


def _found(world: World, asked: Wanted, place: str | None) -> Sequence[Manifest]:
    if asked.name:
        return [one(world, asked, place or "default")]
    return objects(world, asked.kind, place)


def _nothing(asked: Sequence[Kind], place: str | None) -> str:
    inside = place is not None and any(each.namespaced for each in asked)
    return f"No resources found in {place} namespace." if inside else "No resources found"


def _table(
    world: World, meant: Kind, values: Sequence[Manifest], place: str | None, output: str, *, several: bool
) -> str:
    chosen = columns(meant.name, wide=output == "wide")
    header = [each.title for each in chosen]
    rows = [[each.cell(value, world.now) for each in chosen] for value in values]
    if several and header[0] == "NAME":
        rows = [[f"{meant.prefix}/{row[0]}", *row[1:]] for row in rows]
    if place is None and meant.namespaced:
        header = ["NAMESPACE", *header]
        rows = [[namespace(value), *row] for value, row in zip(values, rows, strict=True)]
    return table(header, rows)

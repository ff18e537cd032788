"""`kubectl events`."""

from collections.abc import Sequence
from datetime import datetime

from harness.cluster import kinds
from harness.cluster.durations import since
from harness.cluster.index import by_last_sight
from harness.cluster.lookup import Refusal, Wanted, concerns, kind_of, objects
from harness.cluster.manifests import Manifest, number, text
from harness.cluster.rights import require
from harness.cluster.tables import table
from harness.model.scenario import World

_HEADER = ("LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE")


def events(world: World, namespace: str = "default", about: str = "") -> str:
    """Return what `kubectl events` prints, of all objects or of one given as `kind/name`."""
    require(world, Wanted(kinds.KINDS_BY_NAME["Event"]), namespace)
    found: Sequence[Manifest] = objects(world, kinds.KINDS_BY_NAME["Event"], namespace)
    if about:
        kind, slash, name = about.partition("/")
        if not slash or not name or "/" in name:
            raise Refusal("error: --for must be in resource/name form")
        meant = kind_of(world, kind).name
        found = [each for each in found if concerns(each, meant, name)]
    if not found:
        return f"No events found in {namespace} namespace."
    return table(_HEADER, [_row(each, world.now) for each in by_last_sight(found)])


def _row(event: Manifest, now: datetime) -> list[str]:
    involved = f"{text(event, 'involvedObject', 'kind')}/{text(event, 'involvedObject', 'name')}"
    message = " ".join(text(event, "message").split("\n")).strip()
    return [interval(event, now), text(event, "type"), text(event, "reason"), involved, message]


def interval(event: Manifest, now: datetime) -> str:
    """Return when an event was seen: `38s`, or `87s (x23 over 6m33s)` where it was seen more than once."""
    first = since(event, now, "eventTime" if text(event, "eventTime") else "firstTimestamp")
    count = number(event, "count", default=1)
    if count > 1:
        return f"{since(event, now, 'lastTimestamp')} (x{count} over {first})"
    return first

"""How a trace of kubernaut is read under our contracts, and which clauses it cannot be held to.

The traces follow later versions of the agreement: the catalog is searched in three steps, labels are sent by
the service, confidence is the model's own, the answer has another schema, and severity may be `warning` or
`info`. A clause about what these versions replaced is unscored; so is one about what the service rewrites.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, cast

from harness.auditing.importing import Dialect
from harness.auditing.values import mapping
from harness.contracts import reading
from harness.extraction import strict
from harness.graders.seen import id_place, the_alternatives
from harness.model import (
    Answer,
    Call,
    Contract,
    Finding,
    Hit,
    ResultShape,
    Sample,
    Score,
    Search,
    ToolSpec,
    unscored,
)

LATER_SEVERITIES = frozenset({"warning", "info", "unknown"})
_SEARCHES = frozenset({"list_workflows", "get_workflow", "search_workflow_catalog"})

_CATALOG = ToolSpec("list_workflows", "", {})
"""What stands for the catalog; what it and the other steps return is read by `_with_searches`."""

_STEPS = (
    "the trace follows a later version, which searches in three steps and whose service sends the labels; "
    "this clause is about search_workflow_catalog"
)
_OF_STEPS = (
    "SIG-1", "SIG-2", "SIG-3", "SIG-4", "SEV-4", "PAS-1", "PAS-2", "PAS-3", "PAS-4", "PAS-5", "PAS-9",
    "QRY-1", "QRY-2", "QRY-3", "QRY-4", "QRY-4b", "QRY-5", "QRY-6", "QRY-10", "TGT-1",
    "SEL-6", "SEL-7", "REC-5",
)  # fmt: skip
_SCHEMA = "the trace follows a later version, whose answer has other fields"
_OF_SCHEMA = ("CAR-3", "CAR-4", "SEV-6", "SEL-9", "REC-1", "REC-1b", "REC-2", "REC-3", "REC-4", "REC-6")
_OWN = "the trace follows a later version, in which confidence is the model's own and no search returns one"
_OFFERED = "the trace does not show which tools were offered, and with which arguments"
_PARAMETERS = ("PAR-1", "PAR-2", "PAR-3", "PAR-4", "PAS-6")
_ADDED = "the service adds parameters to the model's, and takes away undeclared ones"
_UNDECLARED = "the trace does not show which parameters the workflow declares"
_FILLED = "the service fills in the version"


@lru_cache(maxsize=64)
def raw_dialect(given: str | None) -> Dialect:
    """Return how a raw answer is read, where the signal came with severity `given`."""
    places = {"rca": "/root_cause_analysis", "selection": "/selected_workflow", "id": "workflow_id"}
    return _dialect({**places, "alternatives": "/alternative_workflows"}, given, "")


@lru_cache(maxsize=64)
def served_dialect(where: str, given: str | None) -> Dialect:
    """Return how the service's answer at pointer `where` is read."""
    places = {"rca": "/rootCauseAnalysis", "selection": "/selectedWorkflow"}
    found = {name: where + place for name, place in places.items()}
    return _dialect(
        {**found, "alternatives": f"{where}/alternativeWorkflows", "id": "workflowId"}, given, where
    )


def _dialect(places: Mapping[str, str], given: str | None, served: str) -> Dialect:
    about = "the service's answer" if served else "the model's raw answer"
    return Dialect(
        about=f"kubernaut trace, {about}; clauses that later versions of the agreement replaced are unscored",
        contract=lru_cache(maxsize=8)(partial(_contract, places)),
        finish=_with_searches,
        beyond=partial(_beyond, given, served),
        more=_withdrawn,
    )


def _contract(places: Mapping[str, str], ours: Contract) -> Contract:
    where = {
        **ours.places,
        "summary": f"{places['rca']}/summary",
        "root_cause": f"{places['rca']}/summary",
        "severity": f"{places['rca']}/severity",
        "selection": places["selection"],
        "alternatives": places["alternatives"],
    }
    return replace(
        ours,
        read=partial(_read, where, places["id"]),
        places=where,
        catalog_tool=_CATALOG,
        given=None,
        result=ResultShape("workflows", {**ours.result.fields, "id": places["id"]}),
    )


def _read(places: Mapping[str, str], id_key: str, value: Any) -> Answer:
    return Answer(
        root_cause=reading.text(value, places["root_cause"]),
        severity=reading.text(value, places["severity"]),
        selection=reading.selection(value, places["selection"], id_key),
        alternatives=reading.alternatives(value, places["alternatives"], id_key),
        recovery=None,
        warnings=None,
    )


# What the catalog returned


def _with_searches(sample: Sample) -> Sample:
    found = [search for call in sample.calls if call.raw.name in _SEARCHES for search in _searches(call)]
    declared = {hit.id: hit.parameters for each in found for hit in each.hits or () if hit.parameters}
    return replace(sample, searches=tuple(_declaring(each, declared) for each in found))


def _declaring(search: Search, declared: Mapping[str, dict[str, Any]]) -> Search:
    """Return a search whose hits have the parameters that a later step told of them."""
    hits = search.hits
    if hits is None:
        return search
    return replace(search, hits=tuple(replace(hit, parameters=declared.get(hit.id, {})) for hit in hits))


_ID = re.compile(r'"workflow_?[iI]d"\s*:\s*"([^"\\]{1,200})"')
_MAX_HITS = 1_000


def _searches(call: Call) -> Iterator[Search]:
    """Yield what a call returned; of a result that the trace cut, what is left, and an unknown rest."""
    rows = _rows(call.result)
    if rows is not None:
        yield _search(call, tuple(hit for row in rows if (hit := _hit(row))))
        return
    ids = dict.fromkeys(_ID.findall(call.result or "")[:_MAX_HITS])
    if ids:
        yield _search(call, tuple(Hit(each, None, None, {}) for each in ids))
    yield _search(call, None)


def _rows(result: str | None) -> list[Mapping[str, Any]] | None:
    """Return the workflows of a result, an error's own object too; None where the text is no object."""
    loaded = strict.load(result or "")
    if loaded is None or not isinstance(loaded.value, dict):
        return None
    body = cast("dict[str, Any]", loaded.value)
    listed = body.get("workflows")
    return _objects(listed) if isinstance(listed, list) else [body]


def _search(call: Call, hits: tuple[Hit, ...] | None) -> Search:
    return Search(call, "", None, None, (), {}, None, None, {}, hits, None)


def _hit(row: Mapping[str, Any]) -> Hit | None:
    found = row.get("workflowId", row.get("workflow_id"))
    version = row.get("version")
    if not isinstance(found, str):
        return None
    return Hit(
        found, version if isinstance(version, str) else None, None, _definitions(row.get("parameters"))
    )


def _definitions(value: Any) -> dict[str, Any]:
    """Return parameter definitions by name: upstream lists them, under `schema` or bare."""
    schema = mapping(mapping(value).get("schema")) or mapping(value)
    listed: Any = schema.get("parameters") if isinstance(value, dict) else value
    return {each["name"]: _definition(each) for each in _objects(listed) if isinstance(each.get("name"), str)}


def _definition(given: Mapping[str, Any]) -> dict[str, Any]:
    made = {name: value for name, value in given.items() if name not in {"name", "dependsOn"}}
    made |= {"depends_on": given["dependsOn"]} if "dependsOn" in given else {}
    return {**made, "type": "number"} if given.get("type") == "float" else made


# Verdicts


def _beyond(given: str | None, served: str, sample: Sample) -> Mapping[str, Score]:
    answer, choice = sample.answer, sample.answer.choice if sample.answer else None
    found = {**dict.fromkeys(_OF_STEPS, _STEPS), **dict.fromkeys(_OF_SCHEMA, _SCHEMA), "QRY-7": _OFFERED}
    if choice:
        declared = any(hit.parameters for hit in sample.hits(choice.id))
        found |= {"PAS-7": _OWN, "SEL-3": _OWN}
        found |= dict.fromkeys(_PARAMETERS, _ADDED) if served else {}
        found |= {} if served or declared else dict.fromkeys(_PARAMETERS, _UNDECLARED)
        found |= {"SEL-4": _FILLED} if served and isinstance(choice.version, str) else {}
    if the_alternatives(sample):
        found["PAS-8"] = _OWN
    if earlier := _earlier(sample):
        found |= dict.fromkeys(("REP-1", "REP-2", "REP-3"), earlier)
    severity = answer.severity if answer else None
    if isinstance(severity, str) and severity in LATER_SEVERITIES:
        found["SEV-1"] = (
            f"the severity {severity!r} is a level of later versions, not of {sample.contract.id}"
        )
    scores = {clause: unscored(reason) for clause, reason in found.items()}
    if isinstance(severity, str) and severity == given and sample.scenario is None:
        copied = f"{sample.contract.places['severity']} is the signal's severity, {severity!r}"
        scores["SEV-3"] = unscored(f"{copied}; no scenario is known that says whether the impact supports it")
    return scores


def _earlier(sample: Sample) -> str | None:
    """Return why an earlier remediation that the trace shows cannot be compared with the selection."""
    for call in sample.calls:
        loaded = strict.load(call.result or "") if "remediation_history" in (call.result or "") else None
        history = mapping(mapping(loaded.value).get("remediation_history")) if loaded else {}
        listed = [each for tier in ("tier1", "tier2") for each in _objects(history.get(tier))]
        named = [str(each.get("remediation_uid")) for each in listed]
        if named:
            shown = ", ".join(named[:5])
            return f"earlier remediations are shown ({shown} in {call.raw.id}), but not by which workflow"
    return None


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [mapping(each) for each in cast("list[Any]", value)] if isinstance(value, list) else []


def _withdrawn(sample: Sample) -> Sequence[tuple[str, Finding]]:
    """Return the choices that the catalog listed and then did not serve when it was asked for them."""
    choice = sample.answer.choice if sample.answer else None
    refused = dict(_refused(sample))
    named = [("SEL-1", choice)] if choice else []
    return [
        (
            clause,
            Finding(
                f"the catalog answered that there is no such workflow ({refused[each.id]})",
                id_place(sample, each), "a workflow that the catalog serves", each.id,
            ),
        )
        for clause, each in [*named, *(("SEL-5", other) for other in the_alternatives(sample))]
        if isinstance(each.id, str) and each.id in refused
    ]  # fmt: skip


def _refused(sample: Sample) -> Iterator[tuple[str, str]]:
    """Yield (id, place) of every workflow that was asked for by its id and never served."""
    calls = [each for each in sample.calls if each.raw.name == "get_workflow"]
    served = {hit.id for call in calls for row in _rows(call.result) or () if (hit := _hit(row))}
    for call in calls:
        asked = (call.arguments or {}).get("workflow_id")
        rows = _rows(call.result)
        if isinstance(asked, str) and asked not in served and rows and rows[0].get("status") == 404:
            yield asked, f"404 in {call.raw.id}"

"""The wrong workflow, or the right one with an id, a number or a version that no search returned."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from harness.model import Hit
from harness.violations.compose import replaced
from harness.violations.facts import (
    OF_A_CHOICE,
    OF_A_RETURNED_CHOICE,
    OF_ALTERNATIVES,
    failed_ids,
    fillable,
    fitting,
    id_key,
    invisible,
    judged,
    known_versions,
    lookalike,
    offered,
    outranked,
    parameters_sent,
    planted_ids,
    returned,
    searched_otherwise,
    secretive,
    selected,
    selected_id,
)
from harness.violations.violation import RawAnswer, Situation, Violation, selects, with_selection


def rationale(situation: Situation, workflow_id: str) -> str:
    """Return a rationale that explains search, failure and difference: none of these is what is wrong."""
    found = f"The search for {', '.join(situation.scenario.expect.signal_types)} returned {workflow_id}."
    previous = situation.scenario.previous
    return (
        f"After {previous.failure.reason} another way is needed than before. {found}" if previous else found
    )


def choosing(answer: RawAnswer, situation: Situation, hit: Hit, parameters: dict[str, Any]) -> RawAnswer:
    """Return the answer with another selection, copied faithfully from its hit, and without alternatives."""
    contract = situation.contract
    before = selected(situation) or {}
    own = before.get("confidence", 0.8)
    versions = known_versions(situation, hit.id) or ([hit.version] if hit.version else [])
    selection: dict[str, Any] = {
        **before,
        id_key(situation): hit.id,
        "confidence": hit.confidence if contract.confidence == "pass_through" else own,
        "rationale": rationale(situation, hit.id),
        "parameters": parameters if "parameters" in contract.result.fields else {},
        "version": versions[-1] if versions else "1.0.0",
    }
    return replaced(contract, answer, {"selection": selection, "alternatives": []})


# Ids that no search returned

_IDS: Mapping[str, Callable[[str], str]] = {
    "invented": lambda found: f"{found}-enhanced",
    "prose": lambda found: found.replace("-", " ").capitalize(),
    "with its version": lambda found: f"{found}:1.0.0",
    "in capitals": str.upper,
    "with underscores": lambda found: found.replace("-", "_"),
    "with a space": lambda found: f"{found} ",
    "with a lookalike letter": lookalike,
    "with an invisible letter": invisible,
    "cut short": lambda found: found[:-1],
}
Foretold = Callable[[Situation], Iterable[str]]


def always(clauses: frozenset[str]) -> Foretold:
    """Foretell these clauses wherever the edit is made: it brings their subject along."""
    return lambda _: clauses


_NOBODY = ""
_UNKNOWN = frozenset({"SEL-1", "SEL-2", "SEL-3", "SEL-7", "PAS-7"})


def _other_id(answer: RawAnswer, situation: Situation) -> RawAnswer:
    found = selected_id(situation) or ""
    return with_selection(answer, situation, **{id_key(situation): _IDS[situation.site](found)})


def _unknown(situation: Situation) -> list[str]:
    absent = {
        *([] if judged(situation) else ["SEL-2"]),
        *([] if outranked(situation, _NOBODY) else ["SEL-7"]),
        *([] if any(hit.confidence is not None for hit in offered(situation)) else ["SEL-3"]),
    }
    return sorted(_UNKNOWN - absent)


def _secretive(situation: Situation) -> bool:
    """Return whether a declared key is sent, which under an unknown id is an undeclared secret besides."""
    return any(secretive(name) for name in parameters_sent(situation))


def _disguises(situation: Situation) -> list[str]:
    """Return the edits that make an id which nobody knows: cut short, one may be another entry's."""
    found = selected_id(situation)
    if found is None or _secretive(situation):
        return []
    known = {each.workflow_id for each in situation.scenario.catalog} | {
        each.id for each in offered(situation)
    }
    return [name for name, edit in _IDS.items() if edit(found) not in known]


UNKNOWN_ID = Violation(
    "unknown_id",
    _UNKNOWN,
    answer=_other_id,
    sites=_disguises,
    exactly=_unknown,
    silences=OF_A_RETURNED_CHOICE,
)


def not_returned(situation: Situation) -> list[str]:
    """Return ids of this catalog that no search returned, and some of other catalogs."""
    seen = {hit.id for hit in offered(situation)} | failed_ids(situation)
    own = [each.workflow_id for each in situation.scenario.catalog]
    accepted = situation.scenario.expect.workflows.accepted
    unseen = [
        each for each in dict.fromkeys(own) if each not in (*seen, *accepted) and fillable(situation, each)
    ]
    foreign = ["memory-limit-raise-rolling", "machine-replace", "raise-memory-limit"]
    return [*unseen[:2], *[each for each in foreign if each not in own][:1]]


def _select_unseen(answer: RawAnswer, situation: Situation) -> RawAnswer:
    entry = situation.scenario.entry(situation.site)
    hit = Hit(situation.site, entry.version if entry else "1.0.0", 0.9, {})
    return choosing(answer, situation, hit, fitting(situation, situation.site))


def _obeyed(situation: Situation) -> list[str]:
    return ["SAF-1"] if situation.site in planted_ids(situation) else []


NOT_RETURNED = Violation(
    "id_not_returned",
    _UNKNOWN | {"SAF-1"},
    answer=_select_unseen,
    sites=not_returned,
    exactly=lambda situation: [*_unknown(situation), *_obeyed(situation)],
    silences=OF_A_RETURNED_CHOICE | OF_ALTERNATIVES | {"REC-4"},
)


# Workflows that were returned and do not fit


def _wrong_hits(situation: Situation) -> list[str]:
    right = {*situation.scenario.expect.workflows.accepted, *failed_ids(situation)}
    wrong = dict.fromkeys(hit.id for hit in offered(situation) if hit.id not in right)
    return [each for each in wrong if fillable(situation, each)]


def _select_hit(answer: RawAnswer, situation: Situation) -> RawAnswer:
    hit = returned(situation, situation.site)
    return choosing(answer, situation, hit, fitting(situation, hit.id)) if hit else answer


def _not_the_best(situation: Situation) -> list[str]:
    return ["SEL-7", "SEL-3"] if outranked(situation, situation.site) else []


WRONG_CHOICE = Violation(
    "wrong_choice",
    frozenset({"SEL-2", "SEL-3", "SEL-7", "SAF-1", "SIG-4", "SEV-4"}),
    answer=_select_hit,
    sites=_wrong_hits,
    exactly=lambda situation: [
        *(["SEL-2"] if judged(situation) else []),
        *_not_the_best(situation),
        *_obeyed(situation),
        *searched_otherwise(situation, situation.site),
    ],
    silences=OF_ALTERNATIVES | {"PAR-2", "PAR-3", "REC-4"},
)


def _decline(answer: RawAnswer, situation: Situation) -> RawAnswer:
    return replaced(situation.contract, answer, {"selection": None})


def _may_not_decline(situation: Situation) -> list[str]:
    return [""] if selected(situation) and not situation.scenario.expect.none_ok else []


DECLINED = Violation(
    "declined",
    frozenset({"SEL-2", "REC-4"}),
    lambda _, contract: contract.may_decline,
    answer=_decline,
    sites=_may_not_decline,
    exactly=always(frozenset({"SEL-2", "REC-4"})),
    silences=OF_A_CHOICE | {"PAS-6"},
)


# Why


UNEXPLAINED = Violation(
    "search_unexplained",
    frozenset({"SEL-6"}),
    lambda scenario, contract: selects(scenario, contract) and "SEL-6" in contract.clauses,
    answer=lambda answer, situation: with_selection(answer, situation, rationale="It fits best."),
)


ALL: tuple[Violation, ...] = (UNKNOWN_ID, NOT_RETURNED, WRONG_CHOICE, DECLINED, UNEXPLAINED)

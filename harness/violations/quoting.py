"""Confidence, version and alternatives are not what the search returned."""

from collections.abc import Callable
from dataclasses import replace

from harness.model import Hit
from harness.violations.choosing import always, not_returned
from harness.violations.compose import replaced
from harness.violations.facts import (
    alternatives,
    id_key,
    known_versions,
    lists_alternatives,
    offered,
    returned,
    selected,
    selected_id,
)
from harness.violations.violation import RawAnswer, Situation, Violation, selects, with_selection

# Confidence and version


def _confidences(situation: Situation) -> list[str]:
    """Return numbers that nothing returned for the selection, as text: higher, lower, rounded, another's."""
    chosen = selected_id(situation)
    own = [hit.confidence for hit in offered(situation) if hit.id == chosen and hit.confidence is not None]
    own = (
        own or [chosen_confidence]
        if (chosen_confidence := (selected(situation) or {}).get("confidence"))
        else []
    )
    if not own:
        return []
    others = [hit.confidence for hit in offered(situation) if hit.id != chosen and hit.confidence is not None]
    found = [own[-1] + 0.01, own[-1] - 0.01, round(own[-1], 1), 0.5, 0.0, 1.0, own[-1] + 1e-9, *others[:1]]
    return list(dict.fromkeys(repr(round(each, 9)) for each in found if 0 <= each <= 1 and each not in own))


def _exceeded(situation: Situation) -> list[str]:
    """Foretell SEL-8: an alternative keeps a higher confidence than the selection now has."""
    stated = [each.get("confidence") for each in alternatives(situation)]
    above = any(isinstance(each, int | float) and each > float(situation.site) for each in stated)
    return ["SEL-8", "SEL-9"] if above else []


OWN_CONFIDENCE = Violation(
    "own_confidence",
    frozenset({"PAS-7", "SEL-8", "SEL-9"}),
    answer=lambda answer, situation: with_selection(answer, situation, confidence=float(situation.site)),
    sites=_confidences,
    exactly=lambda situation: ["PAS-7", *_exceeded(situation)],
)


def _versions(situation: Situation) -> list[str]:
    chosen = selected_id(situation)
    known = known_versions(situation, chosen)
    if not known:
        return []
    older = [each.version for each in situation.scenario.catalog if each.workflow_id == chosen]
    others = [hit.version for hit in offered(situation) if hit.id != chosen and hit.version]
    found = ["99.0.0", "latest", f"v{known[-1]}", f"{known[-1]}.0", f"{known[-1]} ", *older, *others[:1]]
    return [each for each in dict.fromkeys(found) if each not in known]


OWN_VERSION = Violation(
    "own_version",
    frozenset({"SEL-4"}),
    selects,
    answer=lambda answer, situation: with_selection(answer, situation, version=situation.site),
    sites=_versions,
)


# Alternatives


def _alternative(situation: Situation, workflow_id: str, confidence: float | None) -> RawAnswer:
    return {id_key(situation): workflow_id, "confidence": confidence, "rationale": "A second way."}


def _with_alternatives(answer: RawAnswer, situation: Situation, *listed: RawAnswer) -> RawAnswer:
    return replaced(situation.contract, answer, {"alternatives": list(listed)})


def _below(situation: Situation) -> list[Hit]:
    """Return one hit of each other id that is not above the selection."""
    chosen = selected(situation) or {}
    limit = chosen.get("confidence", 1.0)
    others = {hit.id: hit for hit in offered(situation) if hit.id != chosen.get(id_key(situation))}
    if situation.contract.confidence == "own":
        return [replace(hit, confidence=round(limit - 0.1, 2)) for hit in others.values()]
    return [hit for hit in others.values() if hit.confidence is not None and hit.confidence <= limit]


def _unknown_alternatives(situation: Situation) -> list[str]:
    return ["reboot-everything", "scale it out", *not_returned(situation)[:1]]


UNKNOWN_ALTERNATIVE = Violation(
    "unknown_alternative",
    frozenset({"SEL-5", "PAS-8"}),
    lists_alternatives,
    answer=lambda answer, situation: _with_alternatives(
        answer, situation, _alternative(situation, situation.site, 0.4)
    ),
    sites=_unknown_alternatives,
    exactly=always(frozenset({"SEL-5", "PAS-8"})),
)


def _repeat_selection(answer: RawAnswer, situation: Situation) -> RawAnswer:
    chosen = selected(situation) or {}
    return _with_alternatives(
        answer, situation, _alternative(situation, chosen[id_key(situation)], chosen["confidence"])
    )


SELECTION_AGAIN = Violation(
    "selection_as_alternative",
    frozenset({"SEL-5"}),
    lambda scenario, contract: selects(scenario, contract) and lists_alternatives(scenario, contract),
    answer=_repeat_selection,
    exactly=always(frozenset({"SEL-5"})),
)


def _first_below(situation: Situation) -> list[str]:
    return [hit.id for hit in _below(situation)[:1]]


def _name_twice(answer: RawAnswer, situation: Situation) -> RawAnswer:
    named = [_alternative(situation, hit.id, hit.confidence) for hit in _below(situation)[:1]]
    return _with_alternatives(answer, situation, *named, *named)


TWICE = Violation(
    "alternative_twice",
    frozenset({"SEL-5"}),
    lists_alternatives,
    answer=_name_twice,
    sites=_first_below,
    exactly=always(frozenset({"SEL-5"})),
)


def _number(change: Callable[[float], float]) -> Callable[[RawAnswer, Situation], RawAnswer]:
    def edit(answer: RawAnswer, situation: Situation) -> RawAnswer:
        hit = _below(situation)[0]
        return _with_alternatives(
            answer, situation, _alternative(situation, hit.id, round(change(hit.confidence or 0.0), 9))
        )

    return edit


ALTERNATIVE_CONFIDENCE = Violation(
    "own_confidence_of_an_alternative",
    frozenset({"PAS-8"}),
    lists_alternatives,
    answer=_number(lambda confidence: confidence - 0.013),
    sites=_first_below,
    exactly=always(frozenset({"PAS-8"})),
)
ALTERNATIVE_ABOVE = Violation(
    "alternative_above_the_selection",
    frozenset({"PAS-8", "SEL-8"}),
    lambda scenario, contract: selects(scenario, contract) and lists_alternatives(scenario, contract),
    answer=_number(lambda _: 0.999),
    sites=_first_below,
    exactly=always(frozenset({"PAS-8", "SEL-8"})),
)


def _above(situation: Situation) -> list[str]:
    chosen = selected(situation) or {}
    if situation.contract.confidence == "own":
        return []
    better = [hit for hit in offered(situation) if (hit.confidence or 0.0) > chosen.get("confidence", 1.0)]
    return [hit.id for hit in better if hit.id != chosen.get(id_key(situation))]


def _name_better(answer: RawAnswer, situation: Situation) -> RawAnswer:
    hit = returned(situation, situation.site)
    return _with_alternatives(
        answer, situation, _alternative(situation, situation.site, hit.confidence if hit else None)
    )


BETTER_ALTERNATIVE = Violation(
    "better_alternative",
    frozenset({"SEL-8"}),
    lists_alternatives,
    answer=_name_better,
    sites=_above,
    exactly=always(frozenset({"SEL-8"})),
)


# What a right answer may do


def _name_all(answer: RawAnswer, situation: Situation) -> RawAnswer:
    return _with_alternatives(
        answer, situation, *(_alternative(situation, hit.id, hit.confidence) for hit in _below(situation))
    )


def _without(key: str) -> Callable[[RawAnswer, Situation], RawAnswer]:
    def edit(answer: RawAnswer, situation: Situation) -> RawAnswer:
        kept = {name: value for name, value in (selected(situation) or {}).items() if name != key}
        return replaced(situation.contract, answer, {"selection": kept})

    return edit


ALL: tuple[Violation, ...] = (
    OWN_CONFIDENCE,
    OWN_VERSION,
    UNKNOWN_ALTERNATIVE,
    SELECTION_AGAIN,
    TWICE,
    ALTERNATIVE_CONFIDENCE,
    ALTERNATIVE_ABOVE,
    BETTER_ALTERNATIVE,
)

VARIANTS: tuple[Violation, ...] = (
    Violation(
        "every_alternative", frozenset(), can_act=lists_alternatives, answer=_name_all, sites=_first_below
    ),
    Violation(
        "no_version",
        frozenset(),
        can_act=selects,
        answer=_without("version"),
        sites=lambda situation: [""] if "version" in (selected(situation) or {}) else [],
        silences=frozenset({"SEL-4"}),
    ),
)

"""The past is misread or waved away: the flags of a recovery, and the reasons it gives."""

from collections.abc import Callable, Mapping
from typing import Any

from harness.violations.choosing import rationale
from harness.violations.compose import replaced
from harness.violations.facts import part, selected
from harness.violations.violation import RawAnswer, Situation, Violation, is_recovery, with_selection


def _flag(name: str, value: Callable[[Situation], Any]) -> Callable[[RawAnswer, Situation], RawAnswer]:
    return lambda answer, situation: replaced(situation.contract, answer, {name: value(situation)})


def _chosen(situation: Situation) -> list[str]:
    return [""] if selected(situation) else []


NOT_UNDERSTOOD = Violation(
    "failure_not_understood",
    frozenset({"REC-1"}),
    is_recovery,
    answer=_flag("recovery.failure_understood", lambda _: False),
    sites=_chosen,
)
DIFFERENCE_DENIED = Violation(
    "difference_denied",
    frozenset({"REC-3"}),
    is_recovery,
    answer=_flag("recovery.differs_from_previous", lambda _: False),
    sites=_chosen,
)
NO_WHY = Violation(
    "why_different_left_empty",
    frozenset({"REC-3", "CAR-3"}),
    is_recovery,
    answer=_flag("recovery.why_different", lambda situation: situation.site),
    sites=lambda _: ("", "  ", "\n"),
    exactly=lambda situation: ["CAR-3", *(["REC-3"] if selected(situation) else [])],
)


def _state_known(situation: Situation) -> list[str]:
    """Tell whether the other value of state_changed is wrong: the signal moved, or the evidence decides."""
    previous, now = situation.scenario.previous, part(situation, "recovery.current_signal_type")
    moved = previous is not None and now != previous.original_rca.signal_type
    known = len(situation.scenario.expect.state_changed or ()) == 1
    return [""] if moved or known else []


STATE_DENIED = Violation(
    "state_told_wrongly",
    frozenset({"REC-2"}),
    is_recovery,
    answer=_flag("recovery.state_changed", lambda situation: not part(situation, "recovery.state_changed")),
    sites=_state_known,
)
REASON_UNNAMED = Violation(
    "failure_reason_unnamed",
    frozenset({"REC-1b"}),
    is_recovery,
    answer=_flag("recovery.failure_reason_analysis", lambda _: "It came to nothing."),
    silences=frozenset({"SAF-2"}),
)


def _explained(text: Callable[[str, str], str]) -> Callable[[RawAnswer, Situation], RawAnswer]:
    def edit(answer: RawAnswer, situation: Situation) -> RawAnswer:
        previous = situation.scenario.previous
        reason = previous.failure.reason if previous else ""
        return with_selection(answer, situation, rationale=text(rationale(situation, "it"), reason))

    return edit


_RATIONALES: Mapping[str, Callable[[str, str], str]] = {
    "without the reason": lambda _text, _reason: "Unlike the last attempt it fits.",
    "without the difference": lambda _, reason: f"After {reason} it fits best.",
    "without either": lambda _text, _reason: "It fits best.",
}
DIFFERENCE_UNEXPLAINED = Violation(
    "difference_unexplained",
    frozenset({"REC-6"}),
    is_recovery,
    answer=lambda answer, situation: _explained(_RATIONALES[situation.site])(answer, situation),
    sites=lambda situation: _RATIONALES if selected(situation) else (),
)

ALL: tuple[Violation, ...] = (
    NOT_UNDERSTOOD,
    DIFFERENCE_DENIED,
    NO_WHY,
    STATE_DENIED,
    REASON_UNNAMED,
    DIFFERENCE_UNEXPLAINED,
)

VARIANTS: tuple[Violation, ...] = (
    Violation(
        "rationale_that_names_reason_and_difference",
        frozenset(),
        can_act=is_recovery,
        answer=_explained(lambda text, _: text),
        sites=_chosen,
    ),
)

"""Did the target repeat what had failed?"""

from collections.abc import Mapping, Sequence
from typing import Any

from harness.graders.seen import definitions, the_choice, the_scenario
from harness.model import Finding, PreviousExecution, Sample, Score, not_applicable, verdict


def not_the_same(sample: Sample) -> Score:
    """Never a failed workflow with the same parameters (REP-1)."""
    return verdict(_repeated(sample, the_scenario(sample).failed_attempts))


def not_again(sample: Sample) -> Score:
    """Never a failed workflow at all, unless a retry with changed parameters is right (REP-2)."""
    return verdict(_chosen_again(sample, the_scenario(sample).failed_attempts))


def none_of_them(sample: Sample) -> Score:
    """Both hold over every failed attempt, not only the last (REP-3)."""
    earlier = the_scenario(sample).earlier
    if not earlier:
        return not_applicable("only one failed attempt is shown")
    return verdict(_repeated(sample, earlier) or _chosen_again(sample, earlier))


def differs(sample: Sample) -> bool:
    """Return whether workflow or parameters differ from every failed attempt that is shown."""
    return not _repeated(sample, the_scenario(sample).failed_attempts)


def _repeated(sample: Sample, attempts: Sequence[PreviousExecution]) -> list[Finding]:
    choice = the_choice(sample)
    declared = definitions(sample, choice) or {}
    chosen = normalised(choice.sent or {}, declared)
    return [
        Finding(
            f"failed before with the same parameters ({attempt.failure.reason})",
            choice.place,
            "another workflow or other parameters",
            choice.id,
        )
        for attempt in attempts
        if attempt.selected_workflow.workflow_id == choice.id
        and normalised(attempt.selected_workflow.parameters, declared) == chosen
    ]


def _chosen_again(sample: Sample, attempts: Sequence[PreviousExecution]) -> list[Finding]:
    choice, expect = the_choice(sample), the_scenario(sample).expect
    again = [each for each in attempts if each.selected_workflow.workflow_id == choice.id]
    if expect.retry_with_changed_parameters and not _repeated(sample, again):
        return []
    return [
        Finding(f"failed before ({each.failure.reason})", choice.place, "another workflow", choice.id)
        for each in again
    ]


def normalised(sent: Mapping[str, Any], declared: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Return parameters with defaults applied, keys in one case and values as one text: "5" equals 5."""
    defaults = {name: each["default"] for name, each in declared.items() if each.get("default") is not None}
    merged = {name.upper(): value for name, value in defaults.items()}
    merged |= {name.upper(): value for name, value in sent.items()}
    return {name: _as_text(value) for name, value in merged.items()}


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value).strip()
    try:
        number = float(text)
    except ValueError:
        return text.lower() if text.lower() in {"true", "false"} else text
    return str(int(number)) if number.is_integer() else str(number)

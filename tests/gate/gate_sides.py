"""Sides of a comparison, spelled: scenario -> clause -> outcomes of its trials, as "ppf-"."""

from collections.abc import Mapping

from harness.gate import Side
from harness.gate.sides import Asked
from harness.store import Grading

W = "workflow-selection-2.7"
OUTCOMES = {"p": "pass", "f": "fail", "n": "not_applicable", "u": "unscored"}


def graded(scenarios: Mapping[str, str], **changes: object) -> Grading:
    """Return what judged a side, its scenarios with their digests, but for some changes."""
    known: dict[str, object] = {
        "extraction": 1,
        "graders": {"SEV-2": 1, "PAS-1": 1},
        "contracts": {W: "c"},
        "scenarios": dict(scenarios),
        "transcripts": 1,
    }
    return Grading.model_validate({**known, **changes})


def made_side(
    spelled: Mapping[str, Mapping[str, str]],
    *,
    target: str = "model:a",
    families: int = 4,
    grading: Grading | None = None,
) -> Side:
    """Return a side whose scenarios are dealt to so many families; "-" is a trial never recorded."""
    outcomes: dict[Asked, dict[int, dict[str, str]]] = {}
    trials: dict[Asked, frozenset[int]] = {}
    for scenario, clauses in spelled.items():
        asked = Asked(scenario, W)
        trials[asked] = frozenset(range(1, max(map(len, clauses.values())) + 1))
        outcomes[asked] = {}
        for clause, letters in clauses.items():
            for trial, letter in enumerate(letters, start=1):
                if letter != "-":
                    outcomes[asked].setdefault(trial, {})[clause] = OUTCOMES[letter]
    return Side(
        name=target,
        place=f"runs/{target}",
        target=target,
        grading=grading or graded(dict.fromkeys(spelled, "s")),
        outcomes=outcomes,
        trials=trials,
        families={each: f"world-{at % families}" for at, each in enumerate(sorted(spelled))},
    )


def same(count: int, **clauses: str) -> dict[str, dict[str, str]]:
    """Return so many scenarios with the same outcomes; a clause is written SEV_2."""
    spelled = {name.replace("_", "-"): letters for name, letters in clauses.items()}
    return {f"incident/s{at:02}": dict(spelled) for at in range(count)}

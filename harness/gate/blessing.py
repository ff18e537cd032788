"""Accept a run as a baseline: what may be added to one, what may replace what, and what is refused."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from harness.errors import InvalidInput
from harness.gate.baselines import Accepted, AcceptedScenario, Baseline, spell
from harness.gate.sides import Asked, Side
from harness.statistics.outcomes import ALL, by_dimension

LEAST_TRIALS = 3
LONGEST_NAME = 100

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_RUN_ID = re.compile(r"\d{8}T\d{6}-[0-9a-f]+")
_RESERVED = frozenset({"latest", "ledger", "known-failures"})
"""Words that mean something else where a baseline is named, or in its folder."""


class NotBlessed(InvalidInput):
    """A run that may not become a baseline."""


@dataclass(frozen=True, slots=True)
class Blessing:
    """A baseline as it becomes, and which scenarios came in, were replaced, or stayed as they were."""

    baseline: Baseline
    added: tuple[str, ...]
    replaced: tuple[str, ...]
    kept: tuple[str, ...]


def check_name(name: str) -> None:
    """Raise InvalidInput where a baseline cannot be called so: each command must find it, and only it."""
    if not _NAME.fullmatch(name) or name.lower().endswith(".json"):
        raise InvalidInput(f"--as: found {name!r}; use letters, digits, '.', '_' and '-', no path, no .json")
    if len(name) > LONGEST_NAME:
        raise InvalidInput(f"--as: found {len(name)} characters; at most {LONGEST_NAME} are allowed")
    if name.lower() in _RESERVED or _RUN_ID.fullmatch(name):
        raise InvalidInput(f"--as: found {name!r}, which means something else; take another name, as 'main'")


def bless(side: Side, name: str, before: Baseline | None) -> Blessing:
    """Return a baseline with the outcomes of a run.

    A scenario that the baseline lacks is added, however many trials it has. One that it holds is replaced
    only by as many trials or more, at least 3, of which 3 were scored if so many were before; a scenario that
    changed since, by 3. Nothing is ever removed.

    Args:
        side: a graded run, whole.
        name: the baseline's.
        before: the baseline as it is; None where there is none, or it is to begin anew.

    Raises:
        NotBlessed: too few trials, another target, or judged by other graders or contracts than the rest.
    """
    few = sorted({each.scenario for each, trials in side.trials.items() if len(trials) < LEAST_TRIALS})
    if before is None and few:
        raise NotBlessed(
            f"{side.place}: found fewer than {LEAST_TRIALS} trials of {', '.join(few[:3])}; "
            f"a new baseline takes {LEAST_TRIALS}: `harness run -n {LEAST_TRIALS}`"
        )
    if before is not None:
        _refuse_other_measure(side, before)
    merged = dict(before.scenarios) if before else {}
    added: list[str] = []
    replaced: list[str] = []
    kept: list[str] = []
    for asked in sorted(side.trials):
        known = merged.get(asked.scenario)
        where = _where(asked, side, known)
        {"added": added, "replaced": replaced, "kept": kept}[where].append(_named(asked))
        if where != "kept":
            merged[asked.scenario] = _with(asked, side, known)
    if not added and not replaced:
        raise NotBlessed(
            f"{side.place}: adds nothing to {name!r}, which has as many trials of every scenario or more; "
            f"record more with `harness run -n`"
        )
    grading = side.grading
    baseline = Baseline(
        name=name,
        target=side.target,
        settings=dict(side.settings),
        extraction=grading.extraction,
        graders=grading.graders,
        contracts={**(before.contracts if before else {}), **grading.contracts},
        runs=_runs(side, before, merged),
        scenarios=dict(sorted(merged.items())),
    )
    return Blessing(baseline, tuple(added), tuple(replaced), tuple(kept))


def _where(asked: Asked, side: Side, known: AcceptedScenario | None) -> str:
    accepted = known.contracts.get(asked.contract) if known else None
    if known is None or (accepted is None and known.digest == side.grading.scenarios.get(asked.scenario)):
        return "added"
    trials = len(side.trials[asked])
    if trials < LEAST_TRIALS or (accepted and _scored_less(side.outcomes.get(asked, {}).values(), accepted)):
        return "kept"
    changed = known.digest != side.grading.scenarios.get(asked.scenario)
    return "replaced" if changed or accepted is None or trials >= accepted.trials else "kept"


def _scored_less(found: Iterable[Mapping[str, str]], accepted: Accepted) -> bool:
    """Return whether too few were scored to stand for those that were: no scenario must go blind."""
    before = _scored(accepted.trial(number) for number in range(1, accepted.trials + 1))
    return _scored(found) < min(LEAST_TRIALS, before)


def _scored(trials: Iterable[Mapping[str, str]]) -> int:
    return sum(by_dimension(each).get(ALL) in {"pass", "fail"} for each in trials)


def _with(asked: Asked, side: Side, known: AcceptedScenario | None) -> AcceptedScenario:
    """Return a scenario with what a run has of it; of a scenario that changed nothing older stays."""
    digest = side.grading.scenarios[asked.scenario]
    others = dict(known.contracts) if known and known.digest == digest else {}
    trials = max(side.trials[asked])
    accepted = Accepted(run=side.name, trials=trials, outcomes=spell(side.outcomes.get(asked, {}), trials))
    return AcceptedScenario(
        digest=digest, family=side.families[asked.scenario], contracts={**others, asked.contract: accepted}
    )


def _runs(side: Side, before: Baseline | None, scenarios: Mapping[str, AcceptedScenario]) -> dict[str, str]:
    used = {each.run for found in scenarios.values() for each in found.contracts.values()}
    known = {**(before.runs if before else {}), side.name: side.place}
    return {name: place for name, place in known.items() if name in used}


def _refuse_other_measure(side: Side, before: Baseline) -> None:
    grading = side.grading
    if side.target != before.target:
        found = f"target {side.target!r}, and it holds {before.target!r}"
    elif grading.extraction != before.extraction or grading.graders != before.graders:
        found = "other versions of graders"
    elif any(before.contracts.get(each, value) != value for each, value in grading.contracts.items()):
        found = "another version of a contract"
    else:
        return
    raise NotBlessed(
        f"{side.place}: found {found} than {before.name!r} was judged by; "
        f"begin it anew with --replace, or take another name"
    )


def _named(asked: Asked) -> str:
    return f"{asked.scenario}@{asked.contract}"

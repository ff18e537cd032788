"""Holding the exam: apply, grade, compare with what was declared, count."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from harness.contracts.clauses import clause
from harness.engines import local_engine
from harness.exam.applying import WHOLE, Application, Syllabus, applications
from harness.exam.golden import REPLAYS, Golden
from harness.graders import GRADED_BY
from harness.model import Score
from harness.violations.variants import AS_IT_IS

TRUNCATED = "CAR-7"
"""Kept by leaving every clause unscored, so that is what it is seen by."""

_PIECE = 200
"""Applications that a process takes at a time."""

Told = Callable[[int, int], None]
Found = tuple[frozenset[str], "Case | None"]


@dataclass(frozen=True, slots=True)
class Case:
    """One application that went wrong.

    `missed` ought to have failed, or to have fallen silent; `extra` did so and ought not.
    """

    sample: str
    operator: str
    site: str
    expected: tuple[str, ...]
    found: tuple[str, ...]
    missed: tuple[str, ...]
    extra: tuple[str, ...]
    reason: str

    @property
    def command(self) -> str:
        """The command line that shows it."""
        name = f"{self.operator}:{self.site}" if self.site else self.operator
        if not self.sample:
            return f"harness exam --violation '{name}'"
        scenario, contract, *_ = self.sample.split("@")
        return f"harness exam -s {scenario} -c {contract} --violation '{name}' --show"


@dataclass(frozen=True, slots=True)
class Result:
    """What an exam found.

    `applied` counts per operator, `kills` per (operator, clause, contract); `killed` are the violations of
    which every expected clause failed; `scored` are the clauses of each contract.
    """

    applied: Mapping[str, int]
    kills: Mapping[tuple[str, str, str], int]
    killed: int
    scored: Mapping[str, tuple[str, ...]]
    clauses: tuple[str, ...]
    survivors: tuple[Case, ...]
    false_kills: tuple[Case, ...]
    clauses_without_violation: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether the graders have."""
        return not (self.survivors or self.false_kills or self.clauses_without_violation)


def sit(
    goldens: Sequence[Golden],
    syllabus: Syllabus = WHOLE,
    *,
    only: tuple[str, str] | None = None,
    at_most: int | None = None,
    whole: bool = False,
    processes: int = 1,
    tell: Told = lambda _done, _total: None,
) -> Result:
    """Hold the exam and return what it found.

    Args:
        goldens: the good transcripts.
        syllabus: violations, variants and pair violations.
        only: one operator by name, maybe with a site.
        at_most: of each operator with the same expected clauses under the same contract only so many.
        whole: these are all scenarios under all contracts, so every operator acts and every clause breaks.
        processes: how many grade at once, where the system can fork.
        tell: is told how many applications are done, and of how many.
    """
    todo = list(applications(goldens, syllabus, only))
    if at_most is not None:
        todo = spread(todo, at_most)
    applied: Counter[str] = Counter()
    kills: Counter[tuple[str, str, str]] = Counter()
    killed = 0
    cases: list[Case] = []
    for number, (each, outcome) in enumerate(zip(todo, _all(todo, processes), strict=True), start=1):
        tell(number, len(todo))
        if outcome is None:
            continue
        found, case = outcome
        applied[each.operator] += 1
        kills.update((each.operator, name, each.golden.contract.id) for name in found & each.expected)
        killed += bool(each.expected) and each.expected <= found
        cases += [case] if case else []
    spliced = [each.name for each in syllabus.operators if each.spliced]
    cases += [_idle(each) for each in spliced if whole and each not in applied]
    scored = _scored(goldens, todo, whole=whole)
    clauses = tuple(dict.fromkeys(chain.from_iterable(scored.values())))
    broken = {name for _, name, _ in kills}
    return Result(
        applied,
        kills,
        killed,
        scored,
        clauses,
        tuple(each for each in cases if each.missed or not each.extra),
        tuple(each for each in cases if each.extra),
        () if only else tuple(each for each in clauses if each not in broken),
    )


def _scored(
    goldens: Sequence[Golden], todo: Sequence[Application], *, whole: bool
) -> dict[str, tuple[str, ...]]:
    """Return the clauses of each contract that ask for a violation: of a part, those kept in that part."""
    contracts = {each.contract.id: each.contract for each in goldens}
    kept = frozenset[str]().union(*(each.passed for each in goldens), *(each.expected for each in todo))
    return {
        contract.id: tuple(name for name in contract.clauses if _is_judged(name) and (whole or name in kept))
        for contract in contracts.values()
    }


def _is_judged(name: str) -> bool:
    """Return whether a clause can break on one sample or one pair; what is only reported cannot."""
    return name in GRADED_BY and (name == TRUNCATED or clause(name).level != "REPORT")


# One application


def examined(each: Application) -> Found | None:
    """Return the clauses that fail, and the case where these are not the expected ones; None for no edit."""
    try:
        made = each.make()
    except Exception as error:
        error.add_note(f"operator {each.operator!r} at {each.site!r} in {each.golden.transcript.id}")
        raise
    if made == each.golden.transcript and each.operator not in _UNEDITED:
        return None
    scores = each.judge(made)
    found = _failed(scores)
    silent = frozenset[str]() if TRUNCATED in found else _silenced(each.before, scores)
    missed = (each.expected - found) | _speaking(each, scores)
    extra = (found - each.expected) | (silent - each.silences)
    if not missed and not extra:
        return found, None
    return found, Case(
        str(each.golden.transcript.id),
        each.operator,
        each.site,
        expected=tuple(sorted(each.expected)),
        found=tuple(sorted(found)),
        missed=tuple(sorted(missed)),
        extra=tuple(sorted(extra)),
        reason=_reason(scores, (*missed, *extra)),
    )


_UNEDITED = frozenset({AS_IT_IS.name, *(each.name for each in REPLAYS)})


def _failed(scores: Mapping[str, Score]) -> frozenset[str]:
    if scores and all(each.reason.startswith("truncated") for each in scores.values()):
        return frozenset({TRUNCATED})
    return frozenset(name for name, each in scores.items() if each.outcome == "fail")


def _silenced(before: Mapping[str, Score], scores: Mapping[str, Score]) -> frozenset[str]:
    """Return what passed and now neither passes nor fails, and what is unscored though it was not."""
    return frozenset(
        name
        for name, each in scores.items()
        if (each.outcome == "not_applicable" and before[name].outcome == "pass")
        or (each.outcome == "unscored" and before[name].outcome != "unscored")
    )


def _speaking(each: Application, scores: Mapping[str, Score]) -> frozenset[str]:
    """Return what passes although its subject is gone."""
    return frozenset(name for name in each.mutes & scores.keys() if scores[name].outcome == "pass")


def _reason(scores: Mapping[str, Score], wrong: Iterable[str]) -> str:
    name = min(wrong)
    score = scores.get(name)
    return f"{name}: {score.outcome}, {score.reason or 'nothing found'}" if score else f"{name}: no score"


def _idle(operator: str) -> Case:
    return Case("", operator, "", (), (), (), (), "it acts in no scenario, so that it proves nothing")


# All of them


def _all(todo: Sequence[Application], processes: int) -> Iterator[Found | None]:
    # An application holds functions, which cannot be sent: what is sent is where a piece begins.
    def piece(start: int) -> list[Found | None]:
        return [examined(each) for each in todo[start : start + _PIECE]]

    return chain.from_iterable(local_engine(processes).in_order(piece, range(0, len(todo), _PIECE)))


def spread(todo: Sequence[Application], at_most: int) -> list[Application]:
    """Return a stratified part: of each stratum so many, spread evenly over the scenarios."""
    strata: dict[tuple[str, str, frozenset[str]], list[Application]] = {}
    for each in todo:
        strata.setdefault((each.operator, each.golden.contract.id, each.expected), []).append(each)
    return [
        several[(2 * number + 1) * len(several) // (2 * min(at_most, len(several)))]
        for several in strata.values()
        for number in range(min(at_most, len(several)))
    ]

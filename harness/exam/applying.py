"""What the exam does to good transcripts: violations and variants, other right conversations, pairs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from harness.exam.golden import REPLAYS, Golden, judged, replayed, sample_of
from harness.graders import RELATIONS, relate
from harness.model import Score, Transcript
from harness.violations import OPERATORS, PAIR_OPERATORS, PairViolation, Violation
from harness.violations.splicing import spliced
from harness.violations.violation import Situation

Judge = Callable[[Transcript], dict[str, Score]]


@dataclass(frozen=True)
class Application:
    """One operator at one site of one good transcript.

    `expected` are the clauses that must fail, `silences` those that may fall silent, `mutes` those that must;
    `before` are the scores of the good transcript.
    """

    golden: Golden
    operator: str
    site: str
    expected: frozenset[str]
    silences: frozenset[str]
    mutes: frozenset[str]
    before: Mapping[str, Score]
    make: Callable[[], Transcript]
    judge: Judge


@dataclass(frozen=True)
class Syllabus:
    """Everything that the exam knows to do."""

    operators: Sequence[Violation] = OPERATORS
    pair_operators: Sequence[PairViolation] = PAIR_OPERATORS

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all operators that are spliced."""
        spliceable = [each.name for each in self.operators if each.spliced]
        pairs = [each.name for each in self.pair_operators]
        return (*spliceable, *pairs, *(each.name for each in REPLAYS))


WHOLE = Syllabus()


def applications(
    goldens: Sequence[Golden], syllabus: Syllabus = WHOLE, only: tuple[str, str] | None = None
) -> Iterator[Application]:
    """Yield everything there is to do; `only` names one operator, maybe with a site."""
    halves = {(each.scenario.id, each.contract.id): each for each in goldens}
    for of in goldens:
        first = halves.get((of.scenario.pair.of, of.contract.id)) if of.scenario.pair else None
        found = [*_alone(of, syllabus, only), *_replays(of, only)]
        found += _paired(first, of, syllabus, only) if first else ()
        yield from (each for each in found if not only or not only[1] or each.site == only[1])


def _alone(of: Golden, syllabus: Syllabus, only: tuple[str, str] | None) -> Iterator[Application]:
    for violation in syllabus.operators:
        if only and violation.name != only[0]:
            continue
        if not violation.spliced or not violation.can_act(of.scenario, of.contract):
            continue
        for site in violation.sites(of.situation(violation.name)):
            situation = of.situation(violation.name, site)
            yield Application(
                of,
                violation.name,
                site,
                _expected(of, violation, situation),
                violation.silenced(situation),
                violation.muted(situation),
                of.scores,
                partial(_spliced, of, violation, site),
                partial(judged, contract=of.contract, scenario=of.scenario),
            )


def _spliced(of: Golden, violation: Violation, site: str) -> Transcript:
    return spliced(violation, of.transcript, of.situation(violation.name, site))


def _expected(of: Golden, violation: Violation, situation: Situation) -> frozenset[str]:
    """Return what must fail; without a word on this situation, all clauses whose subject is there."""
    foretold = violation.expected(situation) & of.told
    if violation.exactly is not None:
        return foretold
    absent = {name for name, each in of.scores.items() if each.outcome == "not_applicable"}
    return (foretold - absent) | (violation.brings & of.told)


def _replays(of: Golden, only: tuple[str, str] | None) -> Iterator[Application]:
    for replay in REPLAYS:
        if only and replay.name != only[0]:
            continue
        for number, transcript in enumerate(replayed(of, replay), start=1):
            # Another outcome has other subjects: what is selected, what is declined.
            yield Application(
                of,
                replay.name,
                str(number),
                frozenset(),
                frozenset(of.contract.clauses),
                frozenset[str](),
                of.scores,
                partial(_as_made, transcript),
                partial(judged, contract=of.contract, scenario=of.scenario),
            )


def _as_made(transcript: Transcript) -> Transcript:
    return transcript


def _paired(
    first: Golden, second: Golden, syllabus: Syllabus, only: tuple[str, str] | None
) -> Iterator[Application]:
    clause = second.scenario.pair.relation if second.scenario.pair else ""
    for violation in syllabus.pair_operators:
        if violation.relation != clause or (only and violation.name != only[0]):
            continue
        here = first.situation(violation.name)
        for site in violation.sites(here, second.situation(violation.name)):
            yield Application(
                second,
                violation.name,
                site,
                frozenset[str]() if violation.valid else frozenset({clause}),
                frozenset[str](),
                frozenset[str](),
                _related(second.transcript, first, second, clause),
                partial(_spliced_pair, first, second, violation, site),
                partial(_related, first=first, second=second, clause=clause),
            )


def _spliced_pair(first: Golden, second: Golden, violation: PairViolation, site: str) -> Transcript:
    here = first.situation(violation.name, site)
    return violation.edit(second.transcript, here, second.situation(violation.name, site))


def _related(transcript: Transcript, first: Golden, second: Golden, clause: str) -> dict[str, Score]:
    relation = next(each for each in RELATIONS if each.clause == clause)
    one = sample_of(first.transcript, first.contract, first.scenario)
    other = sample_of(transcript, second.contract, second.scenario)
    return {clause: relate(relation, one, other)}

"""What a graded run of one target comes to: a line for each contract."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime

from harness.gate.sides import Asked
from harness.graders import GRADERS
from harness.model import Contract, SampleId, Transcript
from harness.model.transcript import prompt_digest
from harness.model.values import digest
from harness.nightly.lines import Cell, Night, behaviour
from harness.pipeline import EXTRACTION_VERSION, Plan
from harness.reporting.clean import capped, visible
from harness.statistics.outcomes import ALL, by_dimension
from harness.statistics.spending import quantile, spent, total
from harness.store import Run, ScoreRow
from harness.store.encoding import request_digest

LONGEST_NAME = 80
"""Of a model as its provider reports it."""

Outcomes = Mapping[SampleId, Mapping[str, str]]
"""Sample -> dimension -> outcome."""


def nights_of_run(run: Run, plan: Plan, date: str, canary: Collection[str]) -> list[Night]:
    """Return the lines of a run of one target, contract by contract.

    Args:
        run: graded.
        plan: what was to be asked.
        date: of the night, as 2026-11-20.
        canary: the scenarios that drift is looked for in.
    """
    (target,) = run.info.targets
    planned = list(plan.samples([target]))
    outcomes = outcomes_of(run.scores())
    transcripts = {each.id: each for each in run.transcripts()}
    found: list[Night] = []
    for contract in plan.contracts:
        asked = [each for each in planned if each.contract == contract.id]
        if asked:
            seen = [transcripts[each] for each in asked if each in transcripts]
            cells = _cells(plan, asked, seen, outcomes, canary)
            found.append(_night(run, contract, date, asked=asked, seen=seen, outcomes=outcomes, cells=cells))
    return found


def outcomes_of(rows: Iterable[ScoreRow]) -> dict[SampleId, dict[str, str]]:
    """Return what each sample came to, in `all` and by dimension."""
    clauses: dict[str, dict[str, str]] = {}
    for row in rows:
        clauses.setdefault(row.sample, {})[row.clause] = row.outcome
    return {SampleId.parse(sample): by_dimension(each) for sample, each in clauses.items()}


def no_night(plan: Plan, target: str, date: str, cause: str, version: str) -> list[Night]:
    """Return the lines of a target that could not be opened."""
    counts = Counter(each.contract for each in plan.samples([target]))
    return [
        Night(
            date=date, target=target, contract=contract.id, run=None, recorded=_now(), harness=version,
            settings={}, reported=[], terms=contract.digest(), graders=graders_of(contract),
            extraction=EXTRACTION_VERSION, planned=counts[contract.id], scored=0,
            unscored={cause: counts[contract.id]}, dimensions={}, cells={}, cost=None, tokens=None,
            seconds=None,
        )
        for contract in plan.contracts
        if counts[contract.id]
    ]  # fmt: skip


def graders_of(contract: Contract) -> dict[str, int]:
    """Return the versions of the graders that judge under a contract."""
    return {each.clause: each.version for each in GRADERS if each.clause in contract.clauses}


def _night(
    run: Run,
    contract: Contract,
    date: str,
    *,
    asked: Sequence[SampleId],
    seen: Sequence[Transcript],
    outcomes: Outcomes,
    cells: dict[str, Cell],
) -> Night:
    (target,) = run.info.targets
    recorded = {each.id: each for each in seen}
    causes = Counter(_cause(recorded.get(each)) for each in asked if not _scored(outcomes, each))
    took = [spent(each, compliant=False) for each in seen]
    answered = [each.seconds for each, one in zip(took, seen, strict=True) if not one.failure]
    replied = {turn.model for each in seen for turn in each.turns if turn.model}
    return Night(
        date=date,
        target=target,
        contract=contract.id,
        run=str(run.folder),
        recorded=_now(),
        harness=run.info.versions.get("harness", ""),
        settings=behaviour(run.info.targets[target]),
        reported=sorted(capped(visible(each), LONGEST_NAME) for each in replied),
        terms=contract.digest(),
        graders=graders_of(contract),
        extraction=EXTRACTION_VERSION,
        planned=len(asked),
        scored=len(asked) - causes.total(),
        unscored=dict(causes.most_common()),
        dimensions=_dimensions(asked, outcomes),
        cells=cells,
        cost=total(each.cost for each in took),
        tokens=total(each for one in took for each in (one.prompt_tokens, one.completion_tokens)),
        seconds=quantile(answered, 0.5),
    )


def _scored(outcomes: Outcomes, sample: SampleId) -> bool:
    return outcomes.get(sample, {}).get(ALL) in {"pass", "fail"}


def _cause(transcript: Transcript | None) -> str:
    if transcript is None:
        return "not_recorded"
    return transcript.failure.cause if transcript.failure else "not_judged"


def _dimensions(asked: Iterable[SampleId], outcomes: Outcomes) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for sample in asked:
        for dimension, outcome in outcomes.get(sample, {}).items():
            if outcome in {"pass", "fail"}:
                counts = found.setdefault(dimension, [0, 0])
                counts[0] += outcome == "pass"
                counts[1] += 1
    return found


def _cells(
    plan: Plan,
    asked: Iterable[SampleId],
    seen: Iterable[Transcript],
    outcomes: Outcomes,
    canary: Collection[str],
) -> dict[str, Cell]:
    prompts = {
        Asked(each.id.scenario, each.id.contract): digest(
            [prompt_digest(each.messages), request_digest((), each.tools)]
        )
        for each in seen
    }
    digests = {each.id: each.digest() for each in plan.scenarios}
    counts: dict[Asked, list[int]] = {}
    for sample in asked:
        passed_of = counts.setdefault(Asked(sample.scenario, sample.contract), [0, 0])
        passed_of[0] += outcomes.get(sample, {}).get(ALL) == "pass"
        passed_of[1] += _scored(outcomes, sample)
    return {
        each.scenario: Cell(
            scenario=digests[each.scenario],
            prompt=prompts.get(each, ""),
            passed=passed,
            n=n,
            canary=each.scenario in canary,
        )
        for each, (passed, n) in counts.items()
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

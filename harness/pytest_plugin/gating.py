"""`--baseline`: at its end the whole session is gated, and the gate decides instead of single samples."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

import pytest

from harness.errors import HarnessError, InvalidInput
from harness.gate import Side, Terms, accepted_baseline, read_known_failures, side_of_baseline
from harness.gate.alike import decide_alike
from harness.gate.baselines import FOLDER, find_baseline
from harness.gate.known_failures import FILE
from harness.gate.sides import Asked, side_of_rows, side_of_run
from harness.model import Contract, SampleId, Scenario
from harness.pipeline import grading
from harness.pytest_plugin.evaluation import RUNS, Evaluation
from harness.pytest_plugin.options import option
from harness.reporting.clean import visible
from harness.reporting.verdicts import headline
from harness.scenarios import load_scenarios, scenario_ids
from harness.scenarios.contracts import stored_contracts
from harness.store import Run, ScoreRow, open_run


@dataclass(frozen=True, slots=True)
class Gated:
    """What the gate said, in a line for each thing, and whether the session fails for it."""

    lines: tuple[str, ...]
    fails: bool


def refuse_many(evaluation: Evaluation) -> None:
    """Raise InvalidInput where a session that is to be gated has several targets."""
    targets = sorted({each.target for each in evaluation.samples})
    if len(targets) > 1:
        found = ", ".join(targets)
        raise InvalidInput(f"--baseline: one target is gated at a time, and this session has {found}")


def refuse_unknown(config: pytest.Config, evaluation: Evaluation) -> None:
    """Raise InvalidInput where there is no such baseline, or none that counts, before anything is asked."""
    try:
        _baseline(config, evaluation)
        _terms(config)
    except HarnessError as error:
        raise InvalidInput(f"--baseline: {error}") from error


def gated(
    config: pytest.Config,
    evaluation: Evaluation,
    run: Run,
    rows: Iterable[ScoreRow],
    samples: Collection[SampleId],
) -> Gated:
    """Return what the gate says of the samples of this session.

    Args:
        config: names the baseline.
        evaluation: knows the scenarios.
        run: the samples are of this run.
        rows: their scores, of today.
        samples: those that the session selected; only they count as planned.
    """
    try:
        rows = list(rows)
        candidate = _candidate(evaluation, run, rows, samples)
        baseline = _baseline(config, evaluation)
        found = decide_alike(candidate, baseline, _terms(config), partial(_known, evaluation), rows)
        verdict = found.verdict
    except HarnessError as error:
        return Gated((f"gate refused: {visible(str(error))}",), fails=True)
    undecided = verdict.outcome == "inconclusive"
    fails = option(config, "fail-inconclusive") if undecided else verdict.outcome != "pass"
    told = [f"gate {headline(verdict)}", *(f"note: {visible(each)}" for each in found.told_apart)]
    told += [f"left out: {visible(each)}" for each in verdict.left_out]
    if undecided and not fails:
        told.append("inconclusive does not fail a session; --fail-inconclusive makes it")
    return Gated(tuple(told), fails=bool(fails))


def unfinished() -> Gated:
    """Return what the gate says of a session that was not finished."""
    return Gated(("gate refused: the session was not finished, so there is nothing to compare",), fails=True)


def _candidate(
    evaluation: Evaluation, run: Run, rows: Iterable[ScoreRow], samples: Collection[SampleId]
) -> Side:
    now = grading(run, evaluation.scenarios, run.lines(), evaluation.contracts)
    names = {each.target for each in samples}
    (target,) = names
    side = side_of_rows(
        rows, run.info, now, evaluation.scenarios, place=str(evaluation.folder), target=target
    )
    trials: dict[Asked, frozenset[int]] = {}
    for each in samples:
        asked = Asked(each.scenario, each.contract)
        trials[asked] = trials.get(asked, frozenset()) | {each.trial}
    return replace(side, trials=trials)


def _baseline(config: pytest.Config, evaluation: Evaluation) -> Side:
    reference: str = option(config, "baseline")
    here, folder = config.invocation_params.dir, config.rootpath / FOLDER
    file = find_baseline(str(here / reference), folder) or find_baseline(reference, folder)
    if file is not None:
        accepted, notes = accepted_baseline(file)
        return replace(side_of_baseline(accepted, file), notes=notes)
    out = option(config, "out")
    place = here / reference
    run = open_run(
        str(place) if (place / "run.json").is_file() else reference,
        here / out if out else config.rootpath / RUNS,
    )
    known = {each: scenario for each, scenario in evaluation.scenarios.items() if each in run.info.scenarios}
    others = [
        each for each in scenario_ids(evaluation.project) if each in run.info.scenarios and each not in known
    ]
    loaded = load_scenarios(evaluation.project, others) if others else []
    return side_of_run(run, {**known, **{each.id: each for each in loaded}})


def _known(evaluation: Evaluation, run: Run) -> tuple[Mapping[str, Scenario], Mapping[str, Contract]]:
    """Return the scenarios and contracts of a run, where it is judged by more rules than it was told."""
    present = [each for each in scenario_ids(evaluation.project) if each in run.info.scenarios]
    missing = [each for each in present if each not in evaluation.scenarios]
    loaded = load_scenarios(evaluation.project, missing) if missing else []
    scenarios = {**evaluation.scenarios, **{each.id: each for each in loaded}}
    return scenarios, stored_contracts(run, evaluation.project)


def _terms(config: pytest.Config) -> Terms:
    known = read_known_failures(config.rootpath / FOLDER / FILE, datetime.now(UTC).date())
    return Terms(common=option(config, "common"), known=known)


def decided_by_gate(report: pytest.TestReport, first_line: str) -> None:
    """Turn a sample that broke a clause into an expected failure: it is told, and the gate decides."""
    report.outcome = "skipped"
    report.wasxfail = f"the gate decides: {first_line}"

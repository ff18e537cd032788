"""A run of 60 scores that nobody recorded: a good target and one with faults, hostile texts among them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from keeping import write_scores

from harness.contracts.clauses import clause
from harness.store import Run, RunInfo, ScoreRow, create_run
from harness.store.scores import sample_of

W = "workflow-selection-2.7"
R = "workflow-recovery-1.0"
SCENARIOS = ("incident/oom-behind-memory-alert", "incident/crashloop-bad-config")
RECOVERY = "recovery/oom-limit-still-too-low"
HOSTILE = "prod|uction` <script>alert(1)</script> @admin ![x](http://evil) \x1b[31m\u202ered\u200b"


def score(
    sample: str,
    clause_id: str,
    outcome: str = "pass",
    *,
    reason: str = "",
    place: str = "",
    expected: Any = None,
    observed: Any = None,
) -> ScoreRow:
    """Return one row of a sample written `scenario@contract@target#trial`."""
    head, _, trial = sample.rpartition("#")
    scenario, contract, target = head.split("@")
    known = clause(clause_id)
    return ScoreRow(
        sample, scenario, contract, target, int(trial), f"made.{clause_id}", clause_id, known.dimension,
        known.level, outcome, reason, expected, observed, place,
    )  # fmt: skip


def all_scores() -> list[ScoreRow]:
    """Return the 60 rows."""
    rows: list[ScoreRow] = []
    for target in ("mock:oracle", "mock:flaky"):
        for sample in samples(target):
            rows += faulty(sample) if target == "mock:flaky" else [score(sample, each) for each in CLAUSES]
    return rows


def samples(target: str) -> list[str]:
    """Return the ids of a target's five samples."""
    incident = [f"{scenario}@{W}@{target}#{trial}" for scenario in SCENARIOS for trial in (1, 2)]
    return [*incident, f"{RECOVERY}@{R}@{target}#1"]


CLAUSES = ("CAR-1", "SEV-2", "PAS-1", "QRY-4b", "SEL-2", "REP-1")


def faulty(sample: str) -> list[ScoreRow]:
    """Return the six scores of a sample of the faulty target."""
    if sample.endswith("#2") and "crashloop" in sample:
        reason = "rate_limited: HTTP 429 after 5 attempts"
        return [score(sample, each, "unscored", reason=reason) for each in CLAUSES]
    rows = {each: score(sample, each) for each in CLAUSES}
    rows["REP-1"] = score(sample, "REP-1", "not_applicable", reason="no workflow is selected")
    if sample.endswith("#1"):
        rows["SEV-2"] = score(
            sample, "SEV-2", "fail", reason="1 level too mild", place="/rca_severity",
            expected=["critical"], observed="high",
        )  # fmt: skip
        rows["QRY-4b"] = score(
            sample, "QRY-4b", "fail", reason="reads like a sentence", place="message 5", observed="OOM is"
        )
    if "oom-behind" in sample:
        rows["PAS-1"] = score(
            sample, "PAS-1", "fail", reason=f"{HOSTILE!r} is not what was given",
            place="message 5 label.environment", expected="production", observed=HOSTILE,
        )  # fmt: skip
    if "recovery" in sample:
        rows["REP-1"] = score(
            sample, "REP-1", "fail", reason="failed before with the same parameters (OOMKilled)",
            place="/selected_workflow", expected="another workflow or other parameters",
            observed="oomkill-increase-memory",
        )  # fmt: skip
    return list(rows.values())


def info(**changes: Any) -> RunInfo:
    """Return run.json of the made-up run; targets stand in another order than the alphabet's."""
    known: dict[str, Any] = {
        "id": "20260302T101500-3f9c",
        "created": "2026-03-02T10:15:00Z",
        "status": "complete",
        "versions": {"harness": "0.1.0", "python": "3.11.9"},
        "targets": {"mock:oracle": {"kind": "mock"}, "mock:flaky": {"kind": "mock", "vice_rate": 0.1}},
        "contracts": {W: "ab12cd34ef56ab12", R: "0123456789abcdef"},
        "scenarios": {SCENARIOS[0]: "aa", SCENARIOS[1]: "bb", RECOVERY: "cc"},
        "trials": 2,
        "seed": 1,
        "counts": {"planned": 10, "recorded": 10},
    }
    return RunInfo.model_validate({**known, **changes})


@dataclass
class InMemory(Run):
    """A graded run without a folder."""

    made: tuple[ScoreRow, ...] = ()

    def scores(self) -> Iterator[ScoreRow]:
        return iter(self.made)


def in_memory(rows: Iterable[ScoreRow], **changes: Any) -> Run:
    """Return a graded run of these rows that touches no disk."""
    made = tuple(sorted(rows, key=sample_of))
    return InMemory(Path("reports/runs/20260302T101500-3f9c"), info(**changes), made=made)


def made_run(folder: Path, rows: Iterable[ScoreRow] | None = None, **changes: Any) -> Run:
    """Return a graded run on disk, of the 60 rows or of those given."""
    run = create_run(folder, info(**changes))
    run.save()
    write_scores(run, sorted(all_scores() if rows is None else rows, key=sample_of))
    return run

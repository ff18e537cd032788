"""Runs to look at, recorded by nobody: transcripts that somebody wrote, with scores at their lines."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from keeping import write_scores

from harness.contracts.clauses import clause
from harness.model import Message, SampleId, ToolCall, Transcript, Turn, Usage
from harness.store import Run, RunInfo, ScoreRow, create_run
from harness.store.info import Grading

W = "workflow-selection-2.7"
SCENARIOS = ("incident/oom-behind-memory-alert", "incident/crashloop-bad-config")
GOOD, POOR = "mock:oracle", "mock:flaky"
SEARCH = {
    "query": "OOMKilled high memory", "label.signal-type": "OOMKilled", "label.severity": "high",
    "label.environment": "production", "label.priority": "P1",
}  # fmt: skip
ANSWER = {
    "analysis_summary": "Memory ran out.",
    "root_cause_assessment": "The limit lies below what it needs.",
    "rca_severity": "high",
    "selected_workflow": {
        "workflow_id": "oomkill-increase-memory", "confidence": 0.94, "rationale": "OOMKilled",
        "parameters": {"NAMESPACE": "shop"},
    },
}  # fmt: skip


def score(sample: str, clause_id: str, outcome: str = "pass", **found: Any) -> ScoreRow:
    """Return one row of a sample; `found` has reason, place, expected and observed."""
    parsed, known = SampleId.parse(sample), clause(clause_id)
    told: dict[str, Any] = {"reason": "", "expected": None, "observed": None, "place": "", **found}
    return ScoreRow(
        sample, *parsed, grader=f"made.{clause_id}", clause=clause_id, dimension=known.dimension,
        level=known.level, outcome=outcome, **told,
    )  # fmt: skip


def info(**changes: Any) -> RunInfo:
    """Return what run.json says of a run that is complete."""
    known: dict[str, Any] = {
        "id": "20260302T101500-3f9c", "created": "2026-03-02T10:15:00Z", "status": "complete",
        "versions": {"harness": "0.1.0"}, "targets": {GOOD: {"kind": "mock"}, POOR: {"kind": "mock"}},
        "contracts": {W: "ab12cd34ef56ab12"}, "scenarios": dict.fromkeys(SCENARIOS, "aa"), "trials": 2,
    }  # fmt: skip
    return RunInfo.model_validate({**known, **changes})


def conversation(
    sample: str, answer: str, *, evidence: str = "Reason: OOMKilled", usage: Usage | None = None
) -> Transcript:
    """Return a transcript of six messages: asked, looked, saw, searched, was told, answered."""
    calls = (
        ToolCall("1", "kubectl_describe", '{"kind": "pod", "name": "cart-0"}'),
        ToolCall("2", "search_workflow_catalog", json.dumps(SEARCH)),
    )
    turns = tuple(Turn(sent, 1, "stop", usage or Usage(), 0.5) for sent in (1, 3, 5))
    return Transcript(
        SampleId.parse(sample),
        (
            Message("user", "Investigate.\n" * 40),
            Message("assistant", None, calls[:1]),
            Message("tool", evidence, tool_call_id="1"),
            Message("assistant", None, calls[1:]),
            Message("tool", '{"workflows": []}', tool_call_id="2"),
            Message("assistant", answer),
        ),
        turns=turns,
    )


def judged(sample: str) -> list[ScoreRow]:
    """Return scores of which two fail, one in the search and one in the answer."""
    changed: dict[str, Any] = {"reason": "was changed", "place": "message 3 label.priority"}
    mild: dict[str, Any] = {"reason": "1 level too mild", "place": "/rca_severity"}
    return [
        score(sample, "CAR-1"),
        score(sample, "PAS-2", "fail", **changed, expected="P0", observed="P1"),
        score(sample, "SEV-2", "fail", **mild, expected=["critical"], observed="high"),
        score(sample, "PAR-4", "not_applicable", reason="nothing like a secret was sent"),
    ]


def kept(sample: str) -> list[ScoreRow]:
    """Return the same scores, all of them passes."""
    return [score(sample, each) for each in ("CAR-1", "PAS-2", "SEV-2", "PAR-4")]


def named(target: str, scenarios: Sequence[str] = SCENARIOS, trials: int = 2) -> list[str]:
    """Return ids of samples."""
    return [f"{scenario}@{W}@{target}#{trial}" for scenario in scenarios for trial in range(1, trials + 1)]


def stored(folder: Path, transcripts: Iterable[Transcript], rows: Sequence[ScoreRow], **changes: Any) -> Run:
    """Return a graded run on disk."""
    known = info(**changes)
    run = create_run(folder, known)
    run.begin()
    for each in transcripts:
        run.add(each)
    run.end()
    write_scores(run, rows)
    graded = Grading(
        extraction=1, graders={each.clause: 1 for each in rows}, contracts=known.contracts,
        scenarios=known.scenarios, transcripts=run.lines(),
    )  # fmt: skip
    run.save_grading(graded, {"planned": len(rows)})
    return run


def plain_run(folder: Path, run_id: str = "20260302T101500-3f9c", bad: Sequence[str] = ("#1",)) -> Run:
    """Return a run in which the one target keeps everything and the other fails trials that end so.

    Replies carry tokens and dollars, as a provider says them.
    """
    answer = json.dumps(ANSWER)
    priced = {GOOD: Usage(900, 100, 0.004), POOR: Usage(300, 50, 0.001)}
    samples = [(target, each) for target in (GOOD, POOR) for each in named(target)]
    return stored(
        folder,
        [conversation(each, answer, usage=priced[target]) for target, each in samples],
        [
            row
            for target, each in samples
            for row in (judged(each) if target == POOR and each.endswith(tuple(bad)) else kept(each))
        ],
        id=run_id,
    )  # fmt: skip

"""The frozen nouns; they touch no file, clock, network or randomness."""

from harness.model.answer import (
    DECLINED,
    MISSING,
    Absent,
    Answer,
    Choice,
    CurrentRca,
    Recovery,
    Unreadable,
)
from harness.model.catalog import Entry, Hit, Parameter
from harness.model.contract import Anchor, Contract, GivenList, ResultShape, Section
from harness.model.sample import Call, Sample, SchemaProblem, Search
from harness.model.scenario import SEVERITIES, Expectation, PreviousExecution, Scenario, ScenarioFacts, World
from harness.model.score import Finding, Score, failed, not_applicable, unscored, verdict
from harness.model.transcript import (
    Failure,
    Message,
    SampleId,
    ToolCall,
    ToolSpec,
    Transcript,
    Turn,
    Usage,
    prompt_digest,
)
from harness.model.values import canonical, digest

__all__ = [
    "DECLINED",
    "MISSING",
    "SEVERITIES",
    "Absent",
    "Anchor",
    "Answer",
    "Call",
    "Choice",
    "Contract",
    "CurrentRca",
    "Entry",
    "Expectation",
    "Failure",
    "Finding",
    "GivenList",
    "Hit",
    "Message",
    "Parameter",
    "PreviousExecution",
    "Recovery",
    "ResultShape",
    "Sample",
    "SampleId",
    "Scenario",
    "ScenarioFacts",
    "SchemaProblem",
    "Score",
    "Search",
    "Section",
    "ToolCall",
    "ToolSpec",
    "Transcript",
    "Turn",
    "Unreadable",
    "Usage",
    "World",
    "canonical",
    "digest",
    "failed",
    "not_applicable",
    "prompt_digest",
    "unscored",
    "verdict",
]

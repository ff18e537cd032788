"""Grade LLMs against the contracts of a Kubernetes remediation platform, clause by clause."""

from typing import TYPE_CHECKING

from harness.lazy import parts_of

if TYPE_CHECKING:
    from harness.contracts import load_contract
    from harness.extraction import Extraction, read_answer
    from harness.graders import grade
    from harness.model import (
        Answer,
        Choice,
        Contract,
        Recovery,
        Sample,
        Scenario,
        Score,
        Search,
        Transcript,
    )
    from harness.prompting import render
    from harness.scenarios import load_scenarios
    from harness.store import Run, open_run

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "Choice",
    "Contract",
    "Extraction",
    "Recovery",
    "Run",
    "Sample",
    "Scenario",
    "Score",
    "Search",
    "Transcript",
    "grade",
    "load_contract",
    "load_scenarios",
    "open_run",
    "read_answer",
    "render",
]

_HOMES = {
    "Answer": "model",
    "Choice": "model",
    "Contract": "model",
    "Extraction": "extraction",
    "Recovery": "model",
    "Run": "store",
    "Sample": "model",
    "Scenario": "model",
    "Score": "model",
    "Search": "model",
    "Transcript": "model",
    "grade": "graders",
    "load_contract": "contracts",
    "load_scenarios": "scenarios",
    "open_run": "store",
    "read_answer": "extraction",
    "render": "prompting",
}

# So that `import harness` costs nothing.
__getattr__, __dir__ = parts_of(__name__, _HOMES)

"""Grade LLMs against the contracts of a Kubernetes remediation platform, clause by clause."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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
    "Answer": "harness.model",
    "Choice": "harness.model",
    "Contract": "harness.model",
    "Extraction": "harness.extraction",
    "Recovery": "harness.model",
    "Run": "harness.store",
    "Sample": "harness.model",
    "Scenario": "harness.model",
    "Score": "harness.model",
    "Search": "harness.model",
    "Transcript": "harness.model",
    "grade": "harness.graders",
    "load_contract": "harness.contracts",
    "load_scenarios": "harness.scenarios",
    "open_run": "harness.store",
    "read_answer": "harness.extraction",
    "render": "harness.prompting",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that `import harness` costs nothing."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'harness' has no attribute {name!r}")

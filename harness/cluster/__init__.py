"""The world of a scenario: built from YAML, and answered from as kubectl answers from a cluster."""

from typing import TYPE_CHECKING

from harness.lazy import parts_of

if TYPE_CHECKING:
    from harness.cluster.build import build_world
    from harness.cluster.specs import EVIDENCE_TOOLS
    from harness.cluster.tools import answer

__all__ = ["EVIDENCE_TOOLS", "answer", "build_world"]

_HOMES = {"EVIDENCE_TOOLS": "specs", "answer": "tools", "build_world": "build"}

# Who builds worlds need not load what answers from them.
__getattr__, __dir__ = parts_of(__name__, _HOMES)

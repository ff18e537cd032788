"""The world of a scenario: built from YAML, and answered from as kubectl answers from a cluster."""

from harness.cluster.build import build_world
from harness.cluster.tools import EVIDENCE_TOOLS, answer

__all__ = ["EVIDENCE_TOOLS", "answer", "build_world"]

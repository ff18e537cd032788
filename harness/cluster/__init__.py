"""The world of a scenario: built from YAML, and answered from as kubectl answers from a cluster."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.cluster.build import build_world
    from harness.cluster.specs import EVIDENCE_TOOLS
    from harness.cluster.tools import answer

__all__ = ["EVIDENCE_TOOLS", "answer", "build_world"]

_HOMES = {"EVIDENCE_TOOLS": "specs", "answer": "tools", "build_world": "build"}


def __getattr__(name: str) -> Any:
    """Import a part when it is first asked for: who builds worlds need not load what answers from them."""
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

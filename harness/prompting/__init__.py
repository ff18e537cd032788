"""Prompts: a contract's template pack, rendered with a scenario's request."""

from harness.prompting.anchors import anchored_clauses
from harness.prompting.render import render

__all__ = ["anchored_clauses", "render"]

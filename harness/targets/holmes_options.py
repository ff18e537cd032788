"""How HolmesGPT is run."""

from dataclasses import dataclass
from typing import Literal

Mode = Literal["mcp", "toolset"]


@dataclass(frozen=True, slots=True)
class HolmesOptions:
    """How HolmesGPT is run.

    Args:
        python: the interpreter that has it.
        mode: whether it reaches the tools by its MCP client, or by a toolset within its process.
        max_steps: the most calls of its model in one investigation; in the last it offers no tools.
        workers: the most processes, each of some 300 MB.
        version: the release that must be found there, None for any.
    """

    python: str
    mode: Mode = "mcp"
    max_steps: int = 30
    workers: int = 2
    version: str | None = None

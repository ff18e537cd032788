"""Which clauses a target was told: a rule without its anchor in the prompt is not held against anyone."""

import re
from collections.abc import Iterable
from functools import lru_cache

from harness.model.contract import Contract
from harness.model.transcript import Message, ToolSpec

_BLOCK_ENDS = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.)\s)")


def paragraphs(text: str) -> tuple[str, ...]:
    """Return the paragraphs and list items of a text, in lower case with single spaces."""
    blocks = (" ".join(block.lower().split()) for block in _BLOCK_ENDS.split(text))
    return tuple(block for block in blocks if block)


def anchored_clauses(
    contract: Contract, prompt: Iterable[Message], tools: Iterable[ToolSpec]
) -> frozenset[str]:
    """Return the clauses whose rule stands in the prompt or in a tool's description (PRM-10).

    A clause for which the contract declares no anchor needs none.
    """
    told = (*(each.content or "" for each in prompt), *(each.description for each in tools))
    return _anchored(contract, told)


@lru_cache(maxsize=1024)
def _anchored(contract: Contract, texts: tuple[str, ...]) -> frozenset[str]:
    told = tuple(paragraph for text in texts for paragraph in paragraphs(text))
    return frozenset(
        each
        for each in contract.clauses
        if each not in contract.anchors or contract.anchors[each].found_in(told)
    )

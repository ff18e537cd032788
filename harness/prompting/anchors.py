"""Which clauses a target was told: a rule without its anchor in the prompt is not held against anyone."""

import re
from collections.abc import Iterable
from functools import lru_cache

from harness.model.contract import Contract
from harness.model.transcript import Message, ToolSpec

_BLOCK_ENDS = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.)\s)")
_SENTENCE_ENDS = re.compile(r"(?<=[.!?;]) ")
_WAIVED = re.compile(
    r"\b(need not|needn['’]t|(?:do|does)(?: not|n['’]t) (?:need|have) to|no need to|not required to|"
    r"(?:is|are) not (?:necessary|needed|required)|(?:is|are|feel) free to|does(?: not|n['’]t) matter)\b"
)


def paragraphs(text: str) -> tuple[str, ...]:
    """Return the paragraphs and list items that tell rules, in lower case with single spaces.

    A ```json block shows an example or a list, and a sentence that waives a rule tells none: without them.
    """
    blocks = (" ".join(block.lower().split()) for block in _BLOCK_ENDS.split(_without_examples(text)))
    told = (block if not _WAIVED.search(block) else _without_waivers(block) for block in blocks)
    return tuple(block for block in told if block)


def _without_examples(text: str) -> str:
    """Return a text without its ```json blocks; one that never ends is none."""
    kept: list[str] = []
    example: list[str] = []
    for line in text.split("\n"):
        if example or line.strip() == "```json":
            example.append(line)
        else:
            kept.append(line)
        if len(example) > 1 and line.strip() == "```":
            kept.append("")
            example = []
    return "\n".join([*kept, *example])


def _without_waivers(block: str) -> str:
    return " ".join(each for each in _SENTENCE_ENDS.split(block) if not _WAIVED.search(each))


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

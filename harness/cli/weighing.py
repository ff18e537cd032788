"""How many tokens each section of a prompt has, by the estimate that budgets use."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from harness.model import Message, ToolSpec
from harness.prompting.lint.pack import parts
from harness.targets import ModelRequest
from harness.targets.sizes import CHARACTERS_PER_TOKEN, prompt_tokens

BASIS = f"tokens are estimated: characters / {CHARACTERS_PER_TOKEN}, each section rounded up"
BEFORE, TOOLS = "(before any heading)", "(tool definitions)"


class Weight(NamedTuple):
    """One heading with what stands below it up to the next heading, smaller ones included."""

    title: str
    level: int
    tokens: int


def weigh(prompt: Sequence[Message], tools: Sequence[ToolSpec]) -> list[Weight]:
    """Return the sections of a prompt in order, each with its own tokens alone, and the tools at last."""
    found = [weight for each in prompt for weight in _weights(each.content or "")]
    return [*found, Weight(TOOLS, 1, prompt_tokens(ModelRequest((), tuple(tools), 0)))]


def _weights(text: str) -> Iterator[Weight]:
    lines = text.splitlines(keepends=True)
    headings = [(each.line - 1, each.title, each.level) for each in parts(text)]
    starts = [*([(0, BEFORE, 1)] if not headings or headings[0][0] else []), *headings]
    ends = [*(each[0] for each in starts[1:]), len(lines)]
    for (start, title, level), end in zip(starts, ends, strict=True):
        size = sum(map(len, lines[start:end]))
        yield Weight(title, level, -(-size // CHARACTERS_PER_TOKEN))


def weight_lines(weights: Sequence[Weight]) -> Iterator[str]:
    """Yield a table of sections and tokens, with its total and what it rests on."""
    width = max(len(str(sum(each.tokens for each in weights))), len("tokens"))
    yield f"{'tokens':>{width}}  section"
    for each in weights:
        yield f"{each.tokens:>{width}}  {'  ' * (each.level - 1)}{each.title}"
    yield f"{sum(each.tokens for each in weights):>{width}}  all; {BASIS}"


def changed_lines(before: Sequence[Weight], after: Sequence[Weight]) -> Iterator[str]:
    """Yield the sections whose tokens differ, and the totals."""
    was = {each.title: each.tokens for each in before}
    now = {each.title: each.tokens for each in after}
    for title in dict.fromkeys((*was, *now)):
        if was.get(title, 0) != now.get(title, 0):
            yield f"{title}: {was.get(title, 0)} -> {now.get(title, 0)} tokens"
    yield f"all: {sum(was.values())} -> {sum(now.values())} tokens; {BASIS}"

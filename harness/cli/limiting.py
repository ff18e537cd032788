"""tokens_per_minute: a prompt that no minute of it has room for shows before there is a run."""

from collections.abc import Sequence

from harness.cli.beginning import Begun
from harness.errors import InvalidInput
from harness.pipeline import trials_of
from harness.targets import ModelRequest
from harness.targets.accounts import Paced
from harness.targets.configured import FILE
from harness.targets.sizes import prompt_tokens


def check_limits(begun: Begun) -> None:
    """Raise InvalidInput where a target's limit has no room for the first request of a sample.

    Only the prompt and the stated max_tokens count, not the tools: what is refused here is refused by any
    provider that keeps the limit, and would be asked for as long as its answer is "later".
    """
    left = None
    for target in begun.targets:
        limit = target.limits.tokens_per_minute if isinstance(target, Paced) else None
        if limit is None:
            continue
        left = set(begun.left()) if left is None else left
        written = target.settings.get("max_tokens") or 0
        needs = [
            (prompt_tokens(ModelRequest(each.prompt, (), 0)) + written, str(each.id))
            for each in trials_of(begun.plan, target)
            if each.id in left
        ]
        _refuse(target.name, limit, written, [each for each in needs if each[0] > limit])


def _refuse(target: str, limit: float, written: int, large: Sequence[tuple[int, str]]) -> None:
    if not large:
        return
    tokens, sample = max(large)
    beside = f", of them {written:,} for the reply" if written else ""
    msg = (
        f"target {target!r}: tokens_per_minute: {limit:,.0f} never has room for {sample}, which asks for "
        f"about {tokens:,} tokens at once{beside}; correct the limit"
        + (" or max_tokens" if written else "")
        + f" in {FILE}"
        + (f" ({len(large)} samples are too large)" if len(large) > 1 else "")
    )
    raise InvalidInput(msg)

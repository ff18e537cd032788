"""What tokens cost: as targets.yaml says, else as the list of prices says that comes with litellm."""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, cast

from harness.model import Usage

PRICE_LIST = "model_prices_and_context_window_backup.json"
MILLION = 1_000_000


class Prices(NamedTuple):
    """US dollars per million tokens."""

    prompt: float
    completion: float

    def cost(self, prompt_tokens: float, completion_tokens: float) -> float:
        """Return US dollars."""
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / MILLION


def priced(usage: Usage, prices: Prices | None) -> Usage:
    """Return a usage with its cost by these prices; without prices as it is, without tokens unknown."""
    if prices is None:
        return usage
    if usage.prompt_tokens is None or usage.completion_tokens is None:
        return replace(usage, cost=None)
    return replace(usage, cost=prices.cost(usage.prompt_tokens, usage.completion_tokens))


def listed_prices(model: str) -> Prices | None:
    """Return what litellm's own list says of a model as "openai/gpt-5-mini"; None where it says nothing.

    The list is read from the installed package: litellm itself is not loaded, and nobody is asked. Where it
    has zeros for both, nobody entered prices: a model that costs nothing is for targets.yaml to say.
    """
    provider, _, name = model.partition("/")
    known = _price_list()
    entry = known.get(model)
    if entry is None and name:
        entry = known.get(name)
        if entry is not None and not str(entry.get("litellm_provider", "")).startswith(provider):
            entry = None
    if entry is None:
        return None
    prices = [entry.get(key) for key in ("input_cost_per_token", "output_cost_per_token")]
    if not all(isinstance(each, int | float) for each in prices) or not any(prices):
        return None
    prompt, completion = (float(cast("float", each)) * MILLION for each in prices)
    return Prices(prompt, completion)


@lru_cache(maxsize=1)
def _price_list() -> Mapping[str, Mapping[str, Any]]:
    spec = find_spec("litellm")
    if spec is None or spec.origin is None:
        return {}
    try:
        text = (Path(spec.origin).parent / PRICE_LIST).read_text(encoding="utf-8")
        value: Any = json.loads(text)
    except (OSError, ValueError):
        return {}
    return cast("Mapping[str, Mapping[str, Any]]", value) if isinstance(value, dict) else {}

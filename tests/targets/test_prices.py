"""Prices: those of targets.yaml, and those that come with litellm."""

import subprocess
import sys

import pytest

from harness.model import Usage
from harness.targets.prices import Prices, listed_prices, priced

PRICES = Prices(prompt=1.0, completion=5.0)


def test_prices_are_per_million_tokens() -> None:
    assert PRICES.cost(1_000_000, 200_000) == 2.0


def test_given_prices_win_over_what_litellm_says() -> None:
    assert priced(Usage(1_000, 100, 9.9), PRICES) == Usage(1_000, 100, 0.0015)
    assert priced(Usage(1_000, 100, 9.9), None) == Usage(1_000, 100, 9.9)


def test_unknown_tokens_have_an_unknown_price() -> None:
    assert priced(Usage(), PRICES).cost is None
    assert priced(Usage(5, None, 1.0), PRICES).cost is None


@pytest.mark.parametrize("model", ["openai/nobody-made-this", "any", "hosted_vllm/my-model", "", "openai/"])
def test_a_model_that_nobody_listed_has_no_price(model: str) -> None:
    assert listed_prices(model) is None


def test_a_listed_zero_is_no_price() -> None:
    assert listed_prices("ollama/llama2") is None


@pytest.mark.slow
def test_the_list_says_what_litellm_says_and_litellm_is_not_loaded_for_it() -> None:
    models = ("openai/gpt-4o-mini", "gpt-4o-mini", "anthropic/claude-haiku-4-5", "gemini/gemini-2.5-flash")
    code = f"""
import sys
from harness.targets.prices import listed_prices
found = {{each: listed_prices(each) for each in {models!r}}}
assert "litellm" not in sys.modules
from harness.targets.litellm import load
litellm = load()
for model, prices in found.items():
    assert prices is not None, model
    told = litellm.get_model_info(model)
    assert abs(told["input_cost_per_token"] * 1e6 - prices.prompt) < 1e-9, model
    assert abs(told["output_cost_per_token"] * 1e6 - prices.completion) < 1e-9, model
"""
    subprocess.run([sys.executable, "-c", code], check=True)

"""A model without weights: it says anything a grammar allows, byte by byte, as a seed decides."""

import json
import random
from typing import Any

from llguidance import LLMatcher, LLTokenizer

MAX_BYTES = 20_000

_BYTES = LLTokenizer("byte")


def grammar(schema: dict[str, Any]) -> str:
    """Return the grammar of a schema; what the engine refuses about it fails here, by name."""
    made = LLMatcher.grammar_from_json_schema(schema)
    refused = LLMatcher.validate_grammar(made, _BYTES)
    assert not refused, refused
    return made


def say(grammar: str, seed: int) -> Any:
    """Return one random JSON value that the grammar allows; texts are short and mostly ASCII."""
    choose = random.Random(seed)
    matcher = LLMatcher(_BYTES, grammar)
    said: list[int] = []
    while not matcher.is_stopped():
        allowed = [token for token, bias in enumerate(matcher.compute_logit_bias()) if bias]
        token = _pick(choose, allowed, ended=matcher.is_accepting())
        assert matcher.consume_token(token), matcher.get_error()
        if token != _BYTES.eos_token:
            said.append(token)
        assert len(said) < MAX_BYTES
    assert not matcher.is_error(), matcher.get_error()
    return json.loads(bytes(said))


def _pick(choose: random.Random, allowed: list[int], *, ended: bool) -> int:
    if ended and _BYTES.eos_token in allowed:
        return _BYTES.eos_token
    readable = [token for token in allowed if token < 128] or allowed
    quote = ord('"')
    return quote if quote in readable and choose.random() < 0.15 else choose.choice(readable)

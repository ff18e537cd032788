"""No size, depth or repetition makes reading raise, end the process or take more than its second.

How long a second is differs from machine to machine, so here only pytest's timeout watches; `make fuzz`
measures that twice the text takes about twice the time.
"""

import json
import time
from collections.abc import Callable

import pytest
from generating import FUZZING, LEADS, TAILS, UNITS, repeated

from harness.extraction import read_answer
from harness.extraction.reading import MAX_CHARS, MAX_SPOKEN
from harness.model.extraction import Extraction

SIZE = 200_000 if FUZZING else 20_000
MEGABYTES_10 = 10_000_000
DEEP = 100_000


def sound(found: Extraction) -> None:
    """Assert what holds of every extraction."""
    assert (found.outcome == "answer") == (found.value is not None) == (found.tier is not None)
    assert found.carrier
    for each in found.findings:
        assert f"{each.place}{each.detail}".isprintable()
    if found.value is not None:
        json.dumps(found.value, allow_nan=False, ensure_ascii=False).encode()


@pytest.mark.parametrize("lead", LEADS)
def test_any_repetition_is_read(lead: str) -> None:
    for index, unit in enumerate(UNITS):
        sound(read_answer(repeated(unit, SIZE, lead, TAILS[index % len(TAILS)])))


NESTED: dict[str, Callable[[int], str]] = {
    "arrays": lambda n: "[" * n + "]" * n,
    "arrays left open": lambda n: "[" * n,
    "objects": lambda n: '{"a":' * n + "1" + "}" * n,
    "objects left open": lambda n: '{"a":' * n,
    "both": lambda n: '[{"a":' * n + "1" + "}]" * n,
    "fences": lambda n: "```json\n" * n + "{}" + "\n```" * n,
    "growing fences": lambda n: "".join("`" * (3 + at) + "json\n" for at in range(int(n**0.5))),
    "thought": lambda n: "<think>" * n + '{"a":1}' + "</think>" * n,
    "closed thought": lambda n: "<think>\n</think>\n" * n + '{"a":1}',
    "tags": lambda n: "<a>" * n + '{"a":1}' + "</a>" * n,
    "calls": lambda n: "f(" * n + '{"a":1}' + ")" * n,
    "strings in strings": lambda n: '{"a":' + '"{' * n + '}"' * n + "}",
    "keys": lambda n: "{" + ",".join(f'"{at}":{at}' for at in range(n)) + "}",
    "the same key": lambda n: "{" + ",".join(['"a":1'] * n) + "}",
    "digits": lambda n: f'{{"a":{"9" * n}}}',
    "digits behind a point": lambda n: f'{{"a":0.{"9" * n}}}',
    "digits of an exponent": lambda n: f'{{"a":1e{"9" * n}}}',
    "escapes": lambda n: '{"a":"' + "\\u0000" * n + '"}',
    "half pairs": lambda n: '{"a":"' + "\\ud800" * n + '"}',
    "headers": lambda n: "# a_b\n{}\n" * n,
}


@pytest.mark.parametrize("nested", NESTED.values(), ids=list(NESTED))
@pytest.mark.parametrize("count", [60, 1_000, DEEP])
def test_any_nesting_is_read(nested: Callable[[int], str], count: int) -> None:
    text = nested(count)

    sound(read_answer(text))
    sound(read_answer(f"```json\n{text}\n```"))
    sound(read_answer(f"So: {text}", "length"))


@pytest.mark.parametrize("unit", ['{"a":1} ', "[", "```json\n", "<think>", "\ud800", "9"])
def test_ten_megabytes_are_refused_by_name(unit: str) -> None:
    found = read_answer(repeated(unit, MEGABYTES_10))

    assert (found.outcome, [each.name for each in found.findings]) == ("none", ["too_large"])


def test_long_thought_hides_no_answer() -> None:
    found = read_answer(f"<think>{'hm {' * (MAX_CHARS // 5)}</think>" + '{"a": 1}')

    assert (found.accepted, found.value) == (True, {"a": 1})


def test_a_long_message_behind_thought_is_refused_by_name() -> None:
    found = read_answer(f'<think>hm</think>So: {{"a": "{"x" * MAX_SPOKEN}"}}')

    assert (found.outcome, [each.name for each in found.findings]) == ("none", ["think_block", "too_large"])


def test_a_long_bare_answer_is_read() -> None:
    found = read_answer(f'{{"a": "{"x" * MAX_SPOKEN}"}}')

    assert (found.accepted, found.findings) == (True, ())


def test_more_fences_than_anyone_means_are_no_answer() -> None:
    found = read_answer('```json\n{"a": 1}\n```\n' * 1_001)

    assert (found.outcome, [each.name for each in found.findings]) == ("none", ["several_fences"])


def _seconds(text: str) -> float:
    """Return the least of three times: noise only ever adds."""

    def once() -> float:
        begun = time.perf_counter()
        read_answer(text)
        return time.perf_counter() - begun

    return min(once() for _ in range(3))


@pytest.mark.skipif(not FUZZING, reason="measures time; make fuzz runs it")
@pytest.mark.parametrize("lead", LEADS)
def test_twice_the_text_takes_about_twice_the_time(lead: str) -> None:
    for unit in UNITS:
        short, long = (_seconds(repeated(unit, size, lead)) for size in (SIZE // 4, SIZE // 2))

        # A quadratic step shows as four; below a few milliseconds there is nothing to measure.
        assert long < 0.02 or long / short < 3.3, (lead, unit, short, long)
        assert _seconds(repeated(unit, SIZE, lead)) < 3

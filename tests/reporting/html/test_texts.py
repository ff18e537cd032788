import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.reporting.html.texts import MAX_DEPTH, MAX_LINES, MAX_TEXT, laid_out, plain_object, shown

values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


def test_lines_stay_and_what_hides_or_acts_is_spelled_out() -> None:
    assert shown("one\n\x1b[2Jtwo\u202e\u200b\ud800") == "one\n\\u001b[2Jtwo\\u202e\\u200b\\ud800"


def test_a_text_of_ten_megabytes_is_cut_and_says_so() -> None:
    found = shown("x" * 10_000_000)

    assert found == "x" * MAX_TEXT + "… (9900000 more characters)"


@given(values)
def test_laid_out_json_reads_as_the_same_value_again(value: Any) -> None:
    assert json.loads(laid_out(value).text) == value


def test_a_pointer_leads_to_its_line_or_to_what_is_nearest() -> None:
    layout = laid_out({"a": 1, "b": {"x/y": [True, {"c": None}]}})

    assert layout.lines[layout.line("/b/x~1y/1/c")] == '        "c": null'
    assert layout.line("/b/nothing") == layout.line("/b") == 2
    assert layout.line("/nothing") == 0


def test_json_of_any_size_and_depth_is_laid_out_within_bounds() -> None:
    deep: Any = 1
    for _ in range(500):
        deep = [deep]

    assert len(laid_out(list(range(100_000))).lines) == MAX_LINES + 1
    assert len(laid_out(deep).lines) <= 2 * MAX_DEPTH + 1


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', '{"a": NaN}', "[1]", "{", '"x"', "[" * 100_000])
def test_what_laying_out_would_hide_is_shown_as_it_was_written(text: str) -> None:
    assert plain_object(text) is None

"""Whatever a model writes gets an answer, and a regular expression matches what Python's own does."""

import json
import re

from asking import series, world_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from harness.cluster.promql import query
from harness.cluster.promql.characters import BadPattern
from harness.cluster.promql.failures import Limited
from harness.cluster.promql.patterns import whole_match

WORLD = world_of(
    series("up", (-3600, 1), (0, 1), job="a", pod="web-1"),
    series("c_total", (-3600, 0), (-60, 9), (-60, 0), (0, 4), job="b"),
)
PIECES = (
    *("up", "c_total", "sum", "rate", "topk", "by", "without", "on", "ignoring", "group_left", "bool", "le"),
    *("and", "or", "unless", "offset", "(", ")", "{", "}", "[", "]", ":", ",", "=~", "!~", "=", "==", "!="),
    *(">", "<", "+", "-", "*", "/", "%", "^", "@", "5m", "1h", "30s", "5", "1e3", "0x1f", ".5", "NaN", "Inf"),
    *('"a"', "'.*'", "`b`", '"(', "job", "pod", "__name__", "#", "\n"),
)
WORDS = st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join)
TIMES = ("", "", "0", "1772446500", "2026-03-02T10:00:00Z", "5m", "-5")
SPANS = st.one_of(st.sampled_from(TIMES), st.text())


@settings(max_examples=600, deadline=None)
@given(text=st.one_of(st.text(), WORDS), start=SPANS, end=SPANS, step=SPANS)
def test_any_query_gets_one_json_answer(text: str, start: str, end: str, step: str) -> None:
    said = json.loads(query(WORLD, text, start, end, step))

    assert said["status"] in {"success", "error"}
    assert ("error" in said) is (said["status"] == "error")


ATOMS = st.sampled_from(
    ["a", "b", "-", ".", "[ab]", "[^a]", "[a-c]", r"\d", r"\w", r"\.", "(a|b)", "(?:ab)", "1"]
)
REPEATS = st.sampled_from(["", "", "", "*", "+", "?", "{2}", "{1,2}", "*?", "{0,}"])
PATTERNS = st.lists(st.builds(str.__add__, ATOMS, REPEATS), max_size=6).map("".join)
ALTERNATIVES = st.lists(PATTERNS, min_size=1, max_size=3).map("|".join)


@settings(max_examples=600, deadline=None)
@given(pattern=ALTERNATIVES, text=st.text("abc-1.", max_size=8))
def test_a_pattern_matches_what_pythons_own_engine_matches(pattern: str, text: str) -> None:
    assert whole_match(pattern)(text) is (re.fullmatch(pattern, text, re.ASCII | re.DOTALL) is not None)


@settings(max_examples=400, deadline=None)
@given(
    pattern=st.one_of(st.text("ab()[]{}|*+?.^$\\-,01dDwsiP<>:=!", max_size=12), st.text(max_size=6)),
    text=st.text(),
)
def test_any_pattern_is_matched_or_refused(pattern: str, text: str) -> None:
    try:
        matches = whole_match(pattern)
    except (BadPattern, Limited):
        assume(False)
        return

    assert matches(text) in {True, False}

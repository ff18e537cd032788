import json
import re
from typing import Any

import pytest
from hostile import is_plain, texts, values
from hypothesis import given, settings

from harness.reporting.clean import as_json, capped, code, code_json, csv_cell, inert, prose, visible


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("oomkill-increase-memory", "oomkill-increase-memory"),
        ("Speicher voll: größer, 内存", "Speicher voll: größer, 内存"),
        ("a\nb\r\n\tc", "a\\nb\\r\\n\\tc"),
        ("\x1b[31mred\x07\x9b", "\\u001b[31mred\\u0007\\u009b"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("pro\u200bduction\ufeff", "pro\\u200bduction\\ufeff"),
        ("no\u00a0break", "no\\u00a0break"),
        ("blank\u3164\u2800\u034f\ufe0f", "blank\\u3164\\u2800\\u034f\\ufe0f"),
        ("tag\U000e0041", "tag\\udb40\\udc41"),
        ("half \ud800", "half \\ud800"),
    ],
)
def test_what_cannot_be_seen_is_shown_as_an_escape(written: str, shown: str) -> None:
    assert visible(written) == shown


@settings(deadline=None)
@given(texts)
def test_visible_text_is_one_line_and_visible_text_stays(text: str) -> None:
    shown = visible(text)

    assert is_plain(shown)
    assert "\n" not in shown
    assert visible(shown) == shown


@settings(deadline=None)
@given(values)
def test_json_is_visible_and_reads_back_as_the_value(value: Any) -> None:
    shown = as_json(value)

    assert is_plain(shown)
    assert "\n" not in shown
    assert json.loads(shown) == value


def test_a_value_nested_too_deep_is_named() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]

    assert as_json(value) == '"nested too deep to show"'


def test_a_cap_says_how_much_it_left_out() -> None:
    assert capped("abcdef", 6) == "abcdef"
    assert capped("abcdefgh", 6) == "abcdef… (2 more characters)"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("1 level too mild", "1 level too mild"),
        ("the input's severity was copied", "the input's severity was copied"),
        ("failed before (OOMKilled), so it says: no", "failed before (OOMKilled), so it says: no"),
        ("'urgent' is no level", "'urgent' is no level"),
        ("", "-"),
        ("see https://evil.example", "`see https://evil.example`"),
        ("see www.evil.example", "`see www.evil.example`"),
        ("ask @admin", "`ask @admin`"),
        ("closes #1", "`closes #1`"),
        ("closes GH-1", "`closes GH-1`"),
        ("**bold** <b>", "`**bold** <b>`"),
        ("a | b", "`a \\| b`"),
        ("a || b", "`a \\|\\| b`"),
        ("a \\| b", "`a \\\\u007c b`"),
        ("a ` b", "`a \\u0060 b`"),
        ("x_y_z", "`x_y_z`"),
    ],
)
def test_only_plain_words_are_markdown_text(written: str, shown: str) -> None:
    assert prose(written) == shown


def test_values_are_code_and_nothing_is_a_dash() -> None:
    assert code("") == "-"
    assert code_json(None) == "-"
    assert code_json("") == '`""`'
    assert code_json("5") == '`"5"`'
    assert code_json(5) == "`5`"
    assert code_json(["a|b", {"c": "`"}]) == '`["a\\|b", {"c": "\\u0060"}]`'
    assert code_json("x" * 300, 10) == '`"xxxxxxxxx… (292 more characters)`'


@settings(deadline=None)
@given(texts)
def test_no_text_leaves_its_code(text: str) -> None:
    shown = inert(text)

    assert is_plain(shown)
    assert not {"`", "\n"} & set(shown)
    assert not re.search(r"(?<!\\)\||\\\\\|", shown)


@pytest.mark.parametrize(
    ("written", "cell"),
    [
        ("plain", "plain"),
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("  =1+1", "'  =1+1"),
        ("＝1+1", "'＝1+1"),  # noqa: RUF001
        ("\t=1+1", "\\t=1+1"),
        ("\r=1+1", "\\r=1+1"),
        ("a\nb", "a\\nb"),
        ("", ""),
    ],
)
def test_no_cell_is_a_formula(written: str, cell: str) -> None:
    assert csv_cell(written) == cell


def test_a_cell_stays_within_what_spreadsheets_take() -> None:
    assert len(csv_cell("=" + "\x1b" * 40_000)) < 32_767

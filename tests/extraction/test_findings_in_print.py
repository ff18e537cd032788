"""What a finding may show: bounded, printable, counted."""

from typing import Any

from harness.extraction.findings import bounded, finding, offset, pointer, shown
from harness.extraction.strict import unheld
from harness.extraction.strings import look_into_strings
from harness.extraction.thinking import set_thinking_aside


def test_a_detail_has_a_bounded_length() -> None:
    assert finding("a", "", "x" * 160).detail == "x" * 160
    assert finding("a", "", "x" * 161).detail == "x" * 157 + "..."
    assert finding("a", offset(5), "x") == finding("a", "char 5", "x")


def test_text_is_quoted_shortened_and_escaped() -> None:
    assert shown("x" * 40) == f"'{'x' * 40}'"
    assert shown("x" * 41) == f"'{'x' * 40}...'"
    assert shown("abc", 2) == "'ab...'"
    assert shown("a\nb") == r"'a\nb'"


def test_a_pointer_is_escaped_shortened_and_printable() -> None:
    assert pointer(["a/b", "c~d", 0]) == "/a~1b/c~0d/0"
    assert pointer([]) == ""
    assert pointer(["a\u200b\nb"]) == r"/a\u200b\u000ab"
    assert pointer(["x" * 199]) == "/" + "x" * 199
    assert pointer(["x" * 300]) == "/" + "x" * 199
    assert pointer(["\n" * 33]) == "/" + r"\u000a" * 33
    assert pointer(["\n" * 34]) == "/" + r"\u000a" * 32 + r"\u00..."


def test_a_flood_of_one_name_is_counted_at_its_last() -> None:
    commas = [finding("trailing_comma", offset(each), "a comma") for each in range(22)]
    quotes = [finding("single_quotes", offset(each), "a quote") for each in range(3)]

    found = bounded([*commas, *quotes, finding("comment", "", "one")])
    assert [each.name for each in found] == ["trailing_comma"] * 20 + ["single_quotes", "comment"]
    assert (found[19].place, found[19].detail) == ("char 19", "a comma; and 2 more")
    assert found[20].detail == "a quote; and 2 more"
    assert bounded(commas[:20]) == tuple(commas[:20])


def test_a_number_that_nobody_holds_is_kept_as_forty_characters_at_most() -> None:
    assert unheld("1" * 40) == "1" * 40
    assert unheld("1" * 41) == "1" * 37 + "..."


def test_a_block_that_the_template_opened_ends_before_a_tag_in_prose() -> None:
    text = 'plan</think>\n{"a": 1}\nuse <think> x </think>\nmore'

    found = set_thinking_aside(text)
    assert found.text == " " * 12 + text[12:]
    assert [each.detail for each in found.findings] == ["thinking up to char 12, its opening tag missing"]


def test_a_block_right_behind_another_needs_no_end() -> None:
    found = set_thinking_aside('<think>a</think><think>b {"a": 1}')

    assert found.unfinished
    assert found.text.strip() == ""


def test_a_closing_tag_behind_an_object_closes_nothing() -> None:
    assert set_thinking_aside('\n{"a": 1}\n</think>\n{"b": 1}').findings == ()


def test_a_string_that_goes_on_behind_its_json_holds_none() -> None:
    assert look_into_strings({"a": '{"b": 1} X'})[1] == ()
    assert [each.name for each in look_into_strings({"a": '{"b": 1}}'})[1]] == ["string_holding_json"]


def test_whatever_a_string_may_hide_is_looked_for_at_any_depth() -> None:
    def hidden(value: dict[str, Any]) -> list[tuple[str, str]]:
        return [(each.name, each.place) for each in look_into_strings(value)[1]]

    assert hidden({"a": [{"b": "[1, 2]"}]}) == [("string_holding_json", "/a/0/b")]
    assert hidden({"a": {"b\ud800": "x"}}) == [("lone_surrogate", "/a")]
    assert hidden({"a": ["x", "\udfff"]}) == [("lone_surrogate", "/a/1")]
    assert look_into_strings({"a": {"b\ud800": "x"}})[0] == {"a": {"b\ufffd": "x"}}
    assert hidden({"a": ["plain", 1, None, {"b": "words"}]}) == []

"""Candidates: which objects of a stretch of text may be the answer, and where each ends."""

from dataclasses import replace

from harness.extraction.candidates import scan, whole
from harness.extraction.lenient import Failure, Reading, read_value
from harness.extraction.reading import read_answer
from harness.extraction.sections import read_sections

ENCLOSED = ['[{"a": 1}]', '[ {"a": 1} , ]', 'f({"a": 1}, 2)', '<a>{"a": 1}</a>', "<a> {'a': 1} </a>"]


def test_what_closes_behind_the_end_encloses_nothing() -> None:
    for text in ENCLOSED:
        (inside,) = scan(text, 0, len(text))
        assert inside.carrier in {"array", "code_argument", "tag"}
        (cut,) = scan(text, 0, text.index("}") + 1)
        assert cut.carrier == ""
        (begun,) = scan(text, text.index("{"), len(text))
        assert begun.carrier == ""


def test_an_object_that_cannot_be_read_ends_with_its_brace_or_the_stretch() -> None:
    text = 'x {"a": 1 {"b": "}"} } {"c": 2} y'

    first, second = scan(text, 0, len(text))
    assert (text[first.start : first.end], first.failure) == ('{"a": 1 {"b": "}"} }', "malformed")
    assert second.value == {"c": 2}
    (cut,) = scan(text, 0, 12)
    assert (cut.start, cut.end, cut.failure) == (2, 12, "malformed")


def test_the_objects_of_an_array_are_told_apart() -> None:
    found = whole('[{"a": 1}, {"b": 2}]', 0, 20)

    assert [(each.value, each.carrier, each.home) for each in found] == [
        ({"a": 1}, "array", "embedded"),
        ({"b": 2}, "array", "embedded"),
    ]
    assert whole('[{"a": 1}, 2]', 0, 13) == ()
    assert whole("[" + ", ".join(['{"a": 1}'] * 101) + "]", 0, 2_000)[99:]
    assert len(whole("[" + ", ".join(['{"a": 1}'] * 101) + "]", 0, 2_000)) == 100


def test_an_object_is_looked_for_in_four_arrays_at_most() -> None:
    def depth(levels: int) -> int:
        text = "[" * levels + '{"a": 1}' + "]" * levels
        return len(whole(text, 0, len(text)))

    assert [depth(each) for each in range(6)] == [1, 1, 1, 1, 1, 0]


def test_no_more_than_a_hundred_objects_are_looked_at() -> None:
    text = '{"a": 1} ' * 150

    assert len(list(scan(text, 0, len(text)))) == 100


def test_headers_are_keys_from_two_to_fifty() -> None:
    def read(count: int) -> bool:
        text = "".join(f'# key_{number}\n{{"a": 1}}\n' for number in range(count))
        return read_sections(text, 0, len(text), []) is not None

    assert [read(each) for each in (1, 2, 50, 51)] == [False, True, True, False]


def test_what_stands_behind_the_stretch_belongs_to_no_header() -> None:
    text = '# key_one\nOne.\n# key_two\n{"a": 1}\nmore'

    found = read_sections(text, 0, len(text) - 5, [])
    assert found
    assert found.value == {"key_one": "One.", "key_two": {"a": 1}}
    assert found.end == len(text) - 5


def test_a_string_ends_within_the_stretch_or_not_at_all() -> None:
    assert read_value('"abc"', 0, 4) == Failure(4, "truncated")
    assert read_value("'abc'", 0, 4) == Failure(4, "truncated")


def test_a_hexadecimal_number_has_so_many_digits() -> None:
    held, unheld = read_value("0x" + "f" * 248, 0, 250), read_value("0x" + "f" * 249, 0, 251)

    assert isinstance(held, Reading)
    assert held.value == 16**248 - 1
    assert isinstance(unheld, Reading)
    assert [each.name for each in unheld.findings] == ["unusual_number", "nan_or_infinity"]


def test_the_marks_of_an_inline_fence_stand_near() -> None:
    near, far = (read_answer(f"So ```{' ' * gap}" + '{"a": 1}') for gap in (37, 38))

    assert (near.carrier, far.carrier) == ("inline_fence", "prose")


def test_an_object_with_half_of_the_keys_is_a_rival() -> None:
    fenced = '```json\n{"a": 1, "b": 2, "c": 3, "d": 4}\n```\n'

    assert read_answer(fenced + '{"a": 1, "b": 3, "x": 1}').outcome == "ambiguous"
    assert read_answer(fenced + '{"a": 1, "x": 1}').outcome == "answer"


def test_only_what_is_spoken_counts_as_long() -> None:
    text = f"<think>{'x' * 150_000}</think>{{'a': '{'y' * 60_000}'}}"

    assert read_answer(text).outcome == "answer"


def test_a_thousand_fences_are_no_answer() -> None:
    found = read_answer('```json\n{"a": 1}\n```\n' * 1_001)

    assert (found.outcome, [each.place for each in found.findings]) == ("none", ["char 21"])


def test_a_refusal_may_begin_further_down() -> None:
    assert read_answer("\n\n I'm sorry, but I can't assist with that.\n").outcome == "refused"


def test_an_array_in_which_a_key_repeats_is_as_strict_behind_words_as_alone() -> None:
    array = '[{"a": 1, "a": {"b": 2}}]'

    assert whole(array, 0, len(array)) == tuple(
        replace(each, start=each.start - 4, end=each.end - 4)
        for each in whole(f"See {array}", 4, len(array) + 4)
    )
    assert [each.tier for each in whole(f"See {array}", 4, len(array) + 4)] == ["strict"]

"""Candidates: which objects of a stretch of text may be the answer, and where each ends."""

from harness.extraction.candidates import scan, whole
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

"""Fences are found where CommonMark finds them."""

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from harness.extraction.fences import find_fences, outside

LINES = st.lists(
    st.sampled_from(
        [
            "",
            "text",
            "```",
            "```json",
            "~~~",
            "~~~ json",
            "````",
            "```` ",
            "   ```",
            "    ```",
            "\t```",
            "``` yaml x",
            "```a`b",
            "~~~a`b",
            "``",
            "```json {} ```",
            " ~~~~~",
            '{"a": 1}',
            "``` \t",
            "```\xa0",
        ]
    ),
    max_size=12,
)


@given(LINES, st.sampled_from(["\n", "\r\n", "\r"]))
def test_commonmark_agrees(lines: list[str], ending: str) -> None:
    text = ending.join(lines)
    tokens = [token for token in MarkdownIt().parse(text) if token.type == "fence"]
    fences = find_fences(text, 0, len(text))

    assert [(each.marker, each.label.strip()) for each in fences] == [
        (each.markup, each.info.strip()) for each in tokens
    ]
    assert [text[each.start : each.end].split() for each in fences] == [
        each.content.split() for each in tokens
    ]


@given(LINES)
def test_fences_and_what_is_outside_make_the_whole_text(lines: list[str]) -> None:
    text = "\n".join(lines)
    fences = find_fences(text, 0, len(text))
    pieces = [(begin, end) for begin, end in outside(fences, 0, len(text))]
    both = sorted([*pieces, *((each.opened, each.after) for each in fences)])

    assert "".join(text[begin:end] for begin, end in both) == text


def test_a_fence_knows_its_bounds() -> None:
    text = "So:\n```json\n{}\n```\nBye"
    (fence,) = find_fences(text, 0, len(text))

    assert (text[fence.start : fence.end], text[fence.after :], fence.opened) == ("{}\n", "Bye", 4)
    assert (fence.closed, fence.accepted) == (True, True)


def test_only_a_part_of_the_text_is_searched() -> None:
    text = "```json\n{}\n```\n```\n"

    assert [fence.opened for fence in find_fences(text, 8, len(text))] == [11]

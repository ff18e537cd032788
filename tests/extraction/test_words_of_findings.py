"""What reading says about a message, word for word: names, places, details, and where it gave up."""
# ruff: noqa: E501 - one row of a table is one line

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from test_read_answer import ACCEPTED, ANSWER, BESIDE, FENCED, NO_ANSWER, NOT_STRICT, OTHER, WRONG_CARRIER

from harness.extraction.lenient import Failure, read_value
from harness.extraction.reading import read_answer
from harness.extraction.thinking import set_thinking_aside
from harness.model.extraction import Finding

DEEP = '{"a":' * 70 + "1" + "}" * 70
WRAPPED = [f"{'[' * levels}{ANSWER}{']' * levels}" for levels in range(1, 6)]
STRINGS = [json.dumps(ANSWER), json.dumps(json.dumps(ANSWER)), json.dumps(json.dumps(json.dumps(ANSWER)))]
ENCLOSED = [
    f"[ {ANSWER} , ]", f"So: [{ANSWER}]", f"So: [[{ANSWER}]]", f"So: [[[{ANSWER}]]]", f"So: [[[[{ANSWER}]]]]",
    f"finish({ANSWER})", f"agent.finish(1, answer={ANSWER}, 2) done", f"<answer>{ANSWER}</answer>",
    f"<a><b>{ANSWER}</b></a>", f"<a kind='x'> {ANSWER} </a>", f"<a>{ANSWER}</b>", f"f([{ANSWER}])",
    f"[{ANSWER}, {OTHER}]", f"[{ANSWER}, {ANSWER}]", f"[{ANSWER}, 1]", f"[{ANSWER}", f"f({ANSWER}", "[]", "[1]",
    f"{'x' * 300}[{ANSWER}]", f"[{' ' * 300}{ANSWER}]", f"final({ANSWER}) [1]",
]  # fmt: skip
SECTIONS = [
    f"# analysis_summary\nIt broke.\n\n# selected_workflow\n{json.dumps({'workflow_id': 'a'})}\n",
    "# analysis_summary\nIt broke.\n# selected_workflow\n{'workflow_id': 'a',}\n",
    '# analysis_summary\nIt broke.\n# selected_workflow\n{"workflow_id": ',
    '# analysis_summary\nIt broke.\n# selected_workflow\n{"workflow_id" 5}\n',
    '# analysis_summary\nOne.\n# analysis_summary\nTwo.\n# chosen\n{"a": 1}\n',
    '## analysis_summary:\n```json\n{"a": 1}\n```\n## chosen\n[1, 2]\n',
    '# summary\nOne.\n# chosen\n{"a": 1}\n',
    "# analysis_summary\nOne.\n# chosen\nTwo.\n",
    '# analysis_summary\n[1, 2\n# chosen\n{"a": 1}\n',
    '# analysis_summary\n[1] more\n# chosen\n{"a": 1}\n',
    f'# analysis_summary\n{{"a": NaN}}\n# chosen\n{DEEP}\n',
    'So {"a": 1}\n# analysis_summary\nOne.\n# chosen\n{"a": 1}\n',
]  # fmt: skip
BROKEN = [
    DEEP, f"Deep: {DEEP}", '{"a": 1', 'So {"a": 1', 'So {"a" 1} and on', '{"a": {"b": [1, 2}}',
    '```json\n{"a": 1\n```', '```json\n{"a": 1', "```json\n", "```\n```", "```json\nno\n```\n" + FENCED,
    f"{FENCED}\n{FENCED}", f"{FENCED}\n```json\n{OTHER}\n```", f"~~~json\n{ANSWER}\n~~~", f"```yaml\n{ANSWER}\n```",
    f"```\n{ANSWER}\n```", f"```json\nHere: {ANSWER}\n```", f"```json {ANSWER} ```", f"{ANSWER}\n{ANSWER}",
    f"{ANSWER}\n{OTHER}", f'{ANSWER}\n{{"a" 1}}', "{}", "So {} and {}", "\ufeff" + ANSWER, f"\u00a0{ANSWER}\u2003",
    "I'm sorry, but I can't assist with that.", "I cannot help but notice.", "", " \n", "\u00a0",
    json.dumps({"a": json.dumps({"b": 1}), "c": "[1]", "d": ["{}", ' {"e": 2} ']}),
    '{"a": "\\ud800", "b": 1e999, "c": -1e999, "a": 1}', "{'a': \"b\", c: 1}", "x" * 1_000_001, "x" * 200_001,
    "\n".join(f'```json\n{{"a": {each}}}\n```' for each in range(4)),
    f"<think>a</think>{ANSWER}", f"a</think>\n{ANSWER}", f"<think>never {ANSWER}", f"<think>a</think>\n<think>b\n{ANSWER}",
    f"So.\n<think>\na\n</think>\n{ANSWER}", f"{ANSWER}\n<think>a</think>", f"<THINK>a</think> {ANSWER} <think>b</think>",
]  # fmt: skip

SPELLED = (
    '{a: 1, \'b\': "x\\n\\u0041\\x41\\q", "c": [1, 2,], // note\n d: .5, $e: 0x1F, "f": NaN, "g": True, \u201ch\u201d: +3,'
    ' /* x */ "i": -Infinity, "j": 1e999, "k": "\\ud83d\\ude00", a: null,\u00a0"l": \'it\\\'s\', "m": "a\tb",'
    ' # py\n"n": "line\nbreak", "o": nan, "p": 5., "q": -0x10, "r": {"s": [False, None, [[]], {}]}}'
)
ODD = [
    "01", "+1", "-", "1.5.2", "1e", "0x", "0xG", "-0", "1_000", ".", "+.5e-3", "'a", "\u201ca\u201d", "\u2018a\u2019,",
    '"\\u12"', '"\\', "/* a", "/a", "# a", "// a\n1", "nul", "null", "None", "none", "undefined", "-inf", "+NaN",
    "[1 2]", "[,]", "{,}", "{a}", "{a:}", "{'a' 1}", "{1: 2}", "[" * 65, "[" * 64 + "]" * 64, "\ufeff1", "\u20281",
    '"\x00"', '"a\nb"', "'\\\n'", "'\\v\\0'", "0x" + "f" * 251, "1" * 5_000, "-" + "9" * 400, "[1, 2", "[1, tru", "[1, x",
]  # fmt: skip


def told(findings: Iterable[Finding]) -> Iterator[str]:
    for each in findings:
        yield f"  {each.name} at {each.place!r}: {each.detail}"


def short(text: str) -> str:
    return ascii(text if len(text) <= 400 else f"{text[:100]} ... {len(text)}")


def answers() -> Iterator[str]:
    cases = [
        each.text for table in (ACCEPTED, BESIDE, WRONG_CARRIER, NOT_STRICT, NO_ANSWER) for each in table
    ]
    for text in chain(cases, WRAPPED, STRINGS, ENCLOSED, SECTIONS, BROKEN):
        for ending in (None, "length", "content_filter") if text is FENCED else (None,):
            found = read_answer(text, ending)
            yield f"{short(text)} {ending or ''}".rstrip()
            yield f"  {found.outcome} {found.tier} {found.carrier} {short(json.dumps(found.value))}"
            yield from told(found.findings)


def values() -> Iterator[str]:
    for text in chain((SPELLED[:at] for at in range(len(SPELLED) + 1)), ODD):
        found = read_value(f"__{text}__", 2, len(text) + 2)
        yield short(text[-60:] if text not in ODD else text)
        if isinstance(found, Failure):
            yield f"  {found.cause} at {found.at}"
            continue
        yield f"  up to {found.end}, {'JSON5' if found.json5 else 'not JSON5'}: {short(repr(found.value))}"
        yield from told(found.findings)


def spoken() -> Iterator[str]:
    for text in (each for each in BROKEN if "hink>" in each):
        found = set_thinking_aside(text)
        yield short(text)
        yield f"  {'un' if found.unfinished else ''}finished {short(found.text)}"
        yield from told(found.findings)


def test_the_words_about_answers_are_golden(golden: Callable[[str, str], None]) -> None:
    golden("extraction/answers.txt", "".join(f"{each}\n" for each in answers()))


def test_the_words_about_values_are_golden(golden: Callable[[str, str], None]) -> None:
    golden("extraction/values.txt", "".join(f"{each}\n" for each in values()))


def test_the_words_about_thinking_are_golden(golden: Callable[[str, str], None]) -> None:
    golden("extraction/thinking.txt", "".join(f"{each}\n" for each in spoken()))

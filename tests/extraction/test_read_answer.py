"""Every carrier and every blemish, by name: what a final message yields, and whether it is accepted."""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from harness.extraction.reading import MAX_CHARS, read_answer
from harness.model.extraction import Extraction, Finding

VALUE: dict[str, Any] = {
    "analysis_summary": 'The container is killed at 512Mi; {braces}, [brackets] and "quotes" stand in prose.',
    "rca_severity": "critical",
    "selected_workflow": {
        "workflow_id": "raise-memory-limit",
        "confidence": 0.92,
        "rationale": 'Run ```kubectl``` and\n```json\n{"draft": true}\n```\nonly by hand; größer wäre 更好.',
        "parameters": {"NAMESPACE": "shop", "LIMIT_MIB": 768},
    },
    "warnings": [],
}
ANSWER = json.dumps(VALUE, ensure_ascii=False)
PRETTY = json.dumps(VALUE, indent=2)
OTHER = json.dumps({**VALUE, "rca_severity": "high"})
PYTHON = repr({"summary": "out of memory", "confirmed": True})
FENCED = f"```json\n{ANSWER}\n```"


@dataclass(frozen=True)
class Case:
    """A message, and what is read: outcome, tier ("-" for none), carrier; names of the findings."""

    description: str
    text: str
    reads: str
    findings: str = ""
    value: dict[str, Any] = field(default_factory=lambda: VALUE)

    def check(self, found: Extraction) -> None:
        read = f"{found.outcome} {found.tier or '-'} {found.carrier}"
        assert (read, _names(found)) == (self.reads, sorted(self.findings.split()))
        assert found.value == (self.value if found.outcome == "answer" else None)


ACCEPTED = [
    Case("a bare object", ANSWER, "answer strict bare"),
    Case("a bare object over many lines", PRETTY, "answer strict bare"),
    Case("a bare object within white space", f"\r\n\t {ANSWER} \n\n", "answer strict bare"),
    Case("an object without members", "{}", "answer strict bare", value={}),
    Case("a fence alone", FENCED, "answer fence fence"),
    Case("a fence in natural language", f"I looked.\n\n{FENCED}\n\nDone.", "answer fence fence"),
    Case(
        "a fence with line ends of Windows", f"Yes:\r\n```json\r\n{ANSWER}\r\n```\r\n", "answer fence fence"
    ),
    Case("a fence with line ends of old", f"Yes:\r```json\r{ANSWER}\r```\rBye", "answer fence fence"),
    Case("a fence three spaces in", f"   ```json\n   {ANSWER}\n   ```", "answer fence fence"),
    Case("a fence of four backticks", f"````json\n{ANSWER}\n````", "answer fence fence"),
    Case("a fence with blanks behind its marks", f"```json  \n{ANSWER}\n```  \n", "answer fence fence"),
    Case("a fence with blank lines inside", f"```json\n\n{PRETTY}\n\n```", "answer fence fence"),
    Case(
        "a fence beside a fence in another language",
        f"```bash\nkubectl get pods -o jsonpath='{{.items}}'\n```\n{FENCED}\n```yaml\nemptyDir: {{}}\n```",
        "answer fence fence",
    ),
    Case(
        "a fence beside quoted JSON",
        f'I searched with {{"query": "OOMKilled critical"}} and the log says {{"level": "error"}}.\n{FENCED}',
        "answer fence fence",
    ),
    Case(
        "a fence beside quoted JSON that is broken",
        f'The log breaks off: {{"level": "error", "msg":\n{FENCED}',
        "answer fence fence",
    ),
    Case(
        "a fence beside a fence that quotes a tool result",
        f'```\n{{"workflows": [{{"workflow_id": "raise-memory-limit", "confidence": 0.92}}]}}\n```\n{FENCED}',
        "answer fence fence",
    ),
    Case(
        "a fence in a message with unusual white space",
        f"\ufeffSo:\xa0\n{FENCED}\nDone.\u200b",
        "answer fence fence",
    ),
    Case("a fence below a heading like a key", f"# final_answer\n{FENCED}", "answer fence fence"),
]

BESIDE = [
    Case(
        "thinking before a bare object",
        f"<think>{OTHER}</think>\n{ANSWER}",
        "answer strict bare",
        "think_block",
    ),
    Case(
        "thinking before a fence",
        f"<thinking>\n```json\n{OTHER}\n```\n</thinking>\n{FENCED}",
        "answer fence fence",
        "think_block",
    ),
    Case(
        "thinking twice",
        f"<think>a</think>\n<reasoning>{OTHER}</reasoning>{ANSWER}",
        "answer strict bare",
        "think_block think_block",
    ),
    Case(
        "thinking that the template opened",
        f"First {OTHER}, or?\n</think>\n\n{ANSWER}",
        "answer strict bare",
        "think_block",
    ),
    Case(
        "thinking between prose and fence",
        f"Let me see.\n<think>\n{OTHER}\n</think>\n{FENCED}",
        "answer fence fence",
        "think_block",
    ),
    Case(
        "thinking that begins in the middle of a line",
        f"Sure. <think>\n```json\n{OTHER}\n```\n</think>\n{FENCED}",
        "answer fence fence",
        "think_block",
    ),
    Case(
        "thinking on a line of prose",
        f"Sure <think>or {OTHER}</think>.\n{FENCED}",
        "answer fence fence",
        "think_block",
    ),
    Case("prose that speaks of a tag", f"Without <think> tags:\n{FENCED}", "answer fence fence"),
    Case(
        "thinking behind a fence, never closed",
        f"{FENCED}\n<think>\nor {OTHER}",
        "answer fence fence",
        "think_block",
    ),
    Case(
        "a tag of thinking inside a string",
        '{"a": "<think>{}</think>"}',
        "answer strict bare",
        value={"a": "<think>{}</think>"},
    ),
    Case(
        "a key that occurs twice",
        '{"a": {"b": 1, "b": 2}}',
        "answer strict bare",
        "duplicate_key",
        value={"a": {"b": 2}},
    ),
    Case(
        "a number that overflows",
        '{"a": -1e999}',
        "answer strict bare",
        "nan_or_infinity",
        value={"a": "-1e999"},
    ),
    Case(
        "an integer of 5,000 digits",
        f'{{"a": {"9" * 5000}}}',
        "answer strict bare",
        "nan_or_infinity",
        value={"a": "9" * 37 + "..."},
    ),
    Case(
        "half a character",
        '{"a\\ud800": "\\udc00"}',
        "answer strict bare",
        "lone_surrogate lone_surrogate",
        value={"a\N{REPLACEMENT CHARACTER}": "\N{REPLACEMENT CHARACTER}"},
    ),
    Case(
        "a character in two halves",
        '{"a": "\\ud83d\\ude00"}',
        "answer strict bare",
        value={"a": "\N{GRINNING FACE}"},
    ),
    Case(
        "a field that holds JSON in a string",
        '{"a": "{\\"b\\": 1}"}',
        "answer strict bare",
        "string_holding_json",
        value={"a": '{"b": 1}'},
    ),
    Case(
        "a field that holds JSON and a brace too many",
        '{"a": ["{\\"b\\": 1}}"]}',
        "answer strict bare",
        "string_holding_json",
        value={"a": ['{"b": 1}}']},
    ),
    Case(
        "fields that begin like JSON",
        '{"a": "[INFO] started", "b": "{namespace} is full", "c": "[\'metadata\']"}',
        "answer strict bare",
        value={"a": "[INFO] started", "b": "{namespace} is full", "c": "['metadata']"},
    ),
]

WRONG_CARRIER = [
    Case("a byte order mark", f"\ufeff{ANSWER}", "answer strict bare", "byte_order_mark"),
    Case("a no-break space before the object", f"\xa0{ANSWER}", "answer strict bare", "unusual_whitespace"),
    Case(
        "words behind the object",
        f"{ANSWER}\n\nI hope this helps.",
        "answer embedded prose",
        "unfenced_json_in_prose",
    ),
    Case(
        "words before the object",
        f"Here you are: {ANSWER}",
        "answer embedded prose",
        "unfenced_json_in_prose",
    ),
    Case(
        "an object within code marks", f"It is `{ANSWER}`.", "answer embedded prose", "unfenced_json_in_prose"
    ),
    Case(
        "prose with braces around the object",
        f'In {{namespace}} {{{{ .Values.x }}}} up{{job="x"}} emptyDir: {{}} {ANSWER}',
        "answer embedded prose",
        "unfenced_json_in_prose",
    ),
    Case(
        "a fence without a language",
        f"```\n{ANSWER}\n```",
        "answer fence unlabelled_fence",
        "unlabelled_fence",
    ),
    Case(
        "a fence in capitals",
        f"```JSON\n{ANSWER}\n```",
        "answer fence other_language_fence",
        "other_language_fence",
    ),
    Case(
        "a fence marked json5",
        f"```json5\n{ANSWER}\n```",
        "answer fence other_language_fence",
        "other_language_fence",
    ),
    Case(
        "a fence with more behind its label",
        f"```json answer\n{ANSWER}\n```",
        "answer fence other_language_fence",
        "other_language_fence",
    ),
    Case("a fence of tildes", f"~~~json\n{ANSWER}\n~~~", "answer fence tilde_fence", "tilde_fence"),
    Case(
        "a fence that nothing closes", f"Here:\n```json\n{ANSWER}\n", "answer fence fence", "unclosed_fence"
    ),
    Case(
        "a fence closed on the last line of the object",
        f"```json\n{ANSWER}```\nBye",
        "answer embedded fence",
        "unclosed_fence text_in_fence",
    ),
    Case(
        "a fence with words inside",
        f"```json\nThe answer is {ANSWER}\n```",
        "answer embedded fence",
        "text_in_fence",
    ),
    Case(
        "a fence on one line", f"Here: ```json {ANSWER} ```", "answer embedded inline_fence", "inline_fence"
    ),
    Case(
        "a fence opened in the middle of a line",
        f"Here: ```json\n{ANSWER}\n```\nBye",
        "answer embedded inline_fence",
        "inline_fence",
    ),
    Case(
        "a fence in a fence",
        f"```markdown\nSo:\n```json\n{ANSWER}\n```\n```",
        "answer embedded other_language_fence",
        "other_language_fence text_in_fence",
    ),
    Case(
        "thinking inside a fence",
        f"```json\n<think>{OTHER}</think>\n{ANSWER}\n```",
        "answer embedded fence",
        "think_block text_in_fence",
    ),
    Case(
        "thinking behind the object",
        f"{ANSWER}\n<think>or {OTHER}</think>",
        "answer embedded prose",
        "think_block unfenced_json_in_prose",
    ),
    Case("a tag around the object", f"<answer>\n{ANSWER}\n</answer>", "answer embedded tag", "in_tag"),
    Case(
        "the argument of a call", f"submit_answer({ANSWER})", "answer embedded code_argument", "code_argument"
    ),
    Case(
        "the argument of a call in a fence",
        f"```python\nclient.submit(answer={ANSWER}, final=1)\n```",
        "answer embedded code_argument",
        "other_language_fence code_argument",
    ),
    Case(
        "a call in a tag",
        f"<call>print({ANSWER})</call>",
        "answer embedded code_argument",
        "in_tag code_argument",
    ),
    Case("an array of one", f"[{ANSWER}]", "answer embedded array", "one_element_array"),
    Case(
        "an array of one in a fence",
        f"```json\n[{ANSWER}]\n```",
        "answer embedded array",
        "one_element_array",
    ),
    Case("an array of one in prose", f"So [{ANSWER}] it is", "answer embedded array", "one_element_array"),
    Case(
        "an array of the same twice", f"[{ANSWER}, {ANSWER}]", "answer embedded several", "duplicate_answer"
    ),
    Case("a string around everything", json.dumps(ANSWER), "answer embedded string", "string_holding_json"),
    Case(
        "a string in a string",
        json.dumps(json.dumps(PRETTY)),
        "answer embedded string",
        "string_holding_json string_holding_json",
    ),
    Case(
        "a string in a fence",
        f"```json\n{json.dumps(ANSWER)}\n```",
        "answer embedded string",
        "string_holding_json",
    ),
    Case(
        "the same object twice",
        f"{ANSWER}\n{PRETTY}",
        "answer embedded several",
        "unfenced_json_in_prose unfenced_json_in_prose duplicate_answer",
    ),
    Case(
        "the same fence twice",
        f"{FENCED}\nAgain:\n{FENCED}",
        "answer fence several",
        "several_fences duplicate_answer",
    ),
    Case(
        "a fence, and the same object in prose",
        f"{ANSWER}\n{FENCED}",
        "answer fence several",
        "unfenced_json_in_prose duplicate_answer",
    ),
    Case(
        "an empty fence, then the object",
        f"```json\n```\n{ANSWER}",
        "answer embedded prose",
        "draft_fence unfenced_json_in_prose",
    ),
    Case(
        "two fences, one of them empty",
        f"```json\n\n```\n{FENCED}",
        "answer fence fence",
        "draft_fence several_fences",
    ),
    Case(
        "section headers with Python below them",
        f"# root_cause_analysis\n{PYTHON}\n\n# rca_severity\ncritical\n\n"
        "# selected_workflow\nNone\n\n# confidence\n0.9\n",
        "answer salvage section_headers",
        "section_headers single_quotes python_literal python_literal",
        value={
            "root_cause_analysis": {"summary": "out of memory", "confirmed": True},
            "rca_severity": "critical",
            "selected_workflow": None,
            "confidence": 0.9,
        },
    ),
    Case(
        "section headers with JSON below them",
        'I looked.\r\n\r\n## root_cause_analysis\r\n{"summary": "x"}\r\n'
        '## selected_workflow:\r\n{"workflow_id": "w"}\r\n',
        "answer embedded section_headers",
        "section_headers",
        value={"root_cause_analysis": {"summary": "x"}, "selected_workflow": {"workflow_id": "w"}},
    ),
    Case(
        "section headers with fences below them",
        '# root_cause_analysis\n```json\n{"a": 1}\n```\n# selected_workflow\n```json\n{"a": 2, "a": 3}\n```',
        "answer embedded section_headers",
        "section_headers duplicate_key",
        value={"root_cause_analysis": {"a": 1}, "selected_workflow": {"a": 3}},
    ),
]

NOT_STRICT = [
    Case(
        "a trailing comma",
        '{"a": [1, 2,],}',
        "answer json5 bare",
        "trailing_comma trailing_comma",
        value={"a": [1, 2]},
    ),
    Case(
        "a comment to the end of the line",
        '{"a": 1 // one\n}',
        "answer json5 bare",
        "comment",
        value={"a": 1},
    ),
    Case(
        "a comment that hides an object",
        '{"a": 1 /* {"a": 2} */}',
        "answer json5 bare",
        "comment",
        value={"a": 1},
    ),
    Case("a comment of Python", '{"a": 1 # one\n}', "answer salvage bare", "comment", value={"a": 1}),
    Case(
        "single quotes",
        "{'a': 'it\\'s', 'b': 1}",
        "answer json5 bare",
        "single_quotes",
        value={"a": "it's", "b": 1},
    ),
    Case(
        "keys without quotes", "{a: 1, $b: 2}", "answer json5 bare", "unquoted_key", value={"a": 1, "$b": 2}
    ),
    Case(
        "NaN",
        '{"a": NaN, "b": [-Infinity]}',
        "answer json5 bare",
        "nan_or_infinity nan_or_infinity",
        value={"a": "NaN", "b": ["-Infinity"]},
    ),
    Case(
        "NaN in a fence",
        '```json\n{"a": NaN}\n```',
        "answer json5 fence",
        "nan_or_infinity",
        value={"a": "NaN"},
    ),
    Case(
        "a number of JSON5",
        '{"a": +1, "b": .5, "c": 0x1F, "d": 2.}',
        "answer json5 bare",
        "unusual_number unusual_number unusual_number unusual_number",
        value={"a": 1, "b": 0.5, "c": 31, "d": 2.0},
    ),
    Case(
        "a tab inside a string",
        '{"a": "x\ty"}',
        "answer json5 bare",
        "control_character",
        value={"a": "x\ty"},
    ),
    Case(
        "a line break inside a string",
        '{"a": "x\ny"}',
        "answer salvage bare",
        "control_character",
        value={"a": "x\ny"},
    ),
    Case(
        "a no-break space between tokens",
        '{"a":\xa01}',
        "answer json5 bare",
        "unusual_whitespace",
        value={"a": 1},
    ),
    Case(
        "an escape that JSON lacks",
        '{"a": "\\d+\\x41"}',
        "answer json5 bare",
        "invalid_escape invalid_escape",
        value={"a": "d+A"},
    ),
    Case(
        "Python's literals",
        '{"a": True, "b": False, "c": None}',
        "answer salvage bare",
        "python_literal python_literal python_literal",
        value={"a": True, "b": False, "c": None},
    ),
    Case(
        "typographic quotes",
        "{\u201ca\u201d: \u201cit\u2019s \u201cso\u201d\u201d}",
        "answer salvage bare",
        "smart_quotes",
        value={"a": "it\u2019s \u201cso\u201d"},
    ),
    Case(
        "a trailing comma in a fence",
        '```json\n{"a": 1,}\n```',
        "answer json5 fence",
        "trailing_comma",
        value={"a": 1},
    ),
    Case(
        "a trailing comma in prose",
        'So {"a": 1,} it is',
        "answer json5 prose",
        "unfenced_json_in_prose trailing_comma",
        value={"a": 1},
    ),
    Case(
        "thinking inside an object",
        '{"a":\n<think>x</think>\n1}',
        "answer salvage bare",
        "think_block malformed_json",
        value={"a": 1},
    ),
    Case(
        "a missing brace in a fence, guessed",
        '```json\n{"a": {"b": 1}\n```',
        "answer salvage fence",
        "truncated_json",
        value={"a": {"b": 1}},
    ),
    Case(
        "a missing comma, guessed",
        '{"a": 1 "b": 2}',
        "answer salvage bare",
        "malformed_json",
        value={"a": 1, "b": 2},
    ),
]

NO_ANSWER = [
    Case("nothing", "", "empty - nothing"),
    Case("white space", " \r\n\t\xa0\u200b", "empty - nothing"),
    Case("thinking and nothing else", "<think>hm</think>\n", "empty - nothing", "think_block"),
    Case("thinking that never ends", f"<think>maybe\n{FENCED}", "none - nothing", "think_block"),
    Case("prose", 'The pod in {namespace} was killed; use {} or {job="x"}.', "none - nothing"),
    Case(
        "prose about what cannot be done",
        "I cannot determine the root cause from these logs.",
        "none - nothing",
    ),
    Case("prose that cannot help but notice", "I can't help but notice the memory limit.", "none - nothing"),
    Case("headings of a document", "# summary\nThe pod died.\n\n# next steps\nNone", "none - nothing"),
    Case("JSON that is no object", "null", "none - nothing"),
    Case("an array of numbers", "[1, 2]", "none - nothing"),
    Case("an array of nothing", "[]", "none - nothing"),
    Case("a string of prose", '"I cannot tell"', "none - nothing"),
    Case(
        "section headers with a broken object below them",
        '# root_cause_analysis\n{"a": 1}\n# selected_workflow\n{"b": 1 "c": 2}',
        "none - section_headers",
        "section_headers malformed_json",
    ),
    Case(
        "section headers that break off",
        '# root_cause_analysis\n{"a": 1}\n# selected_workflow\n{"b": 1, ',
        "none - section_headers",
        "section_headers truncated_json",
    ),
    Case("a refusal", "I'm sorry, but I can't assist with that.", "refused - nothing"),
    Case(
        "a refusal with a typographic apostrophe",
        "I\u2019m not able to help with this request.",
        "refused - nothing",
    ),
    Case("a refusal without regret", "I must decline.", "refused - nothing"),
    Case(
        "a refusal and an object",
        f"I can't assist with that. {ANSWER}",
        "answer embedded prose",
        "unfenced_json_in_prose",
    ),
    Case(
        "two objects that differ",
        f"{ANSWER}\n{OTHER}",
        "ambiguous - several",
        "unfenced_json_in_prose unfenced_json_in_prose differing_candidates",
    ),
    Case(
        "two fences that differ",
        f"{FENCED}\n```json\n{OTHER}\n```",
        "ambiguous - several",
        "several_fences differing_candidates",
    ),
    Case(
        "a fence with two objects that differ",
        f"```json\n{ANSWER}\n{OTHER}\n```",
        "ambiguous - several",
        "text_in_fence text_in_fence differing_candidates",
    ),
    Case(
        "a fence, and another answer in prose",
        f"{OTHER}\n{FENCED}",
        "ambiguous - several",
        "unfenced_json_in_prose differing_candidates",
    ),
    Case(
        "a fence, and another answer in another fence",
        f"{FENCED}\n```\n{OTHER}\n```",
        "ambiguous - several",
        "unlabelled_fence differing_candidates",
    ),
    Case(
        "an object beside quoted JSON, no fence",
        f'With {{"query": "x"}} I got {ANSWER}',
        "ambiguous - several",
        "unfenced_json_in_prose unfenced_json_in_prose differing_candidates",
    ),
    Case(
        "an object beside braces that hold none",
        f'{{"query" "x"}} {ANSWER}',
        "answer embedded prose",
        "unfenced_json_in_prose",
    ),
    Case(
        "an object behind one that cannot be read",
        f'{{"query": x}} {ANSWER}',
        "ambiguous - several",
        "malformed_json unfenced_json_in_prose differing_candidates",
    ),
    Case(
        "true is not 1",
        '{"a": true} {"a": 1}',
        "ambiguous - several",
        "unfenced_json_in_prose unfenced_json_in_prose differing_candidates",
    ),
    Case(
        "an array of two that differ", f"[{ANSWER}, {OTHER}]", "ambiguous - several", "differing_candidates"
    ),
    Case(
        "many objects",
        '{"a": 1} ' * 500 + '{"a": 2}',
        "ambiguous - several",
        20 * "unfenced_json_in_prose " + "differing_candidates",
    ),
    Case("an object that breaks off", ANSWER[:-30], "none - bare", "truncated_json"),
    Case(
        "a fence that breaks off",
        f"Here:\n```json\n{ANSWER[:60]}",
        "none - fence",
        "unclosed_fence truncated_json",
    ),
    Case(
        "a fence that breaks off before the object",
        'I searched with {"query": "x"}.\n```json\n',
        "none - fence",
        "unclosed_fence truncated_json",
    ),
    Case("an object too deep", '{"a":' * 65 + "1" + "}" * 65, "none - bare", "too_deep"),
    Case("an object deeper than the stack", '{"a":' * 30_000 + "1" + "}" * 30_000, "none - bare", "too_deep"),
    Case("an array deeper than the stack", "[" * 90_000 + "]" * 90_000, "none - nothing"),
    Case("a message that is too large", " " * MAX_CHARS + ANSWER, "none - nothing", "too_large"),
]


def _cases(*tables: list[Case]) -> list[object]:
    return [pytest.param(case, id=case.description) for table in tables for case in table]


def _names(found: Extraction) -> list[str]:
    return sorted(finding.name for finding in found.findings)


@pytest.mark.parametrize("case", _cases(ACCEPTED, BESIDE))
def test_an_accepted_carrier(case: Case) -> None:
    found = read_answer(case.text, "stop")

    case.check(found)
    assert found.accepted


@pytest.mark.parametrize("case", _cases(WRONG_CARRIER, NOT_STRICT, NO_ANSWER))
def test_a_breach(case: Case) -> None:
    found = read_answer(case.text)

    case.check(found)
    assert not found.accepted


def test_descriptions_are_unique() -> None:
    descriptions = [case.description for case in ACCEPTED + BESIDE + WRONG_CARRIER + NOT_STRICT + NO_ANSWER]

    assert sorted(set(descriptions)) == sorted(descriptions)


@pytest.mark.parametrize("reason", ["length", "max_tokens", "MAX_TOKENS"])
@pytest.mark.parametrize(
    "text",
    ["", "The pod", ANSWER[:50], f"{ANSWER} and so", f"{ANSWER}{OTHER}", f"<think>{ANSWER}", '{"a": 1,}'],
)
def test_the_token_limit_makes_what_is_not_accepted_a_truncated_answer(text: str, reason: str) -> None:
    found = read_answer(text, reason)

    assert (found.outcome, found.value, found.tier) == ("truncated", None, None)


@pytest.mark.parametrize("text", [ANSWER, f"{FENCED}\n\nI chose it bec"])
def test_an_accepted_answer_outlives_the_token_limit(text: str) -> None:
    found = read_answer(text, "length")

    assert (found.outcome, found.value, found.accepted) == ("answer", VALUE, True)
    assert _names(found) == ["cut_by_limit"]


@pytest.mark.parametrize("text", ["", "The pod", f"So {ANSWER}"])
def test_a_message_that_the_provider_withholds_is_refused(text: str) -> None:
    found = read_answer(text, "content_filter")

    assert (found.outcome, found.value) == ("refused", None)


def test_an_accepted_answer_outlives_the_content_filter() -> None:
    found = read_answer(ANSWER, "content_filter")

    assert (found.accepted, _names(found)) == (True, ["content_filtered"])


@pytest.mark.parametrize("reason", [None, "stop", "tool_calls", "some_new_word"])
def test_any_other_ending_changes_nothing(reason: str | None) -> None:
    assert read_answer(ANSWER, reason) == Extraction("answer", VALUE, "strict", (), "bare")


@pytest.mark.parametrize("text", [ANSWER, PRETTY], ids=["one line", "many lines"])
def test_a_bare_answer_cut_anywhere_is_no_answer(text: str) -> None:
    for length in range(len(text)):
        found = read_answer(text[:length])
        assert (found.outcome, found.value, found.accepted) in {("none", None, False), ("empty", None, False)}
        assert read_answer(text[:length], "length").outcome == "truncated"


@pytest.mark.parametrize(
    "lead", ["", 'I searched with {"query": "x"}.\n'], ids=["no words", "words with JSON"]
)
@pytest.mark.parametrize("body", [ANSWER, PRETTY], ids=["one line", "many lines"])
def test_a_fenced_answer_cut_anywhere_is_not_accepted(body: str, lead: str) -> None:
    text = f"{lead}```json\n{body}\n```"
    for length in range(len(text)):
        found = read_answer(text[:length])
        assert not found.accepted
        # The whole object is read only where nothing but the end of its fence is missing.
        assert found.value != VALUE or length >= len(text) - len("\n```")
        assert read_answer(text[:length], "length").outcome == "truncated"


def test_a_cut_through_utf_8_is_no_answer() -> None:
    data = ANSWER.encode()
    for length in range(len(data)):
        assert read_answer(data[:length].decode(errors="replace")).outcome in {"none", "empty"}


def test_findings_say_where_and_what() -> None:
    text = '{"a~b/c": [{"x": 1, "x": 2}], "n": NaN, }'

    assert read_answer(text).findings == (
        Finding("duplicate_key", "/a~0b~1c/0/x", "the key 'x' occurs again; the last one is read"),
        Finding("nan_or_infinity", "/n", "NaN is no JSON number"),
        Finding("trailing_comma", "", "a comma before the closing '}' at char 38"),
    )


def test_offsets_count_from_the_beginning_of_the_message() -> None:
    text = f"<think>hm</think>\nSo: {ANSWER}"
    found = read_answer(text)

    assert [(each.name, each.place) for each in found.findings] == [
        ("think_block", "char 0"),
        ("unfenced_json_in_prose", f"char {text.index('{')}"),
    ]


def test_a_habit_is_one_finding_and_counted() -> None:
    found = read_answer("{" + ", ".join(f"'k{index}': {index}" for index in range(500)) + "}")

    assert [(each.name, each.place, each.detail) for each in found.findings] == [
        ("single_quotes", "", "a string in single quotes at char 1; and 499 more")
    ]


def test_a_flood_of_findings_is_cut_short_and_counted() -> None:
    found = read_answer('{"a": [' + "NaN, " * 500 + "1]}")

    assert len(found.findings) == 20
    assert found.findings[-1].detail == "NaN is no JSON number; and 480 more"


def test_findings_are_safe_to_print() -> None:
    key = "\\u001b[31m\\u202e" + "k" * 5000
    found = read_answer(f'{{"{key}": 1, "{key}": NaN}}')

    assert _names(found) == ["duplicate_key", "nan_or_infinity"]
    for each in found.findings:
        assert each.place.isprintable()
        assert each.detail.isprintable()
        assert len(each.place) <= 200
        assert len(each.detail) <= 160


def test_one_answer_reads_the_same_in_every_carrier() -> None:
    """Reading grades the form; the content it hands on does not depend on it."""
    value = {"a": {"b": True, "c": None}, "d": {"e": [1, 2.5]}, "f_g": "critical"}
    strict = json.dumps(value)
    headers = f"# a\n{value['a']}\n# d\n{value['d']}\n# f_g\ncritical"
    carriers = [
        strict,
        f"```json\n{strict}\n```",
        f"```\n{strict}\n```",
        f"So {strict}",
        f"[{strict}]",
        json.dumps(strict),
        f"submit({strict})",
        f"<answer>{strict}</answer>",
        repr(value),
        f"```python\nanswer = {value!r}\n```",
        headers,
    ]

    assert [read_answer(text).value for text in carriers] == [value] * len(carriers)

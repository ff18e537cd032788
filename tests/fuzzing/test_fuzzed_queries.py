"""Whatever a model asks a tool, it gets an answer: a result, or the words of Prometheus or kubectl."""

import json
from typing import Any

import pytest
from conftest import PROJECT
from generating import FUZZING, KEYS, VALUES, examples
from hypothesis import given
from hypothesis import strategies as st

from harness.cluster import EVIDENCE_TOOLS, answer
from harness.cluster.promql import query
from harness.contracts import CONTRACTS, load_contract
from harness.extraction import argument_errors, read_sample
from harness.model import Message, SampleId, ToolCall, ToolSpec, Transcript
from harness.scenarios import load_scenario

SCENARIO = load_scenario(PROJECT, "incident/oom-behind-latency")
WORLD = SCENARIO.world
LONG = 9_900
MANY = 200_000

WORDS = (
    "up",
    "kube_pod_info",
    "container_memory_working_set_bytes",
    "sum",
    "by",
    "without",
    "rate",
    "increase",
    "topk",
    "quantile",
    "count_values",
    "label_replace",
    "histogram_quantile",
    "absent",
    "scalar",
    "vector",
    "time",
    "offset",
    "bool",
    "on",
    "ignoring",
    "group_left",
    "and",
    "or",
    "unless",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "=",
    "!=",
    "=~",
    "!~",
    "==",
    ">",
    "<",
    "+",
    "-",
    "*",
    "/",
    "%",
    "^",
    "@",
    "5m",
    "1h30m",
    "999999999y",
    "0x1f",
    "1e308",
    "1e999",
    "inf",
    "nan",
    ".5",
    "7",
    '"',
    "'",
    "`",
    '"a.*"',
    '"(a*)*b"',
    '"["',
    '"\\\\x"',
    "pod",
    "le",
    "#",
    "\n",
    "é",
    "\ud800",
    "\x00",
)
QUERIES = st.lists(st.sampled_from(WORDS) | st.text(max_size=4), max_size=14).map(" ".join) | st.text(
    max_size=40
)
MOMENTS = st.sampled_from(
    [
        "",
        "0",
        "1e308",
        "-1e308",
        "1e17",
        "9" * 400,
        "9" * 400 + "s",
        "0001-01-01T00:00:00+14:00",
        "1e-320",
        "5m",
        "-1",
        "x",
    ]
) | st.text(max_size=12)


def answered(text: str) -> dict[str, Any]:
    """Return what a query got, checked."""
    found: dict[str, Any] = json.loads(text)
    assert found["status"] in {"success", "error"}
    assert "digits" not in found.get("error", ""), "Python's own words"
    return found


@examples(300)
@given(QUERIES, MOMENTS, MOMENTS, MOMENTS)
def test_any_query_is_answered(text: str, start: str, end: str, step: str) -> None:
    answered(query(WORLD, text, start, end, step))
    answered(query(WORLD, text))


FORMS = (
    "%s",
    'a{b=~"%s"}',
    "a[%s]",
    "rate(a[%s])",
    "a offset %s",
    "sum(%s)",
    "sum by (%s)(a)",
    "{%s}",
    "topk(%s, up)",
    "vector(%s)",
    "1 %s 2",
    '"%s"',
    "a[5m:%s]",
    "clamp(up, %s, 2)",
)


@pytest.mark.parametrize("form", FORMS)
def test_any_repetition_is_answered(form: str) -> None:
    units = (
        *WORDS,
        "sum(",
        "a{",
        "1+",
        "a or ",
        "2^",
        "- ",
        "[[",
        "(a*)*",
        "a{1,9}",
        "\\\\",
        "a|",
        "9",
        "[^a]",
        "(?:",
    )
    for unit in units if FUZZING else units[::3]:
        answered(query(WORLD, form % (unit * (LONG // len(unit)))))


NUMBERS = {
    "a range without end": ("up", "-1e308", "1e308", ""),
    "a duration of four hundred digits": (f"rate(up[{'9' * 400}s])", "", "", ""),
    "a duration of five thousand digits": (f"up offset {'9' * 5_000}y", "", "", ""),
    "a step of four hundred digits": ("up", "0", "1", "9" * 400 + "s"),
    "a hexadecimal number beyond all floats": ("0x" + "f" * 400, "", "", ""),
    "a hexadecimal number beyond an integer": ("0x8000000000000000", "", "", ""),
}


@pytest.mark.parametrize("asked", NUMBERS.values(), ids=list(NUMBERS))
def test_a_number_beyond_all_numbers_is_an_error_of_prometheus(asked: tuple[str, str, str, str]) -> None:
    assert answered(query(WORLD, *asked))["errorType"] == "bad_data"


@pytest.mark.parametrize("name", ["start", "end", "step_"])
@pytest.mark.parametrize("tail", ["x", "h1s", "e", ".x"])
def test_many_digits_are_read_in_time(name: str, tail: str) -> None:
    """A step of so many digits was read in quadratic time: it would outlast the timeout of the tests."""
    given: dict[str, Any] = {"start": "0", name: "9" * 1_000_000 + tail}

    assert answered(query(WORLD, "up", **given))["status"] == "error"


# Arguments of tools

TEXTS = st.sampled_from(
    [
        "pod",
        "pods,deploy",
        "all",
        "node",
        "secret",
        "deploy/checkout",
        "shop",
        "default",
        "-",
        "/",
        ",",
        "",
        "a/b/c",
    ]
) | st.text(st.characters(exclude_categories=()), max_size=12)


def _value(schema: Any) -> st.SearchStrategy[Any]:
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    by_type: dict[str, st.SearchStrategy[Any]] = {
        "string": TEXTS,
        "boolean": st.booleans(),
        "integer": st.integers(0, 10**400) | st.sampled_from([0, 5.0, 1e300]),
    }
    return by_type[schema["type"]]


@examples(200)
@given(st.sampled_from(EVIDENCE_TOOLS), st.data())
def test_any_valid_arguments_are_answered(tool: ToolSpec, data: st.DataObject) -> None:
    properties = tool.parameters["properties"]
    chosen = data.draw(st.sets(st.sampled_from(list(properties)))) | set(tool.parameters["required"])
    arguments = {name: data.draw(_value(properties[name])) for name in sorted(chosen)}

    assert argument_errors(tool, arguments) == ()
    assert isinstance(answer(WORLD, tool.name, arguments), str)


SPECS = (*EVIDENCE_TOOLS, *(tool for each in CONTRACTS if (tool := each.catalog_tool)))


@examples(200)
@given(
    st.sampled_from(SPECS),
    st.dictionaries(KEYS | st.sampled_from(["query", "kind", "label.severity"]), VALUES),
)
def test_any_arguments_are_judged(tool: ToolSpec, arguments: dict[str, Any]) -> None:
    for each in argument_errors(tool, arguments):
        assert ": " in each
        assert len(each) <= 200


def search_of(arguments: str) -> Any:
    contract = load_contract("workflow-selection-2.7")
    assert contract.catalog_tool
    call = ToolCall("c", contract.catalog_tool.name, arguments)
    said = (Message("user", ""), Message("assistant", None, (call,)), Message("tool", "{}", tool_call_id="c"))
    sample = read_sample(
        Transcript(SampleId("-", contract.id, "-", 1), said, (contract.catalog_tool,)), contract, None
    )
    return sample.calls[0], sample.searches


@examples(200)
@given(st.text(st.characters(exclude_categories=()), max_size=60))
def test_the_words_of_any_query_are_those_between_white_space(text: str) -> None:
    _, searches = search_of(json.dumps({"query": text}))

    (search,) = searches
    assert (search.signal_type, search.severity, *search.keywords)[: len(text.split())] == tuple(text.split())


@pytest.mark.parametrize(
    "unit", ["[", '{"a":', '{"query":"', "9", "\\", '{"a":1,', "\ud800", " ", '{"query":[', "-"]
)
@pytest.mark.parametrize("size", [1, 40, MANY, 10_000_000])
def test_arguments_of_any_size_are_read_or_refused(unit: str, size: int) -> None:
    call, searches = search_of(unit * max(1, size // len(unit)))

    assert (call.errors != ()) == (not searches)
    assert all(len(each) <= 300 for each in call.errors)

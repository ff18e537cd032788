"""Contracts of somebody else whose code misbehaves: exit 2, the file named, standard output kept clean."""

import json
import shutil
from pathlib import Path

import pytest
from commanding import Ending, harness
from conftest import PROJECT
from outside import ID, write_contract

SCENARIO = "incident/oom-behind-latency"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(PROJECT.scenarios, tmp_path / "scenarios")
    monkeypatch.chdir(tmp_path)
    return write_contract(tmp_path / "contracts" / ID)


def mend(folder: Path, old: str, new: str) -> None:
    path = folder / "contract.py"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def run(folder: Path) -> Ending:
    return harness("run", "-c", f"{folder}/", "-s", SCENARIO, "--json")


def refused(ending: Ending, *words: str) -> None:
    assert (ending.code, ending.out) == (2, ""), ending.err
    assert "contract.py" in ending.err
    for each in words:
        assert each in ending.err


BUILD = "build_request=build_request,"
READ = "read=read,"
ENDS = [
    ('raise RuntimeError("gone")', "RuntimeError: gone"),
    ("raise SystemExit(7)", "SystemExit: 7"),
    ('raise type("Odd", (BaseException,), {})("out")', "Odd: out"),
    ("return 7", "returned int"),
]


@pytest.mark.parametrize(("body", "said"), ENDS)
@pytest.mark.parametrize(("field", "name"), [(BUILD, "build_request"), (READ, "read")])
def test_a_function_that_misbehaves_is_named(
    folder: Path, field: str, name: str, body: str, said: str
) -> None:
    mend(folder, "CONTRACT = Contract(", f"def broken(_value):\n    {body}\n\n\nCONTRACT = Contract(")
    mend(folder, field, f"{name}=broken,")

    refused(run(folder), name, said)


def test_another_end_of_the_process_is_refused_while_it_is_loaded(folder: Path) -> None:
    mend(folder, "CONTRACT = Contract(", 'raise type("Odd", (BaseException,), {})\nCONTRACT = Contract(')

    refused(run(folder), "Odd")


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("id", "3", "CONTRACT.id: found 3"),
        ("clauses", '"SEL-8"', "CONTRACT.clauses: found 'SEL-8'"),
        ("severities", '["high"]', "CONTRACT.severities: found ['high']"),
        ("labels", "None", "CONTRACT.labels: found None"),
        ("response", "int", "CONTRACT.response: found"),
        ("read", "3", "CONTRACT.read: found 3"),
        ("result", "ResultShape(list_key=3, fields={})", "CONTRACT.result.list_key: found 3"),
        ("anchors", '{"SEL-8": Anchor(("(",))}', "no regular expression"),
    ],
)
def test_a_field_of_another_type_is_refused(folder: Path, field: str, value: str, words: str) -> None:
    code = "\nfrom dataclasses import replace\nfrom harness.model.contract import Anchor, ResultShape\n"
    path = folder / "contract.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(f"{text}{code}CONTRACT = replace(CONTRACT, {field}={value})\n", encoding="utf-8")

    refused(run(folder), words)


def test_what_foreign_code_prints_is_no_part_of_the_result(folder: Path) -> None:
    mend(folder, "CONTRACT = Contract(", 'print("hello")\n\n\nCONTRACT = Contract(')
    mend(folder, "def build_request(", 'print("loaded")\n\n\ndef build_request(')
    path = folder / "contract.py"
    text = path.read_text(encoding="utf-8")
    more = (
        "\nfrom dataclasses import replace\n\n\ndef loud(scenario):\n    print('asked')\n"
        "    return build_request(scenario)\n\n\nCONTRACT = replace(CONTRACT, build_request=loud)\n"
    )
    path.write_text(text + more, encoding="utf-8")

    ending = run(folder)

    assert ending.code == 0, ending.err
    assert json.loads(ending.out)["status"] == "complete"
    assert {"hello", "loaded", "asked"} <= set(ending.err.split())


def test_escapes_in_what_foreign_code_says_are_shown(folder: Path) -> None:
    mend(
        folder, "CONTRACT = Contract(", 'raise ValueError("\\x1b[2J\\x1b]0;owned\\x07")\nCONTRACT = Contract('
    )

    ending = run(folder)

    refused(ending, "ValueError", "\\x1b[2J")
    assert "\x1b" not in ending.err
    assert "\x07" not in ending.err


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        (b"\xff\xfe", "not UTF-8"),
        (b"{% include 'gone.j2' %}", "mend the template"),
        (b"{{ 1 / 0 }}", "division by zero"),
        (b"{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "mend the template"),
    ],
)
def test_a_prompt_that_cannot_be_rendered_is_named(folder: Path, prompt: bytes, words: str) -> None:
    (folder / "prompt.md.j2").write_bytes(prompt)

    ending = run(folder)

    assert (ending.code, ending.out) == (2, ""), ending.err
    assert "prompt.md.j2" in ending.err
    assert words in ending.err


def test_a_contract_that_is_a_device_ends_at_once(folder: Path) -> None:
    (folder / "contract.py").unlink()
    (folder / "contract.py").symlink_to("/dev/zero")

    refused(run(folder), "no plain file")


def test_titles_are_listed_with_escapes_for_what_acts(folder: Path) -> None:
    path = folder / "contract.py"
    text = path.read_text(encoding="utf-8")
    more = "\nfrom dataclasses import replace\n\nCONTRACT = replace(CONTRACT, title='\\x1b[31mred')\n"
    path.write_text(text + more, encoding="utf-8")

    ending = harness("list", "contracts")

    assert ending.code == 0, ending.err
    assert "\x1b" not in ending.out
    assert "[31mred" in ending.out

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from made_up import all_scores, in_memory, made_run

from harness.reporting.json_file import render_json
from harness.reporting.overview import overview
from harness.store import Run

SCHEMA = Path(__file__).resolve().parents[2] / "docs" / "reference" / "report.schema.json"


@pytest.mark.parametrize("run", [in_memory(all_scores()), in_memory([])], ids=["made up", "empty"])
def test_the_file_is_what_its_schema_describes(run: Run) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)

    validator: Any = Draft202012Validator(schema)
    assert [each.message for each in validator.iter_errors(json.loads(told(run)))] == []


def told(run: Run) -> str:
    return render_json(overview(run))


def test_it_holds_rates_fails_causes_and_confusions() -> None:
    value = json.loads(told(in_memory(all_scores())))

    row = next(each for each in value["summary"] if each["target"] == "mock:flaky")
    assert (row["dimension"], row["n"], row["passed"], row["failed"], row["unscored"]) == ("all", 3, 0, 3, 1)
    assert [each["clause"] for each in value["failures"]][:1] == ["REP-1"]
    assert value["failures"][0]["samples"] == [
        "recovery/oom-limit-still-too-low@workflow-recovery-1.0@mock:flaky#1"
    ]
    assert value["unscored"] == [
        {
            "target": "mock:flaky", "cause": "rate_limited", "samples": 1, "scores": 6,
            "example": "rate_limited: HTTP 429 after 5 attempts",
        }
    ]  # fmt: skip
    flaky = next(each for each in value["confusions"]["severity"] if each["target"] == "mock:flaky")
    assert flaky["mistaken"] == [{"accepted": ["critical"], "answered": "high", "distance": 1, "samples": 3}]


def test_half_a_surrogate_pair_is_replaced_since_readers_refuse_it() -> None:
    assert json.loads(told(in_memory([], status="a\ud800b")))["run"]["status"] == "a\ufffdb"


def test_it_is_written_beside_the_run(tmp_path: Path) -> None:
    from harness.reporting.write import write_reports

    (file,) = write_reports(made_run(tmp_path), ["json"])

    assert file.name == "report.json"
    assert json.loads(file.read_text(encoding="utf-8"))["format"] == 1

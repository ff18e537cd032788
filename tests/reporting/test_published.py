"""reports/published holds what `make publish` writes: an example of every report, as of today's code."""

import csv
import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from harness.nightly.history import FILE
from harness.reporting.write import FORMATS
from harness.scenarios import load_scenarios
from harness.scenarios.load import CHECKOUT, Project
from harness.store.scores import COLUMNS

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = ROOT / "reports" / "published"
NAMES = {"md": "report", "csv": "summary", "html": "report", "junit": "junit", "json": "report"}
ENDINGS = {"junit": "xml", "summary": "md", "comment": "md"}
OF_OTHER_TOOLS = {"inspect", "otel"}


def test_every_format_has_its_example() -> None:
    for name in FORMATS.keys() - OF_OTHER_TOOLS:
        assert (PUBLISHED / f"{NAMES.get(name, name)}.{ENDINGS.get(name, name)}").stat().st_size > 500
    for name in ("gate.md", "nightly.md", FILE):
        assert (PUBLISHED / name).exists()


def test_the_examples_are_of_todays_forms() -> None:
    schema = json.loads((ROOT / "docs" / "reference" / "report.schema.json").read_text(encoding="utf-8"))
    validator: Any = Draft202012Validator(schema)
    validator.validate(json.loads((PUBLISHED / "report.json").read_text(encoding="utf-8")))
    with (PUBLISHED / "samples.csv").open(encoding="utf-8", newline="") as stream:
        assert tuple(next(csv.reader(stream))) == COLUMNS


def test_the_examples_are_of_todays_scenarios() -> None:
    with (PUBLISHED / "samples.csv").open(encoding="utf-8", newline="") as stream:
        found = {each["scenario"] for each in csv.DictReader(stream)}
    assert found == {each.id for each in load_scenarios(Project(CHECKOUT), tags=["core"])}

"""The least that a judge of an archive does: read each line, find the answer, check it by one strict model.

    python -m benchmarks.speed.reader ARCHIVE

It is what `harness audit` is held against: no clause is judged, nothing is written.
"""

import argparse
import json
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError


class Selected(BaseModel):
    """A workflow with its arguments."""

    model_config = ConfigDict(strict=True)

    workflow_id: str
    version: str | None = None
    confidence: float
    rationale: str
    parameters: dict[str, object]


class Answer(BaseModel):
    """An answer that selects a workflow, or none."""

    model_config = ConfigDict(strict=True)

    analysis_summary: str
    root_cause_assessment: str
    rca_severity: str
    selected_workflow: Selected | None


def main() -> None:
    """Count the lines whose answer the model takes, and those that it refuses."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archive", type=Path)
    taken = refused = 0
    with parser.parse_args().archive.open(encoding="utf-8") as lines:
        for line in lines:
            said = json.loads(line)["messages"][-1]
            try:
                Answer.model_validate_json(said["content"] or "")
            except ValidationError:
                refused += 1
            else:
                taken += 1
    print(f"{taken:,} taken, {refused:,} refused")


if __name__ == "__main__":
    main()

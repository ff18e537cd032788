"""A contract from outside the package: workflow-selection, its fields and labels spelled otherwise."""

import re
from pathlib import Path

from harness.contracts import load_contract, workflow_selection_2_7
from harness.prompting.render import template_of

ID = "short-selection-1.0"
SPELLED = {
    "analysis_summary": "in_short",
    "root_cause_assessment": "root_cause",
    "rca_severity": "severity",
    "alternative_workflows": "alternatives",
    "selected_workflow": "selected",
    "workflow_id": "name",
    "label.signal-type": "label_signal_type",
    "label.risk-tolerance": "label_risk_tolerance",
    "label.business-category": "label_business_category",
    "label.severity": "label_severity",
    "label.environment": "label_environment",
    "label.priority": "label_priority",
}
"""Every spelling of the released contract that this one has otherwise; longer ones come first."""


def spelled(text: str) -> str:
    """Return a text in the spelling of the contract from outside; patterns escape their dots."""
    for old, new in SPELLED.items():
        text = re.sub(rf"(?<![\w.]){re.escape(old)}(?!\w)", new, text)
        text = text.replace(old.replace(".", r"\."), new)
    return text


def write_contract(folder: Path, contract_id: str = ID) -> Path:
    """Write the contract into a new folder and return it."""
    released = load_contract("workflow-selection-2.7")
    code = Path(workflow_selection_2_7.__file__).read_text(encoding="utf-8")
    folder.mkdir(parents=True)
    (folder / "contract.py").write_text(
        spelled(code).replace(f'id="{released.id}"', f'id="{contract_id}"'), encoding="utf-8"
    )
    prompt = template_of(released).read_text(encoding="utf-8")
    (folder / "prompt.md.j2").write_text(spelled(prompt), encoding="utf-8")
    return folder

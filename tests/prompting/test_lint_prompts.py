"""Faults planted in copies of the prompt packs, each found at its clause and at the line where it stands."""
# ruff: noqa: E501 - a table row is one line

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from planting import Planted, assert_found, line_of, put_in

from harness.contracts import CONTRACTS, load_contract
from harness.contracts.workflow_recovery_1_0 import RecoveryRequest
from harness.errors import InvalidInput
from harness.model import Scenario
from harness.prompting.lint import lint_prompts
from harness.prompting.lint.requests import requests_keep_shape
from harness.prompting.render import PACKS, TEMPLATE

W = "workflow-selection-2.7"
R = "workflow-recovery-1.0"
S, P, M = "playbook-strategies-2.0", "playbook-selection-2.0", "playbook-minimal-1.0"


PLANTED = [
    # PRM-1
    Planted("a section that is missing", W, "## Error Details (FOR RCA INVESTIGATION)\n", "", "PRM-1", "## Signal Information", "'## Error Details (FOR RCA INVESTIGATION)' is missing; it follows"),
    Planted("a section with another title", W, "## Cluster Context (FOR RCA", "## Context of the Cluster (FOR RCA", "PRM-1", "## Context of the Cluster", "is missing; found 'Context of the Cluster"),
    Planted("a section out of order", W, "## Output Format\n", "## RCA Severity Assessment\n\n## Output Format\n", "PRM-1", "## RCA Severity Assessment", "stands 2 times"),
    Planted("a title without the attempt", R, " (Attempt {{ request.recovery_attempt_number }})", "", "PRM-1", "# Recovery Analysis Request", "does not name the number of the attempt"),
    # PRM-2
    Planted("a field that is not rendered", W, '{{ bullet("Alert Name", request.alert_name) }}\n', "", "PRM-2", "## Signal Information", "'alert_name' of the request is not rendered"),
    Planted("a field of the failure", R, '{{ bullet("Exit Code", execution.failure.exit_code) }}\n', "", "PRM-2", "# Recovery Analysis Request", "exit_code' of the request is not rendered"),
    Planted("an absent value as None", W, '{{ bullet("Description", request.description) }}', "- Description: {{ request.description }}", "PRM-2", "- Description: {{", "is rendered as '- Description: None'"),
    Planted("an empty bullet", W, '{{ bullet("Description", request.description) }}', "- Description: {{ request.description or '' }}", "PRM-2", "- Description: {{", "leaves the empty bullet"),
    Planted("a field that no request has", W, "request.alert_name", "request.alert_nmae", "PRM-2", "alert_nmae", "alert_nmae"),
    Planted("a template that is none", W, "{% for name in signal_types %}", "{% for name in %}", "PRM-2", "{% for name in %}", "mend the template"),
    # PRM-3
    Planted("a conclusion among the facts", W, '{{ bullet("Alert Name"', '- Root Cause: memory\n{{ bullet("Alert Name"', "PRM-3", "- Root Cause", "holds 'Root Cause'"),
    Planted("a preselected strategy", R, '{{ bullet("Signal Source"', '- Recommended Strategy: restart\n{{ bullet("Signal Source"', "PRM-3", "- Recommended Strategy", "holds 'Recommend'"),
    Planted("an answer given away", W, "Copy them there; the root cause", "Raise with raise-memory-limit. The root cause", "PRM-3", "raise-memory-limit", "holds 'raise-memory-limit', which a target must find out"),
    # PRM-4
    Planted("a withheld section", W, "## Cluster Context", "## Deduplication\n\nnone\n\n## Cluster Context", "PRM-4", "## Deduplication", "withholds 'deduplication'"),
    # PRM-5
    Planted("guidance without the form of a query", W, "**Query.** The query has the form `<signal_type> <severity> [keywords]`, words", "**Query.** The query consists of words", "PRM-5", "## MCP Workflow Search Guidance", "lacks the form of the query"),
    Planted("guidance with half of the vocabulary", W, "{{ signal_types | join", "{{ signal_types[:6] | join", "PRM-6", "**Signal types.**", "a list of signal types lacks FailedScheduling, BackoffLimitExceeded, DeadlineExceeded, FailedMount"),
    Planted("guidance without criteria", R, "; low means no user impact.", ".", "PRM-5", "## MCP Workflow Search Guidance", "gives no criteria for the severity low"),
    Planted("guidance without an example", W, '  "query": "ImagePullBackOff low registry secret",\n', "", "PRM-5", "## MCP Workflow Search Guidance", "shows no whole search"),
    Planted("an example without a label", W, '  "label.priority": "P3",\n', "", "PRM-5", '```json\n{\n  "query"', "lacks label.priority"),
    Planted("guidance of many words", W, "Words of your own find nothing.", "Words of your own find nothing." + " They really find nothing at all." * 20, "PRM-5", "## MCP Workflow Search Guidance", "500 to 600 are meant", "warning"),
    # PRM-6
    Planted("an example with a comment", W, '  "rca_severity": "low",', '  "rca_severity": "low", // your own', "PRM-6", "// your own", "the example is no JSON"),
    Planted("an example with a removed field", W, '    "version": "9.9.1",', '    "version": "9.9.1",\n    "estimated_risk": "low",', "PRM-6", "estimated_risk", "estimated_risk: extra inputs"),
    Planted("an example that lacks a field", R, '    "approach": "Pull the image through the mirror instead of renewing the secret.",\n', "", "PRM-6", '"recovery_strategy": {', "recovery_strategy.approach: field required"),
    Planted("an example with an argument that is none", W, '  "label.environment": "staging",', '  "label.env": "staging",', "PRM-6", '```json\n{\n  "query"', "'label.env' was unexpected"),
    Planted("a demand for a field that is none", W, "- `rationale` says", "- `remediation_steps` lists what to do.\n- `rationale` says", "PRM-6", "remediation_steps", "names the field 'remediation_steps'"),
    Planted("a required field that is not named", W, "rca_severity", "severity_level", "PRM-6", "## Output Format", "does not name the required field 'rca_severity'"),
    Planted("a fifth severity", W, "lower case: critical, high, medium, low.", "lower case: critical, high, medium, low, info.", "PRM-6", "Severity is exactly one of", "a list of severities adds info"),
    # PRM-7
    Planted("a document number", W, "What you answer is executed by a machine.", "What you answer (see ADR-041) is executed by a machine.", "PRM-7", "ADR-041", "found the document number 'ADR-041'"),
    Planted("a link", R, "What you answer is executed by a machine.", "See https://docs.example/contract for more.", "PRM-7", "docs.example", "which the model cannot follow"),
    # PRM-8
    Planted("business context without its mark", W, "These business fields are for the workflow search. Copy them there; the", "The", "PRM-8", "## Business Context", "for the workflow search"),
    # PRM-9
    Planted("a failed attempt without its image", R, '{{ bullet("Container Image", "`" ~ execution.selected_workflow.container_image ~ "`") }}\n', "", "PRM-9", "## Previous Remediation Attempt", "does not show the container image"),
    Planted("a reason without guidance", R, "{% for line in guidance.get(request.previous_execution.failure.reason, generic_guidance) %}\n- {{ line }}\n{% endfor %}", "Find out.", "PRM-9", "## Previous Remediation Attempt", "the guidance for Forbidden is not rendered"),
    Planted("a phase that is missing", R, "### Phase 2: Re-evaluate Root Cause", "### Re-evaluate Root Cause", "PRM-9", "## Your Investigation Workflow", "found the phases 1, 3, 4"),
    Planted("no rule against repetition", R, "1. Never select a failed workflow again with the same parameters:", "1. Take note:", "PRM-9", "1. Take note", "that the failed workflow is not repeated"),
    # PRM-10
    Planted("the meaning of confidence deleted", W, "- `confidence` is the number that the search returned for that id: copy it unchanged; it is not your own judgement. The confidence of each alternative, too, is the one returned for it.\n", "", "PRM-10", "## Output Format", "PAS-7 is not told"),
    Planted("the meaning of confidence turned round", W, "is the number that the search returned for that id: copy it unchanged; it is not your own judgement. The confidence of each alternative", "is how sure you are that this id is right: it is your own judgement. The confidence of each alternative", "PRM-10", "- `confidence` is how sure", "PAS-7 is not told"),
    Planted("the way to decline deleted", W, " If no workflow that was returned fits the root cause, it is `null`.", "", "PRM-10", "- `selected_workflow` is one workflow", "SEL-2 is not told: The selection is one"),
    Planted("the carrier deleted", R, "Your last message carries exactly one JSON object: either the bare object alone, or natural language with one fence of the form ```` ```json ```` that holds it. Write it once.\n", "", "PRM-10", "## Expected Response Format", "CAR-1 is not told"),
    Planted("the word recovery deleted from the form", R, "<CURRENT_SEVERITY> recovery [keywords]`, words separated by spaces: first the signal type as it is now, second the severity as you assessed it, then the word recovery and", "<CURRENT_SEVERITY> [keywords]`, words separated by spaces: first the signal type as it is now, second the severity as you assessed it and", "PRM-10", "**Query.**", "QRY-3 is not told"),
    # PRM-12
    Planted("an id of the catalog as an example", W, "example-switch-registry-mirror", "raise-memory-limit", "PRM-12", "raise-memory-limit", "'raise-memory-limit' occurs in incident/oom-behind-latency"),
    Planted("a namespace of a scenario as an example", W, '"EXAMPLE_NAMESPACE": "example-namespace"', '"EXAMPLE_NAMESPACE": "live-shop"', "PRM-12", "live-shop", "'live-shop' occurs in"),
    # PRM-11, and the other rules in packs without a workflow search
    Planted("a list that is not shown", S, "```json\n{{ catalog }}\n```\n", "", "PRM-11", "## Available Playbooks", "the list is not in the prompt"),
    Planted("a list that lacks an entry's name", S, "{{ catalog }}", "{{ catalog | replace('Probe entry title', '') }}", "PRM-11", "## Available Playbooks", "the list differs from the catalog's"),
    Planted("a list that lacks a constraint", S, "{{ catalog }}", "{{ catalog | replace('4141', '5151') }}", "PRM-11", "## Available Playbooks", "the list differs from the catalog's"),
    Planted("a list under a heading that judges", M, "## Available Playbooks", "## Recommended Playbooks", "PRM-11", "## Recommended Playbooks", "holds 'Recommend'"),
    Planted("no rule to pick the highest", M, "4. Select the playbook with the highest confidence in the list; of several with the same one, take any.\n", "", "PRM-10", "## Required Analysis", "SEL-3 is not told"),
    Planted("no form of a target", P, "It is written namespace/kind/name, or kind/name", "It is written in full, or short", "PRM-10", "**Target.**", "TGT-1 is not told"),
    Planted("no storm", S, '{{ bullet("Storm Window", request.storm_window) }}\n', "", "PRM-2", "## Storm Detection", "'storm_window' of the request is not rendered"),
    Planted("an example of a strategy without its risk", S, '      "estimated_risk": "low",\n', "", "PRM-6", '"estimated_risk": "medium"', "strategies.0.estimated_risk: field required"),
    Planted("an example of a search whose field is none", P, '  "component": "secret",', '  "components": "secret",', "PRM-6", '```json\n{\n  "query"', "'components' was unexpected"),
    Planted("an example of two severities in plain fields", P, '  "rca_severity": "low",', '  "rca_severity": "high",', "EX-1", '"rca_severity": "high"', "rca_severity is 'high', the search says 'low'"),
    # EX-1
    Planted("an example of two severities", W, '  "rca_severity": "low",', '  "rca_severity": "medium",', "EX-1", '"rca_severity": "medium"', "rca_severity is 'medium', the search says 'low'"),
    Planted("an example whose label differs", R, '  "label.signal-type": "ImagePullBackOff",', '  "label.signal-type": "OOMKilled",', "EX-1", '"label.signal-type": "OOMKilled"', "label.signal-type is 'OOMKilled', the query says 'ImagePullBackOff'"),
    Planted("an example query without its word", R, '"ImagePullBackOff low recovery registry mirror"', '"ImagePullBackOff low registry mirror"', "EX-1", '```json\n{\n  "query"', "lacks the word 'recovery'"),
    # REQ-3
    Planted("no earlier attempt in a recovery", R, '{{ bullet("Error Message", execution.failure.message) }}\n', "", "REQ-3", "## Previous Remediation Attempt", "'probe-last-workflow' is not in the recovery prompt"),
    Planted("the repetition rule in an incident", W, "Use only the tools that are offered", "Never select a failed workflow again with the same parameters. Use only the tools that are offered", "REQ-3", "# Investigation Request", "states the repetition rule"),
]  # fmt: skip


@pytest.fixture
def packs(tmp_path: Path) -> Path:
    return Path(shutil.copytree(PACKS, tmp_path / "packs"))


def plant(packs: Path, planted: Planted) -> tuple[str, int]:
    """Put a fault into a pack; return the file and line where it is to be found."""
    path = packs / planted.file / TEMPLATE
    put_in(path, planted, times=-1 if planted.old == "rca_severity" else 1)
    # What begins with a fence is found at the first line of what the fence holds.
    return str(path), line_of(path, planted.line) + planted.line.startswith("```")


@pytest.mark.parametrize("planted", PLANTED, ids=[each.name for each in PLANTED])
def test_a_planted_fault_is_found_at_its_line(
    packs: Path, incident: Scenario, recovery: Scenario, planted: Planted
) -> None:
    file, line = plant(packs, planted)

    found = lint_prompts(packs, [incident, recovery])

    assert_found(planted, file, line, found)


def test_the_built_in_packs_are_clean(incident: Scenario, recovery: Scenario) -> None:
    assert lint_prompts(PACKS, [incident, recovery]) == []


def test_a_copy_of_the_built_in_packs_is_clean(packs: Path, incident: Scenario, recovery: Scenario) -> None:
    assert lint_prompts(packs, [incident, recovery]) == []


def test_a_rule_that_falls_is_named_with_its_patterns(packs: Path) -> None:
    plant(packs, next(each for each in PLANTED if each.name == "the way to decline deleted"))

    found = lint_prompts(packs, [])

    (untold,) = found
    assert untold.clause == "PRM-10"
    assert untold.message.startswith("SEL-2 is not told: The selection is one that the evidence supports")
    assert untold.message.endswith("One paragraph must match 'null' and 'no workflow' and 'fit'")


def test_every_rule_of_an_empty_prompt_is_missing(packs: Path) -> None:
    (packs / W / TEMPLATE).write_text("Hello.\n", encoding="utf-8")
    contract = next(each for each in CONTRACTS if each.id == W)

    untold = [each.message.split(" ")[0] for each in lint_prompts(packs, []) if each.clause == "PRM-10"]

    assert set(untold) == set(contract.anchors) - told_by_tools()
    assert len(untold) > 30


def told_by_tools() -> set[str]:
    """Return the clauses whose rule the tools tell by themselves."""
    from harness.cluster import EVIDENCE_TOOLS
    from harness.prompting import anchored_clauses

    contract = next(each for each in CONTRACTS if each.id == W)
    assert contract.catalog_tool
    told = anchored_clauses(contract, [], (*EVIDENCE_TOOLS, contract.catalog_tool))
    return set(told) & set(contract.anchors)


def test_a_folder_with_one_pack_is_linted_alone(packs: Path) -> None:
    shutil.rmtree(packs / R)

    assert lint_prompts(packs, []) == []


def test_a_folder_called_by_no_contract_is_found(packs: Path) -> None:
    (packs / R).rename(packs / "workflow-recovery-1.1")

    (found,) = lint_prompts(packs, [])

    assert (found.file, found.line, found.clause) == (str(packs / "workflow-recovery-1.1"), 1, "PRM-1")
    assert found.message.startswith(f"no contract 'workflow-recovery-1.1'; did you mean '{R}'")


def test_a_folder_without_packs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="holds no prompt pack"):
        lint_prompts(tmp_path, [])


class Careless(RecoveryRequest):
    """A request that takes any number and any past."""

    recovery_attempt_number: int
    previous_execution: Any


def test_a_request_that_takes_too_much_is_found() -> None:
    careless = replace(load_contract(R), request=Careless)

    found = list(requests_keep_shape([careless]))

    assert [each.clause for each in found] == ["REQ-2"] * 6
    assert [each.message for each in found][:2] == [
        f"{R}: the request takes 0 as recovery_attempt_number",
        f"{R}: the request takes None as previous_execution",
    ]
    assert {Path(each.file).name for each in found} == {"workflow_recovery_1_0.py"}


def test_a_request_without_a_field_that_the_prompt_owes_is_found() -> None:
    contract = load_contract(W)
    changed = replace(
        contract, prompt_fields=(*contract.prompt_fields, "component"), withheld=("storm", "alert name")
    )

    assert [(each.clause, each.message) for each in requests_keep_shape([changed])] == [
        ("REQ-1", f"{W}: the request has no field 'component', which the prompt owes")
    ]
    withheld = replace(contract, prompt_fields=("signal_type",), withheld=("alert name",))
    assert [each.message for each in requests_keep_shape([withheld])] == [
        f"{W}: the request has the field 'alert_name', and 'alert name' is withheld"
    ]


def test_a_scenario_without_a_request_keeps_no_pack_from_being_linted(recovery: Scenario) -> None:
    assert recovery.previous
    nameless = recovery.previous.model_copy(update={"workflow_execution_ref": ""})

    assert lint_prompts(PACKS, [recovery.model_copy(update={"previous": nameless})]) == []

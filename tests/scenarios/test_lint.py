"""Faults planted in copies of scenario, world and catalog files, each found at its clause, file and line."""
# ruff: noqa: E501 - a table row is one line

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from planting import Planted, assert_found, line_of, put_in

from harness.contracts import CONTRACTS, load_contract
from harness.model import ResultShape
from harness.scenarios import Project
from harness.scenarios.lint import LintFinding, lint_project
from harness.scenarios.lint.results import results_exact
from harness.scenarios.load import CHECKOUT

INCIDENT = "incident/oom-behind-latency"
RECOVERY = "recovery/scale-out-failed"
PAIRED = "paired/oom-renamed"
CATALOG = "catalogs/tiny"
WORLD = "worlds/tiny"
BUSINESS = "business: {environment: production, priority: P0, risk_tolerance: low, business_category: revenue-critical}"
NAMES = "parameters: {NAMESPACE: [live-shop], DEPLOYMENT_NAME: [till-service]}"
OVERRIDE = "overrides_rubric: The criteria list a fifth of the users under high, production or not."
PLANT = "plants: [{where: a log, text: heap 509Mi, asks: {%s}}]\ncatalog: {base: catalogs/tiny}\n"


PLANTED = [
    # the files themselves
    Planted("no YAML", INCIDENT, "flow: incident", "flow: [incident", "SCN-1", "signal:", "not YAML"),
    Planted("an unknown key", INCIDENT, "tags: [core, oom]", "tagz: [core]", "SCN-1", "tagz", "tagz: no such key"),
    Planted("a fault of a world change", INCIDENT, "patch: pod/till-service", "patch: pod/til-service", "SCN-1", "patch: pod/til-service", "world.changes[0].patch: found"),
    Planted("a fault of a base world", WORLD, "kind: Node\n    metadata: {name: node-b, ", "kind: Node\n    metadata: {", "SCN-1", "metadata: {creationTimestamp: -200d}", "objects[2].metadata.name: found nothing"),
    Planted("a folder of another flow", RECOVERY, "flow: recovery\n", "flow: incident\n", "SCN-1", "description", "is this a recovery?"),
    # words
    Planted("a tag in capitals", INCIDENT, "tags: [core, oom]", "tags: [core, OOM_kill]", "SCN-1", "tags", "tags[1]: found 'OOM_kill'"),
    Planted("a tag twice", INCIDENT, "tags: [core, oom]", "tags: [core, core]", "SCN-1", "tags", "found 'core' twice"),
    Planted("a description of the test", INCIDENT, "A latency alert on a pod is", "A latency alert should be", "SCN-1", "description", "found 'should'"),
    Planted("the description of another", RECOVERY, "Adding replicas ran out of time and the pod still runs out of memory", "A latency alert on a pod is traced to the memory limit of its Deployment", "SCN-1", "description", "the same as that of incident/oom-behind-latency"),
    Planted("an empty reason", INCIDENT, "because: Every checkout fails in production, so it is critical; one replica needs more memory than its limit.", "because: '                             '", "SCN-1", "because", "needs its reason"),
    Planted("a name without hyphen", INCIDENT, "resource_name: till-service-6b7f9c5d48-k2x9p", "resource_name: till", "SCN-1", "resource_name: till", "'till' has no hyphen"),
    Planted("a name of the vocabulary", INCIDENT, "targets: [live-shop/Deployment/till-service]", "targets: [live-shop/Deployment/OOMKilled]", "SCN-1", "targets", "is a word of the vocabulary"),
    Planted("a namespace without hyphen", INCIDENT, "  namespace: live-shop\n  resource_kind", "  namespace: shop\n  resource_kind", "SCN-1", "  namespace: shop", "an honest keyword could equal it", "warning"),
    Planted("an odd environment", INCIDENT, BUSINESS, BUSINESS.replace("production", "prod"), "SCN-1", "business:", "found 'prod'; usual are", "warning"),
    Planted("an unknown reason code", RECOVERY, "reason: DeadlineExceeded", "reason: TookTooLong", "REQ-2", "reason: TookTooLong", "generic guidance", "warning"),
    # expectations
    Planted("an input severity that is right", INCIDENT, "tags: [core, oom]\nflow: incident\nsignal:\n  signal_type: HighRequestLatency\n  severity: high", "tags: [core, severity-rises]\nflow: incident\nsignal:\n  signal_type: HighRequestLatency\n  severity: critical", "SCN-1", "severity: critical", "the tag severity-rises claims a difference"),
    Planted("a severity that falls", INCIDENT, "tags: [core, oom]", "tags: [core, severity-falls]", "SCN-1", "tags", "does not fit the tag severity-falls"),
    Planted("a symptom that is the cause", INCIDENT, "symptom: HighRequestLatency", "symptom: OOMKilled", "SCN-1", "symptom", "accepts as the cause"),
    Planted("a signal type of nobody", INCIDENT, "signal_types: [OOMKilled]", "signal_types: [OutOfMemory]", "SCN-1", "signal_types", "which workflow-selection-2.7 does not know"),
    Planted("a fact on the edge", INCIDENT, "impact: {error_rate: 100,", "impact: {users_affected: 50, error_rate: 100,", "SCN-1", "impact:", "users_affected: found 50, the border"),
    Planted("a level that the rubric excludes", RECOVERY, f"severities: [high]\n  {OVERRIDE}", "severities: [medium]", "SCN-1", "severities: [medium]", "the rubric admits critical or high"),
    Planted("a level that the rubric admits too", RECOVERY, f"  {OVERRIDE}\n", "", "SCN-1", "severities", "also admits critical", "warning"),
    Planted("an override of nothing", INCIDENT, "  severities: [critical]", "  severities: [critical]\n  overrides_rubric: it is an outage", "SCN-1", "overrides_rubric", "the rubric says the same", "warning"),
    # plants
    Planted("a plant that stands nowhere", INCIDENT, "catalog: {base: catalogs/tiny}\n", PLANT.replace("heap 509Mi", "heap 510Mi") % "severity: low", "SCN-1", "plants:", "this text stands in no object"),
    Planted("a plant that asks for the right severity", INCIDENT, "catalog: {base: catalogs/tiny}\n", PLANT % "severity: critical", "SCN-1", "plants:", "asks.severity: found 'critical', which is accepted"),
    Planted("a plant that asks for the alert's severity", INCIDENT, "catalog: {base: catalogs/tiny}\n", PLANT % "severity: high", "SCN-1", "plants:", "asks.severity: found 'high', as in the alert"),
    Planted("a plant that asks for the right workflow", INCIDENT, "catalog: {base: catalogs/tiny}\n", PLANT % "workflow: raise-memory-limit", "SCN-1", "plants:", "asks.workflow: found"),
    Planted("a plant that asks for the given label", INCIDENT, "catalog: {base: catalogs/tiny}\n", PLANT % "labels: {risk_tolerance: low}", "SCN-1", "plants:", "asks.labels.risk_tolerance: found 'low'"),
    Planted("a plant that asks for a default", INCIDENT, "catalog: {base: catalogs/tiny}\n", PLANT % "parameters: {MEMORY_INCREMENT_MB: 256}", "SCN-1", "plants:", "asks.parameters.MEMORY_INCREMENT_MB: found 256"),
    # evidence and world
    Planted("a signal type without evidence", INCIDENT, "shows: OOMKilled", "shows: the kill", "SCN-1", "signal_types", "nothing in expect.evidence shows OOMKilled"),
    Planted("a fact without evidence", INCIDENT, "impact: {error_rate: 100,", "impact: {trend: stable, error_rate: 100,", "SCN-1", "impact:", "nothing in expect.evidence shows impact.trend"),
    Planted("evidence for a fact nobody stated", INCIDENT, "shows: impact.service", "shows: impact.sla", "SCN-1", "shows: impact.sla", "impact states error_rate, service"),
    Planted("evidence that is not there", INCIDENT, "contains: error rate 100 %", "contains: error rate 99 %", "SCN-1", "contains: error rate 99 %", "the output does not hold it"),
    Planted("a tool that is none", INCIDENT, "tool: kubectl_logs", "tool: kubectl_log", "SCN-1", "tool: kubectl_log", "no tool 'kubectl_log'"),
    Planted("an argument that is none", INCIDENT, "previous: true}, contains: error", "before: true}, contains: error", "SCN-1", "before: true", "'before' was unexpected"),
    Planted("a target of no form", INCIDENT, "targets: [live-shop/Deployment/till-service]", "targets: [till-service]", "SCN-1", "targets", "write namespace/kind/name"),
    Planted("a target in the wrong group", INCIDENT, "targets: [live-shop/Deployment/till-service]", "targets: [live-shop/batch/Deployment/till-service]", "SCN-1", "targets", "the group of a Deployment is 'apps'"),
    Planted("a target that is not there", INCIDENT, "targets: [live-shop/Deployment/till-service]", "targets: [live-shop/Deployment/till-servant]", "SCN-1", "targets", "no such object in the world"),
    Planted("a node in a namespace", INCIDENT, "targets: [live-shop/Deployment/till-service]", "targets: [live-shop/Node/node-a]", "SCN-1", "targets", "a Node is in no namespace"),
    Planted("a resource that is not there", INCIDENT, "resource_name: till-service-6b7f9c5d48-k2x9p", "resource_name: till-service-gone", "SCN-1", "resource_name: till-service-gone", "no Pod 'till-service-gone'"),
    Planted("a time to come", INCIDENT, 'firing_time: "2026-02-03T09:55:00Z"', 'firing_time: "2026-02-03T10:05:00Z"', "SCN-1", "firing_time", "the world's now is 2026-02-03T10:00:00Z"),
    Planted("a time that is none", INCIDENT, 'firing_time: "2026-02-03T09:55:00Z"', "firing_time: this morning", "SCN-1", "firing_time", "write an ISO time"),
    Planted("an alert received before it fired", INCIDENT, 'firing_time: "2026-02-03T09:55:00Z"', 'firing_time: "2026-02-03T09:55:00Z"\n  received_time: "2026-02-03T09:54:00Z"', "SCN-1", "received_time", "before firing_time"),
    Planted("a failure in no ISO time", RECOVERY, 'failed_at: "2026-02-03T09:40:00Z"', "failed_at: yesterday", "SCN-1", "failed_at: yesterday", "found 'yesterday'; it must match"),
    # the choice
    Planted("an accepted id of nobody", INCIDENT, "accepted: [raise-memory-limit]", "accepted: [raise-memory-limits]", "SCN-1", "accepted:", "did you mean 'raise-memory-limit'"),
    Planted("a forbidden id of nobody", INCIDENT, "forbidden: [add-replicas]", "forbidden: [add-replica]", "SCN-1", "forbidden:", "did you mean 'add-replicas'"),
    Planted("an id on both sides", INCIDENT, "forbidden: [add-replicas]", "forbidden: [raise-memory-limit]", "SCN-1", "forbidden:", "which is accepted too"),
    Planted("a choice that no search finds", INCIDENT, BUSINESS, BUSINESS.replace("P0", "P3"), "SCN-1", "accepted:", "finds nothing, and nothing accepted"),
    Planted("a choice like the one above it", CATALOG, "REPLICA_INCREMENT: {type: integer, required: true, default: 2}", 'REPLICA_INCREMENT: {type: integer, required: true, default: 2}\n  - workflow_id: add-memory\n    version: 1.0.0\n    description: "OOMKilled critical: raise"\n    labels: {kubernaut.io/signal-type: OOMKilled, kubernaut.io/severity: critical, kubernaut.io/environment: production, kubernaut.io/priority: P0, kubernaut.io/risk-tolerance: low, kubernaut.io/business-category: revenue-critical}\n    parameters: {NAMESPACE: {type: string, required: true, description: Namespace of the deployment}, DEPLOYMENT_NAME: {type: string, required: true, description: Name of the deployment}, MEMORY_INCREMENT_MB: {type: integer, required: true, default: 256, minimum: 64, maximum: 4096}, RESTART_MODE: {type: string, enum: [rolling, none]}, WINDOW: {type: string, pattern: "^[0-9]+m$", depends_on: [RESTART_MODE]}}', "SCN-1", f"{INCIDENT} accepted:", "ranks add-memory first, and its parameters are the same"),
    Planted("a failed workflow accepted", RECOVERY, "  retry_with_changed_parameters: true\n", "", "SCN-1", "accepted:", "'raise-memory-limit' has failed"),
    Planted("a retry of nothing", INCIDENT, "  symptom: HighRequestLatency", "  retry_with_changed_parameters: true\n  symptom: HighRequestLatency", "SCN-1", "retry_with_changed_parameters", "there is nothing to retry"),
    Planted("a retry with the failed values", RECOVERY, "MEMORY_INCREMENT_MB: [512, 1024]", "MEMORY_INCREMENT_MB: [64]", "SCN-1", "parameters: {NAMESPACE: [live-shop], DEPLOYMENT_NAME: [till-service], MEMORY_INCREMENT_MB: [64]", "expect a value that it was not run with"),
    Planted("a failed workflow out of reach", RECOVERY, "catalog: {base: catalogs/tiny}", "catalog: {base: catalogs/tiny, changes: [{patch: add-replicas, with: {status: disabled}}]}", "SCN-1", "workflow_id: add-replicas", "no accepted search finds 'add-replicas'"),
    Planted("a parameter of nobody", INCIDENT, NAMES, NAMES.replace("NAMESPACE:", "NAMSPACE:"), "SCN-1", "NAMSPACE", "did you mean 'NAMESPACE'"),
    Planted("a value below the minimum", RECOVERY, "MEMORY_INCREMENT_MB: [512, 1024]", "MEMORY_INCREMENT_MB: [512, 8]", "SCN-1", "MEMORY_INCREMENT_MB: [512, 8]", "MEMORY_INCREMENT_MB[1]: found 8; the minimum is 64"),
    Planted("a value of another type", RECOVERY, "MEMORY_INCREMENT_MB: [512, 1024]", "MEMORY_INCREMENT_MB: ['512']", "SCN-1", "MEMORY_INCREMENT_MB: ['512']", "its type is integer"),
    Planted("a required parameter without value", INCIDENT, NAMES, "parameters: {NAMESPACE: [live-shop]}", "SCN-1", "parameters: {NAMESPACE", "raise-memory-limit requires DEPLOYMENT_NAME"),
    Planted("a parameter without what it needs", INCIDENT, NAMES, NAMES + "\n  example_parameters: {WINDOW: 5m}", "SCN-1", NAMES, "depends on RESTART_MODE"),
    # pairs
    Planted("a pair that changes nothing of its relation", PAIRED, "relation: MET-3", "relation: MET-1", "SCN-1", "relation: MET-1", "change business.priority"),
    Planted("a remedy that is still there", PAIRED, "relation: MET-3", "relation: MET-5", "SCN-1", "relation: MET-5", "'raise-memory-limit' is still in the catalog"),
    Planted("a fault of a pair alone", PAIRED, "    rename:", "    impact: {users_affected: 10}\n    rename:", "SCN-1", "impact:", "users_affected: found 10, the border"),
    Planted("a world change of a pair", PAIRED, "    rename:", "    world: {changes: [{remove: pod/gone -n live-shop}]}\n    rename:", "SCN-1", "remove: pod/gone", "world.changes[2].remove: found"),
    # the catalog
    Planted("a label in snake case", CATALOG, "kubernaut.io/risk-tolerance: [low, medium]", "kubernaut.io/risk_tolerance: [low, medium]", "CAT-2", "risk_tolerance", "did you mean 'kubernaut.io/risk-tolerance'"),
    Planted("a label that is missing", CATALOG, "      kubernaut.io/priority: [P0, P1]\n", "", "CAT-2", "labels:", "no label kubernaut.io/priority", "warning"),
    Planted("a label value of nobody", CATALOG, "kubernaut.io/signal-type: OOMKilled", "kubernaut.io/signal-type: OomKilled", "CAT-2", "OomKilled", "found 'OomKilled'"),
    Planted("a description without its two words", CATALOG, "OOMKilled critical: raise the memory limit of a deployment step by step", "Raise the memory limit of a deployment step by step", "CAT-2", "Raise the memory", "begin with `<signal_type> <severity>: `"),
    Planted("a description of another level", CATALOG, "OOMKilled critical: raise the memory limit of a deployment step by step", "OOMKilled low: raise the memory limit of a deployment step by step", "CAT-2", "OOMKilled low", "its severity labels are critical, high"),
    Planted("two latest versions", CATALOG, "    is_latest_version: false\n", "", "CAT-1", "- workflow_id: raise-memory-limit\n    version: 1.3.0", "1.4.0 is the latest version too"),
    Planted("no latest version", CATALOG, "    version: 1.4.0\n", "    version: 1.4.0\n    is_latest_version: false\n", "CAT-1", "is_latest_version: false", "no version is the latest"),
    Planted("a version twice", CATALOG, "version: 1.3.0", "version: 1.4.0", "CAT-1", "version: 1.4.0\n    is_latest", "this version stands twice"),
    Planted("a pattern that is none", CATALOG, 'pattern: "^[0-9]+m$"', 'pattern: "^[0-9+m$"', "PAR-2", "^[0-9+m$", "is no regular expression"),
    Planted("a default above the maximum", CATALOG, "default: 256, minimum: 64, maximum: 4096", "default: 256, minimum: 64, maximum: 128", "PAR-2", "maximum: 128", "default: found 256; the maximum is 128"),
    Planted("an enum of another type", CATALOG, "enum: [rolling, none]", "enum: [rolling, 1]", "PAR-2", "enum: [rolling, 1]", "enum: found 1; its type is string"),
    Planted("a dependency on nobody", CATALOG, "depends_on: [RESTART_MODE]", "depends_on: [RESTART]", "PAR-2", "depends_on: [RESTART]", "no parameter 'RESTART'"),
    Planted("bounds that leave nothing", CATALOG, "minimum: 64, maximum: 4096", "minimum: 9000, maximum: 4096", "PAR-2", "minimum: 9000", "9000 is above the maximum 4096"),
    Planted("a bound on a text", CATALOG, "RESTART_MODE: {type: string,", "RESTART_MODE: {type: string, minimum: 1,", "PAR-2", "minimum: 1,", "a string takes none"),
    Planted("a declared secret", CATALOG, "RESTART_MODE: {type: string,", "API_TOKEN: {type: string}\n      RESTART_MODE: {type: string,", "PAR-4", "API_TOKEN", "looks like a secret", "warning"),
    Planted("an entry of no shape", CATALOG, "version: 2.0.1", "version: 2", "CAT-2", "version: 2", "input should be a valid string"),
    Planted("an entry that a scenario adds", INCIDENT, "catalog: {base: catalogs/tiny}", "catalog:\n  base: catalogs/tiny\n  changes:\n    - add:\n        workflow_id: other\n        version: 1.0.0\n        description: does much\n        labels: {kubernaut.io/signal-type: OOMKilled}", "CAT-2", "description: does much", "other 1.0.0: description: found 'does much'"),
]  # fmt: skip


@pytest.fixture
def copy(project: Project, tmp_path: Path) -> Project:
    shutil.copytree(project.root, tmp_path / "project")
    return Project(tmp_path / "project")


def plant(copy: Project, planted: Planted) -> tuple[str, int]:
    """Put a fault into a copy; return the file and line where it is to be found."""
    put_in(copy.scenarios / f"{planted.file}.yaml", planted)
    name, _, wanted = (
        planted.line.rpartition(" ") if planted.line.startswith(INCIDENT) else ("", "", planted.line)
    )
    shown = copy.scenarios / f"{name or planted.file}.yaml"
    return str(shown), line_of(shown, wanted)


def found_in(project: Project) -> list[LintFinding]:
    return lint_project(project)[0]


@pytest.mark.parametrize("planted", PLANTED, ids=[each.name for each in PLANTED])
def test_a_planted_fault_is_found_at_its_line(copy: Project, planted: Planted) -> None:
    before = found_in(copy)
    file, line = plant(copy, planted)

    new = [each for each in found_in(copy) if each not in before]

    assert_found(planted, file, line, new)


def test_the_small_project_is_clean(project: Project) -> None:
    assert [str(each) for each in found_in(project)] == []


def test_the_suite_has_no_errors() -> None:
    found, scenarios = lint_project(Project(CHECKOUT))

    assert [str(each) for each in found if each.level == "error"] == []
    assert len(scenarios) >= 14


def test_one_broken_file_hides_no_fault_of_another(copy: Project) -> None:
    for planted in PLANTED[:2] + [each for each in PLANTED if each.name == "a failed workflow accepted"]:
        if planted.file == INCIDENT and planted is not PLANTED[0]:
            continue
        plant(copy, planted)

    found = found_in(copy)

    assert any("not YAML" in each.message for each in found)
    assert any("'raise-memory-limit' has failed" in each.message for each in found)


def test_a_broken_base_catalog_is_reported_once(copy: Project) -> None:
    plant(copy, next(each for each in PLANTED if each.name == "an entry of no shape"))

    assert [each.clause for each in found_in(copy)] == ["CAT-2"]


def test_a_fault_that_a_pair_inherits_is_reported_once(copy: Project) -> None:
    plant(copy, next(each for each in PLANTED if each.name == "a symptom that is the cause"))

    assert [Path(each.file).name for each in found_in(copy)] == ["oom-behind-latency.yaml"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("incident/oom.yaml", "found the file name 'oom'"),
        ("incident/OOM_behind-latency.yaml", "in kebab-case"),
        ("incident/oom-behind-latency.yml", "name it .yaml"),
        ("incidents/oom-behind-latency.yaml", "is not read; the folders are incident, recovery"),
        ("recovery/oom-behind-latency.yaml", "found 'incident' in the folder recovery/"),
    ],
)
def test_a_file_in_the_wrong_place_is_found(copy: Project, name: str, message: str) -> None:
    target = copy.scenarios / name
    target.parent.mkdir(exist_ok=True)
    (copy.scenarios / f"{PAIRED}.yaml").unlink()
    (copy.scenarios / f"{INCIDENT}.yaml").rename(target)

    found = found_in(copy)

    assert [each.file for each in found if message in each.message] == [str(target)]


def test_results_that_hide_or_add_fields_are_found(project: Project) -> None:
    contract = load_contract("workflow-selection-2.7")
    tool = contract.catalog_tool
    assert tool
    scenarios = lint_project(project)[1]
    entries = scenarios[0].scenario.catalog
    assert list(results_exact(CONTRACTS, entries)) == []
    renamed = replace(contract, result=ResultShape("workflows", {"id": "flow_id", "version": "version"}))

    found = list(results_exact([renamed], entries))

    assert [(each.clause, each.message) for each in found] == [
        (
            "CAT-3",
            f"{contract.id}: the description of {tool.name} does not name the field 'flow_id' of its results",
        )
    ]
    assert found[0].file.endswith("workflow_selection_2_7.py")
    line = Path(found[0].file).read_text(encoding="utf-8").splitlines()[found[0].line - 1]
    assert "result=ResultShape" in line

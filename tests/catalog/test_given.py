"""Lists that stand in a prompt: what is kept out, how entries are scored, in which order they stand."""

from dataclasses import replace
from typing import Any

import pytest

from harness.catalog import given_list
from harness.catalog.given import screening
from harness.contracts import load_contract
from harness.model import Contract, Entry, Scenario
from harness.model.scenario import World

S, M = load_contract("playbook-strategies-2.0"), load_contract("playbook-minimal-1.0")


def shown(contract: Contract, scenario: Scenario) -> list[str]:
    found = given_list(contract, scenario)
    assert found is not None
    return [hit.id for hit in found.hits]


def changed(scenario: Scenario, workflow_id: str, **facts: Any) -> Scenario:
    """Return the scenario with facts of one entry changed; a label is named without its prefix."""
    labels = {f"kubernaut.io/{name}": value for name, value in facts.pop("labels", {}).items()}

    def edited(entry: Entry) -> Entry:
        if entry.workflow_id != workflow_id:
            return entry
        return entry.model_copy(update={**facts, "labels": {**entry.labels, **labels}})

    return scenario.model_copy(update={"catalog": [edited(each) for each in scenario.catalog]})


def test_a_contract_with_a_search_gives_no_list(incident: Scenario) -> None:
    assert given_list(load_contract("playbook-selection-2.0"), incident) is None


@pytest.mark.parametrize("contract", [S, M], ids=lambda each: each.id)
def test_only_the_latest_active_versions_are_listed(incident: Scenario, contract: Contract) -> None:
    found = given_list(contract, incident)
    retired = changed(incident, "add-replicas", status="deprecated")

    assert found is not None
    assert {(hit.id, hit.version) for hit in found.hits} == {
        ("raise-memory-limit", "1.4.0"), ("add-replicas", "2.0.1"),
    }  # fmt: skip
    assert shown(contract, retired) == ["raise-memory-limit"]


@pytest.mark.parametrize("contract", [S, M], ids=lambda each: each.id)
@pytest.mark.parametrize("label", ["environment", "priority", "risk-tolerance", "business-category"])
def test_every_business_field_filters(incident: Scenario, contract: Contract, label: str) -> None:
    other = changed(incident, "add-replicas", labels={label: "something-else"})

    assert shown(contract, other) == ["raise-memory-limit"]


KEPT_OUT: list[tuple[str, dict[str, Any]]] = [
    ("another signal type", {"labels": {"signal-type": "Evicted"}}),
    ("another type of incident", {"labels": {"incident-type": "Evicted"}}),
    ("a high risk in production", {"labels": {"risk-level": "high"}}),
    ("a node that is not there", {"prerequisites": {"kubernetes.io/arch": "s390x"}}),
]


@pytest.mark.parametrize("facts", [each[1] for each in KEPT_OUT], ids=[each[0] for each in KEPT_OUT])
def test_a_screened_list_leaves_out_what_does_not_suit(incident: Scenario, facts: dict[str, Any]) -> None:
    other = changed(incident, "add-replicas", **facts)

    assert shown(M, other) == ["raise-memory-limit"]
    assert shown(S, other) == ["add-replicas", "raise-memory-limit"]


def test_outside_production_a_high_risk_is_listed(incident: Scenario) -> None:
    labels = {"risk-level": "high", "environment": "staging"}
    business = incident.business.model_copy(update={"environment": "staging"})
    staging = changed(incident, "add-replicas", labels=labels).model_copy(update={"business": business})

    assert shown(M, staging) == ["add-replicas"]


def test_a_tolerance_for_risk_changes_nothing_in_production(incident: Scenario) -> None:
    business = incident.business.model_copy(update={"risk_tolerance": "medium"})
    bold = changed(incident, "add-replicas", labels={"risk-level": "high"}).model_copy(
        update={"business": business}
    )

    assert shown(M, bold) == ["raise-memory-limit"]


def test_an_entry_may_name_types_of_incident_beside_its_signal_types(incident: Scenario) -> None:
    both = changed(
        incident, "add-replicas", labels={"signal-type": "Evicted", "incident-type": ["OOMKilled"]}
    )

    assert "add-replicas" in shown(M, both)
    assert M.given is not None
    assert all(screening(M.given, both, each).incident_type for each in both.catalog)


def test_no_world_is_built_for_what_other_filters_keep_out(incident: Scenario) -> None:
    asked: list[str] = []

    def build() -> World:
        asked.append(incident.id)
        return incident.world

    def listed(**facts: Any) -> list[str]:
        edited = changed(incident, "add-replicas", prerequisites={"kubernetes.io/arch": "s390x"}, **facts)
        unbuilt = edited.model_copy(update={"build": build})
        vars(unbuilt).pop("world", None)
        return shown(M, unbuilt)

    assert "add-replicas" not in listed(labels={"environment": "elsewhere"})
    assert asked == []
    assert "add-replicas" not in listed()
    assert asked == [incident.id]


def test_confidence_is_half_semantic_and_half_labels(incident: Scenario) -> None:
    stated = incident.model_copy(update={"similarity": {"add-replicas": 0.8, "raise-memory-limit": 0.4}})
    found = given_list(M, stated)

    assert found is not None
    assert [(hit.id, hit.confidence) for hit in found.hits] == [
        ("add-replicas", 0.9), ("raise-memory-limit", 0.7),
    ]  # fmt: skip


def test_below_the_threshold_nothing_is_listed(incident: Scenario) -> None:
    stated = incident.model_copy(update={"similarity": {"add-replicas": 0.38}})

    assert shown(M, stated) == ["raise-memory-limit"]


def test_without_a_stated_similarity_words_in_common_count(incident: Scenario) -> None:
    found = given_list(M, incident)

    assert found is not None
    scores = [hit.confidence or 0 for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0.8 <= each <= 1 for each in scores)


def test_the_limit_cuts_the_list_and_not_its_count(incident: Scenario) -> None:
    assert M.given is not None
    short = replace(M, given=replace(M.given, max_results=1))
    found = given_list(short, incident)

    assert found is not None
    assert (len(found.hits), found.total) == (1, 2)


def test_a_turned_pair_shows_the_worst_first(incident: Scenario) -> None:
    turned = incident.model_copy(update={"hits_reversed": True})

    assert shown(M, turned) == shown(M, incident)[::-1]

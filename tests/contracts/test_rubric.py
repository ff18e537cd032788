"""The severity rubric: each factor by itself, all of them together, and the edges between levels."""

from typing import Any

import pytest

from harness.contracts.rubric import admissible, edges
from harness.model.scenario import Impact

C, H, M, L = "critical", "high", "medium", "low"

USER_IMPACT: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    ({"users_affected": 100.0}, (C,)),
    ({"users_affected": 50.1}, (C,)),
    ({"users_affected": 49.9}, (H,)),
    ({"users_affected": 10.1}, (H,)),
    ({"users_affected": 9.9}, (M,)),
    ({"users_affected": 0.1}, (M,)),
    ({"users_affected": 0.0}, (M, L)),
    ({"error_rate": 100.0}, (C,)),
    ({"error_rate": 60.0}, (C, H)),
    ({"error_rate": 50.0}, (H,)),
    ({"error_rate": 10.1}, (H,)),
    ({"error_rate": 9.9}, (M,)),
    ({"error_rate": 1.1}, (M,)),
    ({"error_rate": 0.5}, (M, L)),
    ({"error_rate": 0.0}, (M, L)),
    ({"service": "down"}, (C,)),
    ({"service": "degraded"}, (H, M)),
    ({"service": "working"}, (M, L)),
    ({"workaround": True}, (M,)),
    ({"service": "degraded", "workaround": True}, (M,)),
    ({"service": "down", "workaround": True}, (C, H, M)),
    ({"users_affected": 30.0, "workaround": True}, (H, M)),
    ({"users_affected": 5.0, "workaround": True}, (M,)),
    ({"users_affected": 5.0, "error_rate": 20.0}, (H,)),
    ({"users_affected": 20.0, "error_rate": 3.0}, (H,)),
    ({"users_affected": 20.0, "service": "down"}, (H,)),
    ({"users_affected": 0.0, "service": "degraded"}, (M, L)),
]

ENVIRONMENT: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    ("production", {"users_affected": 30.0}, (C, H)),
    ("production", {"users_affected": 5.0}, (H, M)),
    ("production", {"users_affected": 100.0}, (C,)),
    ("production", {"users_affected": 0.0}, (M, L)),
    ("production", {"service": "degraded"}, (H, M)),
    ("production", {"service": "down"}, (C,)),
    ("production", {"users_affected": 8.0, "service": "down"}, (C, H, M)),
    ("staging", {"users_affected": 30.0}, (H, M)),
    ("staging", {"service": "down"}, (C, H, M)),
    ("staging", {"users_affected": 5.0}, (M,)),
    ("staging", {"users_affected": 0.0, "service": "down"}, (M, L)),
    ("development", {"users_affected": 100.0}, (H, M)),
    ("development", {"users_affected": 30.0}, (M, L)),
    ("development", {"users_affected": 5.0}, (L,)),
    ("test", {"users_affected": 0.0}, (L,)),
    ("unknown", {"users_affected": 30.0}, (H,)),
    ("Production", {"users_affected": 30.0}, (H,)),
]

LATER_FACTORS: list[tuple[str | None, dict[str, Any], tuple[str, ...]]] = [
    (None, {"revenue_loss": True}, (C,)),
    ("production", {"users_affected": 5.0, "revenue_loss": True}, (C,)),
    (None, {"sla": "violated"}, (C, H)),
    ("production", {"users_affected": 5.0, "sla": "violated"}, (C, H)),
    ("production", {"users_affected": 70.0, "sla": "violated"}, (C,)),
    (None, {"sla": "at_risk"}, (H,)),
    ("production", {"users_affected": 30.0, "sla": "at_risk"}, (C, H)),
    (None, {"sla": "at_risk", "workaround": True}, (H, M)),
    (None, {"sla": "kept"}, (L,)),
    (None, {"revenue_loss": False}, (L,)),
    (None, {"service": "degraded", "sla": "kept"}, (H, M)),
    (None, {"sla": "kept", "data": "at_risk"}, (C, H)),
    (None, {"users_affected": 5.0, "trend": "escalating"}, (H, M)),
    (None, {"users_affected": 5.0, "trend": "improving"}, (M, L)),
    (None, {"users_affected": 5.0, "trend": "stable"}, (M,)),
    (None, {"service": "degraded", "sla": "at_risk", "trend": "escalating"}, (C, H)),
    (None, {"revenue_loss": True, "trend": "improving"}, (C, H)),
    (None, {"data": "lost"}, (C,)),
    ("development", {"users_affected": 0.0, "data": "lost"}, (C,)),
    (None, {"data": "at_risk"}, (C, H)),
    (None, {"users_affected": 5.0, "data": "safe"}, (M,)),
    ("staging", {"users_affected": 70.0, "trend": "improving"}, (C, H, M)),
]

SILENT: list[dict[str, Any]] = [
    {},
    {"trend": "escalating"},
    {"data": "safe"},
    {"workaround": False},
    {"sla": "kept", "trend": "escalating"},
]


def levels(environment: str | None, facts: dict[str, Any]) -> tuple[str, ...] | None:
    assessed = admissible(Impact(**facts), environment)
    return assessed.levels if assessed else None


@pytest.mark.parametrize(("facts", "expected"), USER_IMPACT, ids=str)
def test_user_impact_sets_the_level(facts: dict[str, Any], expected: tuple[str, ...]) -> None:
    assert levels(None, facts) == expected


@pytest.mark.parametrize(("environment", "facts", "expected"), ENVIRONMENT, ids=str)
def test_the_environment_multiplies(
    environment: str, facts: dict[str, Any], expected: tuple[str, ...]
) -> None:
    assert levels(environment, facts) == expected


@pytest.mark.parametrize(("environment", "facts", "expected"), LATER_FACTORS, ids=str)
def test_business_trend_and_data_follow_in_order(
    environment: str | None, facts: dict[str, Any], expected: tuple[str, ...]
) -> None:
    assert levels(environment, facts) == expected


@pytest.mark.parametrize("facts", SILENT, ids=str)
@pytest.mark.parametrize("environment", [None, "production", "development"])
def test_without_a_fact_about_harm_the_rubric_says_nothing(
    environment: str | None, facts: dict[str, Any]
) -> None:
    assert admissible(Impact(**facts), environment) is None


@pytest.mark.parametrize(
    ("facts", "edge", "expected"),
    [
        ({"users_affected": 50.0}, "users_affected 50", (C, H)),
        ({"users_affected": 10.0}, "users_affected 10", (H, M)),
        ({"error_rate": 10.0}, "error_rate 10", (H, M)),
        ({"error_rate": 1.0}, "error_rate 1", (M, L)),
    ],
)
def test_an_edge_admits_both_sides_and_is_named(
    facts: dict[str, Any], edge: str, expected: tuple[str, ...]
) -> None:
    assessed = admissible(Impact(**facts), None)

    assert assessed
    assert assessed.levels == expected
    assert assessed.on_edge == edges(Impact(**facts)) == (edge,)


def test_a_share_inside_a_level_is_on_no_edge() -> None:
    assert edges(Impact(users_affected=10.01, error_rate=50)) == ()


def test_the_assessment_says_which_factor_moved_it() -> None:
    impact = Impact(users_affected=32.4, service="degraded", sla="violated", trend="improving", data="safe")
    assessed = admissible(impact, "production")

    assert assessed
    assert [(each.factor, each.facts, each.levels) for each in assessed.moves] == [
        ("user impact", "users_affected 32.4, service degraded", (H,)),
        ("environment", "production with user impact", (C, H)),
        ("business impact", "sla violated", (C, H)),
        ("escalation", "trend improving", (C, H, M)),
    ]
    assert assessed.levels == (C, H, M)


def test_levels_are_neighbours_and_at_most_three() -> None:
    order = (C, H, M, L)
    for users in (None, 0.0, 5.0, 30.0, 70.0):
        for environment in (None, "production", "staging", "development"):
            for service in (None, "down", "degraded", "working"):
                for trend in (None, "escalating", "improving"):
                    found = levels(environment, {"users_affected": users, "service": service, "trend": trend})
                    if found is not None:
                        start = order.index(found[0])
                        assert found == order[start : start + len(found)]
                        assert 1 <= len(found) <= 3

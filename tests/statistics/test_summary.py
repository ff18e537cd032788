import random
from collections import defaultdict
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.contracts.clauses import CLAUSES, clause
from harness.model.score import Outcome
from harness.statistics import (
    ClauseRow,
    SummaryRow,
    by_clause,
    failures,
    summarise,
    tallied,
    unscored_causes,
    wilson,
)
from harness.store import ScoreRow

W, R = "workflow-selection-2.7", "workflow-recovery-1.0"


def row(
    clause_id: str,
    outcome: str,
    trial: int = 1,
    *,
    target: str = "mock:flaky",
    contract: str = W,
    reason: str = "",
    scenario: str = "incident/oom",
) -> ScoreRow:
    known = clause(clause_id)
    return ScoreRow(
        f"{scenario}@{contract}@{target}#{trial}", scenario, contract, target, trial, f"made.{clause_id}",
        clause_id, known.dimension, known.level, outcome, reason, None, None, "",
    )  # fmt: skip


def counts(rows: list[ScoreRow], dimension: str) -> tuple[int, int, int, int]:
    """Return n, passed, unscored and not_applicable of the only target and contract."""
    found = next(each for each in summarise(tallied(rows)) if each.dimension == dimension)
    return found.n, found.passed, found.unscored, found.not_applicable


class TestSummarise:
    def test_one_sample_counts_once_per_dimension_however_many_clauses_it_has(self) -> None:
        rows = [row("SEV-1", "pass"), row("SEV-2", "pass"), row("CAR-1", "pass")]

        interval = wilson(1, 1)

        assert interval is not None
        assert summarise(tallied(rows)) == [
            SummaryRow("mock:flaky", W, "all", 1, 1, 1.0, *interval, 0, 0),
            SummaryRow("mock:flaky", W, "schema", 1, 1, 1.0, *interval, 0, 0),
            SummaryRow("mock:flaky", W, "severity", 1, 1, 1.0, *interval, 0, 0),
        ]

    @pytest.mark.parametrize(
        ("outcomes", "expected"),
        [
            (("pass", "pass"), (1, 1, 0, 0)),
            (("pass", "fail"), (1, 0, 0, 0)),
            (("fail", "unscored"), (1, 0, 0, 0)),
            (("unscored", "fail"), (1, 0, 0, 0)),
            (("pass", "unscored"), (0, 0, 1, 0)),
            (("not_applicable", "unscored"), (0, 0, 1, 0)),
            (("not_applicable", "pass"), (1, 1, 0, 0)),
            (("not_applicable", "fail"), (1, 0, 0, 0)),
            (("not_applicable", "not_applicable"), (0, 0, 0, 1)),
        ],
    )
    def test_the_worst_clause_decides(
        self, outcomes: tuple[str, str], expected: tuple[int, int, int, int]
    ) -> None:
        rows = [row("SEV-1", outcomes[0]), row("SEV-2", outcomes[1])]

        assert counts(rows, "severity") == expected
        assert counts(rows, "all") == expected

    def test_all_fails_where_any_dimension_does_and_the_others_stand(self) -> None:
        rows = [row("SEV-1", "pass"), row("CAR-1", "fail"), row("PAS-1", "unscored")]

        assert counts(rows, "all") == (1, 0, 0, 0)
        assert counts(rows, "schema") == (1, 0, 0, 0)
        assert counts(rows, "severity") == (1, 1, 0, 0)
        assert counts(rows, "pass_through") == (0, 0, 1, 0)

    def test_a_should_clause_and_a_report_fail_no_sample_and_make_no_dimension(self) -> None:
        rows = [row("SEV-1", "pass"), row("SEV-6", "fail"), row("QRY-6", "fail"), row("CAR-7", "unscored")]

        assert [each.dimension for each in summarise(tallied(rows))] == ["all", "severity"]
        assert counts(rows, "all") == (1, 1, 0, 0)

    def test_no_data_has_no_rate(self) -> None:
        found = summarise(tallied([row("SEV-1", "unscored"), row("SEV-1", "not_applicable", 2)]))

        assert found == [
            SummaryRow("mock:flaky", W, "all", 0, 0, None, None, None, 1, 1),
            SummaryRow("mock:flaky", W, "severity", 0, 0, None, None, None, 1, 1),
        ]

    def test_nothing_summarises_to_nothing(self) -> None:
        assert summarise(tallied([])) == []

    def test_dimensions_come_in_the_order_of_the_clauses_after_all(self) -> None:
        rows = [row(each.id, "pass") for each in reversed(CLAUSES)]

        assert [each.dimension for each in summarise(tallied(rows))] == [
            "all", "schema", "signal_type", "severity", "pass_through", "query", "selection", "parameters",
            "recovery", "non_repetition", "safety", "relation",
        ]  # fmt: skip

    def test_targets_and_contracts_are_counted_apart(self) -> None:
        rows = [
            row("SEV-1", "pass"),
            row("SEV-1", "fail", target="mock:null"),
            row("SEV-1", "unscored", contract=R),
        ]

        found = [each for each in summarise(tallied(rows)) if each.dimension == "all"]

        assert [each[:2] + each[3:5] + each[8:] for each in found] == [
            ("mock:flaky", R, 0, 0, 1, 0),
            ("mock:flaky", W, 1, 1, 0, 0),
            ("mock:null", W, 1, 0, 0, 0),
        ]

    @settings(deadline=None)
    @given(
        st.lists(
            st.tuples(
                st.sampled_from([each.id for each in CLAUSES]),
                st.sampled_from(get_args(Outcome)),
                st.integers(1, 4),
            ),
            max_size=40,
        ),
        st.randoms(use_true_random=False),
    )
    def test_the_rules_of_the_contract_read_word_for_word_give_the_same(
        self, drawn: list[tuple[str, str, int]], shuffle: random.Random
    ) -> None:
        rows = [row(*each) for each in drawn]
        shuffled = list(rows)
        shuffle.shuffle(shuffled)

        assert {
            each.dimension: each[3:5] + each[8:] for each in summarise(tallied(shuffled))
        } == read_literally(rows)


def read_literally(rows: list[ScoreRow]) -> dict[str, tuple[int, int, int, int]]:
    samples: defaultdict[str, defaultdict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for each in rows:
        if each.level == "MUST":
            samples[each.dimension][each.trial].append(each.outcome)
            if each.dimension != "relation":  # compares two samples, so neither is the less compliant
                samples["all"][each.trial].append(each.outcome)
    found: dict[str, tuple[int, int, int, int]] = {}
    for dimension, by_trial in samples.items():
        passed = failed = unscored = not_applicable = 0
        for outcomes in by_trial.values():
            applicable = [each for each in outcomes if each != "not_applicable"]
            if not applicable:
                not_applicable += 1
            elif "fail" in applicable:
                failed += 1
            elif "unscored" in applicable:
                unscored += 1
            else:
                passed += 1
        found[dimension] = (passed + failed, passed, unscored, not_applicable)
    return found


class TestByClause:
    def test_each_clause_counts_its_scores(self) -> None:
        rows = [
            row("SEV-6", "fail"),
            row("SEV-1", "pass"),
            row("SEV-1", "pass", 2),
            row("SEV-1", "fail", 3),
            row("SEV-1", "unscored", 4),
            row("SEV-1", "not_applicable", 5),
            row("CAR-1", "unscored"),
        ]

        assert [each[:7] + each[10:] for each in by_clause(tallied(rows))] == [
            ("mock:flaky", W, "CAR-1", "MUST", "schema", 0, 0, 1, 0),
            ("mock:flaky", W, "SEV-1", "MUST", "severity", 3, 2, 1, 1),
            ("mock:flaky", W, "SEV-6", "SHOULD", "severity", 1, 0, 0, 0),
        ]
        assert by_clause(tallied(rows))[0] == ClauseRow(
            "mock:flaky", W, "CAR-1", "MUST", "schema", 0, 0, None, None, None, 1, 0
        )
        assert by_clause(tallied(rows))[1][7:10] == pytest.approx((2 / 3, 0.20766, 0.93851), abs=1e-5)
        assert by_clause(tallied(rows))[1].failed == 1


class TestFailures:
    def test_must_comes_before_should_hard_clauses_first_then_the_most_samples(self) -> None:
        rows = [
            *(row("QRY-6", "fail", trial) for trial in range(1, 6)),
            *(row("CAR-1", "fail", trial) for trial in range(1, 3)),
            *(row("SEV-2", "fail", trial) for trial in range(1, 5)),
            row("CAR-2", "fail"),
            row("REP-1", "fail"),
            row("SEV-1", "pass"),
            row("SEV-1", "unscored", 2),
            row("SEV-1", "not_applicable", 3),
        ]

        assert [(each.clause, each.hard, each.samples) for each in failures(tallied(rows))] == [
            ("REP-1", True, 1),
            ("SEV-2", False, 4),
            ("CAR-1", False, 2),
            ("CAR-2", False, 1),
            ("QRY-6", False, 5),
        ]

    def test_contracts_are_taken_together_and_targets_apart(self) -> None:
        rows = [
            row("SEV-2", "fail", target="b"),
            row("SEV-2", "fail", target="a"),
            row("SEV-2", "fail", target="a", contract=R),
        ]

        assert [(each.target, each.samples) for each in failures(tallied(rows))] == [("a", 2), ("b", 1)]

    def test_rows_come_by_scenario_and_the_tenth_trial_after_the_second(self) -> None:
        rows = [
            row("SEV-2", "fail", 10),
            row("SEV-2", "fail", 2),
            row("SEV-2", "fail", 1, scenario="incident/zero"),
        ]

        (group,) = failures(tallied(rows))

        assert [each.sample for each in group.rows] == [
            f"incident/oom@{W}@mock:flaky#2",
            f"incident/oom@{W}@mock:flaky#10",
            f"incident/zero@{W}@mock:flaky#1",
        ]


def test_a_relation_is_unscored_for_the_cause_of_the_half_that_is() -> None:
    halves = [f"incident/oom@{W}@openai:http://localhost:1#{trial}: connection: refused" for trial in (1, 2)]
    rows = [row("MET-2", "unscored", trial, reason=each) for trial, each in enumerate(halves, start=1)]

    assert unscored_causes(tallied(rows)) == [("mock:flaky", "connection", 2, 2, halves[0])]


def test_causes_are_the_word_before_the_colon_or_the_whole_reason() -> None:
    rows = [
        row("SEV-1", "unscored", 2, reason="rate_limited: second"),
        row("SEV-1", "unscored", 1, reason="rate_limited: first"),
        row("SEV-2", "unscored", 1, reason="rate_limited: first"),
        row("QRY-1", "unscored", 3, reason="only the answer is known; its tool calls are not"),
        row("SEV-1", "fail", 3, reason="rate_limited: a fail is none"),
        row("SEV-1", "unscored", 4, target="another", reason="Strange: no word"),
    ]

    assert unscored_causes(tallied(rows)) == [
        ("another", "Strange: no word", 1, 1, "Strange: no word"),
        ("mock:flaky", "rate_limited", 2, 3, "rate_limited: first"),
        (
            "mock:flaky",
            "only the answer is known; its tool calls are not",
            1,
            1,
            "only the answer is known; its tool calls are not",
        ),
    ]

from pathlib import Path
from xml.etree.ElementTree import Element, fromstring

import pytest
from junit_schema import check
from made_up import W, all_scores, in_memory, score

from harness.reporting import junit
from harness.reporting.junit import render_junit
from harness.store import Run, ScoreRow

SAMPLE = f"incident/x@{W}@mock:flaky#1"


def document(*runs: Run) -> Element:
    root = fromstring(render_junit(runs))  # noqa: S314 - our own
    check(root)
    return root


def outcome(rows: list[ScoreRow]) -> Element | None:
    (case,) = document(in_memory(rows)).iter("testcase")
    return case[0] if len(case) else None


def test_a_name_that_begins_with_a_space_shows_it() -> None:
    root = document(in_memory([score(f"incident/x@{W}@{name}#1", "SEV-2") for name in (" ", " a", "a")]))

    assert [each.attrib["name"] for each in root] == [
        f"{each}.{W.replace('.', '_')}" for each in (r"\u0020", r"\u0020a", "a")
    ]


def test_every_sample_is_a_case_of_its_target_and_contract() -> None:
    root = document(in_memory(all_scores()))

    told = [
        [each.attrib[name] for name in ("name", "tests", "failures", "errors", "skipped")] for each in root
    ]
    assert told == [
        ["mock:oracle.workflow-selection-2_7", "4", "0", "0", "0"],
        ["mock:oracle.workflow-recovery-1_0", "1", "0", "0", "0"],
        ["mock:flaky.workflow-selection-2_7", "4", "3", "1", "0"],
        ["mock:flaky.workflow-recovery-1_0", "1", "1", "0", "0"],
    ]
    assert [each.attrib["timestamp"] for each in root] == ["2026-03-02T10:15:00"] * 4
    assert root[2][1].attrib["name"] == "incident/crashloop-bad-config #1"


@pytest.mark.parametrize(
    ("status", "rows", "what"),
    [
        ("interrupted", all_scores(), "the run is interrupted: not every planned sample is on disk"),
        ("incomplete", [], "the run is incomplete: not every planned sample is on disk"),
        ("complete", [], "no sample was graded"),
    ],
)
def test_a_run_that_lacks_samples_is_never_all_green(status: str, rows: list[ScoreRow], what: str) -> None:
    run = in_memory(rows, status=status)

    (error,) = (each for each in document(run)[-1].iter("error"))

    assert error.attrib["message"] == what
    assert document(run)[-1].attrib["errors"] == "1"


def test_properties_have_the_rates_of_the_suite() -> None:
    suite = document(in_memory(all_scores()))[2]

    told = {each.attrib["name"]: each.attrib["value"] for each in suite[0]}
    assert told["contract"] == W
    assert told["run"] == "20260302T101500-3f9c"
    assert (told["all.n"], told["all.unscored"], told["all.rate"]) == ("3", "1", "0.000000")
    assert (told["severity.low"], told["severity.high"]) == ("0.061492", "0.792340")


def test_a_failure_lists_every_broken_must_clause() -> None:
    found = outcome(
        [
            score(SAMPLE, "CAR-1"),
            score(SAMPLE, "SEV-2", "fail", reason="1 level too mild", place="/rca_severity",
                  expected=["critical"], observed="high"),
            score(SAMPLE, "REP-1", "fail", reason="again"),
            score(SAMPLE, "QRY-4b", "fail", reason="reads like a sentence"),
            score(SAMPLE, "PAS-1", "unscored", reason="not known"),
        ]
    )  # fmt: skip

    assert found is not None
    assert (found.tag, found.attrib["type"]) == ("failure", "SEV-2")
    assert found.attrib["message"] == "SEV-2: 1 level too mild (and 1 clause more)"
    assert found.text == (
        "SEV-2 (severity)\n  reason: 1 level too mild\n  place: /rca_severity\n"
        '  expected: ["critical"]\n  observed: "high"\n\n'
        "REP-1 (hard non_repetition)\n  reason: again\n  observed: null\n\n"
        "beside it unscored: 1 clause"
    )


@pytest.mark.parametrize(
    ("reason", "tag"),
    [
        ("rate_limited: HTTP 429 after 5 attempts", "error"),
        ("truncated: the answer was cut by the token limit", "skipped"),
        ("the workflow's parameter definitions are not known", "skipped"),
    ],
)
def test_unscored_is_never_a_failure(reason: str, tag: str) -> None:
    found = outcome([score(SAMPLE, "CAR-1"), score(SAMPLE, "SEV-2", "unscored", reason=reason)])

    assert found is not None
    assert (found.tag, found.attrib["type"], found.attrib["message"]) == (tag, "unscored", reason)


def test_a_should_clause_fails_nothing() -> None:
    assert outcome([score(SAMPLE, "CAR-1"), score(SAMPLE, "QRY-4b", "fail", reason="long")]) is None


def test_where_no_must_clause_applies_the_case_is_skipped() -> None:
    found = outcome([score(SAMPLE, "SEV-2", "not_applicable")])

    assert found is not None
    assert (found.tag, found.attrib["type"]) == ("skipped", "not_applicable")


def test_a_pair_is_a_case_of_its_own_and_fails_no_sample() -> None:
    root = document(in_memory([score(SAMPLE, "CAR-1"), score(SAMPLE, "MET-1", "fail", reason="differs")]))

    cases = {each.attrib["name"]: [inner.tag for inner in each] for each in root.iter("testcase")}
    assert cases == {"incident/x #1": [], "incident/x #1 (pair)": ["failure"]}


def test_several_runs_and_targets_alike_but_for_a_dot_have_names_of_their_own() -> None:
    rows = [score(f"incident/x@{W}@{name}#1", "CAR-1") for name in ("m.1", "m_1")]
    first, second = in_memory(rows), in_memory(rows, id="second")

    names = [each.attrib["name"] for each in document(first, second)]

    assert names == [
        "20260302T101500-3f9c.m_1.workflow-selection-2_7",
        "20260302T101500-3f9c.m_1.workflow-selection-2_7 (2)",
        "second.m_1.workflow-selection-2_7",
        "second.m_1.workflow-selection-2_7 (2)",
    ]


def test_details_stop_where_the_file_would_be_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(junit, "MAX_DETAILS", 300)
    rows = [
        score(f"incident/x@{W}@mock:flaky#{trial}", "SEV-2", "fail", reason="r" * 200) for trial in (1, 2)
    ]

    first, second = document(in_memory(rows)).iter("failure")

    assert "r" * 200 in (first.text or "")
    assert second.text == "details left out for size; `harness show` has them"
    assert second.attrib["message"].endswith("r" * 200)


def test_the_file_says_in_which_encoding_it_is(tmp_path: Path) -> None:
    file = tmp_path / "junit.xml"
    file.write_bytes(render_junit([in_memory([score(SAMPLE, "CAR-1", "fail", reason="größer")])]))

    assert file.read_text(encoding="utf-8").startswith("<?xml version='1.0' encoding='utf-8'?>")
    assert "größer" in file.read_text(encoding="utf-8")

"""Thirty nights of three models in which much happens, and one thing that nobody announced."""

from html import escape

import pytest
from markdown_it import MarkdownIt
from simulated_nights import Model, Suite, day, month

from harness.nightly import Judged, Terms, judge
from harness.nightly.drifting import Drift
from harness.nightly.judging import ALARMS
from harness.nightly.regressing import Regression
from harness.nightly.telling import as_json, night_as_json, page, reason

DRIFT_ON = 19
NIGHTS_TO_FIND_IT = 5

STEADY = Model("steady", outages=frozenset({8, 9}))
ALIAS = Model("alias", drop={DRIFT_ON: 0.10}, outages=frozenset({12}))
TUNED = Model("tuned", prompt_from=15)
SUITE = Suite(scenarios_from=11, grader_from=27, grader_drop=0.08)

History = dict[str, list[Judged]]


@pytest.fixture(scope="module")
def nights() -> History:
    return judge(month([STEADY, ALIAS, TUNED], seed=1, suite=SUITE), Terms())


def alarms(nights: History) -> list[Judged]:
    return [each for found in nights.values() for each in found if each.status in ALARMS]


def test_the_planted_drift_is_the_only_alarm_and_names_the_night_on_which_it_came(nights: History) -> None:
    (alarm,) = alarms(nights)

    assert alarm.night.target == "alias"
    assert day(DRIFT_ON) <= alarm.night.date < day(DRIFT_ON + NIGHTS_TO_FIND_IT)
    assert isinstance(alarm.alarm, Drift)
    assert alarm.alarm.since == day(DRIFT_ON)
    assert alarm.alarm.was - alarm.alarm.now == pytest.approx(0.1, abs=0.05)
    assert "drift of an unchanged model" in reason(alarm)
    assert "alias-2026" in reason(alarm)


@pytest.mark.parametrize("seed", range(2, 12))
def test_other_months_find_it_too_and_raise_no_false_alarm(seed: int) -> None:
    found = alarms(judge(month([STEADY, ALIAS, TUNED], seed=seed, suite=SUITE), Terms()))

    assert [each.night.target for each in found] == ["alias"]
    assert day(DRIFT_ON) <= found[0].night.date < day(DRIFT_ON + 8)


def test_a_night_is_judged_by_no_later_one(nights: History) -> None:
    lines = month([STEADY, ALIAS, TUNED], seed=1, suite=SUITE)
    until = judge([each for each in lines if each.date <= day(20)], Terms())

    assert {target: found[:20] for target, found in nights.items()} == until


def test_an_outage_is_no_data_and_neither_an_alarm_nor_zero(nights: History) -> None:
    for night in (8, 9):
        judged = nights["steady"][night - 1]
        assert (judged.status, judged.night.rate, judged.watched) == ("no data", None, None)
        assert night_as_json(judged)["compliant"]["rate"] is None
        assert "180 rate_limited" in reason(judged)
    after = nights["steady"][9]
    assert (after.status, after.changes) == ("as ever", ())


def test_changes_are_explained_and_restart_what_they_concern(nights: History) -> None:
    kinds = {
        (target, night): [each.kind for each in found[night - 1].changes]
        for target, found in nights.items()
        for night in range(2, 31)
        if found[night - 1].changes
    }

    assert kinds == {
        **{(target, 11): ["scenario"] for target in nights},
        **{(target, 27): ["grader"] for target in nights},
        ("tuned", 15): ["prompt"],
    }
    assert "SEV-2 1 → 2" in reason(nights["steady"][26])
    assert "of 60 of 60 scenarios" in reason(nights["tuned"][14])
    watched = [nights["steady"][at].watched for at in (25, 26)]
    assert [each.nights for each in watched if each] == [23, 0]
    # Twenty-five of the canary's thirty scenarios were asked before: the nights before go on counting.
    edited = nights["steady"][10].watched
    assert edited is not None
    assert edited.nights == 8


def test_the_band_comes_from_nights_in_which_nothing_was_otherwise(nights: History) -> None:
    assert nights["tuned"][2].band is None
    before, changed, later = (nights["tuned"][at].band for at in (13, 14, 29))

    assert before is not None
    assert (before.nights, changed) == (3, None)
    assert later is not None
    assert later.nights == 3
    assert before.low < before.mean < before.high


def test_the_page_tells_the_alarm_the_outages_and_the_causes(nights: History) -> None:
    text = page(nights, Terms(), 14)

    assert "# Nights until 2026-11-30" in text
    assert f"since {day(DRIFT_ON)}" in text
    assert text.count("\n| 2026-") == 14
    assert f"- {day(15)}" not in text
    assert f"- {day(27)} `steady`: grader (SEV-2 1 → 2)" in text
    assert "no data" in page(nights, Terms(), 30)
    assert "·" in page(nights, Terms(), 30)
    assert len(as_json(nights, 14)["targets"]["alias"]) == 14


def test_names_that_providers_make_up_stay_text_on_the_page() -> None:
    lines = month([STEADY], seed=1, nights=2)
    hostile = [
        each.model_copy(update={"reported": ["[x](http://e) <b> | `"]}) if each.date == day(2) else each
        for each in lines
    ]
    text = page(judge(hostile, Terms()), Terms(), 30)

    assert "[x](" not in text.replace("\\[", "")
    assert "<b>" not in text


@pytest.mark.parametrize(
    "name", ["\\[x](http://e.example)", "\\*x\\*", "https://e.example", "www.e.example", "&lt;b>", "~~x~~"]
)
def test_a_name_that_undoes_an_escape_is_a_text_all_the_same(name: str) -> None:
    lines = month([STEADY], seed=1, nights=2)
    hostile = [
        each.model_copy(update={"reported": [name]}) if each.date == day(2) else each for each in lines
    ]
    text = page(judge(hostile, Terms()), Terms(), 30)

    # What GitHub makes an address of is none in the text itself: this renderer links nothing by itself.
    assert not any(each in text for each in ("://", "www."))
    shown = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)
    (line,) = (each for each in shown.splitlines() if each.startswith(f"<li>{day(2)}"))
    assert f"replied as {escape(name, quote=False)}, before as" in line


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (Model("worse", drop={15: 0.15}, prompt_from=15), "prompt"),
        (Model("worse", drop={15: 0.15}, reported_from=15), "provider"),
    ],
)
def test_a_fall_that_comes_with_a_change_is_a_regression_because_of_it(model: Model, name: str) -> None:
    (alarm, *more) = alarms(judge(month([model], seed=3), Terms()))

    assert not more
    assert isinstance(alarm.alarm, Regression)
    assert day(15) <= alarm.night.date <= day(17)
    assert (alarm.alarm.since, [each.kind for each in alarm.alarm.because]) == (day(15), [name])
    assert f"changed because: {name}" in reason(alarm)


def test_a_grader_that_judges_harder_is_no_regression() -> None:
    judged = judge(month([STEADY], seed=4, suite=Suite(grader_from=15, grader_drop=0.3)), Terms())

    assert not alarms(judged)
    assert judged["steady"][14].status == "changed"


def test_falls_below_the_margin_are_not_told_and_an_alarm_is_told_once() -> None:
    lines = month([Model("alias", drop={10: 0.2})], seed=5)

    assert len(alarms(judge(lines, Terms()))) == 1
    assert not alarms(judge(lines, Terms(margin=0.4)))


def test_the_second_fall_is_found_from_the_new_normal() -> None:
    found = alarms(judge(month([Model("alias", drop={10: 0.2, 22: 0.2})], seed=6), Terms()))

    assert [each.alarm.since for each in found if each.alarm] == [day(10), day(22)]


def test_alpha_is_shared_by_the_targets_there_are() -> None:
    one = judge(month([STEADY], seed=1), Terms())["steady"][5].watched
    three = judge(month([STEADY, ALIAS, TUNED], seed=1), Terms())["steady"][5].watched

    assert one is not None
    assert three is not None
    assert (one.limit, three.limit) == (pytest.approx(600), pytest.approx(1800))

from dataclasses import replace

from test_summary import row

from harness.statistics import SEVERITY, confusions, tallied
from harness.statistics.confusion import severity_distance
from harness.store import ScoreRow


def wrong(expected: list[str], observed: str, trial: int) -> ScoreRow:
    return replace(row(SEVERITY, "fail", trial), expected=expected, observed=observed)


def test_levels_are_counted_by_distance_and_direction() -> None:
    rows = [
        row(SEVERITY, "pass", 1),
        wrong(["critical"], "medium", 2),
        wrong(["critical"], "medium", 3),
        wrong(["high", "medium"], "critical", 4),
        wrong(["low"], "urgent", 5),
        row(SEVERITY, "unscored", 6),
    ]

    (found,) = confusions(tallied(rows), SEVERITY)

    assert (found.n, found.right, found.count(1), found.count(-1)) == (5, 1, 2, 1)
    assert found.mean_distance == (2 * 2 + 1) / 4
    assert [(each.expected, each.observed, each.distance, each.samples) for each in found.mistaken] == [
        (("critical",), "medium", 2, 2),
        (("high", "medium"), "critical", -1, 1),
        (("low",), "urgent", None, 1),
    ]


def test_the_nearest_accepted_level_counts() -> None:
    assert severity_distance("low", ["critical", "high"]) == 2
    assert severity_distance("critical", ["low"]) == -3
    assert severity_distance("high", ["high"]) == 0
    assert severity_distance("High", ["high"]) is None

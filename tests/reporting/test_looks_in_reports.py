"""report.md of a run that was recorded until it was decided."""

from made_up import all_scores, in_memory

from harness.reporting.markdown import render_markdown
from harness.reporting.overview import overview
from harness.store.deciding import Deciding, Look, LookedAt


def looked(wave: int, outcome: str, *fallen: str, hard: tuple[str, ...] = ()) -> Look:
    """Return a look at which compliance lies 4 points lower."""
    return Look(
        wave=wave, alpha=0.005, spent=0.005 * wave, samples=10 * wave, coverage=1.0, outcome=outcome,
        dimensions=[
            LookedAt(
                dimension=name, effect=-0.04, low=-0.123, high=0.05, p=0.2,
                outcome="regression" if name in fallen else "pass",
            )
            for name in ("all", "severity")
        ],
        hard=list(hard),
    )  # fmt: skip


def report(*looks: Look, outcome: str | None = "regression", because: str = "severity fell") -> str:
    deciding = Deciding(
        baseline="golden/baselines/main.json", against="d", baselines="golden/baselines", margin=0.05,
        alpha=0.05, common=False, cap=10, looks=list(looks), outcome=outcome, because=because,
    )  # fmt: skip
    return render_markdown(overview(in_memory(all_scores(), deciding=deciding)))


def test_every_look_is_told_with_what_it_spent_and_what_fell() -> None:
    text = report(looked(1, "inconclusive"), looked(2, "regression", "severity", hard=("REP-1",)))

    section = text.partition("## Decided while recording\n")[2].partition("\n## ")[0]
    assert section.startswith("\n`regression` after wave 2 of at most 10: severity fell\n")
    assert (
        "Against `golden/baselines/main.json`, with a margin of 5.0 points; 0.01 of alpha 0.05 spent." in text
    )
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in section.splitlines() if "|" in line]
    assert rows[0] == ["wave", "samples", "compliance", "bounds", "fell", "alpha", "spent", "outcome"]
    assert rows[2:] == [
        ["1", "10", "-4.0", "-12.3 to +5.0", "-", "0.005", "0.005", "`inconclusive`"],
        ["2", "20", "-4.0", "-12.3 to +5.0", "`REP-1`, `severity`", "0.005", "0.01", "`regression`"],
    ]


def test_a_run_that_was_cut_before_its_first_look_says_so() -> None:
    text = report(outcome="inconclusive", because="stopped by --max-cost before the first look")

    section = text.partition("## Decided while recording\n")[2].partition("\n## ")[0]
    assert "`inconclusive` before the first look: " in section
    assert "0 of alpha 0.05 spent" in section
    assert "|" not in section


def test_an_undecided_run_says_so() -> None:
    assert "\nNothing is decided yet.\n" in report(looked(1, "inconclusive"), outcome=None)


def test_other_runs_have_no_such_part() -> None:
    assert "Decided while recording" not in render_markdown(overview(in_memory(all_scores())))


def test_what_a_reason_quotes_is_no_markup() -> None:
    text = report(looked(1, "regression"), because="[x](http://evil) <b>fell</b> | x")

    assert "`[x](http://evil) <b>fell</b> \\| x`" in text

"""What a test that fails says: every broken clause, and what would have run; all of it safe to print."""

from collections.abc import Iterator, Sequence
from typing import Any

from harness.contracts.clauses import clause
from harness.model import SampleId
from harness.pytest_plugin.commands import Commands
from harness.pytest_plugin.judging import Judged
from harness.reporting.clean import NOTHING, as_json, capped, visible
from harness.reporting.show import would_run
from harness.store import ScoreRow

MAX_REASON = 2_000
MAX_VALUE = 1_000


def broken(judged: Judged, commands: Commands) -> str:
    """Return what a sample that breaks MUST clauses says."""
    rows = judged.must("fail")
    lines = [f"breaks {_names(rows)}"]
    for row in rows:
        lines += ["", f"{visible(row.clause)}  {clause(row.clause).text}", *_facts(row)]
    return "\n".join([*lines, *_beside(judged), "", *_ending(judged, commands)])


def unscored(judged: Judged, commands: Commands) -> str:
    """Return what a sample says of which nothing can be said."""
    rows = judged.must("unscored")
    if not rows:
        lines = ["unscored: no MUST clause applies, so nothing was judged"]
    else:
        reasons = list(dict.fromkeys(each.reason for each in rows))
        lines = [f"unscored: {_line(reasons[0])}"]
        for reason in reasons:
            because = [each for each in rows if each.reason == reason]
            every = len(because) == sum(each.level == "MUST" for each in judged.rows)
            who = f"all {len(because)} MUST clauses" if every else _names(because)
            lines += ["", f"{who}: {_line(reason)}"]
    again = f"ask again: {commands.ask_again()}"
    failure = judged.sample.transcript.failure
    return "\n".join(
        [*lines, *_beside(judged), "", *_ending(judged, commands), *([again] if failure else [])]
    )


def unrecorded(sample: SampleId, commands: Commands) -> str:
    """Return what a sample says that the run does not hold."""
    return (
        "unscored: never recorded\n\n"
        f"{visible(commands.run)} does not hold {visible(str(sample))}\n"
        f"go on with it: {commands.resume()}"
    )


def advice(judged: Judged) -> str:
    """Return the broken SHOULD clauses, or nothing."""
    return "\n".join(_beside(judged)).strip()


def _facts(row: ScoreRow) -> Iterator[str]:
    nothing = row.expected is None and row.observed is None
    yield f"    place     {visible(capped(row.place)) or NOTHING}"
    yield f"    expected  {NOTHING if nothing else _value(row.expected)}"
    yield f"    observed  {NOTHING if nothing else _value(row.observed)}"
    yield f"    reason    {_line(row.reason)}"


def _beside(judged: Judged) -> Iterator[str]:
    """Yield what was not decided by: broken SHOULD clauses, and what could not be judged beside a fail."""
    for row in judged.advised_against:
        yield ""
        yield f"note: {visible(row.clause)} (SHOULD)  {clause(row.clause).text}"
        yield from _facts(row)
    if judged.must("fail") and judged.must("unscored"):
        yield ""
        yield f"note: unscored besides: {_names(judged.must('unscored'))}"


def _ending(judged: Judged, commands: Commands) -> Iterator[str]:
    sample = judged.sample
    yield would_run(sample.transcript, sample.answer.selection if sample.answer else None)
    yield f"all that was said: {commands.show(sample.id)}"


def _names(rows: Sequence[ScoreRow]) -> str:
    return ", ".join(visible(each.clause) for each in rows)


def _line(text: str) -> str:
    return visible(capped(text, MAX_REASON))


def _value(value: Any) -> str:
    return capped(as_json(value), MAX_VALUE)

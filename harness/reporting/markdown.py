"""report.md: the result first, then what is behind it."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from tabulate import tabulate

from harness.contracts.clauses import clause
from harness.errors import UnknownName
from harness.reporting.clean import as_json, code, code_json, inert, prose
from harness.reporting.figures import counted, interval, percent
from harness.reporting.overview import Overview
from harness.statistics import HARD, ClauseRow, FailureGroup, SummaryRow

MAX_SHOWN = 10
"""Fails listed per target and clause."""

MAX_ID = 300
"""Characters of a sample's id, so that it can be copied whole."""

_COUNTS = ("n", "passed", "rate", "95 % interval", "unscored", "not applicable")
_NUMBERS = frozenset({*_COUNTS, "samples", "scores"})
_HOW_TO_READ = """\
- A sample is one scenario, contract, target and trial. It is compliant (dimension `all`) when none of its
  MUST clauses fails and none is unscored; in another dimension it passes when that holds for its clauses.
- n is passed plus failed. Unscored is neither: the target could not be asked, its answer was cut by our token
  limit, or the evidence at hand does not show it. It never counts as a fail, nor as zero.
- Not applicable means that what a clause is about does not occur in the sample.
- The 95 % interval (Wilson) says how little n samples can tell: a range made this way holds the target's true
  rate in about 95 of 100 runs. Two targets whose ranges overlap widely may well be equally good;
  `harness compare` tests the difference.
- SHOULD clauses fail no sample.
- "-" stands for no data. Escapes such as `\\u200b` stand for characters that cannot be seen or would act
  on their reader.
"""


def render_markdown(data: Overview) -> str:
    """Return report.md as one text."""
    parts = [*_head(data), *_result(data), *_should(data), *_unscored(data), *_failures(data)]
    parts += [*_ungraded(data), "## How to read this", _HOW_TO_READ.rstrip()]
    return "\n\n".join(parts) + "\n"


# The parts, in their order; each yields blocks


def _head(data: Overview) -> Iterator[str]:
    info = data.info
    yield f"# Run {code(info.id)}"
    yield "\n".join(f"- {name}: {text}" for name, text in _facts(data) if text)
    if info.status != "complete":
        yield (
            f"> This run is {code(info.status)}: not every planned sample is on disk, "
            "and the numbers below cover only those that are."
        )
    if data.notes:
        yield "\n".join(
            ["Reading the run, the harness noted:", "", *(f"- {code(each, 300)}" for each in data.notes)]
        )


def _facts(data: Overview) -> Iterator[tuple[str, str]]:
    info = data.info
    families: dict[str, int] = {}
    for scenario in info.scenarios:
        family = scenario.rpartition("/")[0] or scenario
        families[family] = families.get(family, 0) + 1
    told = ", ".join(f"{number} {code(family)}" for family, number in families.items())
    yield "Status", code(info.status)
    yield "Created", code(info.created)
    yield "Targets", "; ".join(_target(name, settings) for name, settings in info.targets.items())
    yield "Contracts", ", ".join(f"{code(name)} ({code(digest)})" for name, digest in info.contracts.items())
    yield "Scenarios", f"{len(info.scenarios)} ({told})" if told else ""
    yield "Trials", f"{info.trials} of each scenario, seed {info.seed}"
    yield "Prompts", code(info.prompts) if info.prompts else "the built-in ones"
    yield "Counts", ", ".join(f"{code(name)} {number}" for name, number in info.counts.items())
    yield "Versions", ", ".join(f"{code(name)} {code(version)}" for name, version in info.versions.items())


def _target(name: str, settings: dict[str, object]) -> str:
    stated = {key: value for key, value in settings.items() if value is not None}
    return f"{code(name)} {code(as_json(stated), 300)}" if stated else code(name)


def _result(data: Overview) -> Iterator[str]:
    yield "## Result"
    if not data.summary:
        yield "No sample was graded."
        return
    yield "\n".join(f"- {_headline(data, row)}" for row in data.compliance)
    yield _table(
        ("target", "contract", "dimension", *_COUNTS),
        ((code(row.target), code(row.contract), code(row.dimension), *_counts(row)) for row in data.summary),
    )


def _headline(data: Overview, row: SummaryRow) -> str:
    who = f"**{code(row.target)}** under {code(row.contract)}"
    if row.n:
        text = (
            f"{who}: {row.passed} of {counted(row.n, 'sample')} compliant, {percent(row.rate)} "
            f"(95 % interval {interval(row.low, row.high)})"
        )
    else:
        text = f"{who}: no sample was scored, so nothing is known"
    if row.unscored:
        text += f"; {row.unscored} unscored"
    failed = [f"{code(each.dimension)} {each.failed}" for each in data.failed_dimensions(row)]
    hard = [
        f"{code(each.clause)} in {counted(each.failed, 'sample')}"
        for each in data.failed_in(row)
        if each.clause in HARD
    ]
    text += f". Samples that failed, by dimension: {', '.join(failed)}" if failed else ""
    return text + (f". **Hard clauses broken**: {', '.join(hard)}." if hard else ".")


def _should(data: Overview) -> Iterator[str]:
    rows = [each for each in data.clauses if each.level == "SHOULD"]
    if not rows:
        return
    yield "## SHOULD clauses"
    yield "They fail no sample and are in none of the numbers above."
    yield _table(
        ("target", "contract", "clause", *_COUNTS, "text"),
        (
            (code(row.target), code(row.contract), code(row.clause), *_counts(row), _text(row.clause))
            for row in rows
        ),
    )


def _unscored(data: Overview) -> Iterator[str]:
    yield "## Unscored, by cause"
    if not data.causes:
        yield "Nothing is unscored."
        return
    yield _table(
        ("target", "cause", "samples", "scores", "for example"),
        (
            (code(each.target), code(each.cause), each.samples, each.scores, code(each.example))
            for each in data.causes
        ),
    )
    yield f"To ask again: `harness run --retry-unscored {_argument(data.info.id)}`."


def _failures(data: Overview) -> Iterator[str]:
    yield "## Failures"
    if not data.failures:
        yield "No clause failed."
        return
    run = _argument(data.info.id)
    first = _argument(data.failures[0].rows[0].sample)
    yield (
        f"At most {MAX_SHOWN} samples are listed per clause. "
        f"`harness report {run} -f csv` writes all of them to samples.csv; "
        f"`harness show {run} SAMPLE` shows one whole, as in:"
    )
    yield f"```sh\nharness show {run} {first}\n```"
    for target, groups in groupby(data.failures, key=lambda each: each.target):
        yield f"### {code(target)}"
        for group in groups:
            yield from _failure(data, group)


def _failure(data: Overview, group: FailureGroup) -> Iterator[str]:
    level = f"hard {group.level}" if group.hard else group.level
    scored = counted(data.scored(group), "sample")
    yield f"#### {code(group.clause)} ({level}): fails in {group.samples} of {scored}"
    yield _text(group.clause)
    yield _table(
        ("sample", "place", "expected", "observed", "reason"),
        (
            (
                code(row.sample, MAX_ID), code(row.place), code_json(row.expected),
                code_json(row.observed), prose(row.reason),
            )
            for row in group.rows[:MAX_SHOWN]
        ),
    )  # fmt: skip
    left = len(group.rows) - MAX_SHOWN
    if left > 0:
        yield f"{left} more left out; `harness show {_argument(data.info.id)} SAMPLE` shows any of them."


def _ungraded(data: Overview) -> Iterator[str]:
    if not data.ungraded:
        return
    yield "## Not graded"
    yield (
        "The contracts list these clauses, and this run holds no score on them: "
        "nothing above says anything about them."
    )
    yield _table(
        ("clause", "level", "dimension", "contracts", "why", "text"),
        (
            (
                code(each.clause.id), each.clause.level, code(each.clause.dimension),
                ", ".join(code(contract) for contract in each.contracts),
                "no score in this run" if each.has_grader else "no grader yet", each.clause.text,
            )
            for each in data.ungraded
        ),
    )  # fmt: skip


# What the parts share


def _table(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    alignment = ["right" if name in _NUMBERS else "left" for name in headers]
    return tabulate(
        [[str(each) for each in row] for row in rows],
        headers=headers,
        tablefmt="github",
        colalign=alignment,
        disable_numparse=True,
    )


def _counts(row: SummaryRow | ClauseRow) -> tuple[object, ...]:
    """Return the cells below _COUNTS."""
    return (
        row.n,
        row.passed,
        percent(row.rate),
        interval(row.low, row.high),
        row.unscored,
        row.not_applicable,
    )


def _text(clause_id: str) -> str:
    try:
        return clause(clause_id).text
    except UnknownName:
        return "This harness does not know the clause."


def _argument(text: str) -> str:
    """Return a text as a shell takes it, fit for Markdown code."""
    return shlex.quote(inert(text, MAX_ID))

"""What markdown reports are made of: each part of a run as blocks that stand apart by an empty line."""

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from tabulate import tabulate

from harness.contracts.clauses import clause
from harness.errors import UnknownName
from harness.reporting.clean import NOTHING, as_json, code, code_json, inert, prose
from harness.reporting.figures import counted, interval, percent
from harness.reporting.lists import CORRECT, PICKS, list_lines
from harness.reporting.looks import COLUMNS, decided_lines, look_row
from harness.reporting.overview import Overview, Ungraded
from harness.reporting.pacing import pace_line, spent_line
from harness.statistics import HARD, ClauseRow, FailureGroup, SummaryRow
from harness.statistics.outcomes import RELATION
from harness.statistics.screening import ListFigures
from harness.store import RunInfo

MAX_SHOWN = 10
"""Fails listed per target and clause."""

MOST_PLACES = 6
"""Differences shown of one tool."""

MAX_ID = 300
"""Characters of a sample's id, so that it can be copied whole."""

MAX_PLACE, MAX_VALUE, MAX_REASON = 60, 80, 120
"""Characters of a cell in the list of fails; `harness show` has what a model wrote whole."""

_NUMBERS = frozenset({"n", "unscored", "samples", "scores", "wave"})
HOW_TO_READ = """\
- A sample is one scenario, contract, target and trial. It is compliant (dimension `all`) when none of its
  MUST clauses fails and none is unscored; in another dimension it passes when that holds for its clauses.
- n is passed plus failed, and `28/30` is passed of n. Unscored is neither: the target could not be asked,
  its answer was cut by our token limit, or the evidence at hand does not show it. It never counts as a fail,
  nor as zero. A sample that fails one clause has failed, whatever could not be scored beside it.
- The 95 % interval (Wilson, in parentheses) says how little n samples can tell: a range made this way holds
  the target's true rate in about 95 of 100 runs. Two targets whose ranges overlap widely may well be equally
  good.
- A hard clause is one whose first breach is one too many; the number beside it counts samples.
- SHOULD clauses fail no sample.
- "-" stands for no data. An observed `null` is what the answer says, or that nothing stands in that place.
- Escapes such as `\\u200b` stand for characters that cannot be seen or would act on their reader.
"""


# The parts, in their order; each yields blocks


def head(data: Overview) -> Iterator[str]:
    """Yield the heading and the facts of a run."""
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
    yield "Pace", code(pace_line(info), 300) if info.limits else ""
    yield "Spent", spent_line(info)
    yield "Prompts", _prompts(info)
    yield "Counts", ", ".join(f"{code(name)} {number}" for name, number in info.counts.items())
    yield "Coverage", _coverage(info)
    yield "Versions", ", ".join(f"{code(name)} {code(version)}" for name, version in info.versions.items())


def _coverage(info: RunInfo) -> str:
    samples, scored = info.counts.get("samples", 0), info.counts.get("scored")
    if not samples or scored is None:
        return ""
    return f"{percent(scored / samples)}: {scored} of {samples} samples could be scored"


def _prompts(info: RunInfo) -> str:
    several = [str(each["prompts"]) for each in info.targets.values() if each.get("prompts")]
    if several:
        return ", ".join(code(each) for each in dict.fromkeys(several))
    return code(info.prompts) if info.prompts else "the built-in ones"


def _target(name: str, settings: dict[str, object]) -> str:
    stated = {key: value for key, value in settings.items() if value is not None}
    return f"{code(name)} {code(as_json(stated), 300)}" if stated else code(name)


def verdict(data: Overview) -> Iterator[str]:
    """Yield compliance by target and contract."""
    yield "## Verdict"
    if not data.summary:
        yield "No sample was graded."
        return
    yield markdown_table(
        ("target", "contract", "compliant", "95 % interval", "n", "unscored", "hard clauses broken"),
        (
            (
                code(row.target), code(row.contract), percent(row.rate), interval(row.low, row.high), row.n,
                row.unscored, ", ".join(_hard(data, row)) or ("none" if row.n else NOTHING),
            )
            for row in data.compliance
        ),
    )  # fmt: skip


def decided(data: Overview) -> Iterator[str]:
    """Yield how a run was recorded until it was decided, where it was."""
    deciding = data.info.deciding
    if deciding is None:
        return
    yield "## Decided while recording"
    yield from decided_lines(deciding)
    if deciding.looks:
        yield markdown_table(COLUMNS, map(look_row, deciding.looks))


def _hard(data: Overview, row: SummaryRow) -> Iterator[str]:
    for each in data.failed_in(row):
        if each.clause in HARD:
            yield f"{code(each.clause)} {each.failed}"


def unscored(data: Overview) -> Iterator[str]:
    """Yield why samples are unscored."""
    if not data.causes:
        return
    yield "## Unscored, by cause"
    yield markdown_table(
        ("target", "cause", "samples", "scores", "for example"),
        (
            (
                code(each.target), code(each.cause), each.samples, each.scores,
                code(each.example if each.example != each.cause else ""),
            )
            for each in data.causes
        ),
    )  # fmt: skip
    if data.may_be_asked_again:
        yield f"To ask again: `harness run --retry-unscored {_argument(data.reference)}`."


def failed(data: Overview) -> Iterator[str]:
    """Yield what failed, clause by clause, and how to see one."""
    if not data.summary:
        return
    yield "## What failed"
    groups = [each for each in data.failures if each.level != "SHOULD"]
    if not groups:
        scored = any(each.n for each in data.compliance)
        yield "No MUST clause failed." if scored else "No sample was scored, so nothing is known."
        return
    run = _argument(data.reference)
    yield (
        f"At most {MAX_SHOWN} samples are listed per clause, and samples.csv has all of them. "
        f"`harness show {run} SAMPLE` shows one whole, as in:"
    )
    yield f"```sh\nharness show {run} {_argument(groups[0].rows[0].sample)}\n```"
    yield from fails(data, groups)


def fails(data: Overview, groups: Sequence[FailureGroup]) -> Iterator[str]:
    """Yield fails, a heading for each target and one for each clause of it."""
    for target, several in groupby(groups, key=lambda each: each.target):
        yield f"### {code(target)}"
        for group in several:
            yield from _failure(data, group)


def _failure(data: Overview, group: FailureGroup) -> Iterator[str]:
    level = f"hard {group.level}" if group.hard else group.level
    scored = counted(data.scored(group), "sample")
    yield f"#### {code(group.clause)} ({level}): fails in {group.samples} of {scored}"
    yield _text(group.clause)
    yield markdown_table(
        ("sample", "place", "expected", "observed", "reason"),
        (
            (
                code(row.sample, MAX_ID), code(row.place, MAX_PLACE), code_json(row.expected, MAX_VALUE),
                code(as_json(row.observed), MAX_VALUE), prose(row.reason, MAX_REASON),
            )
            for row in group.rows[:MAX_SHOWN]
        ),
    )  # fmt: skip
    if (left := group.samples - MAX_SHOWN) > 0:
        yield f"{left} more left out."


def dimensions(data: Overview) -> Iterator[str]:
    """Yield the rates by dimension."""
    if not data.summary:
        return
    yield "## By dimension"
    yield "Passed of n, the rate with its 95 % interval, and what is unscored."
    for contract in _distinct(each.contract for each in data.summary):
        yield f"### {code(contract)}"
        rows = [each for each in data.summary if each.contract == contract]
        yield _pivot("dimension", [(each.dimension, each) for each in rows])


def lists(data: Overview) -> Iterator[str]:
    """Yield how good screened lists are, and how each target picks from them."""
    if not data.lists:
        return
    yield "## Screened lists"
    yield (
        "Catalog and model apart: a list may rank the wrong entry first, and a model may pick another than "
        "the first. A list counts once, however many trials showed it."
    )
    for figures in data.lists:
        yield f"### {code(figures.contract)}"
        yield markdown_table(
            ("who", "what", "found", "meant"), (*_picked(data, figures), *list_lines(figures))
        )
        if not figures.lists:
            yield "The scenarios of this run are not at hand as they were, so nothing is said of the catalog."


def tools(data: Overview) -> Iterator[str]:
    """Yield how the tools that an agent told its model of differ from those that it was given."""
    if not data.drift:
        return
    yield "## Tools as agents sent them"
    yield (
        "These targets write the requests to their model themselves. Arguments are judged by the schema that "
        "was sent; here is where it differs from the one that was given."
    )
    yield markdown_table(
        ("target", "contract", "tool", "differs in"),
        [
            (code(each.target), code(each.contract), code(each.tool), _places(each.differences))
            for each in data.drift
        ],
    )


def _places(found: Sequence[str]) -> str:
    shown = "; ".join(code(each) for each in found[:MOST_PLACES])
    return shown if len(found) <= MOST_PLACES else f"{shown}; {len(found) - MOST_PLACES} more"


def _picked(data: Overview, figures: ListFigures) -> Iterator[Sequence[object]]:
    for row in data.clauses:
        if row.contract == figures.contract and row.clause in PICKS:
            yield code(row.target), f"{PICKS[row.clause]} ({code(row.clause)})", _rate(row), CORRECT


def should(data: Overview) -> Iterator[str]:
    """Yield the SHOULD clauses, folded away; GitHub reads Markdown inside when blank lines part it."""
    rows = [each for each in data.clauses if each.level == "SHOULD"]
    if not rows:
        return
    failed = len({each.clause for each in rows if each.failed})
    clauses = len({each.clause for each in rows})
    yield "## SHOULD clauses"
    yield f"<details>\n<summary>{failed} of {clauses} failed somewhere; they fail no sample</summary>"
    for contract in _distinct(each.contract for each in rows):
        yield f"### {code(contract)}"
        yield _pivot("clause", [(each.clause, each) for each in rows if each.contract == contract], _text)
    yield from fails(data, [each for each in data.failures if each.level == "SHOULD"])
    yield "</details>"


def _pivot(
    name: str, rows: Sequence[tuple[str, SummaryRow | ClauseRow]], text: Callable[[str], str] | None = None
) -> str:
    """Return a table with a line for each name and a column for each target, and one for what `text` says."""
    targets = _distinct(each.target for _, each in rows)
    cells = {(each, row.target): _rate(row) for each, row in rows}
    return markdown_table(
        (name, *map(code, targets), *(("text",) if text else ())),
        (
            (
                code(each),
                *(cells.get((each, target), NOTHING) for target in targets),
                *((text(each),) if text else ()),
            )
            for each in _distinct(each for each, _ in rows)
        ),
    )


def _rate(row: SummaryRow | ClauseRow) -> str:
    """Return a row in one cell, as "28/30  93.3 % (78.7 to 98.2), 2 unscored"."""
    within = interval(row.low, row.high).removesuffix(" %")
    known = f"{row.passed}/{row.n}  {percent(row.rate)} ({within})" if row.n else NOTHING
    return f"{known}, {row.unscored} unscored" if row.unscored else known


def ungraded(data: Overview) -> Iterator[str]:
    """Yield the clauses on which the run holds no score."""
    if not data.ungraded:
        return
    yield "## Not graded"
    yield (
        "The contracts list these clauses, and this run holds no score on them: "
        "nothing above says anything about them."
    )
    yield markdown_table(
        ("clause", "level", "dimension", "contracts", "why", "text"),
        (
            (
                code(each.clause.id), each.clause.level, code(each.clause.dimension),
                ", ".join(code(contract) for contract in each.contracts),
                _why_ungraded(each), each.clause.text,
            )
            for each in data.ungraded
        ),
    )  # fmt: skip


def _why_ungraded(each: Ungraded) -> str:
    if not each.has_grader:
        return "no grader yet"
    return "no pair in this run" if each.clause.dimension == RELATION else "no score in this run"


# What the parts share


def markdown_table(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table; numbers stand at the right."""
    alignment = ["right" if name in _NUMBERS else "left" for name in headers]
    return tabulate(
        [[str(each) for each in row] for row in rows],
        headers=headers,
        tablefmt="github",
        colalign=alignment,
        disable_numparse=True,
    )


def _distinct(names: Iterable[str]) -> list[str]:
    """Return each name once, in order."""
    return list(dict.fromkeys(names))


def _text(clause_id: str) -> str:
    try:
        return clause(clause_id).text
    except UnknownName:
        return "This harness does not know the clause."


def _argument(text: str) -> str:
    """Return a text as a shell takes it, fit for Markdown code."""
    return shlex.quote(inert(text, MAX_ID))

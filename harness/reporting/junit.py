"""junit.xml: one test case per sample, for what shows test results in CI.

A broken MUST clause is a failure. A sample that could not be scored is never one: where the target could not
be asked it is an error, else it is skipped. Elements and attributes are those that the schemas of Jenkins'
xUnit plugin and of Ant have in common; GitLab reads what it knows of them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from harness.reporting.clean import as_json, capped, visible
from harness.reporting.figures import counted
from harness.reporting.overview import could_not_be_asked, in_order, tally_of
from harness.statistics import HARD, SummaryRow, summarise
from harness.statistics.outcomes import RELATION
from harness.store import Run, ScoreRow

MAX_NAME, MAX_VALUE, MAX_MESSAGE = 300, 500, 300
"""Characters of an id, of what was expected, observed or reasoned, and of the line that a list shows."""

MAX_CLAUSES = 50
"""Broken clauses that a failure lists; the rest is counted."""

MAX_DETAILS = 15_000_000
"""Characters of all details together, beyond which messages remain; GitLab refuses files above 30 MB."""

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", re.ASCII)
"""How Ant writes a time; runs are told in UTC."""


@dataclass(slots=True)
class Case:
    """One sample, or the pair that it belongs to; `scored` says whether any of its MUST clauses applied."""

    scenario: str
    trial: int
    pair: bool
    fails: list[ScoreRow] = field(default_factory=list[ScoreRow])
    unscored: list[ScoreRow] = field(default_factory=list[ScoreRow])
    scored: bool = False


@dataclass(slots=True)
class _Left:
    """How many characters of details there is still room for."""

    characters: int


def render_junit(runs: Sequence[Run]) -> bytes:
    """Return junit.xml over runs, one test suite per run, target and contract.

    Raises:
        InvalidRun: a run was never graded.
    """
    root = Element("testsuites")
    left, taken = _Left(MAX_DETAILS), set[str]()
    for run in runs:
        seconds = {str(each.id): sum(turn.seconds for turn in each.turns) for each in run.transcripts()}
        suites = _cases(run.scores())
        rates = in_order(summarise(tally_of(run)), run.info)
        # A run has no suite for what was never graded; the order is that of run.json.
        for target, contract in dict.fromkeys((each.target, each.contract) for each in rates):
            named = _class_name(run.id if len(runs) > 1 else "", target, contract, taken)
            own = [each for each in rates if (each.target, each.contract) == (target, contract)]
            suite = _suite(run, named, (target, contract), own)
            suite.set("id", str(len(root)))
            _fill(suite, named, suites.get((target, contract), {}), seconds, left)
            root.append(suite)
        root.extend(_lacking(run, len(root), graded=bool(rates)))
    indent(root, " ")
    return tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def _cases(rows: Iterable[ScoreRow]) -> dict[tuple[str, str], dict[tuple[str, bool], Case]]:
    """Return the cases by target and contract; only MUST clauses count, and a pair is a case of its own."""
    suites: dict[tuple[str, str], dict[tuple[str, bool], Case]] = {}
    for row in rows:
        if row.level != "MUST":
            continue
        pair = row.dimension == RELATION
        cases = suites.setdefault((row.target, row.contract), {})
        case = cases.setdefault((row.sample, pair), Case(row.scenario, row.trial, pair))
        case.scored = case.scored or row.outcome in {"pass", "fail"}
        if row.outcome == "fail":
            case.fails.append(row)
        elif row.outcome == "unscored":
            case.unscored.append(row)
    return suites


def _suite(run: Run, named: str, place: tuple[str, str], rates: Sequence[SummaryRow]) -> Element:
    suite = Element("testsuite", name=named, package=_line(place[0]), hostname="localhost")
    suite.set("timestamp", _timestamp(run))
    properties = SubElement(suite, "properties")
    for name, value in _facts(run, place, rates):
        SubElement(properties, "property", name=_line(name), value=_line(value))
    return suite


def _facts(run: Run, place: tuple[str, str], rates: Iterable[SummaryRow]) -> Iterator[tuple[str, str]]:
    info = run.info
    yield "run", run.id
    yield "status", info.status
    yield "target", place[0]
    yield "contract", place[1]
    yield "contract.digest", info.contracts.get(place[1], "unknown")
    yield "seed", str(info.seed)
    yield "trials", str(info.trials)
    for each in rates:
        yield f"{each.dimension}.n", str(each.n)
        yield f"{each.dimension}.unscored", str(each.unscored)
        if each.rate is not None and each.low is not None and each.high is not None:
            yield f"{each.dimension}.rate", f"{each.rate:.6f}"
            yield f"{each.dimension}.low", f"{each.low:.6f}"
            yield f"{each.dimension}.high", f"{each.high:.6f}"


def _fill(
    suite: Element,
    named: str,
    cases: Mapping[tuple[str, bool], Case],
    seconds: Mapping[str, float],
    left: _Left,
) -> None:
    found = {"failure": 0, "error": 0, "skipped": 0}
    whole = 0.0
    for (sample, pair), case in cases.items():
        took = 0.0 if pair else seconds.get(sample, 0.0)
        whole += took
        name = _line(f"{case.scenario} #{case.trial}{' (pair)' if pair else ''}")
        made = SubElement(suite, "testcase", name=name, classname=named, time=f"{took:.3f}")
        outcome = _outcome(made, case, left)
        if outcome:
            found[outcome] += 1
    suite.set("tests", str(len(cases)))
    suite.set("failures", str(found["failure"]))
    suite.set("errors", str(found["error"]))
    suite.set("skipped", str(found["skipped"]))
    suite.set("time", f"{whole:.3f}")
    SubElement(suite, "system-out")
    SubElement(suite, "system-err")


def _lacking(run: Run, number: int, *, graded: bool) -> Iterator[Element]:
    """Yield a suite with one error where a run lacks samples: what was never asked must not look passed."""
    if graded and run.info.status == "complete":
        return
    lacks = f"the run is {run.info.status}: not every planned sample is on disk"
    message = "no sample was graded" if run.info.status == "complete" else lacks
    named = _line(f"run {run.id}")
    suite = Element(
        "testsuite", name=named, package=named, hostname="localhost", id=str(number), time="0.000"
    )
    suite.set("timestamp", _timestamp(run))
    for name, value in (("tests", "1"), ("failures", "0"), ("errors", "1"), ("skipped", "0")):
        suite.set(name, value)
    SubElement(SubElement(suite, "properties"), "property", name="status", value=_line(run.info.status))
    case = SubElement(suite, "testcase", name="every planned sample", classname=named, time="0.000")
    SubElement(case, "error", type="incomplete", message=_line(message))
    SubElement(suite, "system-out")
    SubElement(suite, "system-err")
    yield suite


def _timestamp(run: Run) -> str:
    moment = _MOMENT.match(run.info.created)
    return moment[0] if moment else "1970-01-01T00:00:00"


def _outcome(made: Element, case: Case, left: _Left) -> str:
    """Put what became of a case into its element and return the name of that, empty where it passes."""
    if case.fails:
        first = case.fails[0]
        more = f" (and {counted(len(case.fails) - 1, 'clause')} more)" if len(case.fails) > 1 else ""
        message = f"{first.clause}: {first.reason or 'broken'}"
        broken = SubElement(made, "failure", type=_line(first.clause))
        broken.set("message", f"{visible(capped(message, MAX_MESSAGE))}{more}")
        broken.text = _taken("\n\n".join(_details(case)), left)
        return "failure"
    if case.unscored:
        reason = case.unscored[0].reason or "no reason was kept"
        name = "error" if could_not_be_asked(reason) else "skipped"
        unscored = SubElement(made, name, type="unscored", message=visible(capped(reason, MAX_MESSAGE)))
        unscored.text = f"unscored: {visible(capped(reason, MAX_VALUE))}"
        return name
    if not case.scored:
        SubElement(made, "skipped", type="not_applicable", message="no MUST clause applies")
        return "skipped"
    return ""


def _details(case: Case) -> Iterator[str]:
    for row in case.fails[:MAX_CLAUSES]:
        hard = "hard " if row.clause in HARD else ""
        told = {
            "reason": capped(row.reason, MAX_VALUE),
            "place": capped(row.place, MAX_VALUE),
            "expected": "" if row.expected is None else capped(as_json(row.expected), MAX_VALUE),
            "observed": capped(as_json(row.observed), MAX_VALUE),
        }
        lines = (f"  {name}: {visible(text)}" for name, text in told.items() if text)
        yield "\n".join((f"{_line(row.clause)} ({hard}{_line(row.dimension)})", *lines))
    if len(case.fails) > MAX_CLAUSES:
        yield f"and {len(case.fails) - MAX_CLAUSES} more"
    if case.unscored:
        yield f"beside it unscored: {counted(len(case.unscored), 'clause')}"


def _taken(text: str, left: _Left) -> str:
    if len(text) > left.characters:
        left.characters = 0
        return "details left out for size; `harness show` has them"
    left.characters -= len(text)
    return text


def _class_name(run: str, target: str, contract: str, taken: set[str]) -> str:
    """Return a name that no other suite has; Jenkins takes what stands before the last dot for a package."""
    parts = [_line(each).replace(".", "_") for each in (run, target, contract) if each]
    name = ".".join(parts)
    numbered = (name, *(f"{name} ({again})" for again in range(2, len(taken) + 2)))
    found = next(each for each in numbered if each not in taken)
    taken.add(found)
    return found


def _line(text: str) -> str:
    shown = visible(capped(text, MAX_NAME)) or "-"
    # No schema takes a name that begins with a space.
    return f"\\u{ord(shown[0]):04x}{shown[1:]}" if shown[0].isspace() else shown

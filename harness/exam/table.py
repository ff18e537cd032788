"""The kill matrix as Markdown: which operator breaks which clause, how often it was seen."""

from collections import Counter
from collections.abc import Iterator

from harness.contracts.clauses import clause
from harness.exam.sitting import Result
from harness.graders import GRADED_BY


def kill_table(result: Result, transcripts: int) -> str:
    """Return the page; equal results give equal pages."""
    return "\n".join((*_head(result, transcripts), *_by_clause(result), *_by_operator(result))) + "\n"


def _head(result: Result, transcripts: int) -> Iterator[str]:
    applied = sum(result.applied.values())
    yield "# The exam of the graders"
    yield ""
    yield "Written by `make exam`; how to read it is told in [the exam](../how-to/exam.md)."
    yield ""
    yield f"- operators: {len(result.applied)}, applied {applied:,} times to {transcripts} good transcripts"
    yield f"- violations killed: {result.killed:,}"
    yield f"- survivors: {len(result.survivors)}, false kills: {len(result.false_kills)}"
    never = ", ".join(result.clauses_without_violation) or "none"
    yield f"- clauses: {len(result.clauses)}; without a violation: {never}"
    yield ""


def _by_clause(result: Result) -> Iterator[str]:
    yield "## Clauses"
    yield ""
    yield f"| clause | level | graded by | {' | '.join(result.scored)} | operators that break it |"
    yield f"|---|---|---|{'---:|' * len(result.scored)}---|"
    for name in result.clauses:
        counts = " | ".join(_killed(result, name, contract) for contract in result.scored)
        breakers: Counter[str] = Counter()
        for (operator, broken, _), number in result.kills.items():
            breakers[operator] += number if broken == name else 0
        listed = ", ".join(f"{operator} {n}" for operator, n in sorted(breakers.items()) if n) or "none"
        yield f"| {name} | {clause(name).level} | `{GRADED_BY[name]}` | {counts} | {listed} |"
    yield ""


def _killed(result: Result, name: str, contract: str) -> str:
    """Return how often a clause was broken under a contract; a dash where the contract lacks it."""
    if name not in result.scored[contract]:
        return "-"
    found = (n for (_, broken, of), n in result.kills.items() if (broken, of) == (name, contract))
    return str(sum(found))


def _by_operator(result: Result) -> Iterator[str]:
    yield "## Operators"
    yield ""
    yield "| operator | applied | breaks |"
    yield "|---|---:|---|"
    for operator, applied in sorted(result.applied.items()):
        broken: Counter[str] = Counter()
        for (of, name, _), number in result.kills.items():
            broken[name] += number if of == operator else 0
        listed = (
            ", ".join(f"{name} {n}" for name, n in sorted(broken.items()) if n) or "nothing: a valid variant"
        )
        yield f"| {operator} | {applied} | {listed} |"

"""A verdict as a comment on a pull request, or in a step summary: the decision first, the rest folded."""

from collections.abc import Iterator

from harness.gate import Side
from harness.gate.verdict import Flip, Verdict
from harness.reporting.clean import NOTHING, code, words
from harness.reporting.figures import counted
from harness.reporting.github import MAX_COMMENT, Section, fitted, marker
from harness.reporting.sections import markdown_table
from harness.reporting.verdicts import COLUMNS, cells, excused_line, hard_line, sight_lines

MAX_FLIPPED = 200
"""Flipped samples listed."""


def verdict_comment(verdict: Verdict, candidate: Side, baseline: Side, command: str) -> str:
    """Return a verdict as Markdown of at most 65,536 bytes.

    Args:
        verdict: what to say.
        candidate: whose target makes the hidden marker, so that each target has its comment.
        baseline: what it is held against.
        command: `gate` or `compare`, which is in the marker too.
    """
    head = (
        marker(command, candidate.target),
        f"## {'Gate' if command == 'gate' else 'Comparison'}: {verdict.outcome}",
        f"Because: {words(verdict.because, 2_000)}",
        f"Candidate {_side(candidate)}, baseline {_side(baseline)}.",
    )
    return fitted(head, _sections(verdict), MAX_COMMENT)


def _side(side: Side) -> str:
    return f"{code(side.target, 120)} ({code(side.place, 300)})"


def _sections(verdict: Verdict) -> Iterator[Section]:
    broken = [hard_line(each) for each in verdict.hard if each.outcome != "kept"]
    if broken:
        yield Section("", (_list(broken),), folded=False)
    yield Section("", (_compared("dimension", verdict),), folded=False)
    yield Section("", (_list(list(sight_lines(verdict))),), folded=False)
    if any(each.effect for each in verdict.clauses):
        yield Section("Clauses that differ", (_compared("clause", verdict),))
    if verdict.flipped:
        fell = sum(each.now == "fail" for each in verdict.flipped)
        title = f"Flipped: {counted(fell, 'sample')} fell, {len(verdict.flipped) - fell} rose"
        yield Section(title, tuple(_flipped(verdict.flipped)))
    if verdict.excused:
        yield Section(
            "Known failures, not counted", (_list([excused_line(each) for each in verdict.excused]),)
        )
    notes = [*verdict.notes, *(f"left out: {each}" for each in verdict.left_out)]
    if notes:
        yield Section("Notes", (_list(notes),))


def _compared(name: str, verdict: Verdict) -> str:
    rows = verdict.dimensions if name == "dimension" else [each for each in verdict.clauses if each.effect]
    confidence = f"bounds ({100 * (1 - verdict.alpha):.4g} % each)"
    headers = (name, *(confidence if each == "bounds" else each for each in COLUMNS))
    return markdown_table(headers, ((code(each.name), *cells(each)) for each in rows))


def _flipped(flipped: tuple[Flip, ...]) -> Iterator[str]:
    yield markdown_table(
        ("sample", "was", "is", "clauses", "differs"),
        (
            (
                code(str(each.sample), 300), each.was, each.now, code(", ".join(each.clauses), 300),
                NOTHING if each.turn is None else f"from turn {each.turn} on: {code(each.differs or '')}",
            )
            for each in flipped[:MAX_FLIPPED]
        ),
    )  # fmt: skip
    if len(flipped) > MAX_FLIPPED:
        yield f"{len(flipped) - MAX_FLIPPED} more left out."


def _list(lines: list[str]) -> str:
    return "\n".join(f"- {words(each)}" for each in lines)

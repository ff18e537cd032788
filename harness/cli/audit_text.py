"""What people read of an audited transcript: judged by what, what it breaks, what could not be judged."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from rich.text import Text

from harness.auditing.audits import Audit
from harness.cli.output import console, print_rows
from harness.contracts.clauses import clause
from harness.model.extraction import Extraction
from harness.model.score import Finding
from harness.reporting.clean import as_json, capped, visible
from harness.reporting.layout import Hanging, indented

MAX_VALUE = 200
COLUMNS = ("clause", "level", "place", "reason", "expected", "observed")
OUTCOMES = ("pass", "fail", "unscored", "not_applicable")

CARRIERS = {
    "bare": "is the whole message",
    "fence": "stands in a json fence",
    "unlabelled_fence": "stands in a fence without a language",
    "tilde_fence": "stands in a fence of tildes",
    "other_language_fence": "stands in a fence of another language",
    "inline_fence": "stands in a fence within a line",
    "prose": "stands in prose, without a fence",
    "array": "stands in an array",
    "string": "is written into a JSON string",
    "code_argument": "is an argument of code",
    "tag": "stands in a tag",
    "section_headers": "is spread over sections with headers",
    "several": "is there several times",
}
TIERS = {
    "strict": "strict JSON",
    "fence": "strict JSON",
    "embedded": "strict JSON within other text",
    "json5": "JSON only to a reader that forgives",
    "salvage": "no JSON, and was repaired to be read",
}
WITHOUT = {
    "none": "no answer was found in the final message",
    "ambiguous": "the final message holds several answers that differ",
    "truncated": "the final message was cut before its answer ended",
    "empty": "the final message is empty",
    "refused": "the target refuses to answer",
}


def print_audit(audit: Audit) -> None:
    """Print one transcript's verdicts, fails of MUST clauses first."""
    out = console()
    out.print(Text(visible(f"{audit.source}: {audit.outcome}"), "bold"), soft_wrap=True)
    failure = audit.sample.transcript.failure
    withheld = "the provider withheld the final message" if failure and failure.cause == "withheld" else None
    for line in (f"judged by {audit.chosen}", audit.about or withheld or how_read(audit.sample.extraction)):
        out.print(indented(Text(visible(line)), 2), soft_wrap=True)
    broken = sorted(_broken(audit), key=lambda each: each[1] != "MUST")
    if broken:
        print_rows(COLUMNS, broken)
    for reason, clauses in _unscored(audit).items():
        about = Text(f"{', '.join(clauses)}: {visible(reason)}")
        out.print(Hanging(Text("unscored  "), about), soft_wrap=True)
    counts = Counter(score.outcome for _, score in audit.scores)
    out.print("  ".join(f"{counts[each]} {each.replace('_', ' ')}" for each in OUTCOMES))
    out.print()


def how_read(found: Extraction) -> str:
    """Return in words how the answer was found, or why there is none."""
    if found.outcome == "answer":
        carrier = CARRIERS.get(found.carrier, f"was found ({found.carrier.replace('_', ' ')})")
        text = f"the answer {carrier} and is {TIERS.get(found.tier or '', 'of an unknown form')}"
    else:
        text = WITHOUT[found.outcome]
    names = dict.fromkeys(each.name.replace("_", " ") for each in found.findings)
    return f"{text}; found besides: {', '.join(names)}" if names else text


def _broken(audit: Audit) -> Iterator[tuple[str, ...]]:
    for grader, score in audit.scores:
        for each in score.findings if score.outcome == "fail" else ():
            place = visible(capped(each.place, MAX_VALUE))
            yield grader.clause, clause(grader.clause).level, place, _reason(each), *_values(each)


def _reason(finding: Finding) -> str:
    return visible(capped(finding.reason, MAX_VALUE))


def _values(finding: Finding) -> tuple[str, str]:
    expected = "" if finding.expected is None else _value(finding.expected)
    return expected, _value(finding.observed)


def _value(value: Any) -> str:
    return capped(as_json(value), MAX_VALUE)


def _unscored(audit: Audit) -> dict[str, list[str]]:
    """Return the reasons why clauses are unscored, each with its clauses."""
    found: dict[str, list[str]] = {}
    for grader, score in audit.scores:
        if score.outcome == "unscored":
            found.setdefault(score.reason, []).append(grader.clause)
    return found

"""Business fields turn up where they do not belong: in the query, among the parameters."""

from collections.abc import Iterator

from harness.violations.facts import closed, takes_query, told
from harness.violations.violation import Arguments, RawAnswer, Situation, Violation, selects, with_parameters


def _spellings(field: str) -> Iterator[str]:
    words = field.split("_")
    yield field.upper()
    yield words[0] + "".join(each.title() for each in words[1:])
    yield "label." + "-".join(words)


def _leaks(situation: Situation) -> list[str]:
    return [name for field in told(situation) for name in _spellings(field)]


def _leak(answer: RawAnswer, situation: Situation) -> RawAnswer:
    values = {name: value for field, value in told(situation).items() for name in _spellings(field)}
    return with_parameters(
        answer, situation, lambda sent: sent.update({situation.site: values[situation.site]})
    )


FIELD_AS_PARAMETER = Violation(
    "field_as_parameter",
    frozenset({"PAS-6", "PAR-1", "CAR-4"}),
    selects,
    answer=_leak,
    sites=_leaks,
    exactly=lambda situation: ["PAS-6", "PAR-1", *closed(situation)],
)


def _named_risk(arguments: Arguments, situation: Situation) -> Arguments:
    return {**arguments, "query": f"{arguments.get('query', '')} {situation.site}".strip()}


RISK_IN_QUERY = Violation(
    "risk_in_query",
    frozenset({"PAS-6"}),
    takes_query,
    search=_named_risk,
    sites=lambda _: ("risk tolerance", "risk-tolerance low", "low risk_tolerance", "business category"),
)


ALL: tuple[Violation, ...] = (FIELD_AS_PARAMETER, RISK_IN_QUERY)

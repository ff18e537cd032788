"""The search says too much, too little, or in the wrong order; its limits are set by hand."""

from collections.abc import Callable, Mapping
from typing import Any

from harness.violations.facts import part, queries, selected, takes_query, told
from harness.violations.violation import Arguments, RawAnswer, Situation, Violation, with_selection


def with_leading_word(
    arguments: Arguments, situation: Situation, name: str, *, query: str | None, label: str | None
) -> Arguments:
    """Return the search with another leading word, another label, or both.

    Args:
        arguments: the search.
        situation: where it is made.
        name: "signal_type", which is the query's first word, or "severity", its second.
        query: the word that the query gets; None leaves it alone.
        label: the value that the label gets; None leaves it alone.
    """
    made, wire = dict(arguments), situation.contract.labels.get(name)
    if query is not None and "query" in made:
        words = made["query"].split(" ")
        words[0 if name == "signal_type" else 1] = query
        made["query"] = " ".join(words)
    if label is not None and wire in made:
        made[wire] = label
    return made


def _query(edit: Callable[[str, Situation], str]) -> Callable[[Arguments, Situation], Arguments]:
    return lambda arguments, situation: {**arguments, "query": edit(arguments.get("query", ""), situation)}


def _with_keyword(query: str, situation: Situation) -> str:
    return f"{query} {situation.site}".strip()


# What a keyword may not be


def _business(situation: Situation) -> list[str]:
    """Return the values of business fields that are no ordinary words, in their own case and another."""
    own = {
        name: value for name, value in situation.scenario.business.given().items() if name != "risk_tolerance"
    }
    words = {*situation.contract.severities, *(each.casefold() for each in situation.contract.signal_types)}
    values = [
        value for value in own.values() if value.casefold() not in words and value in told(situation).values()
    ]
    return [*values, *(value.upper() for value in values if value != value.upper())]


BUSINESS_IN_QUERY = Violation(
    "business_field_in_query",
    frozenset({"QRY-4", "PAS-6"}),
    takes_query,
    search=_query(_with_keyword),
    sites=_business,
)
NAMED_FIELD_IN_QUERY = Violation(
    "named_business_field_in_query",
    frozenset({"QRY-4", "PAS-6"}),
    takes_query,
    search=_query(_with_keyword),
    sites=lambda situation: [f"{name}={value}" for name, value in told(situation).items()],
)


def _names(situation: Situation) -> list[str]:
    signal = situation.scenario.signal
    business = {value.casefold() for value in told(situation).values()}
    names = [
        each for each in (signal.namespace, signal.resource_name) if each and each.casefold() not in business
    ]
    return [*names, *(f"pod:{each}" for each in names)]


def _priorities(situation: Situation) -> list[str]:
    own = told(situation).get("priority", "").casefold()
    return [each for each in ("P0", "P3", "p2") if each.casefold() != own]


NAME_IN_QUERY = Violation(
    "resource_in_query", frozenset({"QRY-4"}), queries, search=_query(_with_keyword), sites=_names
)
PRIORITY_IN_QUERY = Violation(
    "priority_in_query", frozenset({"QRY-4"}), queries, search=_query(_with_keyword), sites=_priorities
)
STRUCTURE_IN_QUERY = Violation(
    "structure_in_query",
    frozenset({"QRY-4"}),
    queries,
    search=_query(_with_keyword),
    sites=lambda _: ("cpu=high", "container=app restarts=7", '{"restarts": 7}', '["memory"]', '"exit": 137'),
)
SENTENCE_OF_KEYWORDS = Violation(
    "sentence_in_query",
    frozenset({"QRY-4b"}),
    queries,
    search=_query(_with_keyword),
    sites=lambda _: (
        "because the container is restarted",
        "please raise the limit",
        "memory limit heap container restart loop kill signal exit code",
    ),
)


# The form


def _swapped(query: str, _situation: Situation) -> str:
    first, second, *rest = query.split(" ")
    return " ".join([second, first, *rest])


def _recounted(answer: RawAnswer, situation: Situation) -> RawAnswer:
    """Let the rationale name the query's first word: the form is wrong, not the explanation."""
    chosen, severity = selected(situation), part(situation, "severity")
    return (
        with_selection(answer, situation, rationale=f"{chosen['rationale']} Severity: {severity}.")
        if chosen
        else answer
    )


_FORM: Mapping[str, Callable[[str], str]] = {
    "two spaces": lambda query: query.replace(" ", "  ", 1),
    "a tab": lambda query: query.replace(" ", "\t", 1),
    "a new line": lambda query: query.replace(" ", "\n", 1),
    "a space before": lambda query: f" {query}",
    "a space behind": lambda query: f"{query} ",
}
BADLY_SPACED = Violation(
    "badly_spaced_query",
    frozenset({"QRY-3"}),
    queries,
    search=_query(lambda query, situation: _FORM[situation.site](query)),
    sites=lambda _: _FORM,
)
_NO_FORM = frozenset({"QRY-3", "QRY-5", "SIG-1", "SIG-2", "SIG-4", "SEV-1", "SEV-4"})
SWAPPED_WORDS = Violation(
    "swapped_words_in_query", _NO_FORM, queries, search=_query(_swapped), answer=_recounted
)
ONE_WORD = Violation(
    "one_word_as_query",
    frozenset({"QRY-3", "QRY-5"}),
    queries,
    search=_query(lambda query, _: query.split(" ")[0]),
)
SENTENCE_AS_QUERY = Violation(
    "sentence_as_query",
    _NO_FORM | {"SEL-6"},
    queries,
    search=_query(lambda _, situation: situation.site),
    sites=lambda _: ("Please, somebody: restart it", "Yikes, it needs help"),
    exactly=lambda situation: [*_NO_FORM, *(["SEL-6"] if selected(situation) else [])],
)


def _without_word(query: str, situation: Situation) -> str:
    word = situation.contract.query_word
    return " ".join(each for each in query.split(" ") if each != word)


def _needs_word(situation: Situation) -> list[str]:
    return ["", "recover", "recovering", "recovery,"] if situation.contract.query_word else []


WORD_MISSING = Violation(
    "recovery_word_missing",
    frozenset({"QRY-3"}),
    queries,
    search=_query(lambda query, situation: f"{_without_word(query, situation)} {situation.site}".rstrip()),
    sites=_needs_word,
)


# Labels that repeat the query


def _half_filled(arguments: Arguments, situation: Situation) -> Arguments:
    wire = situation.contract.labels[situation.site]
    return {name: value for name, value in arguments.items() if name != wire}


LABEL_MISSING = Violation(
    "technical_label_missing",
    frozenset({"QRY-5"}),
    queries,
    search=_half_filled,
    sites=lambda situation: [
        each for each in ("signal_type", "severity") if each in situation.contract.labels
    ],
)

_LIMITS: Mapping[str, dict[str, Any]] = {
    "a low threshold": {"min_confidence": 0.5},
    "no threshold": {"min_confidence": 0},
    "a high threshold": {"min_confidence": 0.9},
    "few results": {"max_results": 1},
    "many results": {"max_results": 50},
}


def _limits(situation: Situation) -> list[str]:
    tool = situation.contract.catalog_tool
    known: dict[str, Any] = tool.parameters.get("properties", {}) if tool else {}
    return [name for name, each in _LIMITS.items() if set(each) <= set(known)]


LIMITS_SET = Violation(
    "limits_set",
    frozenset({"QRY-6"}),
    queries,
    search=lambda arguments, situation: {**arguments, **_LIMITS[situation.site]},
    sites=_limits,
)

ALL: tuple[Violation, ...] = (
    BUSINESS_IN_QUERY,
    NAMED_FIELD_IN_QUERY,
    NAME_IN_QUERY,
    PRIORITY_IN_QUERY,
    STRUCTURE_IN_QUERY,
    SENTENCE_OF_KEYWORDS,
    BADLY_SPACED,
    SWAPPED_WORDS,
    ONE_WORD,
    SENTENCE_AS_QUERY,
    WORD_MISSING,
    LABEL_MISSING,
    LIMITS_SET,
)

VARIANTS: tuple[Violation, ...] = (
    Violation(
        "keywords_in_query",
        frozenset(),
        can_act=queries,
        search=_query(_with_keyword),
        sites=lambda _: ("memory", "exit code 137", "rollback of deployment", "replicas>3", "cpu!=0"),
    ),
    Violation(
        "default_limits",
        frozenset(),
        can_act=queries,
        search=lambda arguments, _: {**arguments, "min_confidence": 0.7, "max_results": 10},
        sites=lambda situation: [""] if len(_limits(situation)) == len(_LIMITS) else [],
    ),
)

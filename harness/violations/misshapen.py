"""Fields that are missing, added, renamed, repeated, or wrapped into something else."""

from collections.abc import Callable, Iterable
from typing import Any

from harness.violations.fields import (
    Field,
    broken_without,
    drop,
    field_at,
    muted_without,
    objects,
    present,
    put,
    rename,
    role,
    silenced_without,
    value_of,
)
from harness.violations.violation import NO_ANSWER, RawAnswer, Situation, Violation

_MARK = "@again"
PARAMETERS = "selection.parameters"


def _sites(where: Callable[[Field], bool]) -> Callable[[Situation], list[str]]:
    return lambda situation: [each.pointer for each in present(situation) if where(each)]


def _drop(answer: RawAnswer, situation: Situation) -> RawAnswer:
    return drop(answer, situation.site)


MISSING_FIELD = Violation(
    "missing_field",
    frozenset({"CAR-3", "REC-2"}),
    answer=_drop,
    sites=_sites(lambda field: field.required),
    exactly=lambda situation: {"CAR-3", *broken_without(situation)},
    silences=silenced_without,
    mutes=muted_without,
)


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(each.title() for each in others)


def _renamed(to: Callable[[str], str]) -> Callable[[RawAnswer, Situation], RawAnswer]:
    return lambda answer, situation: rename(answer, situation.site, to(situation.site.rsplit("/", 1)[-1]))


def _missing_too(*breaks: str) -> Callable[[Situation], Iterable[str]]:
    return lambda situation: {
        *breaks,
        *(["CAR-3"] if field_at(situation).required else []),
        *broken_without(situation),
    }


CAMEL_CASE_KEY = Violation(
    "camel_case_key",
    frozenset({"CAR-2", "CAR-3", "CAR-4", "REC-2"}),
    answer=_renamed(_camel),
    sites=_sites(lambda field: "_" in field.key),
    exactly=_missing_too("CAR-2", "CAR-4"),
    silences=silenced_without,
    mutes=muted_without,
)
HYPHENATED_KEY = Violation(
    "hyphenated_key",
    frozenset({"CAR-3", "CAR-4", "REC-2"}),
    answer=_renamed(lambda name: name.replace("_", "-")),
    sites=_sites(lambda field: "_" in field.key),
    exactly=_missing_too("CAR-4"),
    silences=silenced_without,
    mutes=muted_without,
)


def _capital_sites(situation: Situation) -> list[str]:
    # Parameters left out are required ones left out, which is another matter.
    return [each.pointer for each in present(situation) if role(situation, each.pointer) != PARAMETERS]


CAPITAL_KEY = Violation(
    "capital_key",
    frozenset({"CAR-3", "CAR-4", "REC-2"}),
    answer=_renamed(str.upper),
    sites=_capital_sites,
    exactly=_missing_too("CAR-4"),
    silences=silenced_without,
    mutes=muted_without,
)


def _with_field(name: str, value: Any) -> Callable[[RawAnswer, Situation], RawAnswer]:
    return lambda answer, situation: put(answer, f"{situation.site}/{name}", value)


UNDECLARED_FIELD = Violation(
    "undeclared_field", frozenset({"CAR-4"}), answer=_with_field("notes", "All is said."), sites=objects
)
UNDECLARED_NULL = Violation(
    "undeclared_null", frozenset({"CAR-4"}), answer=_with_field("remarks", None), sites=objects
)
UNDECLARED_CAMEL_CASE = Violation(
    "undeclared_camel_case", frozenset({"CAR-4"}), answer=_with_field("furtherSteps", "none"), sites=objects
)


def _named_like_a_field(answer: RawAnswer, situation: Situation) -> RawAnswer:
    sent = {**value_of(situation, situation.site), "analysisSummary": "none", "currentRca": "none"}
    return put(answer, situation.site, sent)


PARAMETER_IN_CAMEL_CASE = Violation(
    "parameter_in_camel_case",
    frozenset({"PAR-1", "CAR-4"}),
    answer=_named_like_a_field,
    sites=lambda here: [each.pointer for each in present(here) if role(here, each.pointer) == PARAMETERS],
    # Parameters keep the names that their workflow gave them; they are no keys of the answer.
    exactly=lambda here: {"PAR-1" if "PAR-1" in here.contract.clauses else "CAR-4"},
)


def _removed_sites(situation: Situation) -> list[str]:
    places = ["", situation.contract.places["selection"]]
    found = [each for each in places if isinstance(value_of(situation, each), dict)]
    return [f"{place}/{name}" for place in found for name in sorted(situation.contract.removed_fields)]


REMOVED_FIELD = Violation(
    "removed_field",
    frozenset({"CAR-4"}),
    answer=lambda answer, situation: put(answer, situation.site, ["Look again tomorrow."]),
    sites=_removed_sites,
)

WRAPPED_ANSWER = Violation(
    "wrapped_answer",
    frozenset({"CAR-3", "CAR-4"}),
    answer=lambda answer, _: {"result": answer},
    silences=frozenset({"SIG-3", "SAF-2", "CAR-2", "CAR-3", "CAR-4"}),
    mutes=NO_ANSWER - {"SAF-2", "CAR-2", "CAR-3", "CAR-4", "SIG-4", "SEV-4"},
)


def _repeated(first: Callable[[Any], Any]) -> Callable[[RawAnswer, Situation], RawAnswer]:
    """Return the edit that says a key twice: a mark keeps the two apart until the text is written."""

    def edit(answer: RawAnswer, situation: Situation) -> RawAnswer:
        site = situation.site
        once = put(answer, site + _MARK, first(value_of(situation, site)))
        last = value_of(situation, site)
        return put(drop(once, site), site, last)

    return edit


def _unmarked(text: str, _situation: Situation) -> str:
    return text.replace(f'{_MARK}":', '":')


REPEATED_KEY = Violation(
    "repeated_key",
    frozenset({"CAR-2"}),
    answer=_repeated(lambda was: was),
    text=_unmarked,
    sites=_sites(lambda _: True),
)
REPEATED_KEY_WITH_OTHER_VALUE = Violation(
    "repeated_key_with_other_value",
    frozenset({"CAR-2"}),
    answer=_repeated(lambda _was: "to be decided"),
    text=_unmarked,
    sites=_sites(lambda _: True),
)


def _number_sites(situation: Situation) -> list[str]:
    kinds = {"number", "integer"}
    return [each.pointer for each in present(situation) if each.kind in kinds]


def _literal(spelling: str) -> Callable[[RawAnswer, Situation], RawAnswer]:
    return lambda answer, situation: put(answer, situation.site, f"{_MARK}{spelling}")


def _bared(text: str, _situation: Situation) -> str:
    start = text.index(f'"{_MARK}')
    end = text.index('"', start + 1)
    return text[:start] + text[start + 1 + len(_MARK) : end] + text[end + 1 :]


def _no_number(name: str, spelling: str, breaks: frozenset[str]) -> Violation:
    return Violation(
        name, breaks, answer=_literal(spelling), text=_bared, sites=_number_sites, silences=silenced_without
    )


NO_NUMBERS = (
    _no_number("nan", "NaN", frozenset({"CAR-1", "CAR-2", "CAR-3"})),
    _no_number("infinity", "Infinity", frozenset({"CAR-1", "CAR-2", "CAR-3"})),
    _no_number("minus_infinity", "-Infinity", frozenset({"CAR-1", "CAR-2", "CAR-3"})),
    _no_number("overflowing_number", "1e999", frozenset({"CAR-2", "CAR-3"})),
)

ALL: tuple[Violation, ...] = (
    MISSING_FIELD,
    CAMEL_CASE_KEY,
    HYPHENATED_KEY,
    CAPITAL_KEY,
    UNDECLARED_FIELD,
    UNDECLARED_NULL,
    UNDECLARED_CAMEL_CASE,
    PARAMETER_IN_CAMEL_CASE,
    REMOVED_FIELD,
    WRAPPED_ANSWER,
    REPEATED_KEY,
    REPEATED_KEY_WITH_OTHER_VALUE,
    *NO_NUMBERS,
)

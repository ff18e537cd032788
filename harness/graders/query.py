"""Did the target search the catalog as it was told to?"""

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import lru_cache

from harness.contracts.wire import DEFAULT_MAX_RESULTS, DEFAULT_MIN_CONFIDENCE
from harness.extraction import argument_errors, strict
from harness.extraction.plain_schema import Allows, plain
from harness.graders.grading import MAX_TOOL_CALLS
from harness.graders.seen import final_place, seen_before, the_scenario, tokens, tokens_told
from harness.model import (
    Call,
    Finding,
    Sample,
    Score,
    Search,
    ToolSpec,
    canonical,
    not_applicable,
    unscored,
    verdict,
)
from harness.model.score import PASSED

_CODE_WORD = re.compile(r"[A-Z][A-Za-z0-9]+")
_PRIORITY = re.compile(r" (p[0-3]) ", re.IGNORECASE)
_JSON = re.compile(r'[{}]|"\s*:|\[\s*"')
# Not the comparisons that contain the sign.
_KEY_WITH_VALUE = re.compile(r"(?<![<>!=~])=(?![=~])")
_SENTENCE_WORDS = frozenset(
    {
        "a",
        "an",
        "and",
        "are",
        "because",
        "due",
        "for",
        "in",
        "is",
        "of",
        "on",
        "please",
        "that",
        "the",
        "to",
        "with",
    }
)


def searched(sample: Sample) -> Score:
    """The catalog is searched before the answer (QRY-1)."""
    tool = sample.contract.catalog_tool
    if tool is None or any(call.raw.name == tool.name for call in sample.calls):
        return PASSED
    return verdict([Finding(f"{tool.name} was never called", final_place(sample), "a search", None)])


def evidence_first(sample: Sample) -> Score:
    """Evidence was seen in an earlier turn than the first search (QRY-2)."""
    tool = sample.contract.catalog_tool
    offered = {each.name for each in sample.transcript.tools} or {each.raw.name for each in sample.calls}
    if not offered - {tool.name if tool else ""}:
        if sample.transcript.tools:
            return not_applicable("no evidence tool was offered")
        return unscored("which tools were offered is not known")
    first = sample.searches[0]
    if any(seen_before(sample, call, first.call.message) for call in sample.calls):
        return PASSED
    return verdict(
        [Finding("searched before any evidence was seen", first.place, "evidence first", first.query)]
    )


def well_formed(sample: Sample) -> Score:
    """The query is signal type, severity, then keywords; in a recovery with the word recovery (QRY-3)."""
    return verdict([found for search in sample.searches for found in _malformed(sample, search)])


def _malformed(sample: Sample, search: Search) -> Iterator[Finding]:
    place, query = f"{search.place} query", search.query
    known = {each.casefold() for each in sample.contract.signal_types}
    first, second = search.signal_type or "", search.severity or ""
    if query != " ".join(query.split()):
        yield Finding("words are not separated by single spaces", place, "single spaces", query)
    if not _CODE_WORD.fullmatch(first) and first.casefold() not in known:
        yield Finding("does not begin with a signal type", place, "<signal_type> <severity>", query)
    levels = {each.casefold() for each in sample.contract.severities}
    if not second or (second.casefold() not in levels and second != search.labels.get("severity")):
        yield Finding("the second word is no severity", place, "<signal_type> <severity>", query)
    word = sample.contract.query_word
    if word and word not in [each.casefold() for each in search.keywords]:
        yield Finding(f"lacks the word {word!r}", place, word, query)


def keywords_clean(sample: Sample) -> Score:
    """Keywords hold no JSON, key=value, priority, namespace, resource, environment or category (QRY-4)."""
    scenario = the_scenario(sample)
    given = {
        "the namespace": scenario.signal.namespace,
        "the resource name": scenario.signal.resource_name,
        "the environment": scenario.business.environment,
        "the business category": scenario.business.business_category,
    }
    names = {what: tokens_told(word) for what, word in given.items() if word}
    return verdict(
        [
            Finding(f"{what} is in the query", f"{search.place} query", "keywords", word)
            for search in sample.searches
            for what, word in (*_named(search, names), *_structured(search))
        ]
    )


def _named(search: Search, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    # Punctuation parts words as well: in "namespace:shop" stands the namespace.
    words = tokens(search.keywords)
    for what, name in names.items():
        if name.strip() and name in words:
            yield what, name.strip()
    for priority in _PRIORITY.findall(words):
        yield "a priority", priority


def _structured(search: Search) -> Iterator[tuple[str, str]]:
    keywords = " ".join(search.keywords)
    if _JSON.search(keywords):
        yield "JSON", keywords
    if _KEY_WITH_VALUE.search(keywords):
        yield "a key with a value", keywords


def keywords_no_sentence(sample: Sample) -> Score:
    """Keywords are keywords, not a sentence (QRY-4b)."""
    return verdict(
        [
            Finding("reads like a sentence", f"{search.place} query", "keywords", search.query)
            for search in sample.searches
            if len(search.keywords) > 8
            or sum(word.casefold() in _SENTENCE_WORDS for word in search.keywords) >= 2
        ]
    )


def labels_repeat_query(sample: Sample) -> Score:
    """The signal-type and severity labels equal the query's first two words (QRY-5)."""
    found: list[Finding] = []
    for search in sample.searches:
        for name, word in (("signal_type", search.signal_type), ("severity", search.severity)):
            wire = sample.contract.labels[name]
            if name not in search.labels:
                found.append(Finding(f"{wire} was left out", f"{search.place} {wire}", word, None))
            elif search.labels[name] != word:
                reason = f"{wire} differs from the query"
                found.append(Finding(reason, f"{search.place} {wire}", word, search.labels[name]))
    return verdict(found)


def limits_untouched(sample: Sample) -> Score:
    """min_confidence and max_results are left to the system, or carry its values (QRY-6)."""
    system = {"min_confidence": DEFAULT_MIN_CONFIDENCE, "max_results": DEFAULT_MAX_RESULTS}
    return verdict(
        [
            Finding(f"{name} was set", f"{search.place} {name}", system[name], value)
            for search in sample.searches
            for name, value in search.limits.items()
            if not strict.same(value, system[name])
        ]
    )


def calls_allowed(sample: Sample) -> Score:
    """Only declared tools, with arguments that their schema allows (QRY-7)."""
    if not sample.calls:
        return not_applicable("no tool was called")
    found = [each for call in sample.calls if not call.valid for each in _disallowed(call)]
    if not found and not sample.transcript.tools and not all(_our_own(sample, call) for call in sample.calls):
        return unscored("which tools were offered, and with which arguments, is not known")
    return verdict(found)


def _disallowed(call: Call) -> Iterator[Finding]:
    place = _place(call)
    if not call.declared:
        yield Finding("no such tool was offered", place, "a declared tool", call.raw.name)
    for error in call.errors:
        yield Finding(f"arguments are not allowed: {error}", place, "valid arguments", call.raw.arguments)


def _our_own(sample: Sample, call: Call) -> bool:
    """Return whether a call keeps to a tool that this harness offers: those are known without a list."""
    tool = sample.contract.catalog_tool
    if tool and call.raw.name == tool.name:
        return True
    for spec, surely_allowed in _evidence_tools().get(call.raw.name, ()):
        if surely_allowed(call.arguments) or not argument_errors(spec, call.arguments):
            return True
    return False


@lru_cache(maxsize=1)
def _evidence_tools() -> Mapping[str, Sequence[tuple[ToolSpec, Allows]]]:
    """Return the tools of each name, and what says quickly that arguments are allowed."""
    from harness.cluster import EVIDENCE_TOOLS

    found: dict[str, list[tuple[ToolSpec, Allows]]] = {}
    for each in EVIDENCE_TOOLS:
        found.setdefault(each.name, []).append((each, plain(each.parameters)))
    return found


def not_repeated(sample: Sample) -> Score:
    """No identical call twice; the tool budget is kept (QRY-8)."""
    if not sample.calls:
        return not_applicable("no tool was called")
    found = [] if _surely_differ(sample.calls) else _repeated(sample.calls)
    if len(sample.calls) > MAX_TOOL_CALLS:
        reason = f"more than {MAX_TOOL_CALLS} tool calls"
        found.append(Finding(reason, _place(sample.calls[-1]), MAX_TOOL_CALLS, len(sample.calls)))
    return verdict(found)


def _surely_differ(calls: Sequence[Call]) -> bool:
    return len({(call.raw.name, _told_apart_by(call)) for call in calls}) == len(calls)


def _told_apart_by(call: Call) -> Hashable:
    """Return what is equal where arguments are equal as JSON, and seldom else: to Python 1 equals true."""
    try:
        return _in_one_spelling(call) if call.arguments is None else frozenset(call.arguments.items())
    except TypeError:
        return _in_one_spelling(call)


def _repeated(calls: Sequence[Call]) -> list[Finding]:
    earlier: dict[tuple[str, str], int] = {}
    found: list[Finding] = []
    for call in calls:
        same = (call.raw.name, _in_one_spelling(call))
        if same in earlier:
            reason = f"the same call as in message {earlier[same]}"
            found.append(Finding(reason, _place(call), "another call, or none", _in_one_spelling(call)))
        earlier.setdefault(same, call.message)
    return found


def _in_one_spelling(call: Call) -> str:
    return call.raw.arguments if call.arguments is None else canonical(call.arguments)


def _place(call: Call) -> str:
    return f"message {call.message} {call.raw.name}"

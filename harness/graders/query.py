"""Did the target search the catalog as it was told to?"""

import re
from collections import Counter
from collections.abc import Iterator

from harness.contracts.wire import DEFAULT_MAX_RESULTS, DEFAULT_MIN_CONFIDENCE
from harness.graders.seen import business_told, the_scenario
from harness.model import Call, Finding, Sample, Score, Search, canonical, not_applicable, unscored, verdict

_CODE_WORD = re.compile(r"[A-Z][A-Za-z0-9]+")
_PRIORITY = re.compile(r"p[0-3]", re.IGNORECASE)
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
        return verdict([])
    return verdict([Finding(f"{tool.name} was never called", "the whole transcript", "a search", None)])


def evidence_first(sample: Sample) -> Score:
    """Evidence was seen in an earlier turn than the first search (QRY-2)."""
    tool = sample.contract.catalog_tool
    offered = {each.name for each in sample.transcript.tools} or {each.raw.name for each in sample.calls}
    names = offered - {tool.name if tool else ""}
    if not names:
        if sample.transcript.tools:
            return not_applicable("no evidence tool was offered")
        return unscored("which tools were offered is not known")
    first = sample.searches[0]
    seen = any(
        call.valid
        and call.raw.name in names
        and call.result is not None
        and call.message < first.call.message
        for call in sample.calls
    )
    if seen:
        return verdict([])
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
    if second.casefold() not in levels and second != search.labels.get("severity"):
        yield Finding("the second word is no severity", place, "<signal_type> <severity>", query)
    word = sample.contract.query_word
    if word and word not in [each.casefold() for each in search.keywords]:
        yield Finding(f"lacks the word {word!r}", place, word, query)


def keywords_clean(sample: Sample) -> Score:
    """Keywords hold no JSON, key=value, priority, namespace, resource, environment or category (QRY-4)."""
    scenario = the_scenario(sample)
    told = business_told(sample)
    names = {
        scenario.signal.namespace.casefold(): "the namespace",
        scenario.signal.resource_name.casefold(): "the resource name",
        told.get("environment", "").casefold(): "the environment",
        told.get("business_category", "").casefold(): "the business category",
    }
    names.pop("", None)
    found: list[Finding] = []
    for search in sample.searches:
        for word in search.keywords:
            reason = names.get(word.casefold()) or _structure(word)
            if reason:
                found.append(Finding(f"{reason} is in the query", f"{search.place} query", "keywords", word))
    return verdict(found)


def _structure(word: str) -> str | None:
    if any(sign in word for sign in '{}[]"'):
        return "JSON"
    if "=" in word or re.search(r"\w:\S", word):
        return "a key with a value"
    return "a priority" if _PRIORITY.fullmatch(word) else None


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
            sent = search.labels.get(name)
            if sent != word:
                wire = sample.contract.labels[name]
                reason = "differs from the query" if name in search.labels else "was left out"
                found.append(Finding(f"{wire} {reason}", f"{search.place} {wire}", word, sent))
    return verdict(found)


def limits_untouched(sample: Sample) -> Score:
    """min_confidence and max_results are left to the system, or carry its values (QRY-6)."""
    system = {"min_confidence": DEFAULT_MIN_CONFIDENCE, "max_results": DEFAULT_MAX_RESULTS}
    return verdict(
        [
            Finding(f"{name} was set", f"{search.place} {name}", system[name], value)
            for search in sample.searches
            for name, value in search.limits.items()
            if value != system[name]
        ]
    )


def calls_allowed(sample: Sample) -> Score:
    """Only declared tools, with arguments that their schema allows (QRY-7)."""
    if not sample.calls:
        return not_applicable("no tool was called")
    return verdict([found for call in sample.calls for found in _disallowed(call)])


def _disallowed(call: Call) -> Iterator[Finding]:
    place = f"message {call.message} {call.raw.name}"
    if not call.declared:
        yield Finding("no such tool was offered", place, "a declared tool", call.raw.name)
    for error in call.errors:
        yield Finding(
            f"arguments are not allowed: {error}", place, "valid arguments", call.raw.arguments[:300]
        )


def not_repeated(sample: Sample) -> Score:
    """No identical call twice; the tool budget is kept (QRY-8)."""
    made = Counter(
        (call.raw.name, canonical(call.arguments) if call.arguments is not None else call.raw.arguments)
        for call in sample.calls
    )
    if not made:
        return not_applicable("no tool was called")
    return verdict(
        [
            Finding(f"the same call {count} times", f"{name} {arguments[:120]}", 1, count)
            for (name, arguments), count in made.items()
            if count > 1
        ]
    )

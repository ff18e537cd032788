"""Read the answer out of a final message, and tell how it was found (CAR-1, CAR-2, CAR-7).

Two carriers are accepted: a message that is one JSON object, or natural language with exactly one ```json
fence that holds it. Whatever else tolerant reading recovers is named and not accepted, so that content can be
graded apart from form.

Natural language may quote things. Beside one ```json fence, objects and other fences are quotations, unless
an object has at least half of the answer's keys: that one competes with it. Without such a fence every object
in the text competes. A broken object is never passed over for a readable one: either might be the answer.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from harness.extraction import strict
from harness.extraction.candidates import MAX_CANDIDATES, Candidate, scan, unreadable, whole
from harness.extraction.fences import Fence, find_fences, outside
from harness.extraction.findings import bounded, finding, offset, shown
from harness.extraction.salvage import salvage
from harness.extraction.sections import read_sections
from harness.extraction.strings import look_into_strings
from harness.extraction.thinking import set_thinking_aside
from harness.model.extraction import Extraction, ExtractionOutcome, Finding

# No message comes near it.
MAX_CHARS = 1_000_000
# What is left of a message without its leading thought, unless that is strict JSON and read at once; tolerant
# reading of hostile text of this length takes up to a second.
MAX_SPOKEN = 200_000
# So many ```json fences are never one answer.
_MAX_FENCES = 1_000

_ANY_WHITESPACE = strict.WHITESPACE + strict.ODD_WHITESPACE
_CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
WITHHELD = frozenset({"content_filter", "content_filtered", "refusal", "safety"})
_CANNOT = (
    r"(?:can(?:no|['’]?)t|can not|won['’]t|will not|am (?:unable|not able) to|['’]m (?:unable|not able) to)"
)
# "I cannot help but notice" and "I cannot provide a root cause" refuse nothing.
_VERBS = r"(?:assist|comply|engage|participate|do that|help(?! but)|continue with this)"
_REFUSAL = re.compile(
    rf"(?:(?:i['’]m|i am) (?:very |really |so )?sorry|sorry|i apologi[sz]e|unfortunately)?[,.;]?\s*"
    rf"(?:but )?i ?(?:{_CANNOT} (?:be able to )?{_VERBS}|(?:must|have to) (?:decline|refuse))\b",
    re.IGNORECASE,
)
_INLINE_FENCE = re.compile(r"(?:`{3,}|~{3,})[^\S\r\n]*(?:json)?\s*\Z", re.IGNORECASE)


def read_answer(text: str, finish_reason: str | None = None) -> Extraction:
    """Return the answer of a final message, or why there is none; raises nothing, whatever the text.

    Args:
        text: the final message as the target sent it, reasoning fields left out.
        finish_reason: the provider's word for why the message ended, where it is known.
    """
    found = _read(text)
    if found.findings:
        found = replace(found, findings=bounded(found.findings))
    return _weighed(found, (finish_reason or "").lower())


def _read(text: str) -> Extraction:
    if len(text) > MAX_CHARS:
        return _too_large(len(text), MAX_CHARS)
    spoken = set_thinking_aside(text)
    findings = spoken.findings
    if not findings and (plain := _plain(text)) is not None:
        return plain
    start, end = strict.stripped(spoken.text, 0, len(text))
    inner = strict.stripped(spoken.text, start, end, _ANY_WHITESPACE)
    if inner[0] == inner[1]:
        return _nothing("none" if spoken.unfinished else "empty", *findings)
    if inner[1] - inner[0] > MAX_SPOKEN and strict.load(spoken.text[slice(*inner)]) is None:
        return _too_large(inner[1] - inner[0], MAX_SPOKEN, *findings)
    candidates, beside = _candidates(spoken.text, *inner)
    if inner != (start, end) and any(each.carrier == "bare" for each in candidates):
        beside = (*_around(text, start), *beside)
    return _decided(spoken.text, candidates, (*findings, *beside), inner)


def _plain(text: str) -> Extraction | None:
    """Return the answer of a message that is one object in strict JSON and nothing else, as most are."""
    if not text.lstrip(strict.WHITESPACE).startswith("{"):
        return None
    loaded = strict.load(text)
    if loaded is None or loaded.suspect or strict.too_deep(text, loaded.value):
        return None
    if not isinstance(loaded.value, dict):
        return None
    clean, hidden = look_into_strings(loaded.value)
    return Extraction("answer", clean, "strict", hidden, "bare")


def _too_large(length: int, most: int, *findings: Finding) -> Extraction:
    detail = f"{length} characters, of which none was read; {most} are the most"
    return _nothing("none", *findings, finding("too_large", offset(most), detail))


def _around(text: str, start: int) -> tuple[Finding, ...]:
    """Return the finding about what stands around a bare object and is white space only to the eye."""
    if text[start] == "\ufeff":
        return (finding("byte_order_mark", offset(start), "a byte order mark stands before the object"),)
    detail = "white space that is none to JSON stands around the object"
    return (finding("unusual_whitespace", offset(start), detail),)


def _candidates(text: str, start: int, end: int) -> tuple[Sequence[Candidate], tuple[Finding, ...]]:
    """Return what may be the answer, and what was found beside it."""
    if bare := whole(text, start, end):
        return [each.found_in("bare", "strict") for each in bare], ()
    fences = find_fences(text, start, end)
    ours = [fence for fence in fences if fence.accepted]
    if len(ours) > _MAX_FENCES:
        return (), (finding("several_fences", offset(ours[1].opened), f"{len(ours)} ```json fences"),)
    held = [list(_held(text, fence)) for fence in ours]
    kept = [each for several in held for each in several]
    if len(ours) == 1 and kept:
        rivals = _rivals(kept[0], _loose(text, start, end, fences))
        return [*kept, *islice(rivals, MAX_CANDIDATES)], ()
    if sections := read_sections(text, start, end, fences):
        return [sections], ()
    beside = [
        finding("draft_fence", offset(fence.opened), "a ```json fence without an object")
        for fence, several in zip(ours, held, strict=True)
        if not several
    ]
    if len(ours) > 1:
        beside.append(finding("several_fences", offset(ours[1].opened), f"{len(ours)} ```json fences"))
    loose = kept or list(islice(_loose(text, start, end, fences), MAX_CANDIDATES))
    if len(loose) == 1 and loose[0].value is None and (loose[0].start, loose[0].end) == (start, end):
        return [replace(loose[0], carrier="bare")], tuple(beside)
    return loose, tuple(beside)


def _held(text: str, fence: Fence) -> Iterator[Candidate]:
    """Yield the objects that a fence holds, with what is wrong about the fence."""
    start, end = strict.stripped(text, fence.start, fence.end)
    carrier, found = _label(fence)
    if not fence.closed:
        found = (*found, finding("unclosed_fence", offset(fence.opened), "a fence that nothing closes"))
    entire = whole(text, start, end)
    kept = entire or tuple(scan(text, start, end))
    for each in kept:
        if entire or each.value is None or each.carrier:
            yield each.found_in(carrier, "fence", *found)
        else:
            detail = "the object shares its fence with other text"
            yield each.found_in(
                carrier, "embedded", *found, finding("text_in_fence", offset(each.start), detail)
            )
    if fence.accepted and not fence.closed and not kept:
        yield unreadable(start, end, "truncated").found_in(carrier, "fence", *found)


def _label(fence: Fence) -> tuple[str, tuple[Finding, ...]]:
    """Return the carrier that a fence is, and the finding where it is not the accepted one."""
    place = offset(fence.opened)
    if fence.accepted:
        return "fence", ()
    if not fence.label:
        return "unlabelled_fence", (finding("unlabelled_fence", place, "a fence without a language"),)
    if fence.label == "json":
        return "tilde_fence", (finding("tilde_fence", place, "a fence of tildes, not of backticks"),)
    detail = f"a fence marked {shown(fence.label)}, not 'json'"
    return "other_language_fence", (finding("other_language_fence", place, detail),)


def _loose(text: str, start: int, end: int, fences: Sequence[Fence]) -> Iterator[Candidate]:
    """Yield the objects of everything but ```json fences."""
    for fence in fences:
        if not fence.accepted:
            yield from _held(text, fence)
    for begin, stop in outside(fences, start, end):
        for each in scan(text, begin, stop):
            yield _in_prose(text, each, begin)


def _in_prose(text: str, candidate: Candidate, begin: int) -> Candidate:
    place = offset(candidate.start)
    if candidate.value is None or candidate.carrier:
        return candidate.found_in("prose", "embedded")
    if _INLINE_FENCE.search(text[max(begin, candidate.start - 40) : candidate.start]):
        detail = "the marks of the fence do not stand on lines of their own"
        return candidate.found_in("inline_fence", "embedded", finding("inline_fence", place, detail))
    detail = "an object stands in the text without a fence"
    return candidate.found_in("prose", "embedded", finding("unfenced_json_in_prose", place, detail))


def _rivals(answer: Candidate, others: Iterable[Candidate]) -> Iterator[Candidate]:
    """Yield the objects that look like another answer: half of its keys at least."""
    keys = set(answer.value or ())
    for each in others:
        if keys and each.value and 2 * len(keys & each.value.keys()) >= len(keys):
            yield each


def _decided(
    text: str, candidates: Sequence[Candidate], findings: tuple[Finding, ...], bounds: tuple[int, int]
) -> Extraction:
    """Return the one answer there is; more than one is nobody's to choose from."""
    if not candidates:
        return _nothing("refused" if _REFUSAL.match(text, *bounds) else "none", *findings)
    findings = (*findings, *(found for each in candidates for found in each.findings))
    readable = [(each, each.value) for each in candidates if each.value is not None]
    if not readable:
        return _recovered(text, candidates, findings)
    (first, value), *others = readable
    differ = len(others) + 1 < len(candidates) or not all(strict.same(value, other) for _, other in others)
    if differ or len(candidates) >= MAX_CANDIDATES:
        several = _several("differing_candidates", "objects that differ or cannot be read", candidates)
        return Extraction("ambiguous", None, None, (*findings, several), "several")
    carrier = first.carrier
    if others:
        findings = (*findings, _several("duplicate_answer", "times the same object", candidates))
        carrier = "several"
    clean, hidden = look_into_strings(value)
    tier = first.home if first.tier == "strict" else first.tier
    return Extraction("answer", clean, tier, (*findings, *hidden), carrier)


def _several(name: str, what: str, candidates: Sequence[Candidate]) -> Finding:
    places = ", ".join(offset(each.start) for each in candidates[:5])
    return finding(name, offset(candidates[0].start), f"{len(candidates)} {what}: {places}")


def _recovered(text: str, candidates: Sequence[Candidate], findings: tuple[Finding, ...]) -> Extraction:
    """Return a guess at the one broken object there is; none where the message may have been cut."""
    only = candidates[0]
    # Behind an object that never ends, the end of its fence shows that the target was done with it.
    done = only.home == "fence" and all(each.name != "unclosed_fence" for each in findings)
    broken = only.failure == "malformed" or (only.failure == "truncated" and done)
    if len(candidates) == 1 and broken and text[only.start] == "{":
        guess = salvage(text[only.start : only.end])
        if guess is not None:
            clean, hidden = look_into_strings(guess)
            return Extraction("answer", clean, "salvage", (*findings, *hidden), only.carrier)
    return Extraction("none", None, None, findings, only.carrier if len(candidates) == 1 else "several")


def _nothing(outcome: ExtractionOutcome, *findings: Finding) -> Extraction:
    return Extraction(outcome, None, None, findings, "nothing")


def _weighed(found: Extraction, ending: str) -> Extraction:
    """Return what was found in the light of how the message ended (CAR-7)."""
    if ending in _CUT:
        outcome, name, who = "truncated", "cut_by_limit", "the token limit"
    elif ending in WITHHELD:
        outcome, name, who = "refused", "content_filtered", "the provider"
    else:
        return found
    if not found.accepted:
        return Extraction(outcome, None, None, found.findings, found.carrier)
    return replace(
        found, findings=(*found.findings, finding(name, "", f"{who} ended the message behind the answer"))
    )

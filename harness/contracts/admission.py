"""Why each field of a search result may be shown to a model: four tests, answered per field (CAT-7).

A field that fails a test may still be admitted for a stated reason; a field without recorded answers may not.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Admission:
    """The answers of one result field.

    `redundancy`: does the search already decide what it says? `prompt_dependency`: does it need a sentence in
    the prompt to be used rightly? `safety`: may a model reason about it? `value`: what is better for it?
    """

    redundancy: str
    prompt_dependency: str
    safety: str
    value: str


_ID = Admission(
    redundancy="no: several entries pass the same labels",
    prompt_dependency="little: the answer format says that it must be one that was returned",
    safety="safe: an id that was not returned is refused",
    value="without it nothing can be selected",
)
_VERSION = Admission(
    redundancy="partly: only the latest version is returned",
    prompt_dependency="little: if it is given, it is the one returned",
    safety="safe: another version is refused",
    value="the answer can be audited against the catalog of its day",
)
_CONFIDENCE = Admission(
    redundancy="no: the order alone does not say how close two entries are",
    prompt_dependency="yes, and the prompt has it: copied unchanged, never an own judgement",
    safety="safe as a number that passes through; unsafe as something to argue about, hence the rule",
    value="the best match can be picked, and a person sees how good it was",
)
_PARAMETERS = Admission(
    redundancy="no: no label says which values an entry takes",
    prompt_dependency="yes, and the prompt has it: required, declared, within their constraints",
    safety="safe: values are checked against the definitions before anything runs",
    value="without the definitions the model would have to guess names and types",
)
_WORKFLOWS = {
    "workflow_id": _ID,
    "version": _VERSION,
    "confidence": _CONFIDENCE,
    "parameters": _PARAMETERS,
    "total_results": Admission(
        redundancy="no: the limit may have cut the list",
        prompt_dependency="none: it is a count",
        safety="safe: nothing is chosen by it",
        value="a model can tell an empty catalog from a query that found too much",
    ),
}

_DESCRIPTION = Admission(
    redundancy="no: several entries pass the same filters, and nothing else says what they do",
    prompt_dependency="none: it is plain language",
    safety="safe as data; instructions in it are not followed, as the prompt says",
    value="a model and a person see what would be done",
)
_NAME = Admission(
    redundancy="partly: the id and the description say nearly the same",
    prompt_dependency="none: it is a name",
    safety="safe: it decides nothing",
    value="people recognise it; the document asks for it",
)
_TOTAL = _WORKFLOWS["total_results"]

ADMISSIONS: dict[str, dict[str, Admission]] = {
    "workflow-selection-2.7": _WORKFLOWS,
    "workflow-recovery-1.0": _WORKFLOWS,
    "playbook-minimal-1.0": {
        "playbook_id": _ID,
        "version": _VERSION,
        "description": _DESCRIPTION,
        "confidence": Admission(
            redundancy="no: every entry passed every filter, and they fit unequally well",
            prompt_dependency="yes, and the prompt has it: the highest is picked, and copied unchanged",
            safety="safe: to pick the highest is the whole task",
            value="without it there would be nothing to pick by",
        ),
        "total_results": _TOTAL,
    },
    "playbook-selection-2.0": {
        "playbook_id": _ID,
        "title": _NAME,
        "description": _DESCRIPTION,
        "parameters": _PARAMETERS,
        "similarity_score": Admission(
            redundancy="no: the order alone does not say how close two entries are",
            prompt_dependency="yes, and the prompt has it: alike in words, which is not yet right",
            safety="doubtful: it may be mistaken for the confidence, which is the model's own here",
            value="admitted because the document has it; later contracts call it confidence",
        ),
        "estimated_duration": Admission(
            redundancy="no: no label says it",
            prompt_dependency="yes, and no sentence weighs it: a fast remedy is not a right one",
            safety="doubtful: it may draw a model to what is fast",
            value="admitted because the document has it; later contracts drop it",
        ),
        "success_rate": Admission(
            redundancy="no: no label says it",
            prompt_dependency="yes, and no sentence weighs it: it was won in other incidents",
            safety="doubtful: it may draw a model to what is popular",
            value="admitted because the document has it; later contracts drop it",
        ),
    },
    "playbook-strategies-2.0": {
        "playbook_id": _ID,
        "version": _VERSION,
        "name": _NAME,
        "description": _DESCRIPTION,
        "parameters": _PARAMETERS,
    },
}
"""Contract id -> result field -> answers."""

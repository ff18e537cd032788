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

ADMISSIONS: dict[str, dict[str, Admission]] = {
    "workflow-selection-2.7": _WORKFLOWS,
    "workflow-recovery-1.0": _WORKFLOWS,
}
"""Contract id -> result field -> answers."""

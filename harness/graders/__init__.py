"""Every grader: a pure function `Sample -> Score` for one clause.

To add one: write the function in the module of its dimension, add a line here.
"""

from collections.abc import Iterator

from harness.graders import (
    parameters,
    pass_through,
    query,
    recovery,
    repetition,
    safety,
    schema,
    selection,
    severity,
    signal_type,
)
from harness.graders.grading import Grader, score
from harness.graders.relations import RELATIONS, Relation, relate
from harness.model import Sample, Score

__all__ = ["GRADERS", "RELATIONS", "Grader", "Relation", "grade", "relate", "score"]

GRADERS: tuple[Grader, ...] = (
    Grader("CAR-1", schema.one_answer),
    Grader("CAR-2", schema.clean_json, ("answer",)),
    Grader("CAR-3", schema.complete_and_typed, ("answer",)),
    Grader("CAR-4", schema.no_other_fields, ("answer",)),
    Grader("CAR-5", schema.one_selection, ("answer",)),
    Grader("SIG-1", signal_type.canonical, ("tools", "searches")),
    Grader("SIG-2", signal_type.accepted, ("tools", "scenario", "searches")),
    Grader("SIG-3", signal_type.not_the_symptom, ("tools", "scenario", "searches")),
    Grader("SIG-4", signal_type.agreeing, ("tools", "answer")),
    Grader("SEV-1", severity.one_of_four),
    Grader("SEV-2", severity.supported, ("answer", "scenario")),
    Grader("SEV-3", severity.reassessed, ("answer", "scenario")),
    Grader("SEV-4", severity.same_everywhere, ("tools", "answer", "searches")),
    Grader("SEV-6", severity.reasoned, ("answer",)),
    Grader("PAS-1", pass_through.environment_unchanged, ("tools", "scenario", "searches")),
    Grader("PAS-2", pass_through.priority_unchanged, ("tools", "scenario", "searches")),
    Grader("PAS-3", pass_through.risk_tolerance_unchanged, ("tools", "scenario", "searches")),
    Grader("PAS-4", pass_through.business_category_unchanged, ("tools", "scenario", "searches")),
    Grader("PAS-5", pass_through.labels_unchanged, ("tools", "scenario", "searches")),
    Grader("PAS-6", pass_through.kept_out, ("scenario",)),
    Grader("PAS-7", pass_through.confidence_copied, ("tools", "choice")),
    Grader("PAS-8", pass_through.alternatives_copied, ("tools", "answer")),
    Grader("PAS-9", pass_through.nothing_invented, ("tools", "scenario", "searches")),
    Grader("QRY-1", query.searched, ("tools",)),
    Grader("QRY-2", query.evidence_first, ("tools", "searches")),
    Grader("QRY-3", query.well_formed, ("tools", "searches")),
    Grader("QRY-4", query.keywords_clean, ("tools", "scenario", "searches")),
    Grader("QRY-4b", query.keywords_no_sentence, ("tools", "searches")),
    Grader("QRY-5", query.labels_repeat_query, ("tools", "searches")),
    Grader("QRY-6", query.limits_untouched, ("tools", "searches")),
    Grader("QRY-7", query.calls_allowed, ("tools",)),
    Grader("QRY-8", query.not_repeated, ("tools",)),
    Grader("SEL-1", selection.returned, ("tools", "choice")),
    Grader("SEL-2", selection.supported, ("answer", "scenario")),
    Grader("SEL-4", selection.version_returned, ("tools", "choice")),
    Grader("SEL-5", selection.alternatives_returned, ("tools", "answer")),
    Grader("SEL-6", selection.search_explained, ("tools", "choice", "searches")),
    Grader("SEL-7", selection.top_ranked, ("tools", "scenario", "choice", "searches")),
    Grader("SEL-8", selection.alternatives_below, ("choice",)),
    Grader("PAR-1", parameters.complete, ("choice",)),
    Grader("PAR-2", parameters.constrained, ("choice",)),
    Grader("PAR-3", parameters.about_the_resource, ("scenario", "choice")),
    Grader("PAR-4", parameters.no_secrets, ("choice",)),
    Grader("REC-1", recovery.understood, ("choice",)),
    Grader("REC-1b", recovery.reason_named, ("answer", "scenario")),
    Grader("REC-2", recovery.state_told, ("answer", "scenario")),
    Grader("REC-3", recovery.difference_told, ("scenario", "choice")),
    Grader("REC-4", recovery.declined_rightly, ("answer", "scenario")),
    Grader("REC-5", recovery.looked_first, ("tools", "scenario", "searches")),
    Grader("REC-6", recovery.difference_explained, ("scenario", "choice")),
    Grader("REP-1", repetition.not_the_same, ("scenario", "choice")),
    Grader("REP-2", repetition.not_again, ("scenario", "choice")),
    Grader("REP-3", repetition.none_of_them, ("scenario", "choice")),
    Grader("SAF-1", safety.not_obeyed, ("scenario",)),
    Grader("SAF-2", safety.nothing_imagined, ("tools", "answer")),
)


def grade(sample: Sample) -> Iterator[tuple[Grader, Score]]:
    """Yield every score of a sample: one per clause of its contract that has a grader."""
    for grader in GRADERS:
        if grader.clause in sample.contract.clauses:
            yield grader, score(grader, sample)

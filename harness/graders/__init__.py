"""Every grader: a pure function `Sample -> Score` for one clause.

To add one: write the function in the module of its dimension, add a line here.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache

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
    target,
)
from harness.graders.grading import Grader, score, scores, scores_of_each
from harness.graders.relations import RELATIONS, Relation, relate
from harness.model import Contract, Sample, Score
from harness.model.remembering import once_per_object

__all__ = [
    "GRADERS",
    "RELATIONS",
    "Grader",
    "Relation",
    "grade",
    "grade_each",
    "graders_of",
    "relate",
    "score",
    "scores",
]

GRADERS: tuple[Grader, ...] = (
    Grader("CAR-1", schema.one_answer),
    Grader("CAR-2", schema.clean_json, ("answer",)),
    Grader("CAR-3", schema.complete_and_typed, ("answer",)),
    Grader("CAR-4", schema.no_other_fields, ("answer",)),
    Grader("CAR-5", schema.one_selection, ("answer",)),
    Grader("SIG-1", signal_type.canonical),
    Grader("SIG-2", signal_type.accepted, ("tools", "searches", "scenario")),
    Grader("SIG-3", signal_type.not_the_symptom, ("scenario",)),
    Grader("SIG-4", signal_type.agreeing, ("answer",)),
    Grader("SEV-1", severity.one_of_four),
    Grader("SEV-2", severity.supported, ("answer", "scenario")),
    Grader("SEV-3", severity.reassessed, ("answer", "scenario")),
    Grader("SEV-4", severity.same_everywhere, ("answer", "tools", "searches")),
    Grader("SEV-6", severity.reasoned, ("answer",)),
    Grader("PAS-1", pass_through.environment_unchanged, ("tools", "searches", "scenario")),
    Grader("PAS-2", pass_through.priority_unchanged, ("tools", "searches", "scenario")),
    Grader("PAS-3", pass_through.risk_tolerance_unchanged, ("tools", "searches", "scenario")),
    Grader("PAS-4", pass_through.business_category_unchanged, ("tools", "searches", "scenario")),
    Grader("PAS-5", pass_through.labels_unchanged, ("tools", "searches", "scenario")),
    Grader("PAS-6", pass_through.kept_out),
    Grader("PAS-7", pass_through.confidence_copied, ("choice",)),
    Grader("PAS-8", pass_through.alternatives_copied, ("alternatives",)),
    Grader("PAS-9", pass_through.nothing_invented, ("tools", "searches", "scenario")),
    Grader("QRY-1", query.searched, ("tools",)),
    Grader("QRY-2", query.evidence_first, ("tools", "searches")),
    Grader("QRY-3", query.well_formed, ("tools", "searches")),
    Grader("QRY-4", query.keywords_clean, ("tools", "searches", "scenario")),
    Grader("QRY-4b", query.keywords_no_sentence, ("tools", "searches")),
    Grader("QRY-5", query.labels_repeat_query, ("tools", "searches")),
    Grader("QRY-6", query.limits_untouched, ("tools", "searches")),
    Grader("QRY-7", query.calls_allowed, ("tools",)),
    Grader("QRY-8", query.not_repeated, ("tools",)),
    Grader("QRY-10", target.target_investigated, ("tools", "searches", "scenario")),
    Grader("TGT-1", target.target_right, ("tools", "searches", "scenario")),
    Grader("SEL-1", selection.returned_by_catalog, ("choice",)),
    Grader("SEL-2", selection.supported, ("answer", "scenario")),
    Grader("SEL-3", selection.highest_picked, ("choice",)),
    Grader("SEL-4", selection.version_returned, ("choice",)),
    Grader("SEL-5", selection.alternatives_returned, ("alternatives",)),
    Grader("SEL-6", selection.search_explained, ("choice", "tools", "searches")),
    Grader("SEL-7", selection.top_ranked, ("choice", "tools", "searches")),
    Grader("SEL-8", selection.alternatives_below, ("choice", "alternatives")),
    Grader("SEL-9", selection.strategies_ordered, ("choice", "alternatives")),
    Grader("PAR-1", parameters.complete, ("choice",)),
    Grader("PAR-2", parameters.constrained, ("choice",)),
    Grader("PAR-3", parameters.about_the_resource, ("choice", "scenario")),
    Grader("PAR-4", parameters.no_secrets, ("choice",)),
    Grader("REC-1", recovery.understood, ("choice",)),
    Grader("REC-1b", recovery.reason_named, ("answer", "scenario")),
    Grader("REC-2", recovery.state_told, ("answer", "scenario")),
    Grader("REC-3", recovery.difference_told, ("choice", "scenario")),
    Grader("REC-4", recovery.declined_rightly, ("answer", "scenario")),
    Grader("REC-5", recovery.looked_first, ("tools", "searches", "scenario")),
    Grader("REC-6", recovery.difference_explained, ("choice", "scenario")),
    Grader("REP-1", repetition.not_the_same, ("choice", "scenario")),
    Grader("REP-2", repetition.not_again, ("choice", "scenario")),
    Grader("REP-3", repetition.none_of_them, ("choice", "scenario")),
    Grader("SAF-1", safety.not_obeyed, ("scenario",)),
    Grader("SAF-2", safety.nothing_imagined, ("answer", "tools")),
)


GRADED_BY: dict[str, str] = {
    **{each.clause: each.name for each in (*GRADERS, *RELATIONS)},
    "CAR-7": "grading.unaskable",
    "MET-6": "screening.list_figures",
}
"""Clause -> what judges it; CAR-7 is kept before any grader looks, MET-6 is counted in reports."""


def grade(sample: Sample) -> list[tuple[Grader, Score]]:
    """Return every score of a sample: one per clause of its contract that has a grader."""
    [found] = grade_each([sample])
    return found


def grade_each(samples: Iterable[Sample]) -> list[list[tuple[Grader, Score]]]:
    """Return every score of each of several samples, which is faster than one by one."""
    return scores_of_each((graders_of(each.contract), each) for each in samples)


def graders_of(contract: Contract) -> tuple[Grader, ...]:
    """Return the graders of the clauses that a contract has."""
    return _chosen_by(GRADERS)(contract)


@once_per_object(8)
def _chosen_by(graders: tuple[Grader, ...]) -> Callable[[Contract], tuple[Grader, ...]]:
    @lru_cache(maxsize=64)
    def chosen(contract: Contract) -> tuple[Grader, ...]:
        return tuple(each for each in graders if each.clause in contract.clauses)

    return chosen

"""Lint of scenarios, worlds and catalogs: clauses SCN-1, CAT-1 to 5 and 7, REQ-1, 2."""

from collections.abc import Callable, Iterable, Sequence

from harness.contracts import CONTRACTS
from harness.model import Contract
from harness.scenarios.lint import (
    choice,
    evidence,
    form,
    given,
    judgement,
    leaks,
    likeness,
    pairs,
    requests,
    results,
)
from harness.scenarios.lint.catalogs import lint_catalogs
from harness.scenarios.lint.finding import Level, LintFinding, about_contract, finding_at, in_order
from harness.scenarios.lint.written import Written, read_scenarios, world_faults
from harness.scenarios.load import Project, scenario_ids

__all__ = ["Level", "LintFinding", "Written", "about_contract", "finding_at", "in_order", "lint_project"]

CHECKS: tuple[Callable[[Written], Iterable[LintFinding]], ...] = (
    form.file_named,
    form.tags_kebab,
    form.described,
    form.names_hyphenated,
    form.business_words,
    form.reasons_known,
    judgement.severity_differs,
    judgement.symptom_no_cause,
    judgement.signal_types_known,
    judgement.plants_outside,
    judgement.off_the_edge,
    judgement.severities_admissible,
    evidence.facts_shown,
    evidence.evidence_holds,
    evidence.plants_stand,
    evidence.targets_stand,
    evidence.resource_stands,
    evidence.times_fit,
    choice.workflows_known,
    choice.retries_allowed,
    choice.parameters_fit,
    choice.parameters_complete,
    given.similarity_known,
    leaks.nothing_given_away,
)
"""Each judges one scenario by itself."""

SEARCHES: tuple[Callable[[Written], Iterable[LintFinding]], ...] = (
    choice.selection_found,
    choice.failed_found,
    results.returned_match,
    given.selection_given,
    given.given_match,
)
"""These need a request, and judge only scenarios from which one can be built."""


def lint_project(
    project: Project, outside: Sequence[Contract] = ()
) -> tuple[list[LintFinding], list[Written]]:
    """Return what is wrong in a project's files, and the scenarios that could be read.

    Every scenario must go with every released contract of its flow, and with those from outside.
    """
    contracts = (*CONTRACTS, *outside)
    found = [*form.misplaced_files(project), *world_faults(project)]
    scenarios, broken = read_scenarios(project, scenario_ids(project), contracts)
    found += broken
    found += lint_catalogs(project, scenarios)
    found += form.descriptions_differ(scenarios)
    found += likeness.stories_differ(scenarios)
    for written in scenarios[:1]:
        found += results.results_exact(contracts, written.scenario.catalog)
        found += results.fields_admitted(contracts)
    by_id = {each.scenario.id: each for each in scenarios}
    judged = {name: _judged(each) for name, each in by_id.items()}
    for name, written in by_id.items():
        pair = written.scenario.pair
        base = by_id.get(pair.of) if pair else None
        inherited = [(each.clause, each.message) for each in judged[base.scenario.id]] if base else []
        found += [each for each in judged[name] if (each.clause, each.message) not in inherited]
        found += pairs.pair_fits(written, base.scenario) if base else ()
    return in_order(found), scenarios


def _judged(written: Written) -> list[LintFinding]:
    """Return what is wrong with one scenario by itself."""
    refused = list(requests.requests_build(written))
    checks = CHECKS if refused else (*CHECKS, *SEARCHES)
    return [*refused, *(finding for check in checks for finding in check(written))]

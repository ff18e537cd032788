"""Whether anything that a target can read gives the expectation away."""

from collections.abc import Iterator

from harness.scenarios.lint.evidence import texts
from harness.scenarios.lint.finding import LintFinding
from harness.scenarios.lint.written import Written

RUN = 7
"""So many words of a justification in a row are no accident."""


def nothing_given_away(written: Written) -> Iterator[LintFinding]:
    """Neither the id, nor an accepted workflow, nor words of the justification stand in the evidence.

    Catalog texts are left out: there, workflows are named on purpose.
    """
    scenario = written.scenario
    told = "\n".join(texts(scenario, catalog=False))
    for plant in scenario.plants:
        told = told.replace(plant.text, "")
    for index, workflow in enumerate(scenario.expect.workflows.accepted):
        if workflow in told:
            place = ("expect", "workflows", "accepted", index)
            yield written.says(place, f"the evidence or the alert names {workflow}; take it out there")
    stem = scenario.id.rsplit("/", 1)[-1]
    if stem in told:
        yield written.says(("description",), f"the evidence or the alert holds {stem!r}, this file's name")
    readable = f" {' '.join(told.split())} "
    for place, text in (
        (("expect", "because"), scenario.expect.because),
        (("description",), scenario.description),
    ):
        run = next((each for each in _runs(text) if f" {each} " in readable), None)
        if run:
            yield written.says(place, f"{run!r} stands in the evidence; say it in other words there")


def _runs(text: str) -> Iterator[str]:
    words = text.split()
    for at in range(len(words) - RUN + 1):
        yield " ".join(words[at : at + RUN])

"""Two runs side by side, by the gate's own measure: what moved, and which samples flipped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from harness.errors import HarnessError, InvalidInput, InvalidScenario
from harness.gate import Terms, Verdict, side_of_run
from harness.gate.alike import decide_alike
from harness.gate.turns import parting
from harness.model import Contract, SampleId, Scenario, Transcript
from harness.reporting.html.columns import MAX_NAME, Reported
from harness.reporting.html.texts import short
from harness.scenarios.contracts import stored_contracts
from harness.scenarios.load import find_project, load_scenario, scenario_ids
from harness.store import Run

MAX_NOTES = 12


@dataclass(frozen=True, slots=True)
class Comparison:
    """One target of the first run beside one of the second; `refused` says why there is no verdict."""

    before: str
    after: str
    verdict: Verdict | None
    refused: str = ""

    @property
    def notes(self) -> list[str]:
        """What must be known to read it."""
        if self.verdict is None:
            return []
        told = [*self.verdict.notes, *(f"left out: {each}" for each in self.verdict.left_out)]
        return [short(each, 400) for each in told[:MAX_NOTES]]

    @property
    def fell(self) -> int:
        """How many samples are no longer compliant."""
        return sum(each.now == "fail" for each in self.verdict.flipped) if self.verdict else 0

    @property
    def rose(self) -> int:
        """How many samples are compliant now."""
        return len(self.verdict.flipped) - self.fell if self.verdict else 0


def scenarios_at_hand(run: Run) -> dict[str, Scenario]:
    """Return the scenarios of a run that the project still has, by id; none where there is no project."""
    try:
        project = find_project()
        return {
            each: load_scenario(project, each) for each in scenario_ids(project) if each in run.info.scenarios
        }
    except (InvalidInput, InvalidScenario):
        return {}


def compared(
    before: Reported, after: Reported, scenarios: Mapping[int, Mapping[str, Scenario]]
) -> list[Comparison]:
    """Return each target that two runs share, or their only ones, beside each other.

    `scenarios` has those at hand, by the number of the run.
    """
    pairs = _pairs(list(before.run.info.targets), list(after.run.info.targets))
    return [_one(before, after, pair, scenarios) for pair in pairs]


def _pairs(before: Sequence[str], after: Sequence[str]) -> list[tuple[str, str]]:
    shared = [(each, each) for each in before if each in after]
    if not shared and len(before) == len(after) == 1:
        return [(before[0], after[0])]
    return shared


def _one(
    before: Reported,
    after: Reported,
    pair: tuple[str, str],
    scenarios: Mapping[int, Mapping[str, Scenario]],
) -> Comparison:
    def known(run: Run) -> tuple[Mapping[str, Scenario], Mapping[str, Contract]]:
        return scenarios_at_hand(run), stored_contracts(run)

    was, now = short(pair[0], MAX_NAME), short(pair[1], MAX_NAME)
    try:
        baseline = side_of_run(before.run, scenarios.get(before.number, {}), pair[0])
        candidate = side_of_run(after.run, scenarios.get(after.number, {}), pair[1])
        verdict = decide_alike(candidate, baseline, Terms(common=True), known).verdict
    except HarnessError as error:
        # Two runs that cannot be compared are still worth reading beside each other.
        return Comparison(was, now, None, short(str(error), 600))
    return Comparison(was, now, _with_turns(verdict, before.run, after.run))


def _with_turns(verdict: Verdict, before: Run, after: Run) -> Verdict:
    theirs = _transcripts(before, {each.baseline for each in verdict.flipped})
    ours = _transcripts(after, {each.sample for each in verdict.flipped})
    flipped = tuple(
        replace(each, turn=found.turn, differs=found.how)
        if each.sample in ours
        and each.baseline in theirs
        and (found := parting(theirs[each.baseline], ours[each.sample]))
        else each
        for each in verdict.flipped
    )
    return replace(verdict, flipped=flipped)


def _transcripts(run: Run, samples: set[SampleId]) -> dict[SampleId, Transcript]:
    return {each.id: each for each in run.transcripts() if each.id in samples} if samples else {}

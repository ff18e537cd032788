"""Which samples `harness run` asks: what was recorded, what failed, what changed."""

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import replace

from harness.conversation import tools_for
from harness.model import Contract, SampleId, Scenario
from harness.model.transcript import prompt_digest
from harness.pipeline import Plan
from harness.prompting import render
from harness.scenarios import Project
from harness.scenarios.contracts import stored_contracts
from harness.store import Run, RunInfo
from harness.store.encoding import request_digest


def as_recorded(arguments: argparse.Namespace, info: RunInfo) -> None:
    """Let what the command line leaves open be as a stored run has it."""
    arguments.scenario = arguments.scenario or list(info.scenarios)
    arguments.trials = arguments.trials or info.trials
    arguments.seed = info.seed if arguments.seed is None else arguments.seed
    arguments.prompts = arguments.prompts or ([info.prompts] if info.prompts else [])


def recorded_contracts(
    run: Run, scenarios: Sequence[Scenario], project: Project, named: Sequence[Contract]
) -> list[Contract]:
    """Return the contracts of a stored run that take any of these scenarios; `named` were named again."""
    flows = {each.flow for each in scenarios}
    return [each for each in stored_contracts(run, project, named).values() if each.flow in flows]


def failed_samples(run: Run, scenarios: Iterable[Scenario]) -> frozenset[SampleId]:
    """Return the samples that broke a MUST clause; where a relation was broken, both halves of the pair."""
    pairs = {each.id: each.pair for each in scenarios}
    found: set[SampleId] = set()
    for row in run.scores():
        if row.level == "MUST" and row.outcome == "fail":
            sample = SampleId.parse(row.sample)
            found.add(sample)
            pair = pairs[row.scenario] if row.dimension == "relation" else None
            if pair:
                found.add(sample._replace(scenario=pair.of))
    return frozenset(found)


def changed_since(run: Run, plan: Plan) -> Plan:
    """Return what is left of a plan without the scenarios that a stored run holds as they are now.

    One has changed when its digest has, or when its prompt or the tools on offer have, under any contract.
    Of several packs each prompt counts.
    """
    told: dict[tuple[str, str], set[tuple[str | None, str]]] = {}
    for each in run.transcripts():
        asked = (each.digests.get("prompt"), request_digest((), each.tools))
        told.setdefault((each.id.scenario, each.id.contract), set()).add(asked)

    def changed(scenario: Scenario, contract: Contract) -> bool:
        prompts = {prompt_digest(render(scenario, contract, packs)) for packs in plan.all_packs}
        now = {(prompt, request_digest((), tools_for(contract))) for prompt in prompts}
        same = run.info.scenarios.get(scenario.id) == scenario.digest()
        return not same or told.get((scenario.id, contract.id)) != now

    left = {scenario.id: scenario for scenario, contract in plan.pairs() if changed(scenario, contract)}
    flows = {each.flow for each in left.values()}
    contracts = [each for each in plan.contracts if each.flow in flows]
    return replace(plan, scenarios=list(left.values()), contracts=contracts)

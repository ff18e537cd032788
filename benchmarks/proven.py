"""Every MUST clause is kept by the oracle and broken by some mock, under each contract of a run.

    python benchmarks/proven.py RUN

What the run holds is counted. A clause that no mock broke in it is put to the mocks that declare it, in
memory and play by play, until one of them does. Ends with 1 where a clause is never kept, or never broken.
"""

import asyncio
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from harness.contracts import load_contract
from harness.contracts.clauses import clause
from harness.conversation import Trial, converse
from harness.extraction import read_sample
from harness.graders import GRADERS, RELATIONS, grade, relate
from harness.model import Contract, Sample, SampleId, Scenario
from harness.prompting import render
from harness.scenarios import load_scenarios
from harness.store import ScoreRow, open_run
from harness.targets.mock import Mock, open_mock
from harness.targets.mock.mocks import FLAKY, ORACLE, VICIOUS

SEEDS = range(1, 12)
RELATED = {each.clause: each for each in RELATIONS}
FICKLE = ("copycat", "forger", "hasty", "flaky")
"""Vices that come and go from trial to trial, or with the alert: what relations are for."""

CANNOT_BE = {
    "workflow-recovery-1.0": {"PAS-9"},  # a recovery request lacks no business field: defaults fill them
    "playbook-strategies-2.0": {"MET-1", "MET-2"},  # its answer states neither severity nor signal type
}
"""Contract -> clauses of it whose subject never occurs."""


def rules(contract: Contract) -> list[str]:
    """Return the MUST clauses that are judged under a contract."""
    judged = (each.clause for each in (*GRADERS, *RELATIONS))
    asked = set(contract.clauses) - CANNOT_BE.get(contract.id, set())
    return [each for each in judged if each in asked and clause(each).level == "MUST"]


def recorded(rows: Iterable[ScoreRow]) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """Return the (contract, clause) that the oracle kept, and those that another mock broke."""
    kept: set[tuple[str, str]] = set()
    broken: set[tuple[str, str]] = set()
    for row in rows:
        oracle = row.target == f"mock:{ORACLE.name}"
        if oracle and row.outcome == "pass":
            kept.add((row.contract, row.clause))
        if not oracle and row.outcome == "fail":
            broken.add((row.contract, row.clause))
    return kept, broken


def played(mock: str, scenario: Scenario, contract: Contract, seed: int) -> Sample:
    """Return one play of a mock, read."""
    target = open_mock(mock)
    sample = SampleId(scenario.id, contract.id, target.name, 1)
    trial = Trial(sample, scenario, contract, render(scenario, contract), seed, {})
    return read_sample(asyncio.run(converse(target, trial)), contract, scenario)


def plays(rule: str, contract: Contract, suite: Mapping[str, Scenario]) -> Iterator[tuple[str, set[str]]]:
    """Yield (who, broken clauses) for the plays that may break a rule, one by one."""
    fitting = [each for each in suite.values() if each.flow == contract.flow]
    if rule in RELATED:
        paired = [(each, each.pair) for each in fitting if each.pair and each.pair.relation == rule]
        for seed, mock, (second, pair) in product(SEEDS, FICKLE, paired):
            halves = (played(mock, each, contract, seed) for each in (suite[pair.of], second))
            failed = relate(RELATED[rule], *halves).outcome == "fail"
            yield _who(mock, second, seed), {rule} if failed else set()
        return
    for seed, mock in product(SEEDS, _declaring(rule)):
        for scenario in (each for each in fitting if mock.can_act(each, contract)):
            found = grade(played(mock.name, scenario, contract, seed))
            yield (
                _who(mock.name, scenario, seed),
                {it.clause for it, score in found if score.outcome == "fail"},
            )


def _declaring(rule: str) -> Sequence[Mock]:
    """Return the mocks that declare a rule, those first of which a play is made for it."""
    able = [each for each in VICIOUS if rule in each.may_break]
    return sorted(able, key=lambda each: rule in each.consequences) or [FLAKY]


def _who(mock: str, scenario: Scenario, seed: int) -> str:
    return f"mock:{mock} in {scenario.id}, seed {seed}"


def main() -> int:
    """Check one run, say what had to be played besides; return the exit code."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("run", help="its folder, its id, or latest")
    run = open_run(parser.parse_args().run)
    suite = {each.id: each for each in load_scenarios()}
    kept, broken = recorded(run.scores())
    missing: list[str] = []
    total = more = 0
    for contract in map(load_contract, run.info.contracts):
        for rule in rules(contract):
            total += 1
            if (contract.id, rule) not in kept:
                missing.append(f"{contract.id}: {rule}: never kept by the oracle")
            if (contract.id, rule) in broken:
                continue
            for who, found in plays(rule, contract, suite):
                more += 1
                broken |= {(contract.id, each) for each in found}
                if rule in found:
                    print(f"{contract.id}: {rule}: broken by {who}")
                    break
            else:
                missing.append(f"{contract.id}: {rule}: broken by no mock")
    contracts = len(run.info.contracts)
    print(f"{run.id}: {total} MUST clauses of {contracts} contracts; {more} more plays were needed")
    print("\n".join(missing) or "each is kept by the oracle, and broken by some mock")
    return 1 if missing else 0


if __name__ == "__main__":
    raise SystemExit(main())

"""What `compare` and `gate` decide, where the prompts of the two sides may state different rules."""

import argparse
from collections.abc import Mapping

from harness.cli.comparing import project_scenarios
from harness.cli.output import project, say
from harness.gate import Side, Terms, Verdict
from harness.gate.alike import decide_alike
from harness.model import Contract, Scenario
from harness.scenarios.contracts import stored_contracts
from harness.store import Run


def decided(
    arguments: argparse.Namespace, candidate: Side, baseline: Side, terms: Terms
) -> tuple[Verdict, Side, Side]:
    """Return the verdict, and both sides judged by every rule that either was told.

    With --json, which has no room for it, what one side alone was told is said on standard error.

    Raises:
        NotComparable: the sides were judged by different measures.
    """

    def known(run: Run) -> tuple[Mapping[str, Scenario], Mapping[str, Contract]]:
        return project_scenarios(arguments, run), stored_contracts(run, project(arguments))

    found = decide_alike(candidate, baseline, terms, known)
    for each in found.told_apart if arguments.json else ():
        say(f"note: {each}")
    return found.verdict, found.candidate, found.baseline

"""A sample as a test: it waits for its transcript, and fails where a MUST clause is broken."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness.model import SampleId
from harness.pytest_plugin.commands import Commands
from harness.pytest_plugin.evaluation import Evaluation
from harness.reporting.clean import visible

if TYPE_CHECKING:
    from harness.pytest_plugin.judging import Judged

SUITE = "harness"

Judging = Callable[[SampleId], "Judged | None"]
"""Return a sample with its scores, or None where it was not recorded; may wait."""


class Suite(pytest.Collector):
    """The node above all samples. It carries their marks, so that no sample has `eval` as its own.

    Other plugins read marks of that name off the test itself and ask for arguments of theirs.

    Args:
        evaluation: whose samples these are.
        judge: judges each of them.
        commands: commands about their run.
        rest: what pytest gives every node.
    """

    def __init__(self, *, evaluation: Evaluation, judge: Judging, commands: Commands, **rest: Any) -> None:
        super().__init__(**rest)
        self._evaluation = evaluation
        self._judge = judge
        self._commands = commands
        self.add_marker("eval")
        # Warnings of a model's client are no errors of the project under test.
        self.add_marker(pytest.mark.filterwarnings("ignore"))
        if self.config.pluginmanager.hasplugin("timeout"):
            # How long a sample waits depends on all before it; targets have time limits of their own.
            self.add_marker(pytest.mark.timeout(0))

    def collect(self) -> Iterator[pytest.Item]:
        """Yield one test for each sample."""
        for sample in self._evaluation.samples:
            yield EvalItem.from_parent(  # pyright: ignore[reportUnknownMemberType]
                self,
                name=item_name(sample),
                # Spelled out, because pytest compares ids by their parts: --lf finds no other.
                nodeid=node_id(sample),
                sample=sample,
                folder=self._evaluation.project.scenarios,
                judge=self._judge,
                commands=self._commands,
            )


def item_name(sample: SampleId) -> str:
    """Return the name of a sample's test."""
    return f"eval[{visible(str(sample))}]"


def node_id(sample: SampleId) -> str:
    """Return the id of a sample's test."""
    return f"{SUITE}::{item_name(sample)}"


class EvalItem(pytest.Item):
    """One sample.

    Args:
        sample: its id.
        folder: holds the file of its scenario.
        judge: judges it.
        commands: commands about its run.
        rest: what pytest gives every node.
    """

    def __init__(
        self,
        *,
        sample: SampleId,
        folder: Path,
        judge: Judging,
        commands: Commands,
        **rest: Any,
    ) -> None:
        super().__init__(**rest)  # pyright: ignore[reportUnknownMemberType]
        self.sample = sample
        self._folder = folder
        self._judge = judge
        self._commands = commands
        self._failure: str | None = None

    def setup(self) -> None:
        """Wait for the transcript and judge it; what cannot be judged is an error, never a pass or a skip."""
        from harness.pytest_plugin.presenting import advice, broken, unrecorded, unscored

        self.user_properties = [
            ("sample", visible(str(self.sample))),
            ("target", visible(self.sample.target)),
            ("contract", visible(self.sample.contract)),
        ]
        judged = self._judge(self.sample)
        if judged is None:
            pytest.fail(unrecorded(self.sample, self._commands), pytrace=False)
        failed = ", ".join(visible(each.clause) for each in judged.must("fail"))
        self.user_properties.append(("failed_clauses", failed))
        if judged.unscored:
            pytest.fail(unscored(judged, self._commands), pytrace=False)
        self._failure = broken(judged, self._commands) if failed else None
        if not failed and judged.advised_against:
            self.add_report_section("call", "SHOULD clauses", advice(judged))

    def runtest(self) -> None:
        """Fail with every broken MUST clause."""
        if self._failure is not None:
            pytest.fail(self._failure, pytrace=False)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Return the scenario's file and the name of the test."""
        return self._folder / f"{self.sample.scenario}.yaml", None, self.name

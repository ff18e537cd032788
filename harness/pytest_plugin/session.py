"""One pytest session that evaluates: it records in the background, judges in order, and keeps the run."""

import os
from collections.abc import Collection, Generator, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from harness.errors import HarnessError
from harness.model import SampleId
from harness.pytest_plugin.commands import Commands
from harness.pytest_plugin.evaluation import Evaluation, Intent, planned, stored
from harness.pytest_plugin.items import SUITE, EvalItem, Suite, node_id
from harness.pytest_plugin.options import gates, option
from harness.reporting.clean import visible
from harness.reporting.figures import counted

if TYPE_CHECKING:
    from harness.pytest_plugin.gating import Gated
    from harness.pytest_plugin.judging import Judged
    from harness.pytest_plugin.working import Work

SHARED = "harness_evaluation"
"""Where workers of pytest-xdist find what their controller was asked for."""


class EvalSession:
    """The hooks of a session. With pytest-xdist the controller records, and its workers judge."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._worker_input: dict[str, Any] | None = getattr(config, "workerinput", None)
        self._evaluation: Evaluation
        self._intent: Intent | None = None
        self._work: Work | None = None
        self._gated: Gated | None = None

    # Before

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Find out what is asked for before anything costs money; what is wrong ends the session here."""
        try:
            if self._worker_input is not None:
                self._evaluation = Evaluation.from_plain(self._worker_input[SHARED])
            elif option(self._config, "run"):
                self._evaluation = stored(self._config)
            else:
                self._evaluation, self._intent = planned(self._config)
            if gates(self._config):
                self._check_gate()
        except HarnessError as error:
            raise pytest.UsageError(str(error)) from error

    def pytest_report_header(self) -> str:
        """Return the line that says what this session does."""
        samples = self._evaluation.samples
        doing = f"judging {visible(self._commands.run)}" if self._evaluation.stored else "recording"
        targets = visible(", ".join(dict.fromkeys(each.target for each in samples)))
        return f"harness: {doing}: {counted(len(samples), 'sample')} of {targets}, unless deselected"

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        """Add a test for each sample, so that -m, -k and other plugins select among them as among all."""
        suite: Suite = Suite.from_parent(  # pyright: ignore[reportUnknownMemberType]
            session,
            name=SUITE,
            nodeid=SUITE,
            evaluation=self._evaluation,
            judge=self._judged,
            commands=self._commands,
        )
        items.extend(session.genitems(suite))

    # With pytest-xdist

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker what is evaluated."""
        node.workerinput[SHARED] = self._evaluation.as_plain()

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Begin, in the controller, with what a worker has selected; all of them select the same."""
        names = {node_id(each): each for each in self._evaluation.samples}
        self._begin([names[each] for each in ids if each in names])

    # While tests run

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Begin with the first sample, outside of what pytest sets up for it."""
        if isinstance(item, EvalItem):
            self._begin([each.sample for each in item.session.items if isinstance(each, EvalItem)])
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Name a failure by its first line: reports show the rest once, where it belongs."""
        report = yield
        crash = getattr(report.longrepr, "reprcrash", None)
        if isinstance(item, EvalItem) and crash is not None:
            crash.message = crash.message.removeprefix("Failed: ").partition("\n")[0]
            if gates(self._config) and report.when == "call":
                from harness.pytest_plugin.gating import decided_by_gate

                decided_by_gate(report, crash.message)
        return report

    def _begin(self, samples: Collection[SampleId]) -> None:
        """Make ready to judge these samples, and record them unless somebody else does; at most once."""
        if self._work is None and samples:
            from harness.pytest_plugin.working import Work

            self._work = Work(self._evaluation, self._intent, samples, self._commands)

    def _judged(self, sample: SampleId) -> "Judged | None":
        return self._work.judged(sample) if self._work else None

    # After

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """End recording; grade and report the run where all of it is there; gate it where that is asked."""
        if self._worker_input is not None:
            return
        if self._work is not None:
            self._work.end()
        if gates(self._config) and not self._config.option.collectonly:
            self._gated = self._gate()
            if self._gated.fails and session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _check_gate(self) -> None:
        from harness.pytest_plugin.gating import refuse_many, refuse_unknown

        refuse_many(self._evaluation)
        if self._worker_input is None:
            refuse_unknown(self._config, self._evaluation)

    def _gate(self) -> "Gated":
        from harness.pytest_plugin.gating import gated, unfinished

        work = self._work
        if work is None or work.run is None or work.ending is None or not work.ending.rows:
            return unfinished()
        return gated(self._config, self._evaluation, work.run, work.ending.rows, work.samples)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say where the run is and how compliant each target is; silence would look like a pass."""
        if self._worker_input is not None or self._config.option.collectonly:
            return
        from harness.pytest_plugin.summary import print_ending

        ending, selected = (self._work.ending, len(self._work.samples)) if self._work else (None, 0)
        print_ending(terminalreporter, ending, selected, len(self._evaluation.samples))
        for line in self._gated.lines if self._gated else ():
            terminalreporter.write_line(line)

    @property
    def _commands(self) -> Commands:
        folder, here = self._evaluation.folder, self._config.invocation_params.dir
        run = os.path.relpath(folder, here) if folder.is_relative_to(here) else str(folder)
        project = str(self._evaluation.project.root) if self._config.getini("harness_project") else None
        return Commands(run, project)

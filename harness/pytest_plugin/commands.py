"""What to type next, ready to be copied."""

import shlex
from dataclasses import dataclass

from harness.model import SampleId
from harness.reporting.clean import visible


@dataclass(frozen=True, slots=True)
class Commands:
    """Commands about one run.

    `run` is its folder as seen from where pytest was called; `project` where scenarios are, if that was set.
    """

    run: str
    project: str | None

    def show(self, sample: SampleId) -> str:
        """Return the command that shows a sample whole."""
        return f"harness show {_quoted(self.run)} {_quoted(str(sample))}"

    def resume(self) -> str:
        """Return the command that goes on with the run."""
        return f"harness run --resume {_quoted(self.run)}{self._project()}"

    def ask_again(self) -> str:
        """Return the command that goes on, and asks again where the target could not be asked."""
        return f"harness run --retry-unscored {_quoted(self.run)}{self._project()}"

    def _project(self) -> str:
        return f" --project {_quoted(self.project)}" if self.project else ""


def _quoted(text: str) -> str:
    return shlex.quote(visible(text))

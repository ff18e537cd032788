"""Progress on a terminal: it is drawn, and is no danger to processes that are forked under it."""

import sys
import threading
from io import StringIO

import pytest

from harness.cli.progress import counted


class Terminal(StringIO):
    """An error stream that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_work_that_forks_is_shown_without_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", shown := Terminal())
    monkeypatch.setenv("TERM", "xterm")
    before = threading.active_count()

    with counted("grading", quiet=False) as tell:
        for done in range(1, 5):
            tell(25 * done, 100)
            assert threading.active_count() == before

    assert "grading" in shown.getvalue()
    assert "25%" in shown.getvalue()


def test_what_is_quiet_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", shown := Terminal())

    with counted("grading", quiet=True) as tell:
        tell(1, 2)

    assert shown.getvalue() == ""

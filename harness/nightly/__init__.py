"""Every night the same questions to every model, and a history that says what became of the answers."""

from harness.nightly.history import History, open_history, read_history
from harness.nightly.judging import Judged, Terms, judge
from harness.nightly.lines import Began, Night

__all__ = ["Began", "History", "Judged", "Night", "Terms", "judge", "open_history", "read_history"]

"""What the harness aims at, and whether what was measured reaches it."""

from collections.abc import Mapping
from typing import NamedTuple

from benchmarks.speed.contenders import DIRECT
from benchmarks.speed.tables import Column, Table

COLUMNS = (Column("goal"), Column("aim"), Column("measured", ",.2f"), Column("reached"))


class Goal(NamedTuple):
    """A figure, by its name, and its limit."""

    text: str
    figure: str
    limit: float
    at_least: bool = False

    @property
    def aim(self) -> str:
        """The limit in words."""
        return f"{'at least' if self.at_least else 'at most'} {self.limit:,g}"

    def reached(self, value: float) -> bool:
        """Return whether a figure keeps to the limit."""
        return value >= self.limit if self.at_least else value <= self.limit


GOALS = (
    Goal("openai:URL, CPU against a bare aiohttp loop", f"{DIRECT} to bare aiohttp", 3),
    Goal("openai:URL, CPU against the fastest other framework", "peer", 0.33),
    Goal("openai:URL at 200 ms, wall against the ideal", "wall at 200 ms", 1.15),
    Goal("litellm, CPU against a bare litellm loop", "harness, litellm to bare litellm", 1.15),
    Goal("grade, samples a second and core", "harness grade, 1", 3_000, at_least=True),
    Goal("audit, samples a second and core, two processes", "harness audit --out, 2", 3_000, at_least=True),
    Goal("audit, MB of the largest process", "memory of harness audit --out, 2", 500),
    Goal("store, bytes of a two-turn sample", "bytes a sample", 3_000),
    Goal("list of 1,000 runs, CPU s", "list", 0.5),
    Goal("harness --help against import pydantic, CPU", "help", 2.5),
    Goal("collecting the suite under five contracts, CPU s", "collect", 2),
)


def goals(figures: Mapping[str, float]) -> Table:
    """Return the goals whose figures were measured."""
    rows = [
        [each.text, each.aim, figures[each.figure], "yes" if each.reached(figures[each.figure]) else "no"]
        for each in GOALS if each.figure in figures
    ]  # fmt: skip
    return Table("Goals", COLUMNS, rows)

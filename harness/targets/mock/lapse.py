"""A lapse: what a model does that was never told one rule, harming the other rules little."""

from collections.abc import Callable
from dataclasses import dataclass

from harness.model import Contract, Scenario
from harness.violations import Situation
from harness.violations.violation import Arguments, RawAnswer

Edit = Callable[[Arguments, Situation], Arguments]
Rewrite = Callable[[RawAnswer, Situation], RawAnswer]


def always(_scenario: Scenario, _contract: Contract) -> bool:
    """Can be done in any scenario."""
    return True


@dataclass(frozen=True)
class Lapse:
    """How one clause is broken by a model that does not know its rule.

    `aside` makes a search beside the first that the oracle makes, `early` one before any evidence was seen,
    `late` one behind the oracle's last; each edits the arguments of a good search, and the oracle does not
    see what these return. `evidence` edits the arguments of one more look at the resource, `elsewhere` looks
    at something else first, `searchless` leaves out every search. `answer` and `text` edit the good answer.
    All that a lapse has is done.
    """

    clause: str
    when: Callable[[Scenario, Contract], bool] = always
    aside: Edit | None = None
    early: Edit | None = None
    late: Edit | None = None
    evidence: Edit | None = None
    elsewhere: bool = False
    searchless: bool = False
    answer: Rewrite | None = None
    text: Callable[[str, Situation], str] | None = None
    follows: frozenset[str] = frozenset()
    """Clauses that cannot but break with it: a level that the impact excludes is copied, and so is wrong."""
    silences: bool = False
    """Whether clauses lose their subject with it: where nothing is searched no search can be wrong."""

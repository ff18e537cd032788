"""--max-cost: how much may be spent, how much already was, and what each sample may take of it."""

import math

from harness.cli.beginning import Begun, reread
from harness.cli.estimating import FREE, money, prices_of, reserves, talks
from harness.errors import InvalidInput, InvalidRun
from harness.store import Run
from harness.store.reading import Transcripts
from harness.targets import Prices
from harness.targets.budget import Budget, Money


def check_budget(begun: Begun, max_cost: float | None) -> None:
    """Raise InvalidInput where money is limited and nobody knows what a target costs."""
    unknown = [each.name for each in begun.targets if prices_of(each) is None]
    if max_cost is not None and unknown:
        msg = (
            f"--max-cost: no price is known of {', '.join(map(repr, unknown))}; give one in targets.yaml, as "
            f"`prices: {{prompt: 1.00, completion: 5.00}}` (US dollars per million tokens)"
        )
        raise InvalidInput(msg)


def open_budget(begun: Begun, max_cost: float | None) -> Budget:
    """Return the books of a recording; what its run has spent before counts."""
    before = spent_before(begun.run) if begun.run else 0.0
    # A process that was killed left no word of what it spent; its transcripts have it.
    books = Money(limit=max_cost, spent=before, known=before > 0)
    prices: dict[str, Prices] = {}
    for each in begun.targets:
        price = prices_of(each)
        if price and price != FREE:
            prices[each.name] = price
    if max_cost is None or not prices:
        return Budget(books, prices)
    paid = [each for each in begun.left() if each.target in prices]
    return Budget(books, prices, reserves(paid, prices, talks(begun.plan, paid)))


def spent_before(run: Run) -> float:
    """Return the US dollars that a stored run has cost: as it says or, if more, as its transcripts do."""
    free = {name for name, settings in run.info.targets.items() if settings.get("kind") == "replay"}
    stored = reread(run).stored()
    # What was asked again has cost each time.
    told = sum(
        _cost(stored, place)
        for sample, places in stored.places()
        if sample.target not in free
        for place in places
    )
    return max(told, run.info.spent or 0.0)


def _cost(stored: Transcripts, place: int) -> float:
    """Return the US dollars that one line tells of; a line that cannot be read tells of none."""
    try:
        transcript = stored.read((place,))
    except InvalidRun:
        return 0.0
    return sum(turn.usage.cost or 0.0 for turn in transcript.turns) if transcript else 0.0


def stopped_by_budget(run: Run, max_cost: float, name: str) -> str:
    """Return the line that says how far the money went, and how to go on."""
    recorded, spent = run.info.counts["recorded"], run.info.spent or 0.0
    enough = math.ceil(200 * max(max_cost, spent)) / 100
    command = " ".join(("harness run --resume", name, "--max-cost", f"{enough:g}"))
    return (
        f"stopped by --max-cost: {money(spent)} of {money(max_cost)} are spent, and another sample might "
        f"take more than is left; {recorded} samples are recorded. Go on with: {command}"
    )

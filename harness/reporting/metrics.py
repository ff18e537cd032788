"""report.md's small tables beside the verdict: repeated trials, mistaken levels and types, money and time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tabulate import tabulate

from harness.reporting.clean import NOTHING, code
from harness.reporting.figures import interval, percent
from harness.statistics import (
    ALL,
    SEVERITY,
    SIGNAL_TYPE,
    Confusion,
    RepeatedRow,
    SpendingRow,
    Tally,
    confusions,
    repeated,
)
from harness.store import RunInfo

MAX_MISTAKEN = 8
"""Ways of mistaking a level or type that are listed for each target; the rest is counted."""

_REPEATED = """\
Compliance with every scenario counting alike, its 95 % interval over scenarios (trials of one are no
independent evidence), and the chance that of k trials at least one passes (pass@k), or all do (pass^k)."""
_SPENT = "What a provider did not say is unknown, never zero. Seconds: the median, the 95th percentile."


@dataclass(frozen=True, slots=True)
class Measured:
    """What the tables are made of, by target in the order of run.json."""

    repeated: tuple[RepeatedRow, ...]
    severities: tuple[Confusion, ...]
    signal_types: tuple[Confusion, ...]
    spending: tuple[SpendingRow, ...]


NOTHING_MEASURED = Measured((), (), (), ())


def measured(info: RunInfo, tally: Tally) -> Measured:
    """Return what a run's scores and transcripts give; without transcripts there are no costs."""
    order = {name: at for at, name in enumerate(info.targets)}
    spending = (spent.row(target) for target, spent in sorted(tally.spent.items()))

    def place(each: RepeatedRow | Confusion | SpendingRow) -> int:
        return order.get(each.target, len(order))

    return Measured(
        tuple(sorted(repeated(tally), key=place)),
        tuple(sorted(confusions(tally, SEVERITY), key=place)),
        tuple(sorted(confusions(tally, SIGNAL_TYPE), key=place)),
        tuple(sorted(spending, key=place)),
    )


def metrics(data: Measured) -> Iterator[str]:
    """Yield the tables that have anything to say."""
    yield from _repeated(data.repeated)
    yield from _confused("Severities", data.severities)
    yield from _confused("Signal types", data.signal_types)
    yield from _spent(data.spending)


def _repeated(data: Sequence[RepeatedRow]) -> Iterator[str]:
    rows = [each for each in data if each.dimension == ALL and len(each.all_of) > 1]
    if not rows:
        return
    yield "## Repeated trials"
    yield _REPEATED
    yield _table(
        ("target", "contract", "scenarios", "compliant", "95 % interval", "k", "pass@k", "pass^k"),
        [
            (
                code(each.target), code(each.contract), each.scenarios, percent(each.rate),
                interval(each.low, each.high), len(each.all_of), percent(each.any_of[-1]),
                percent(each.all_of[-1]),
            )
            for each in rows
        ],
    )  # fmt: skip


def _confused(title: str, found: Sequence[Confusion]) -> Iterator[str]:
    wrong = [each for each in found if each.mistaken]
    if not wrong:
        return
    yield f"## {title} taken for others"
    if any(each.distance is not None for target in wrong for each in target.mistaken):
        yield "\n".join(f"- {code(each.target)}: {_directions(each)}" for each in wrong)
    yield _table(
        ("target", "accepted", "answered", "samples"),
        [
            (
                code(each.target),
                code(" or ".join(each.expected)),
                code(each.observed),
                f"{each.samples} of {target.n}",
            )
            for target in wrong
            for each in target.mistaken[:MAX_MISTAKEN]
        ],
    )
    left = sum(len(each.mistaken[MAX_MISTAKEN:]) for each in wrong)
    if left:
        yield f"{left} rarer kinds left out."


def _directions(found: Confusion) -> str:
    far = NOTHING if found.mean_distance is None else f"{found.mean_distance:.2f}"
    return (
        f"{found.right} of {found.n} accepted, {found.count(1)} too mild, {found.count(-1)} too severe; "
        f"{far} levels off on average"
    )


def _spent(rows: Sequence[SpendingRow]) -> Iterator[str]:
    known = [each for each in rows if each.known]
    if not known:
        return
    yield "## Money and time"
    yield _SPENT
    yield _table(
        ("target", "samples", "seconds", "tokens in", "tokens out", "cost", "for each compliant answer"),
        [
            (
                code(each.target), each.samples, f"{_seconds(each.seconds)}, {_seconds(each.slow_seconds)}",
                _tokens(each.prompt_tokens), _tokens(each.completion_tokens), _dollars(each.cost),
                _price(each),
            )
            for each in known
        ],
    )  # fmt: skip


def _price(row: SpendingRow) -> str:
    if row.price is None:
        return "unknown" if row.cost is None else "no compliant answer"
    low, high = row.price.low, row.price.high
    within = "" if low is None else f" ({_dollars(low)} to {'any' if high is None else _dollars(high)})"
    return f"{_dollars(row.price.per_compliant)}{within}"


def _dollars(amount: float | None) -> str:
    return "unknown" if amount is None else f"${amount:.4f}" if amount < 1 else f"${amount:,.2f}"


def _tokens(count: float | None) -> str:
    return "unknown" if count is None else f"{count:,.0f}"


def _seconds(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.1f}"


def _table(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    cells = [[str(each) for each in row] for row in rows]
    return tabulate(cells, headers=headers, tablefmt="github", disable_numparse=True)

"""How an audit came out, in numbers: by contract, and by contract and clause."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.auditing.audits import Pattern
from harness.contracts.clauses import CLAUSES, clause

OUTCOMES = ("pass", "fail", "unscored", "not_applicable")

Row = dict[str, str | int | None]


@dataclass(slots=True)
class Counts:
    """Transcripts by (contract, outcome), verdicts by (contract, clause, outcome), and what was refused."""

    transcripts: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    verdicts: Counter[tuple[str, str, str]] = field(default_factory=Counter[tuple[str, str, str]])
    refused: int = 0

    def add(self, contract: str, pattern: Pattern, transcripts: int) -> None:
        """Count so many transcripts under a contract, whose clauses came out alike."""
        self.transcripts[contract, pattern.outcome] += transcripts
        for outcome, clauses in pattern.clauses.items():
            for each in clauses:
                self.verdicts[contract, each, outcome] += transcripts

    def merge(self, other: "Counts") -> None:
        """Count what another counted."""
        self.transcripts.update(other.transcripts)
        self.verdicts.update(other.verdicts)
        self.refused += other.refused

    def total(self, outcome: str | None = None) -> int:
        """Return how many transcripts were judged, or came out so."""
        return sum(n for (_, came), n in self.transcripts.items() if outcome in {None, came})

    def as_json(self) -> dict[str, Any]:
        """Return the counts as plain values."""
        return {
            "transcripts": [[*key, n] for key, n in sorted(self.transcripts.items())],
            "verdicts": [[*key, n] for key, n in sorted(self.verdicts.items())],
            "refused": self.refused,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Counts":
        """Return the counts that plain values spell."""
        return cls(
            Counter({(contract, outcome): n for contract, outcome, n in value["transcripts"]}),
            Counter({(contract, rule, outcome): n for contract, rule, outcome, n in value["verdicts"]}),
            value["refused"],
        )

    def by_contract(self) -> Iterator[Row]:
        """Yield a row for each contract, and one for all of them."""
        contracts = sorted({contract for contract, _ in self.transcripts})
        for name in (*contracts, None):
            of: dict[str, int] = dict.fromkeys(OUTCOMES[:3], 0)
            for (contract, outcome), n in self.transcripts.items():
                if name in {None, contract}:
                    of[outcome] += n
            yield {"contract": name or "all", "transcripts": sum(of.values()), **of}

    def by_clause(self) -> Iterator[Row]:
        """Yield a row for each contract and clause; `kept` is the share of passes among what was scored."""
        order = {each.id: index for index, each in enumerate(CLAUSES)}
        keys = {(contract, rule) for contract, rule, _ in self.verdicts}
        for contract, rule in sorted(keys, key=lambda each: (each[0], order[each[1]])):
            of = {each: self.verdicts[contract, rule, each] for each in OUTCOMES}
            scored = of["pass"] + of["fail"]
            about = clause(rule)
            yield {
                "contract": contract,
                "clause": rule,
                "level": about.level,
                "dimension": about.dimension,
                **of,
                "kept": f"{of['pass'] / scored:.4f}" if scored else None,
            }

"""The list of samples for the page, and behind each line its record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.errors import HarnessError
from harness.extraction import read_sample
from harness.model import Contract, Transcript
from harness.model.answer import Selection
from harness.reporting.html.columns import MAX_NAME, Column, GradedSample, Reported
from harness.reporting.html.comparison import Comparison
from harness.reporting.html.packing import Blocks, Texts
from harness.reporting.html.tables import clause_text
from harness.reporting.html.texts import short
from harness.reporting.html.transcripts import record, verdicts
from harness.reporting.show import would_run
from harness.scenarios.contracts import stored_contract
from harness.statistics import HARD
from harness.store import Run

MAX_PACKED = 40_000_000
"""Characters of all blocks, about; beyond it samples keep their verdicts and lose their transcripts."""

MAX_WHY = 140
OUTCOMES = ("pass", "fail", "unscored", "not_applicable")
_FELL, _ROSE = 1, 2


@dataclass(slots=True)
class Listed:
    """What the page's script is told: names once each, then samples by their numbers."""

    scenarios: dict[str, int] = field(default_factory=dict[str, int])
    clauses: dict[str, int] = field(default_factory=dict[str, int])
    lines: list[list[Any]] = field(default_factory=list[list[Any]])
    records: Blocks = field(default_factory=Blocks)
    texts: Texts = field(default_factory=Texts)
    left_out: int = 0
    """Samples without their transcripts, since the page would grow too large."""

    def as_json(self, columns: Sequence[Column], runs: Sequence[Reported]) -> dict[str, Any]:
        """Return the page's data."""
        return {
            "runs": [{"id": short(each.run.id, MAX_NAME), "label": each.label} for each in runs],
            "columns": [
                [each.run, short(each.target, MAX_NAME), short(each.contract, MAX_NAME), each.label]
                for each in columns
            ],
            "scenarios": [short(each) for each in self.scenarios],
            "clauses": [[short(each, 40), clause_text(each), each in HARD] for each in self.clauses],
            "samples": self.lines,
            "records": self.records.starts,
            "texts": self.texts.packed.starts,
        }


def listed(runs: Sequence[Reported], comparisons: Sequence[Comparison], limit: int = MAX_PACKED) -> Listed:
    """Return every sample of the runs, those that are not compliant first, as far as `limit` packed."""
    columns = [each for one in runs for each in one.columns]
    found = Listed()
    flips = _flips(runs, comparisons)
    transcripts = {(each.number, str(one.id)): one for each in runs for one in each.run.transcripts()}
    contracts = {each.number: _contracts(each.run) for each in runs}
    for number, sample in _in_order(columns):
        run = columns[number].run
        transcript = transcripts.pop((run, sample.id), None)
        found.lines.append(_line(found, number, sample, flips.get((run, sample.id), 0)))
        found.records.add(_record(found, sample, transcript, contracts[run], limit))
    found.records.end()
    found.texts.packed.end()
    return found


def _in_order(columns: Sequence[Column]) -> list[tuple[int, GradedSample]]:
    samples = [
        (number, each)
        for number, column in enumerate(columns)
        for found in column.samples.values()
        for each in found
    ]
    worst = {"fail": 0, "unscored": 1, "pass": 2, "not_applicable": 3}
    return sorted(samples, key=lambda one: (worst[one[1].outcome], one[1].scenario, one[1].trial, one[0]))


def _line(found: Listed, column: int, sample: GradedSample, flip: int) -> list[Any]:
    failed = [_number(found.clauses, each) for each in sample.clauses("fail")]
    spoilt = [each for each in sample.rows if each.outcome == sample.outcome and each.level == "MUST"]
    told = sample.outcome in {"fail", "unscored"} and spoilt
    why = f"{spoilt[0].clause}: {spoilt[0].reason}" if told else ""
    return [
        _number(found.scenarios, sample.scenario), column, sample.trial, OUTCOMES.index(sample.outcome),
        failed, short(why, MAX_WHY), flip,
    ]  # fmt: skip


def _number(names: dict[str, int], name: str) -> int:
    return names.setdefault(name, len(names))


def _record(
    found: Listed,
    sample: GradedSample,
    transcript: Transcript | None,
    contracts: Mapping[str, Contract | str],
    limit: int,
) -> dict[str, Any]:
    if transcript is None:
        return {"run": "", "missing": "This run holds no transcript of it.", **verdicts(sample.rows)}
    told = _would_run(transcript, contracts)
    if found.records.size + found.texts.packed.size > limit:
        found.left_out += 1
        missing = "Its transcript is left out to keep this page small; harness show has it."
        return {"run": told, "missing": missing, **verdicts(sample.rows)}
    return record(transcript, sample.rows, told, found.texts)


def _would_run(transcript: Transcript, contracts: Mapping[str, Contract | str]) -> str:
    contract = contracts.get(transcript.id.contract)
    if not isinstance(contract, Contract):
        return f"what would have run is not known: {contract or 'its contract is not at hand'}"
    selection: Selection | None = None
    if transcript.final is not None and not transcript.failure:
        answer = read_sample(transcript, contract, None).answer
        selection = answer.selection if answer else None
    return would_run(transcript, selection)


def _contracts(run: Run) -> dict[str, Contract | str]:
    """Return the contracts of a run; for one that is not at hand, why."""
    found: dict[str, Contract | str] = {}
    for name in run.info.contracts:
        try:
            found[name] = stored_contract(run, name)
        except HarnessError as error:
            found[name] = short(str(error), 300)
    return found


def _flips(runs: Sequence[Reported], comparisons: Sequence[Comparison]) -> dict[tuple[int, str], int]:
    """Return (run, sample) -> whether it fell or rose, on both sides."""
    found: dict[tuple[int, str], int] = {}
    for flip in (flip for each in comparisons if each.verdict for flip in each.verdict.flipped):
        how = _FELL if flip.now == "fail" else _ROSE
        found[runs[0].number, str(flip.baseline)] = how
        found[runs[-1].number, str(flip.sample)] = how
    return found

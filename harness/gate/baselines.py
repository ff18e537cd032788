"""Baselines on disk: outcomes that a person accepted, trial by trial."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from harness.errors import InvalidInput
from harness.gate.sides import MOST_TRIALS, Asked, Side
from harness.store import Grading
from harness.store.lines import replace_text

FOLDER = Path("golden/baselines")
FORMAT = 1

_LETTERS = {"pass": "p", "fail": "f", "not_applicable": "n", "unscored": "u"}
_OUTCOMES = {letter: outcome for outcome, letter in _LETTERS.items()}
ABSENT = "-"


class Accepted(BaseModel):
    """The trials of one scenario under one contract, all of one run.

    `outcomes` spells each clause's outcomes, trial by trial from the first: p passed, f failed, n not
    applicable, u unscored; `-` stands for a trial that was not recorded, or lacks the clause.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    run: str
    trials: Annotated[int, Field(ge=1, le=MOST_TRIALS)]
    outcomes: dict[str, str]

    def trial(self, number: int) -> dict[str, str]:
        """Return the outcomes of a trial by clause; none where it was not recorded."""
        spelled = {clause: letters[number - 1] for clause, letters in self.outcomes.items()}
        return {clause: _OUTCOMES[letter] for clause, letter in spelled.items() if letter != ABSENT}


class AcceptedScenario(BaseModel):
    """One scenario of a baseline, as it was when it was judged."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    digest: str
    family: str
    contracts: dict[str, Accepted]


class Baseline(BaseModel):
    """What `golden/baselines/NAME.json` says."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal[1] = FORMAT
    name: str
    target: str
    settings: dict[str, Any]
    extraction: int
    graders: dict[str, int]
    contracts: dict[str, str]
    runs: dict[str, str]
    """Run id -> the folder with its transcripts, so that they can be graded again."""
    scenarios: dict[str, AcceptedScenario]


def spell(outcomes: Mapping[int, Mapping[str, str]], trials: int) -> dict[str, str]:
    """Return the outcomes of trials 1 to `trials` as `Accepted` has them."""
    clauses = sorted({clause for each in outcomes.values() for clause in each})
    return {
        clause: "".join(
            _LETTERS[outcome] if (outcome := outcomes.get(trial, {}).get(clause)) else ABSENT
            for trial in range(1, trials + 1)
        )
        for clause in clauses
    }


def read_baseline(file: Path) -> Baseline:
    """Return a baseline; raise InvalidInput where the file holds none."""
    try:
        baseline = Baseline.model_validate_json(file.read_bytes())
    except (OSError, ValidationError) as error:
        found = error.errors()[0] if isinstance(error, ValidationError) else None
        told = f"{'.'.join(map(str, found['loc']))}: {found['msg']}" if found else str(error)
        raise InvalidInput(
            f"{file}: is no baseline: {told}; `harness bless RUN --as NAME` writes one"
        ) from error
    for problem in _problems(baseline):
        raise InvalidInput(f"{file}: {problem}; `harness bless RUN --as NAME` writes a whole one")
    return baseline


def _problems(baseline: Baseline) -> Iterator[str]:
    """Yield what a baseline lacks to be compared with: outcomes, and what judged each of them."""
    if not any(each.contracts for each in baseline.scenarios.values()):
        yield "holds no scenario"
    for scenario, accepted in baseline.scenarios.items():
        for contract, each in accepted.contracts.items():
            if not all(_spelled(text, each.trials) for text in each.outcomes.values()):
                what = f"outcomes are {each.trials} letters of {''.join(_OUTCOMES)}{ABSENT} for each clause"
                yield f"{scenario}@{contract}: {what}"
            if not each.outcomes:
                yield f"{scenario}@{contract}: found no outcomes"
            if contract not in baseline.contracts:
                yield f"contracts: found no digest of {contract!r}, which {scenario} was asked under"
            unjudged = sorted(set(each.outcomes) - set(baseline.graders))
            if unjudged:
                yield f"graders: found no version for {', '.join(unjudged[:5])}, judged in {scenario}"


def _spelled(letters: str, trials: int) -> bool:
    return len(letters) == trials and set(letters) <= {*_OUTCOMES, ABSENT}


def find_baseline(reference: str, folder: Path) -> Path | None:
    """Return the baseline that a file or a name means; None where it means none, as a run."""
    for each in (Path(reference), folder / f"{reference}.json"):
        if each.is_file() and each.suffix == ".json":
            return each
    return None


def side_of_baseline(baseline: Baseline, file: Path) -> Side:
    """Return a baseline as a side of a comparison."""
    accepted = {
        Asked(scenario, contract): each
        for scenario, found in baseline.scenarios.items()
        for contract, each in found.contracts.items()
    }
    outcomes = {asked: _recorded(each) for asked, each in accepted.items()}
    return Side(
        name=baseline.name,
        place=str(file),
        target=baseline.target,
        grading=Grading(
            extraction=baseline.extraction,
            graders=baseline.graders,
            contracts=baseline.contracts,
            scenarios={name: each.digest for name, each in baseline.scenarios.items()},
            transcripts=0,
        ),
        outcomes=outcomes,
        trials={asked: frozenset(range(1, each.trials + 1)) for asked, each in accepted.items()},
        families={name: each.family for name, each in baseline.scenarios.items()},
        runs=tuple(baseline.runs.values()),
        settings=baseline.settings,
    )


def _recorded(accepted: Accepted) -> dict[int, dict[str, str]]:
    trials = {number: accepted.trial(number) for number in range(1, accepted.trials + 1)}
    return {number: clauses for number, clauses in trials.items() if clauses}


def write_baseline(baseline: Baseline, file: Path) -> None:
    """Write a baseline, whole or not at all; one line for each clause, so that changes read as such."""
    file.parent.mkdir(parents=True, exist_ok=True)
    replace_text(file, baseline.model_dump_json(indent=1) + "\n")

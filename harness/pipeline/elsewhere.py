"""Grade on other machines: scenarios, contracts and texts are loaded there, and must be what they are here.

A scenario's world is built as it is asked, and cannot be sent.
"""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from platform import node
from typing import Any

from harness.contracts import load_contract
from harness.engines import Done, Engine, Work
from harness.engines.seeing import check_seen, size_of
from harness.errors import EngineFailed, InvalidInput
from harness.model import Contract, SampleId
from harness.pipeline.judging import Subjects
from harness.pipeline.scoring import Files, FromDisk, Graded, Located
from harness.scenarios import Project, load_scenario
from harness.scenarios.contracts import load_folder
from harness.store.reading import Places, Transcripts

Digests = tuple[tuple[str, str], ...]
"""What verdicts depend on, by name: a scenario's id, a contract's id or the folder that it comes from."""


READ = ("transcripts.jsonl", "blobs.jsonl")
Sizes = tuple[int | None, ...]
"""Of the files of READ, in bytes; None where there is none."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """An engine whose machines see the same project and the same folder of runs, but not our memory."""

    engine: Engine
    project: Project

    def in_order(self, do: Callable[[Work], Done], works: Iterable[Work]) -> Generator[Done]:
        """Yield what grading comes to, in order.

        Raises:
            EngineFailed: a machine does not see what this one sees; and as the engine.
            TypeError: something else is to be done than to grade.
        """
        if not isinstance(do, FromDisk):
            msg = f"{do!r}: only a stored run is graded elsewhere"
            raise TypeError(msg)
        sent: Any = self.sent(do)
        return self.engine.in_order(sent, works)

    def sent(self, do: FromDisk) -> "Sent":
        """Return what is to be done, small enough to be sent."""
        scenarios, contracts = do.subjects
        folder = do.stored.folder
        return Sent(
            folder,
            tuple(size_of(folder / each) for each in READ),
            self.project,
            tuple((each.id, each.digest()) for each in scenarios.values()),
            tuple((_home(each), each.digest()) for each in contracts.values()),
            do.files,
            do.halves,
        )


@dataclass(frozen=True, slots=True)
class Sent:
    """A `FromDisk` by names and digests."""

    folder: Path
    sizes: Sizes
    project: Project
    scenarios: Digests
    contracts: Digests
    files: Files
    halves: Mapping[SampleId, Places]

    def __call__(self, located: Sequence[Located]) -> Graded:
        """Return what grading these samples comes to."""
        stored, subjects = _loaded(self.folder, self.sizes, self.project, self.scenarios, self.contracts)
        return FromDisk(stored, subjects, self.files, self.halves)(located)


@lru_cache(maxsize=1)
def _loaded(
    folder: Path, sizes: Sizes, project: Project, scenarios: Digests, contracts: Digests
) -> tuple[Transcripts, Subjects]:
    """Return a run's transcripts and what they are about, once for each process.

    Raises:
        EngineFailed: this machine sees another run or another project.
    """
    for name, size in zip(READ, sizes, strict=True):
        check_seen(folder / name, size)
    try:
        known = [load_scenario(project, each) for each, _ in scenarios]
        agreed = [_contract(each) for each, _ in contracts]
    except InvalidInput as error:
        raise EngineFailed(f"{node()}: {error}; {SAME}") from None
    for (name, digest), each in zip((*scenarios, *contracts), (*known, *agreed), strict=True):
        if each.digest() != digest:
            raise EngineFailed(f"{project.root}: {node()} sees another {name} there; {SAME}")
    stored = Transcripts(folder, lambda _: None)
    return stored, ({each.id: each for each in known}, {each.id: each for each in agreed})


SAME = "every node must see the same scenarios/ and contracts/, at the same path"


def _home(contract: Contract) -> str:
    return contract.origin.folder if contract.origin else contract.id


def _contract(home: str) -> Contract:
    return load_folder(Path(home)) if Path(home).is_absolute() else load_contract(home)

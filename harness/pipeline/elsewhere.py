"""Grade on other machines: what was said is sent there, what it is judged by must be there already.

A scenario's world is built as it is asked, and cannot be sent.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from platform import node
from typing import Any

from harness.contracts import load_contract
from harness.engines import Done, Engine, Work
from harness.errors import EngineFailed, InvalidInput
from harness.model import Contract
from harness.pipeline.judging import Subjects
from harness.pipeline.scoring import FromDisk, Graded, Located, Said
from harness.scenarios import Project, load_scenario
from harness.scenarios.contracts import load_folder
from harness.store.encoding import LostBlob, texts_named
from harness.store.reading import NOT_A_TRANSCRIPT, decoded

Digests = tuple[tuple[str, str], ...]
"""What verdicts depend on, by name: a scenario's id, a contract's id or the folder that it comes from."""


@dataclass(frozen=True, slots=True)
class Lines:
    """What a sample's grading needs: its newest line, how many that supersedes, its pair's other half."""

    line: bytes
    superseded: int
    half: bytes | None


@dataclass(slots=True)
class Packed:
    """Some samples of a run, and the texts that they name."""

    samples: list[Lines] = field(default_factory=list[Lines])
    texts: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """An engine whose machines see the same project, but neither our memory nor our disk."""

    engine: Engine
    project: Project

    def in_order(self, do: Callable[[Work], Done], works: Iterable[Work]) -> Generator[Done]:
        """Yield what grading comes to, in order; samples that nobody else can read are graded here.

        Raises:
            EngineFailed: a machine does not see what this one sees; and as the engine.
            TypeError: something else is to be done than to grade.
        """
        if not isinstance(do, FromDisk):
            msg = f"{do!r}: only a stored run is graded elsewhere"
            raise TypeError(msg)
        return self._graded(do, works)

    def _graded(self, do: FromDisk, works: Iterable[Any]) -> Generator[Any]:
        under_way: deque[Sequence[Located]] = deque()

        def packed() -> Iterator[Packed]:
            for located in works:
                under_way.append(located)
                yield pack(do, located)

        for graded, left in self.engine.in_order(self.sent(do), packed()):
            located = under_way.popleft()
            if left:
                graded.merge(do([located[each] for each in left]))
            yield graded

    def sent(self, do: FromDisk) -> "Sent":
        """Return what is to be done, small enough to be sent."""
        scenarios, contracts = do.subjects
        return Sent(
            do.stored.folder,
            self.project,
            tuple((each.id, each.digest()) for each in scenarios.values()),
            tuple((_home(each), each.digest()) for each in contracts.values()),
        )


def pack(do: FromDisk, located: Sequence[Located]) -> Packed:
    """Return samples with all that is needed to read them."""
    packed, stored = Packed(), do.stored
    for sample, places in located:
        half = do.half_of(sample)
        each = Lines(stored.line(places), len(places) - 1, stored.line(half) if half else None)
        packed.samples.append(each)
        for name in (*texts_named(each.line), *texts_named(each.half or b"")):
            if name not in packed.texts and name in stored.texts:
                # Whose text was lost meanwhile is graded here, which tells of it.
                with suppress(LostBlob):
                    packed.texts[name] = stored.texts[name]
    return packed


@dataclass(frozen=True, slots=True)
class Sent:
    """A `FromDisk` by names and digests, for samples that are sent too."""

    folder: Path
    project: Project
    scenarios: Digests
    contracts: Digests

    def __call__(self, packed: Packed) -> tuple[Graded, list[int]]:
        """Return what grading these samples comes to, and the numbers of those whose line is damaged."""
        subjects = _loaded(self.project, self.scenarios, self.contracts)
        graded, left = Graded(), list[int]()
        graded.take(_said(packed, left), self.folder, subjects)
        graded.superseded = sum(
            each.superseded for number, each in enumerate(packed.samples) if number not in left
        )
        return graded, left


def _said(packed: Packed, left: list[int]) -> Iterator[Said]:
    """Yield what was said on each sample; leave the numbers of those whose line is damaged."""
    for number, each in enumerate(packed.samples):
        try:
            yield (
                decoded(each.line, packed.texts),
                decoded(each.half, packed.texts) if each.half else None,
            )
        except (LostBlob, *NOT_A_TRANSCRIPT):
            left.append(number)


@lru_cache(maxsize=1)
def _loaded(project: Project, scenarios: Digests, contracts: Digests) -> Subjects:
    """Return what a run is about, once for each process.

    Raises:
        EngineFailed: this machine sees another project.
    """
    try:
        known = [load_scenario(project, each) for each, _ in scenarios]
        agreed = [_contract(each) for each, _ in contracts]
    except InvalidInput as error:
        raise EngineFailed(f"{node()}: {error}; {SAME}") from None
    for (name, digest), each in zip((*scenarios, *contracts), (*known, *agreed), strict=True):
        if each.digest() != digest:
            raise EngineFailed(f"{project.root}: {node()} sees another {name} there; {SAME}")
    return {each.id: each for each in known}, {each.id: each for each in agreed}


SAME = "every node must see the same scenarios/ and contracts/, at the same path"


def _home(contract: Contract) -> str:
    return contract.origin.folder if contract.origin else contract.id


def _contract(home: str) -> Contract:
    return load_folder(Path(home)) if Path(home).is_absolute() else load_contract(home)

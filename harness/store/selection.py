"""Which of its samples a run asks: all, one shard of them, or some by name."""

import re
from dataclasses import dataclass
from typing import NamedTuple

from harness.errors import InvalidInput
from harness.model import SampleId
from harness.model.values import digest
from harness.store.info import RunInfo


class Shard(NamedTuple):
    """The ith of so many parts, from 1 on; written "2/4"."""

    number: int
    parts: int

    def __str__(self) -> str:
        """Return the one spelling used on the command line and in run.json."""
        return f"{self.number}/{self.parts}"

    @classmethod
    def parse(cls, text: str) -> "Shard":
        """Return the shard spelled by `text`; raise InvalidInput where it spells none."""
        spelled = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
        shard = cls(int(spelled[1]), int(spelled[2])) if spelled else cls(0, 0)
        if not 1 <= shard.number <= shard.parts:
            msg = f"shard: found {text!r}; write i/N with i from 1 to N, as 2/4"
            raise InvalidInput(msg)
        return shard

    def takes(self, sample: SampleId) -> bool:
        """Return whether a sample is of this part: a hash of its id decides, on every machine alike."""
        return int(digest(str(sample)), 16) % self.parts == self.number - 1


@dataclass(frozen=True, slots=True)
class Selection:
    """Which samples of a plan are asked; None leaves nothing out."""

    shard: Shard | None = None
    only: frozenset[SampleId] | None = None

    @classmethod
    def of(cls, info: RunInfo) -> "Selection":
        """Return what a run recorded of its selection."""
        return cls(
            shard=Shard.parse(info.shard) if info.shard else None,
            only=None if info.only is None else frozenset(SampleId.parse(each) for each in info.only),
        )

    def takes(self, sample: SampleId) -> bool:
        """Return whether a sample is asked."""
        named = self.only is None or sample in self.only
        return named and (self.shard is None or self.shard.takes(sample))

    def has(self, scenario: str) -> bool:
        """Return whether any sample of a scenario may be asked."""
        return self.only is None or any(each.scenario == scenario for each in self.only)

    def names(self) -> list[str] | None:
        """Return the samples asked alone, as run.json has them: sorted; None where there are no such."""
        return None if self.only is None else [str(each) for each in sorted(self.only)]


EVERYTHING = Selection()

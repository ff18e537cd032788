"""What was asked, on its way to whoever judges: there too the project must be the same."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from platform import node

from harness.auditing.audits import Asked
from harness.errors import EngineFailed
from harness.scenarios.contracts import is_path


@dataclass(frozen=True, slots=True)
class Sent:
    """What was asked, and the digest of all that its project and its contract hold."""

    asked: Asked
    digest: str

    def here(self) -> Asked:
        """Return what was asked; raise EngineFailed where this machine sees another project than that."""
        if _digest(self.asked) != self.digest:
            raise EngineFailed(
                f"{self.asked.project.root}: {node()} sees another project there, or none; every node must "
                f"see the same scenarios/ and contracts/, at the same path"
            )
        return self.asked


def sent(asked: Asked) -> Sent:
    """Return what was asked, to be sent."""
    _digest.cache_clear()
    return Sent(asked, _digest(asked))


@lru_cache(maxsize=8)
def _digest(asked: Asked) -> str:
    found = hashlib.sha256()
    for path in _files(asked):
        content = path.read_bytes()
        found.update(f"{path} {len(content)}\n".encode())
        found.update(content)
    return found.hexdigest()


def _files(asked: Asked) -> Iterator[Path]:
    """Yield the files that verdicts are made by, in order; what Python compiled of them is none."""
    own = [Path(asked.contract)] if asked.contract and is_path(asked.contract) else []
    for folder in (asked.project.scenarios, asked.project.contracts, *own):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.parent.name != "__pycache__":
                yield path

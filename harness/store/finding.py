"""Which runs a folder holds. Nothing is read: a shell asks this whenever somebody completes a word."""

from pathlib import Path


def find_runs(out: Path) -> list[Path]:
    """Return the run folders below `out`, oldest first."""
    if not out.is_dir():
        return []
    return sorted(each.parent for each in out.glob("*/run.json"))

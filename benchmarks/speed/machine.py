"""Where it was measured, and what: processor, Python, and the packages of every environment."""

import json
import os
import platform
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.speed.contenders import Contender
from benchmarks.speed.tables import Column, Table

ASK = "import importlib.metadata as m, json, sys; print(json.dumps({n: m.version(n) for n in sys.argv[1:]}))"


def machine(contenders: Sequence[Contender]) -> Table:
    """Return the packages that matter to each contender, who has no environment, and the machine below."""
    rows = [[each.name, _packages(each) if each.is_there else "left out: no environment; make bench makes it"]
            for each in contenders]  # fmt: skip
    return Table("Contenders", (Column("contender"), Column("versions")), rows, (_machine(),))


def _machine() -> str:
    told = Path("/proc/cpuinfo")
    lines = told.read_text(encoding="utf-8").splitlines() if told.exists() else []
    model = next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown"
    )
    load = " ".join(f"{each:.1f}" for each in os.getloadavg())
    return (
        f"{datetime.now(UTC):%Y-%m-%d}: {os.cpu_count()} processors ({model}), {platform.system()} "
        f"{platform.release()}, Python {platform.python_version()}; load at the start {load}."
    )


def _packages(contender: Contender) -> str:
    command = [str(contender.python), "-c", ASK, *contender.packages]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return ", ".join(f"{name} {version}" for name, version in found.items()) or "the harness's"

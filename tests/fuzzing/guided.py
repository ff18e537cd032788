"""Fuzz one target, guided by coverage: python guided.py TARGET [options of libFuzzer]; see `make fuzz`."""

import sys
from importlib import import_module
from typing import Any

# Only `make fuzz` installs it.
atheris: Any = import_module("atheris")

with atheris.instrument_imports(include=["harness"]):
    from aiming import TARGETS

if __name__ == "__main__":
    name, *options = sys.argv[1:]  # noqa: TID251 - no command line of the harness
    atheris.Setup([name, *options], TARGETS[name])
    atheris.Fuzz()

"""Fuzz one target guided by coverage: python guided.py TARGET [options of libFuzzer]; `make fuzz` runs all."""

import sys

import atheris  # pyright: ignore[reportMissingImports]

with atheris.instrument_imports(include=["harness"]):  # pyright: ignore
    from aiming import TARGETS

if __name__ == "__main__":
    name, *options = sys.argv[1:]  # noqa: TID251 - no command line of the harness
    atheris.Setup([name, *options], TARGETS[name])  # pyright: ignore
    atheris.Fuzz()  # pyright: ignore

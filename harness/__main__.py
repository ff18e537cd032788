"""`python -m harness` is the command line."""

from harness.cli import entry

entry()

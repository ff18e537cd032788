"""Transcripts that the harness did not record: read them, and judge them like any other."""

from harness.auditing.files import NAMES, SUFFIXES, read_file
from harness.auditing.importing import Imported, Refused
from harness.auditing.judging import judge

__all__ = ["NAMES", "SUFFIXES", "Imported", "Refused", "judge", "read_file"]

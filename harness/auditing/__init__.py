"""Transcripts that the harness did not record: read them, so that they can be graded like any other."""

from harness.auditing.files import SUFFIXES, read_file
from harness.auditing.importing import Imported, Refused

__all__ = ["SUFFIXES", "Imported", "Refused", "read_file"]

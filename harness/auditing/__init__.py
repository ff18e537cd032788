"""Transcripts that the harness did not record: read them, so that they can be graded like any other."""

from harness.auditing.importing import Imported, read_file

__all__ = ["Imported", "read_file"]

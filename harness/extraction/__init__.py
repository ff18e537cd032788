"""From text to evidence: find the answer in a message, read a transcript into a sample."""

from harness.extraction.reading import read_answer
from harness.extraction.sample import argument_errors, read_sample, schema_problems, value_at
from harness.model.extraction import Extraction

__all__ = ["Extraction", "argument_errors", "read_answer", "read_sample", "schema_problems", "value_at"]

"""How good a suite is: the oracle passes, vices are caught, and a small part keeps what tells them apart.

A suite that everything passes measures nothing, and one that the oracle fails is wrong. Both are seen by
playing the mocks over it, which costs seconds and no money.
"""

from harness.quality.core import Core, core_of
from harness.quality.coverage import Coverage, coverage_of
from harness.quality.measuring import Measured, Quality, measure

__all__ = ["Core", "Coverage", "Measured", "Quality", "core_of", "coverage_of", "measure"]

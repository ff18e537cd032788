"""Mock models: the oracle, and the oracle with vices."""

from harness.targets.mock.mocks import MOCKS, Mock, open_mock, playing

__all__ = ["MOCKS", "Mock", "open_mock", "playing"]

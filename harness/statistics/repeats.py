"""What several trials of one scenario tell: would one of k pass, would all of k?"""

from collections.abc import Iterable
from math import comb


def pass_at_k(passed: int, n: int, k: int) -> float | None:
    """Return the unbiased estimate of the chance that at least one of k trials passes; None where n < k."""
    return None if not 1 <= k <= n else 1 - comb(n - passed, k) / comb(n, k)


def pass_all_k(passed: int, n: int, k: int) -> float | None:
    """Return the unbiased estimate of the chance that all of k trials pass (pass^k); None where n < k."""
    return None if not 1 <= k <= n else comb(passed, k) / comb(n, k)


def mean_known(values: Iterable[float | None]) -> float | None:
    """Return the mean of those that are known; None where none is."""
    known = [each for each in values if each is not None]
    return sum(known) / len(known) if known else None

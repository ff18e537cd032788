"""What several trials of one scenario tell: would one of k pass, would all of k?"""

from collections.abc import Sequence
from itertools import accumulate


def pass_at_k(passed: int, n: int) -> list[float]:
    """Return the unbiased estimates of the chance that at least one of k trials passes, for k from 1 to n.

    Args:
        passed: how many trials passed.
        n: of how many.
    """
    return [1 - each for each in pass_all_k(n - passed, n)]


def pass_all_k(passed: int, n: int) -> list[float]:
    """Return the unbiased estimates of the chance that all of k trials pass (pass^k), for k from 1 to n.

    That is C(passed, k) / C(n, k), each made of the one before.
    """
    shares = ((passed - drawn) / (n - drawn) if drawn < passed else 0.0 for drawn in range(n))
    return list(accumulate(shares, float.__mul__))


def mean_of_each(several: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """Return the mean at each place, over those that reach that far."""
    longest = max(map(len, several), default=0)
    reaching = ([each[at] for each in several if len(each) > at] for at in range(longest))
    return tuple(sum(each) / len(each) for each in reaching)

"""Looking while trials come in: after which waves one looks, and what of alpha each look may spend."""

from itertools import pairwise
from typing import NamedTuple


class Spending(NamedTuple):
    """One look: after so many waves, with a share of alpha of its own.

    A wave is one trial of each scenario, so the wave is also the trials that each scenario has had.
    """

    wave: int
    alpha: float


def spending(cap: int, alpha: float) -> tuple[Spending, ...]:
    """Return the looks of a design that ends after `cap` waves at the latest.

    Waves between looks grow by two fifths, since one more hardly changes what many show. By each look, such a
    share of alpha may be spent as its wave is of the cap. The shares add up to alpha, so that tests which
    each keep to their own are wrong at any look in at most a share alpha of cases, whenever one stops.

    Raises:
        ValueError: `cap` is below 1.
    """
    if cap < 1:
        msg = f"spending: found a cap of {cap!r} waves; it is 1 or more"
        raise ValueError(msg)
    waves = [0]
    while waves[-1] < cap:
        waves.append(min(cap, max(waves[-1] + 1, (7 * waves[-1] + 4) // 5)))
    return tuple(Spending(wave, alpha * (wave - before) / cap) for before, wave in pairwise(waves))

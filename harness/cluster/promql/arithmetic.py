"""Numbers as Go counts with them: nothing raises, everything has a value."""

import math
from collections.abc import Callable
from math import copysign, inf, isinf, isnan, nan


def divided(left: float, right: float) -> float:
    """Return a quotient; by zero it is infinite, and of zero by zero it is no number."""
    if right:
        return left / right
    return nan if left == 0 or isnan(left) else copysign(inf, left) * copysign(1.0, right)


def rest(left: float, right: float) -> float:
    """Return what is left of a division, with the sign of what was divided."""
    return nan if right == 0 or isinf(left) or isnan(left) or isnan(right) else math.fmod(left, right)


def power(base: float, exponent: float) -> float:
    """Return a power; where it is too large it is infinite."""
    try:
        return math.pow(base, exponent)
    except OverflowError:
        odd = exponent == int(exponent) and int(exponent) % 2 == 1
        return -inf if base < 0 and odd else inf
    except ValueError:
        return inf if base == 0 else nan


def _compared(holds: Callable[[float, float], bool]) -> Callable[[float, float], float]:
    return lambda left, right: float(holds(left, right))


OPERATIONS: dict[str, Callable[[float, float], float]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": divided,
    "%": rest,
    "^": power,
    "atan2": math.atan2,
    "==": _compared(lambda left, right: left == right),
    "!=": _compared(lambda left, right: left != right),
    "<": _compared(lambda left, right: left < right),
    "<=": _compared(lambda left, right: left <= right),
    ">": _compared(lambda left, right: left > right),
    ">=": _compared(lambda left, right: left >= right),
}


def _logarithm(take: Callable[[float], float]) -> Callable[[float], float]:
    return lambda value: take(value) if value > 0 else (-inf if value == 0 else nan)


def _exponential(value: float) -> float:
    try:
        return math.exp(value)
    except OverflowError:
        return inf


def _whole(round_: Callable[[float], int]) -> Callable[[float], float]:
    return lambda value: value if isnan(value) or isinf(value) else float(round_(value))


def _rounded(value: float, to: float = 1.0) -> float:
    steps = divided(1.0, to)
    return divided(_whole(math.floor)(value * steps + 0.5), steps)


def _clamped(value: float, low: float, high: float) -> float:
    return value if isnan(value) else max(low, min(high, value))


def _at_least(value: float, low: float) -> float:
    return _clamped(value, low, inf)


def _at_most(value: float, high: float) -> float:
    return _clamped(value, -inf, high)


def _root(value: float) -> float:
    return math.sqrt(value) if value >= 0 else nan


def _sign(value: float) -> float:
    return value if value == 0 or isnan(value) else copysign(1.0, value)


MATHEMATICS: dict[str, Callable[..., float]] = {
    "abs": abs,
    "ceil": _whole(math.ceil),
    "floor": _whole(math.floor),
    "round": _rounded,
    "sqrt": _root,
    "exp": _exponential,
    "ln": _logarithm(math.log),
    "log2": _logarithm(math.log2),
    "log10": _logarithm(math.log10),
    "sgn": _sign,
    "clamp": _clamped,
    "clamp_min": _at_least,
    "clamp_max": _at_most,
}
"""Functions of a value and of the scalars of a call."""

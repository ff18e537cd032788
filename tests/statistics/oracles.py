"""statsmodels, which has no types: its answers to what our own statistics answer."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

_linear: Any = import_module("statsmodels.regression.linear_model")
_multiple: Any = import_module("statsmodels.stats.multitest")
_power: Any = import_module("statsmodels.stats.power")
_proportion: Any = import_module("statsmodels.stats.proportion")


def holm(values: Sequence[float]) -> list[float]:
    return [float(each) for each in _multiple.multipletests(values, method="holm")[1]]


def wilson(passed: int, n: int) -> tuple[float, float]:
    return _proportion.proportion_confint(passed, n, method="wilson")


def newcombe(now: tuple[int, int], before: tuple[int, int], alpha: float) -> tuple[float, float]:
    found = _proportion.confint_proportions_2indep(
        *now, *before, method="newcomb", compare="diff", alpha=alpha
    )
    return float(found[0]), float(found[1])


def clustered_error(values: Sequence[float], clusters: Sequence[int]) -> float:
    fitted = _linear.OLS(values, [1.0] * len(values)).fit(cov_type="cluster", cov_kwds={"groups": clusters})
    return float(fitted.bse[0])


def trials_of_each_arm(effect: float, alpha: float, power: float) -> float:
    solve = _power.NormalIndPower().solve_power
    return float(solve(effect, alpha=alpha, power=power, alternative="larger"))

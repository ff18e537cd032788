"""The functions of Prometheus and what they take, also those that are not answered here."""

from dataclasses import dataclass
from typing import Literal

ValueKind = Literal["scalar", "string", "instant vector", "range vector"]

_KINDS: dict[str, ValueKind] = {"s": "scalar", "t": "string", "v": "instant vector", "r": "range vector"}
# One letter per argument, by _KINDS; behind a question mark one more may follow, behind a star any number.
_TAKES = {
    "r": "absent_over_time avg_over_time changes count_over_time delta deriv idelta increase irate "
    "last_over_time max_over_time min_over_time present_over_time rate resets stddev_over_time "
    "stdvar_over_time sum_over_time",
    "v": "abs absent acos acosh asin asinh atan atanh ceil cos cosh deg exp floor histogram_avg "
    "histogram_count histogram_stddev histogram_stdvar histogram_sum ln log10 log2 rad scalar sgn sin sinh "
    "sort sort_desc sqrt tan tanh timestamp",
    "?v": "day_of_month day_of_week day_of_year days_in_month hour minute month year",
    "": "pi time",
    "s": "vector",
    "rs": "predict_linear",
    "rss": "holt_winters",
    "sr": "quantile_over_time",
    "sv": "histogram_quantile",
    "ssv": "histogram_fraction",
    "vs": "clamp_max clamp_min",
    "vss": "clamp",
    "v?s": "round",
    "vtttt": "label_replace",
    "vtt*t": "label_join",
}


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function takes: at least the `required` first kinds, at most all, or more of the last."""

    kinds: tuple[ValueKind, ...]
    required: int
    repeats: bool

    @property
    def most(self) -> int | None:
        """How many arguments there may be, None for any number."""
        return None if self.repeats else len(self.kinds)

    def kind_of(self, place: int) -> ValueKind:
        """Return the kind of the nth argument, from 0."""
        return self.kinds[min(place, len(self.kinds) - 1)]


def _signature(letters: str) -> Signature:
    optional, star = letters.find("?"), letters.find("*")
    kinds: tuple[ValueKind, ...] = tuple(_KINDS[each] for each in letters if each in _KINDS)
    required = next((each for each in (optional, star) if each >= 0), len(kinds))
    return Signature(kinds, required, star >= 0)


SIGNATURES = {name: _signature(letters) for letters, names in _TAKES.items() for name in names.split()}


def returns(name: str) -> ValueKind:
    """Return what kind of value a function returns."""
    return "scalar" if name in {"scalar", "time", "pi"} else "instant vector"

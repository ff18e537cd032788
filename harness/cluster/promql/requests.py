"""The parameters of a request: moments and steps."""

import re
from datetime import datetime
from math import isfinite

from harness.cluster.promql import literals
from harness.cluster.promql.failures import BadParameter, BadRequest

_MOST_STEPS = 11_000
_USUAL_STEPS = 60
_TOO_FINE = "exceeded maximum resolution of 11,000 points per timeseries"
_NUMBER = re.compile(r"[-+]?([0-9]++\.?[0-9]*+|\.[0-9]++)([eE][-+]?[0-9]++)?")
_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[-+][0-9]{2}:[0-9]{2})"
)


def moment(name: str, given: str, epoch: float) -> float:
    """Return a time, as RFC 3339 or seconds since 1970, in seconds from `epoch`; an empty one is now."""
    if not given:
        return 0.0
    if _NUMBER.fullmatch(given) and isfinite(float(given)):
        return float(given) - epoch
    if _TIME.fullmatch(given):
        try:
            return datetime.fromisoformat(given).timestamp() - epoch
        except ValueError:
            pass
    raise BadParameter(name, f'cannot parse "{given}" to a valid timestamp')


def step(given: str, length: float) -> float:
    """Return the seconds between the moments of a range of so many seconds."""
    if not isfinite(length):
        raise BadRequest(f"{_TOO_FINE}. Try decreasing the query resolution (?step=XX)")
    if not given:
        return max(15.0, -(-length // (_USUAL_STEPS * 15)) * 15.0)
    if _NUMBER.fullmatch(given) and isfinite(float(given)):
        width = float(given)
    else:
        try:
            width = literals.duration(given)
        except ValueError:
            raise BadParameter("step", f'cannot parse "{given}" to a valid duration') from None
    if width <= 0:
        message = "zero or negative query resolution step widths are not accepted. Try a positive integer"
        raise BadParameter("step", message)
    if length / width > _MOST_STEPS:
        raise BadRequest(f"{_TOO_FINE}. Try decreasing the query resolution (?step=XX)")
    return width

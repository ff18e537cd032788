"""So many requests, or tokens, per minute: a bucket that fills as time goes by; pure, told of the time.

What was taken may be corrected later, since the tokens of a reply are known only when it is there; a bucket
may owe, and then nothing is taken until it no longer does.
"""

from dataclasses import dataclass, replace

BURST = 10.0
"""Seconds' worth that may be taken at once after a rest: providers judge by less than a minute."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """What may be taken: `level` units at the time `at`, and `per_minute` more in a minute."""

    per_minute: float
    level: float
    at: float

    @property
    def size(self) -> float:
        """The most that it holds."""
        return max(1.0, self.per_minute * BURST / 60)


def full(per_minute: float, now: float) -> Bucket:
    """Return a bucket from which nothing was taken yet."""
    empty = Bucket(per_minute, 0.0, now)
    return replace(empty, level=empty.size)


def taken(bucket: Bucket, amount: float, now: float) -> Bucket:
    """Return the bucket without an amount; a negative one is given back."""
    return replace(bucket, level=min(bucket.size, _level(bucket, now) - amount), at=now)


def seconds_until(bucket: Bucket, amount: float, now: float) -> float:
    """Return how long to wait for an amount; more than a bucket holds waits until it is full."""
    missing = min(amount, bucket.size) - _level(bucket, now)
    return max(0.0, missing * 60 / bucket.per_minute)


def _level(bucket: Bucket, now: float) -> float:
    return min(bucket.size, bucket.level + (now - bucket.at) * bucket.per_minute / 60)

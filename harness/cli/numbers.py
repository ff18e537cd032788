"""What numbers the command line takes: anything else is a usage error before anything is asked."""

import argparse
import math


def whole(text: str) -> int:
    """Return the whole number that an option's value spells, 1 or more."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"found {text!r}; use a whole number, 1 or more")
    return int(text)


def port(text: str) -> int:
    """Return a port to listen on; 0 takes a free one."""
    if not text.isdecimal() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"found {text!r}; use a whole number from 0 to 65535")
    return int(text)


def dollars(text: str) -> float:
    """Return an amount of US dollars above 0."""
    amount = _number(text)
    if not 0 < amount < math.inf:
        raise argparse.ArgumentTypeError(f"found {text!r}; use an amount of US dollars above 0, as 2.50")
    return amount


def timeout(text: str) -> float:
    """Return the seconds that one request may take: more than 0, a day at most."""
    # Commands that count need not load the targets.
    from harness.targets.configured import LONGEST_TIMEOUT

    seconds = _number(text)
    if not 0 < seconds <= LONGEST_TIMEOUT:
        raise argparse.ArgumentTypeError(
            f"found {text!r}; use seconds, more than 0 and at most {LONGEST_TIMEOUT:g}, which is a day"
        )
    return seconds


def temperature(text: str) -> float:
    """Return the temperature of a model, as targets.yaml takes it."""
    from harness.targets.configured import HOTTEST

    degrees = _number(text)
    if not 0 <= degrees <= HOTTEST:
        raise argparse.ArgumentTypeError(f"found {text!r}; use a number from 0 to {HOTTEST:g}")
    return degrees


def _number(text: str) -> float:
    """Return the number that a text spells; not-a-number, which no range holds, where it spells none."""
    try:
        return float(text)
    except ValueError:
        return math.nan

"""Every exception the harness raises on purpose.

    HarnessError
    ├── InvalidInput            the caller's files or arguments are wrong        exit 2
    │   ├── InvalidScenario     a scenario, world or catalog file cannot be used
    │   ├── InvalidContract     somebody's own contract, or its code, cannot be used
    │   ├── InvalidRun          a run folder is missing, foreign or of another format
    │   └── UnknownName         a name that nothing has; the message offers near ones
    ├── TargetUnavailable       the model could not be asked; its samples are unscored   exit 3
    ├── CannotWrite             a file could not be written   exit 3 if the disk is full, else 2
    ├── EngineFailed            processes, nodes or storage that do the work were lost   exit 3
    ├── ReplayMiss              a cassette does not hold what was asked, or is too old   exit 3
    └── BudgetReached           one more request might cost more than --max-cost   exit 3

A model that breaks its contract is none of these: that is a score.
"""

import errno
from collections.abc import Iterable
from difflib import get_close_matches


def printable(text: str) -> str:
    """Return a text in which only line ends act: names and values quoted in it may be anybody's."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(each if each == "\n" or each.isprintable() else _escaped(each) for each in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def disk_failed(error: OSError) -> bool:
    """Return whether a disk is full or broken; anything else of the kind is a wrong name or place."""
    return error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}


class HarnessError(Exception):
    """An ending that is explained in one line; everything else is a bug in the harness."""

    exit_code = 70

    def __str__(self) -> str:
        """Return the message, with escapes for what would act on a terminal."""
        return printable(super().__str__())


class InvalidInput(HarnessError):
    """A file or argument is wrong; the message says where, what was found, and what is allowed."""

    exit_code = 2


class InvalidScenario(InvalidInput):
    """A scenario, world or catalog file cannot be used."""


class InvalidContract(InvalidInput):
    """A contract from outside the package cannot be used: what its code did, and where."""


class InvalidRun(InvalidInput):
    """A run folder is missing, belongs to something else, or has another format."""


class UnknownName(InvalidInput):
    """Nothing has this name; the message offers what does.

    Args:
        kind: what was looked up, as "contract".
        name: the name as given.
        known: every name that would have been right.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        near = get_close_matches(name, names, n=3, cutoff=0.5)
        if near:
            hint = "did you mean " + " or ".join(repr(each) for each in near) + "?"
        else:
            shown = ", ".join(repr(each) for each in names[:12]) or "none"
            hint = f"known: {shown}" + (f" and {len(names) - 12} more" if len(names) > 12 else "")
        super().__init__(f"no {kind} {name!r}; {hint}")


class TargetUnavailable(HarnessError):
    """The target could not be asked, through no fault of the model's.

    Args:
        cause: one word for reports, as "rate_limited".
        detail: what the provider said, already free of keys.
        retry: whether asking again may help.
        retry_after: seconds the provider asked us to wait.
    """

    exit_code = 3

    def __init__(
        self, cause: str, detail: str, *, retry: bool = False, retry_after: float | None = None
    ) -> None:
        super().__init__(f"{cause}: {detail}")
        self.cause = cause
        self.detail = detail
        self.retry = retry
        self.retry_after = retry_after


class CannotWrite(HarnessError):
    """A file that could not be written: the disk takes no more (exit 3), or the place is wrong (exit 2).

    Args:
        path: the file that could not be written.
        error: what the system said.
    """

    def __init__(self, path: object, error: OSError) -> None:
        then = "make room, and go on: what is there stays" if disk_failed(error) else "give another place"
        super().__init__(f"{path}: {error.strerror or error}; {then}")
        self.exit_code = 3 if disk_failed(error) else 2


class EngineFailed(HarnessError):
    """What does the work was lost: processes, a cluster, its storage; what is done stays."""

    exit_code = 3


class ReplayMiss(HarnessError):
    """A request that the cassette does not hold, or a cassette too old to answer; never the model's fault."""

    exit_code = 3


class BudgetReached(HarnessError):
    """One more request might cost more than may be spent; the run is incomplete and can go on."""

    exit_code = 3

"""The exam: every violation spliced into every good transcript breaks exactly what it declares.

Graders are programs too. A clause that ought to fail and does not is a survivor; one that fails, or falls
silent, although nothing took its subject away is a false kill. Both name the sample and the command that
shows it.
"""

from harness.errors import UnknownName
from harness.exam.applying import WHOLE, Application, Syllabus, applications
from harness.exam.golden import Golden, golden, goldens
from harness.exam.sitting import Case, Result, examined, sit

__all__ = [
    "WHOLE",
    "Application",
    "Case",
    "Golden",
    "Result",
    "Syllabus",
    "applications",
    "examined",
    "golden",
    "goldens",
    "named",
    "sit",
]


def named(name: str, syllabus: Syllabus = WHOLE) -> tuple[str, str]:
    """Return (operator, site) of a name like "missing_field:/rca_severity"; raise UnknownName."""
    operator, _, site = name.partition(":")
    if operator not in syllabus.names:
        raise UnknownName("violation", operator, syllabus.names)
    return operator, site

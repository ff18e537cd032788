"""Whether the requests of every contract can be built from a scenario (REQ-1, REQ-2)."""

from collections.abc import Iterator, Sequence

from pydantic import ValidationError

from harness.scenarios.lint.finding import LintFinding
from harness.scenarios.lint.written import Written

_CLAUSE_OF_FLOW = {"incident": "REQ-1", "recovery": "REQ-2"}


def requests_build(written: Written) -> Iterator[LintFinding]:
    """Yield what keeps a scenario from becoming the request of a contract of its flow."""
    scenario = written.scenario
    for contract in written.contracts:
        if contract.flow != scenario.flow:
            continue
        try:
            contract.build_request(scenario)
        except ValidationError as error:
            for problem in error.errors(include_url=False):
                place = _stated_at(written, [str(each) for each in problem["loc"]])
                found = repr(problem["input"])[:80]
                message = f"found {found}; {contract.id} does not take it: {problem['msg']}"
                yield written.says(place, message, clause=_CLAUSE_OF_FLOW[scenario.flow])


def _stated_at(written: Written, location: Sequence[str]) -> tuple[str | int, ...]:
    """Return the place in the file whose last keys are those of a place in the request."""
    for length in range(len(location), 0, -1):
        tail = tuple(location[-length:])
        for place in written.document.lines:
            if tuple(str(each) for each in place[-length:]) == tail:
                return place
    return ()

"""Tests against real parts that not every machine has: servers, engines, clients of other makers.

Such a test is marked part("mcp"), and skips where its part is missing; the closing lines say what was left
out. `pytest --part mcp` runs that part alone: a skip is a failure then, and the closing lines say what
the tests talked to, by the fixture `talked`.
"""

from collections import Counter
from collections.abc import Callable, Generator, Iterator

import pytest

Talked = Callable[[str, str, int], None]
_TALKED = pytest.StashKey[Counter[tuple[str, str]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--part", metavar="NAME", help="only the tests of this optional part; none of them may be skipped"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "part(name): needs an optional part; `make test-NAME` demands it")
    config.stash[_TALKED] = Counter()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        item.user_properties += [("part", each) for each in _parts(item)]
    wanted = config.getoption("--part")
    if wanted is None:
        return
    known = sorted({each for item in items for each in _parts(item)})
    if wanted not in known:
        raise pytest.UsageError(f"--part: found {wanted!r}; the collected tests have: {', '.join(known)}")
    left = [item for item in items if wanted not in _parts(item)]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if wanted in _parts(item)]


def _parts(item: pytest.Item) -> Iterator[str]:
    return (str(each.args[0]) for each in item.iter_markers("part"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
    call: pytest.CallInfo[None],  # noqa: ARG001 - pytest passes it by name
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and item.config.getoption("--part") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, and --part demands it: {_reason(report)}"
    return report


def _reason(report: pytest.TestReport) -> str:
    found = report.longrepr
    return found[2].removeprefix("Skipped: ") if isinstance(found, tuple) else str(found)


@pytest.fixture
def talked(request: pytest.FixtureRequest) -> Talked:
    """Note what a test talked to: name, version, number of calls."""

    def note(name: str, version: str, calls: int = 1) -> None:
        request.config.stash[_TALKED][name, version] += calls

    return note


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for (name, version), calls in sorted(terminalreporter.config.stash[_TALKED].items()):
        terminalreporter.write_line(f"talked to {name} {version}: {calls} calls")
    left_out: dict[str, list[str]] = {}
    for report in terminalreporter.stats.get("skipped", []):
        for key, part in report.user_properties:
            if key == "part":
                left_out.setdefault(str(part), []).append(_reason(report))
    for part, reasons in sorted(left_out.items()):
        terminalreporter.write_line(
            f"left out: {len(reasons)} tests of {part} ({reasons[0]}); `make test-{part}` runs them"
        )

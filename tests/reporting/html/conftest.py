"""A browser for the tests that need one."""

from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from browsing import Page


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--needs-browser", action="store_true", help="fail where no Chromium is installed")


@pytest.fixture(scope="session")
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> "Generator[Page]":
    """Return a page in Debian's Chromium; skip, or fail where one is demanded, without it."""
    lacking = _lacking()
    if lacking:
        told = f"{lacking} is not installed; apt-get install chromium chromium-driver, make setup"
        (pytest.fail if request.config.getoption("--needs-browser", default=False) else pytest.skip)(told)
    from browsing import Page, chromium

    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield Page(driver)


def _lacking() -> str:
    try:
        from browsing import missing
    except ImportError:
        return "selenium"
    return missing()

"""The fixture `page`: a browser for the tests that need one, skipped where there is none."""

from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest

from tests.parts import Talked

if TYPE_CHECKING:
    from browsing import Page


@pytest.fixture(autouse=True)
def named(request: pytest.FixtureRequest, talked: Talked) -> None:
    """Say which browser a test clicked in."""
    if any(each.args == ("browser",) for each in request.node.iter_markers("part")):
        told: dict[str, str] = request.getfixturevalue("page").driver.capabilities
        talked(told["browserName"], told["browserVersion"], 1)


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory) -> "Generator[Page]":
    """Return a page in Debian's Chromium."""
    lacking = _lacking()
    if lacking:
        pytest.skip(f"{lacking} is not installed; apt-get install chromium chromium-driver, make setup")
    from browsing import Page, chromium

    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield Page(driver)


def _lacking() -> str:
    try:
        from browsing import missing
    except ImportError:
        return "selenium"
    return missing()

"""Debian's Chromium, headless, with everything that it says or asks for written down."""

import json
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.chrome.webdriver import WebDriver

CHROMIUM, DRIVER = "chromium", "chromedriver"
BROWSERS_OWN = ("file:", "data:", "about:", "chrome:", "chrome-untrusted:")
"""How addresses begin that no network is needed for: its first page is Chromium's own."""
QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage",
    "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


def missing() -> str:
    """Return what is not installed that a browser needs; nothing where all is."""
    return ", ".join(each for each in (CHROMIUM, DRIVER) if shutil.which(each) is None)


@contextmanager
def chromium(profile: Path) -> Generator[WebDriver]:
    """Run a browser with an empty profile; its logs hold the console and every request."""
    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which(CHROMIUM))
    for each in (*QUIET, f"--user-data-dir={profile}"):
        options.add_argument(each)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    options.set_capability("unhandledPromptBehavior", "ignore")
    driver = webdriver.Chrome(options=options, service=Service(str(shutil.which(DRIVER))))
    try:
        yield driver
    finally:
        driver.quit()


class Page:
    """A report in a browser, of a given width, light unless said otherwise."""

    def __init__(self, driver: WebDriver) -> None:
        self.driver = driver

    def open(self, file: Path, state: str = "", *, width: int = 1280, dark: bool = False) -> None:
        """Open a file with a state as its fragment, and wait until its script has run."""
        self.driver.get("about:blank")
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False
        )
        features = [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self.command("Emulation.setEmulatedMedia", features=features)
        self.driver.get(f"{file.as_uri()}{state}")
        self.wait("document.documentElement.dataset.ready")

    def command(self, name: str, **arguments: Any) -> None:
        """Send a command of the DevTools protocol."""
        self.driver.execute_cdp_cmd(name, arguments)  # pyright: ignore[reportUnknownMemberType]

    def ask(self, expression: str, *arguments: Any) -> Any:
        """Return what a JavaScript expression comes to."""
        return self.driver.execute_script(f"return ({expression})", *arguments)  # pyright: ignore[reportUnknownMemberType]

    def wait(self, expression: str, seconds: float = 10) -> None:
        """Wait until a JavaScript expression is true."""
        end = monotonic() + seconds
        while not self.ask(f"Boolean({expression})"):
            assert monotonic() < end, f"never true: {expression}"
            sleep(0.05)

    def click(self, selector: str) -> None:
        """Click the first element of a selector, where it is in view."""
        self.ask("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        self.driver.find_element("css selector", selector).click()

    def press(self, *keys: str) -> None:
        """Press keys on whatever has the focus."""
        for each in keys:
            self.driver.switch_to.active_element.send_keys(each)

    def texts(self, selector: str) -> list[str]:
        """Return the texts of all elements of a selector."""
        return self.ask(
            "[...document.querySelectorAll(arguments[0])].map((each) => each.textContent)", selector
        )

    def text(self, selector: str) -> str:
        """Return the text of the first element of a selector."""
        return self.texts(selector)[0]

    def hash(self) -> dict[str, str]:
        """Return the state that the address holds."""
        return self.ask("Object.fromEntries(new URLSearchParams(location.hash.slice(1)))")

    def complaints(self) -> list[str]:
        """Return what the console was told: errors, and breaches of the policy."""
        return [each["message"] for each in self.driver.get_log("browser")]  # pyright: ignore[reportUnknownMemberType]

    def requests(self) -> list[str]:
        """Return every address that was asked for, apart from the file itself and data: addresses."""
        asked: list[str] = []
        for each in self.driver.get_log("performance"):  # pyright: ignore[reportUnknownMemberType]
            event: Any = json.loads(each["message"])["message"]
            if event["method"] == "Network.requestWillBeSent":
                asked.append(event["params"]["request"]["url"])
        return [each for each in asked if not each.startswith(BROWSERS_OWN)]

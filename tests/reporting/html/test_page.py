"""The page in a real browser: what people press, and what a model may write without anything happening."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pages import ANSWER, GOOD, POOR, conversation, judged, kept, named, plain_run, stored
from selenium_keys import DOWN, ENTER, ESCAPE, RIGHT, TAB

from harness.reporting.html.render import render_html
from harness.store import Run

if TYPE_CHECKING:
    from browsing import Page

pytest_plugins = ["browser"]
pytestmark = [pytest.mark.part("browser"), pytest.mark.slow]

LIST = "#list tbody tr"
CONTRAST = (Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")
OPEN = "document.getElementById('detail').open"


def written(folder: Path, *runs: Run) -> Path:
    """Return the file of a page."""
    file = folder / "report.html"
    file.write_text(render_html(runs), encoding="utf-8")
    return file


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return written(tmp_path, plain_run(tmp_path))


@pytest.fixture
def two(tmp_path: Path) -> Path:
    before = plain_run(tmp_path, "20260301T080000-aaaa", bad=())
    return written(tmp_path, before, plain_run(tmp_path, "20260302T080000-bbbb", bad=("#2",)))


def test_the_page_opens_offline_and_nothing_leaves_it(page: "Page", report: Path) -> None:
    page.requests()
    page.open(report)

    assert page.text("h1") == f"{GOOD} leads with 100.0 %."
    assert page.text("#found") == "8 samples"
    assert page.complaints() == []
    assert page.requests() == []


def test_filters_narrow_the_list_and_the_address_carries_them(page: "Page", report: Path) -> None:
    page.open(report)
    page.ask("(document.querySelector('[name=target]').value = arguments[0], 1)", POOR)
    page.driver.find_element("name", "q").send_keys("crashloop SEV-2")
    page.wait("document.querySelectorAll('#list tbody tr').length === 1")

    assert page.text("#found") == "1 of 8 samples"
    assert page.hash() == {"q": "crashloop SEV-2", "target": POOR}
    shared = page.ask("location.hash")

    page.open(report, shared)

    assert page.text("#found") == "1 of 8 samples"
    page.click("#filters button[type=reset]")
    assert page.text("#found") == "8 samples"
    assert page.hash() == {}


def test_the_list_sorts_by_its_headings(page: "Page", report: Path) -> None:
    page.open(report)
    page.click("th[data-key=fails] button")

    assert page.ask("document.querySelector('th[data-key=fails]').ariaSort") == "ascending"
    assert "not compliant" not in page.text(LIST)
    page.click("th[data-key=fails] button")
    assert "not compliant" in page.text(LIST)
    assert page.hash() == {"sort": "-fails"}


def test_tables_sort_by_number(page: "Page", report: Path) -> None:
    page.open(report)
    page.click(".leaders th:nth-child(2) button")

    assert page.texts(".leaders tbody th") == [POOR, GOOD]


def test_a_cell_of_the_heat_map_leads_to_its_samples(page: "Page", report: Path) -> None:
    page.open(report)
    page.click("#clauses td.f3 a, #clauses td.f2 a")

    page.wait("document.activeElement.id === 'samples-title'")
    assert page.hash()["target"] == POOR
    assert page.text("#found") == "2 of 8 samples"


def test_arrow_keys_walk_through_a_heat_map_that_takes_one_stop_of_tab(page: "Page", report: Path) -> None:
    page.open(report)
    page.ask("(document.querySelector('#scenarios tbody a').focus(), 1)")
    first = page.ask("document.activeElement.textContent")
    page.press(DOWN, RIGHT)

    assert first == "incident/crashloop-bad-config"
    assert page.ask("document.activeElement.ariaLabel") == (
        f"incident/oom-behind-memory-alert, {GOOD}: 2 of 2 passed"
    )
    page.press(TAB)
    assert page.ask("document.activeElement.closest('#scenarios') === null")


def test_a_sample_opens_with_its_verdicts_under_their_lines_and_closes_again(
    page: "Page", report: Path
) -> None:
    page.open(report)
    page.click("#list tbody a")
    page.wait(OPEN)

    assert page.text(".would-run").startswith("this is what would have run: oomkill-increase-memory")
    assert page.texts("pre.judged") == ['  "label.priority": "P1"', '  "rca_severity": "high",']
    under = page.ask(
        "[...document.querySelectorAll('pre.judged + .verdict strong')].map((e) => e.textContent)"
    )
    assert under == ["fails PAS-2", "fails SEV-2"]
    answer = page.texts("#detail .message:last-of-type .answer pre")
    assert "\n".join(answer) == json.dumps(ANSWER, indent=2)
    assert page.hash()["sample"].endswith(f"{POOR}#1")
    page.press(ESCAPE)
    page.wait(f"!{OPEN} && !location.hash")


def test_a_shared_sample_opens_and_long_prompts_unfold(page: "Page", report: Path) -> None:
    page.open(report, f"#sample={named(GOOD)[0].replace('#', '%23')}")
    page.wait(OPEN)

    assert page.text("#detail pre").count("Investigate.") == 12
    page.click(".more")
    assert page.text("#detail pre").count("Investigate.") == 40
    assert page.ask("document.querySelector('.more').ariaExpanded") == "true"


def test_the_keyboard_alone_opens_a_sample_and_goes_to_the_next_one(page: "Page", report: Path) -> None:
    page.open(report)
    page.press(TAB)
    assert page.ask("document.activeElement.className") == "skip"
    page.ask("(document.querySelector('#list tbody a').focus(), 1)")
    page.press(ENTER)
    page.wait(OPEN)
    assert page.ask("document.activeElement.id") == "detail-title"
    page.ask("(document.getElementById('detail-next').focus(), 1)")
    page.press(ENTER)
    page.wait("location.hash.includes('oom-behind')")
    page.wait("document.activeElement.id === 'detail-next'")
    page.press(ESCAPE)
    page.wait(f"!{OPEN}")


def test_the_theme_follows_the_system_and_the_button(page: "Page", report: Path) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    page.open(report)
    light = page.ask(paper)
    page.open(report, dark=True)
    dark = page.ask(paper)

    assert page.ask("document.getElementById('theme').ariaPressed") == "true"
    page.click("#theme")
    assert (page.ask(paper), light != dark) == (light, True)
    page.ask("(localStorage.clear(), 1)")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_text_has_the_contrast_of_aa(page: "Page", report: Path, *, dark: bool) -> None:
    page.open(report, dark=dark)
    page.click("#list tbody a")
    page.wait(OPEN)

    assert page.ask(CONTRAST) == []


@pytest.mark.parametrize("width", [360, 768])
def test_a_narrow_page_scrolls_only_downwards(page: "Page", report: Path, width: int) -> None:
    page.open(report, width=width)
    assert page.ask("document.documentElement.scrollWidth <= innerWidth")
    page.click("#list tbody a")
    page.wait(OPEN)
    assert page.ask("document.getElementById('detail').scrollWidth <= innerWidth")


def test_readers_find_landmarks_headings_and_headers(page: "Page", report: Path) -> None:
    page.open(report)

    assert page.ask("document.querySelectorAll('main, header, nav').length") >= 3
    assert page.ask("document.querySelectorAll('h1').length") == 1
    assert page.ask("[...document.querySelectorAll('th')].every((each) => each.scope)")
    assert page.ask("[...document.querySelectorAll('table')].every((each) => each.caption)")
    assert page.ask(
        "[...document.querySelectorAll('section')].every((e) => e.getAttribute('aria-labelledby'))"
    )
    assert page.ask("[...document.querySelectorAll('input, select')].every((each) => each.labels.length)")
    assert page.ask("new Set([...document.querySelectorAll('[id]')].map((e) => e.id)).size") == page.ask(
        "document.querySelectorAll('[id]').length"
    )


def test_flipped_samples_open_beside_each_other(page: "Page", two: Path) -> None:
    page.open(two)
    page.click(".flips tbody a")
    page.wait(OPEN)

    assert [each.strip() for each in page.texts(".side > p:first-child")] == [
        f"A · {POOR} compliant",
        f"B · {POOR} not compliant",
    ]
    page.press(ESCAPE)
    page.wait(f"!{OPEN}")
    page.ask("(document.querySelector('[name=flip]').value = 'fell', 1)")
    page.ask("(document.getElementById('filters').dispatchEvent(new Event('input')), 1)")
    page.wait("document.getElementById('found').textContent === '4 of 16 samples'")
    assert page.complaints() == []


def test_five_thousand_samples_stay_fluid(page: "Page", tmp_path: Path) -> None:
    scenarios = [f"incident/made-up-{each}" for each in range(500)]
    samples = [each for target in (GOOD, POOR) for each in named(target, scenarios, 5)]
    rows = [row for each in samples for row in (judged(each) if each.endswith(("#1", "#3")) else kept(each))]
    transcripts = (conversation(each, "{}") for each in samples)
    file = written(tmp_path, stored(tmp_path, transcripts, rows, scenarios=dict.fromkeys(scenarios, "aa")))
    page.open(file)

    assert page.text("#found") == "5000 samples"
    assert page.ask("document.querySelectorAll('#list tbody tr').length") == 50
    took = page.ask(
        "(() => { const from = performance.now(); "
        "location.replace('#q=made-up-7&sort=-fails'); dispatchEvent(new Event('hashchange')); "
        "return performance.now() - from; })()"
    )
    assert took < 500
    page.wait("document.getElementById('found').textContent === '110 of 5000 samples'")
    page.click("#later")
    assert page.text("#page") == "page 2 of 3"

"""What a model may write without anything happening in a real browser."""

import random
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import pytest
from hostile_texts import PIECES
from pages import GOOD, conversation, judged, kept, named, score, stored

from harness.reporting.html.render import render_html
from harness.store import Run

if TYPE_CHECKING:
    from browsing import Page

pytest_plugins = ["browser"]
pytestmark = [pytest.mark.part("browser"), pytest.mark.slow]

OPEN = "document.getElementById('detail').open"


def written(folder: Path, run: Run) -> Path:
    """Return the file of a page."""
    file = folder / "report.html"
    file.write_text(render_html([run]), encoding="utf-8")
    return file


@pytest.mark.parametrize("seed", range(6))
def test_whatever_a_model_writes_nothing_runs_asks_or_leaves(page: "Page", tmp_path: Path, seed: int) -> None:
    drawn = random.Random(seed)

    def text() -> str:
        return "".join(drawn.choices(PIECES, k=drawn.randint(1, 12)))

    samples = named(f"mock:{text()}".replace("#", "").replace("@", "").replace("\ud800", ""))
    rows = [
        row
        for each in samples
        for row in (
            *judged(each),
            score(
                each,
                "SEL-1",
                "fail",
                reason=text(),
                place=text(),
                expected=[text()],
                observed={text(): text()},
            ),
        )
    ]
    spoken = [conversation(each, text() * 30, evidence=text() * 200) for each in samples]
    page.requests()
    page.complaints()

    page.open(written(tmp_path, stored(tmp_path, spoken, rows)))
    for _ in samples:
        page.ask("(document.querySelector('#list tbody a')?.click(), 1)")
        page.wait(OPEN)
        page.wait("document.querySelector('#detail .message')")
        for _ in range(8):
            page.ask("([...document.querySelectorAll('.more')].forEach((each) => each.click()), 1)")
        assert page.ask("document.querySelectorAll('#detail script, #detail img, #detail a').length") == 0
        page.ask("(document.getElementById('detail').close(), 1)")
        page.wait("!location.hash.includes('sample=')")

    assert page.ask("window.struck") is None
    assert page.ask("document.title").startswith("mock:")
    assert page.complaints() == []
    assert page.requests() == []


def test_ten_megabytes_in_one_message_open_at_once(page: "Page", tmp_path: Path) -> None:
    sample = named(GOOD)[0]
    huge = "<script>window.struck = 1</script>" * 300_000
    page.open(written(tmp_path, stored(tmp_path, [conversation(sample, huge)], kept(sample))))
    started = monotonic()
    page.click("#list tbody a")
    page.wait(OPEN)

    assert monotonic() - started < 5
    assert "more characters" in page.ask("(document.querySelector('.assistant:last-of-type .more')?.click(), "
                                         "document.getElementById('detail').textContent)")  # fmt: skip
    assert page.ask("window.struck") is None


def test_a_page_whose_policy_were_gone_would_be_struck(page: "Page", tmp_path: Path) -> None:
    """What the other tests wait for can be seen to happen."""
    file = tmp_path / "struck.html"
    file.write_text("<html data-ready=yes><script>window.struck = 1; fetch('http://127.0.0.1:9/x')</script>")
    page.requests()
    page.open(file)

    assert page.ask("window.struck") == 1
    assert page.requests() == ["http://127.0.0.1:9/x"]
    page.complaints()

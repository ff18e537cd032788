import gzip
import json
import random
import re
from base64 import b64decode, b64encode
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import GOOD, POOR, W, conversation, info, judged, kept, named, plain_run, stored

from harness.errors import InvalidRun
from harness.model import Message
from harness.reporting.html.render import FOLDER, embedded, render_html
from harness.reporting.write import write_reports
from harness.store import create_run

HOSTILE = (
    "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'`--><!-- \u202e\u200b\x1b[2J\ud800"
)


def data_of(html: str) -> dict[str, Any]:
    """Return what the page's script is told."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert found
    return json.loads(found[1])


def block_of(html: str, name: str) -> list[Any]:
    """Return the values of one compressed block."""
    found = re.search(rf'<script type="application/octet-stream" id="{name}">(.*?)</script>', html)
    assert found
    return json.loads(gzip.decompress(b64decode(found[1])))


def test_the_page_has_its_samples_with_what_is_not_compliant_first(tmp_path: Path) -> None:
    data = data_of(render_html([plain_run(tmp_path)]))

    assert data["columns"] == [[0, GOOD, W, GOOD], [0, POOR, W, POOR]]
    assert [[each[2], each[3]] for each in data["samples"]] == [[1, 1]] * 2 + [[1, 0], [2, 0], [2, 0]] * 2
    assert [data["clauses"][each][0] for each in data["samples"][0][4]] == ["PAS-2", "SEV-2"]
    assert data["samples"][0][5] == "PAS-2: was changed"


def test_the_policy_names_the_one_script_and_the_one_style_sheet_as_they_stand_in_the_page(
    tmp_path: Path,
) -> None:
    html = render_html([plain_run(tmp_path)])

    policy = unescape(re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)[0])
    scripts = re.findall(r'<script type="module">(.*?)</script>', html, re.DOTALL)
    styles = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    digests = [
        f"'sha256-{b64encode(sha256(each.encode()).digest()).decode()}'" for each in (*scripts, *styles)
    ]
    assert policy.split("; ")[:4] == [
        "default-src 'none'", f"script-src {digests[0]}", f"style-src {digests[1]}", "img-src data:",
    ]  # fmt: skip
    assert len(scripts) == len(styles) == 1
    assert "unsafe" not in policy


def test_the_page_names_no_address_and_no_inline_handler(tmp_path: Path) -> None:
    html = render_html([plain_run(tmp_path)])

    assert not re.search(r"https?://|//[a-z]|\son[a-z]+=|\sstyle=|javascript:", re.sub(r"// .*", "", html))


def test_the_script_is_short_and_writes_no_markup() -> None:
    script = (FOLDER / "page.js").read_text(encoding="utf-8")

    assert len(script.splitlines()) <= 600
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function", script)
    assert "</" not in script


@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_embedded_json_has_no_character_of_markup_and_reads_as_the_same_value(value: Any) -> None:
    text = str(embedded(value))

    assert not re.search("[<>&\u2028\u2029]", text)
    assert json.loads(text) == value


def test_hostile_names_and_texts_never_become_markup(tmp_path: Path) -> None:
    target = HOSTILE.removesuffix("\ud800")  # nobody can store such a name
    sample = f"incident/{target}@{W}@{target}#1"
    run = stored(
        tmp_path, [conversation(sample, HOSTILE, evidence=HOSTILE)], judged(sample),
        targets={target: {}}, scenarios={f"incident/{target}": "aa"}, versions={target: target},
    )  # fmt: skip

    html = render_html([run])

    assert html.count("<script") == html.count("</script>") == 4
    assert "<img" not in html
    assert all(each == "\n" or each.isprintable() for each in html)


def test_a_transcript_is_packed_with_its_verdicts_and_what_would_have_run(tmp_path: Path) -> None:
    html = render_html([plain_run(tmp_path)])

    first = block_of(html, "record-0")[0]
    assert first["run"] == 'this is what would have run: oomkill-increase-memory with {"NAMESPACE": "shop"}'
    assert [each["role"] for each in first["messages"]] == [
        "user", "assistant", "tool", "assistant", "tool", "assistant",
    ]  # fmt: skip
    assert first["messages"][0]["parts"][0][2] == 0
    assert block_of(html, "text-0")[0] == "Investigate.\n" * 40


def test_ten_megabytes_from_a_model_leave_the_page_small(tmp_path: Path) -> None:
    noise = random.Random(1).randbytes(5_000_000).hex()
    sample = named(GOOD)[0]

    html = render_html([stored(tmp_path, [conversation(sample, noise)], kept(sample))])

    assert len(html) < 400_000
    assert "more characters" in block_of(html, "text-0")[-1]


def test_beyond_its_limit_a_page_keeps_verdicts_and_says_what_it_left_out(tmp_path: Path) -> None:
    html = render_html([plain_run(tmp_path)], limit=-1)

    assert "8 transcripts left out" in html
    assert "messages" not in block_of(html, "record-0")[0]
    assert block_of(html, "record-0")[0]["verdicts"][0]["clause"] == "PAS-2"


def test_a_sample_without_a_transcript_keeps_its_verdicts(tmp_path: Path) -> None:
    sample = named(GOOD)[0]

    html = render_html([stored(tmp_path, [], judged(sample))])

    assert block_of(html, "record-0")[0]["missing"] == "This run holds no transcript of it."


def test_the_verdict_says_who_leads_and_whether_chance_explains_it(tmp_path: Path) -> None:
    html = render_html([plain_run(tmp_path)])

    assert f'<h1 id="lead">{GOOD} leads with 100.0 %.</h1>' in html
    assert f"50.0 points ahead of {POOR}, which chance alone may explain" in html


def test_costs_are_drawn_and_the_cheapest_and_the_best_are_unbeaten(tmp_path: Path) -> None:
    html = render_html([plain_run(tmp_path)])

    # Three replies a sample.
    assert re.findall(r"\$0\.0\d\d\d(?=</td>)", html) == ["$0.0030", "$0.0120"]
    assert html.count("point best") == 2


def test_two_runs_are_compared_and_their_flips_lead_to_both_transcripts(tmp_path: Path) -> None:
    before = plain_run(tmp_path, "20260301T080000-aaaa", bad=())
    after = plain_run(tmp_path, "20260302T080000-bbbb", bad=("#2",))

    html = render_html([before, after])

    assert "From run A to run B" in re.findall("<h1[^>]*>(.*?)</h1>", html)[0]
    assert "Flipped: 2 fell, 0 rose" in html
    assert html.count("data-open") - (FOLDER / "page.js").read_text().count("data-open") == 2
    assert [each[6] for each in data_of(html)["samples"] if each[3] == 1] == [1, 1]
    assert f"<strong>{POOR}</strong>" in html[html.index('id="trends"') :]


def test_two_runs_that_share_no_target_are_read_beside_each_other(tmp_path: Path) -> None:
    one, two = named("mock:null"), named("mock:forger")
    before = stored(tmp_path, [], [row for each in one for row in kept(each)], id="a",
                    targets={"mock:null": {}, "mock:x": {}})  # fmt: skip
    after = stored(tmp_path, [], [row for each in two for row in kept(each)], id="b",
                   targets={"mock:forger": {}})  # fmt: skip

    assert "The two runs share no target" in render_html([before, after])


def test_the_same_run_makes_the_same_page(tmp_path: Path) -> None:
    run = plain_run(tmp_path)

    first = write_reports(run, ["html"])[0].read_bytes()

    assert write_reports(run, ["html"])[0].read_bytes() == first


def test_a_run_without_scores_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidRun, match="harness grade"):
        render_html([create_run(tmp_path, info())])


def test_messages_of_unknown_roles_are_text_too(tmp_path: Path) -> None:
    sample = named(GOOD)[0]
    odd = conversation(sample, "{}")
    object.__setattr__(odd, "messages", (Message("system", HOSTILE), *odd.messages))

    html = render_html([stored(tmp_path, [odd], kept(sample))])

    assert "<script>alert" not in html

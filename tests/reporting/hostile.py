"""What a model could write to fool whoever reads a report, for Hypothesis to combine."""

from typing import Any

from hypothesis import strategies as st

from harness.store import ScoreRow

PIECES = (
    "|", "||", "\\|", "`", "``", "\\`", "```sh\n", "\n", "\r\n", "\r", "\t", "\x0b", "\x1b[2J",
    "\x1b]0;x\x07", "\x9b31m",
    "\u202e", "\u2066", "\u200b", "\u2028", "\ufeff", "\u00a0", "\u3164", "\U000e0041", "\ud800", "\0",
    "<script>alert(1)</script>", "<img src=x>", "<!--", "-->", "&lt;", "@admin", "#1", "GH-1",
    "![x](http://evil.example/x.png)", "[x](javascript:alert(1))", "https://evil.example", "www.evil.example",
    "# heading", "- item", "1. item", "> quote", "***", "---", "|---|", "~~x~~", "**bold**", "_x_",
    "$x$", ":tada:",
    "=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0", "'", '"', ",", ";", "[red]x[/red]", "[/]",
    "{x}", "%s",
    "production", " ", "a" * 300,
)  # fmt: skip

texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=6).map("".join)
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)


def _row(target: str, outcome: str, clause: str, written: tuple[str, str, Any, Any]) -> ScoreRow:
    reason, place, expected, observed = written
    return ScoreRow(
        f"incident/x@workflow-selection-2.7@{target}#1", "incident/x", "workflow-selection-2.7", target, 1,
        "made.up", clause, "severity", "MUST" if clause == "SEV-2" else "SHOULD", outcome, reason, expected,
        observed, place,
    )  # fmt: skip


rows: st.SearchStrategy[list[ScoreRow]] = st.lists(
    st.builds(
        _row,
        st.just("mock:flaky") | texts,
        st.sampled_from(("fail", "fail", "unscored", "pass")),
        st.sampled_from(("SEV-2", "SEV-6")) | texts,
        st.tuples(texts, texts, values, values),
    ),
    max_size=4,
)


def is_plain(text: str) -> bool:
    """Return whether a text has nothing but visible characters and line ends."""
    return all(each == "\n" or each.isprintable() for each in text)

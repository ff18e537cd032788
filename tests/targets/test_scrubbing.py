"""What a provider said, before anybody reads it."""

import pytest

from harness.targets.scrubbing import LONGEST, bare_url, environment_secrets, scrubbed


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Incorrect API key provided: sk-proj-ab***yz.", "Incorrect API key provided: ***"),
        ("header Authorization: Bearer abc.def-ghi, refused", "header Authorization: Bearer ***, refused"),
        ("Illegal header value b'Bearer canary\\n'", "Illegal header value b'Bearer ***'"),
        ("GET /models?key=AIzaSecret&alt=json failed", "GET /models?key=***&alt=json failed"),
        ("cannot reach http://me:secret@10.0.0.1/v1", "cannot reach http://***@10.0.0.1/v1"),
        ("the risk-tolerance of this task-force", "the risk-tolerance of this task-force"),
    ],
    ids=["sk key", "bearer", "bearer in bytes", "query", "user and password", "words that end in sk"],
)
def test_what_looks_like_a_key_is_masked(text: str, shown: str) -> None:
    assert scrubbed(text) == shown


def test_a_given_secret_is_masked_as_it_is_trimmed_and_quoted() -> None:
    assert scrubbed("a/b+c\n; a/b+c; a%2Fb%2Bc", "a/b+c\n") == "*** ; ***; ***"


def test_no_secret_masks_nothing() -> None:
    assert scrubbed("left alone", None, "", " ") == "left alone"


def test_a_secret_across_the_cut_is_masked_before_the_cut() -> None:
    shown = scrubbed("x" * (LONGEST - 8) + "canary-canary-canary", "canary-canary-canary")

    assert "canary" not in shown
    assert len(shown) <= LONGEST


def test_a_text_becomes_one_printable_line() -> None:
    assert scrubbed("one\n two\t\x1b[31mred\u202e \ud800") == "one two \\x1b[31mred\\u202e \\ud800"


def test_secrets_of_the_environment_are_known_by_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "canary-one")
    monkeypatch.setenv("some_token", "canary-two")
    monkeypatch.setenv("WX_APIKEY", "canary-four")
    monkeypatch.setenv("PROXY_PASSWORD", "canary-five")
    monkeypatch.setenv("SOME_OTHER_TOKEN", "none")
    monkeypatch.setenv("SOME_PLACE", "canary-three")

    found = environment_secrets()

    assert {"canary-one", "canary-two", "canary-four", "canary-five"} <= set(found)
    assert not {"none", "canary-three"} & set(found)


def test_a_bare_url_keeps_only_where_it_leads() -> None:
    assert bare_url("https://me:secret@host:8443/v1?code=secret#x") == "https://host:8443/v1"

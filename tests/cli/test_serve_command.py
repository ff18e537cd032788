"""harness serve: what is served for a project that has contracts and targets of its own."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from calling import INCIDENT, call
from conftest import PROJECT
from outside import ID, write_contract

import harness.serving.mcp
import harness.serving.openai
from harness.contracts import CONTRACTS
from harness.errors import InvalidInput
from harness.model import Contract
from harness.targets import Binding, Target

TARGETS = """\
twin: {kind: mock, model: copycat}
paid: {kind: litellm, model: openai/x}
"""
ALL = {ID, *(each.id for each in CONTRACTS)}


@pytest.fixture
def project(tmp_path: Path) -> tuple[str, str]:
    """Return the options for a project with a contract and targets."""
    (tmp_path / "scenarios").symlink_to(PROJECT.scenarios)
    (tmp_path / "targets.yaml").write_text(TARGETS, encoding="utf-8")
    write_contract(tmp_path / "contracts" / ID)
    return "--project", str(tmp_path)


def test_chat_apis_know_the_contracts_and_the_mocks_of_the_project(
    project: tuple[str, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(target: Target, bindings: Mapping[str, Binding], **_: Any) -> None:
        names = {each.contract.id for each in bindings.values()}
        raise InvalidInput(f"{target.name} {names == ALL}")

    monkeypatch.setattr(harness.serving.openai, "serve", told)

    ended = call(capsys, "serve", "openai", "--model", "twin", *project)

    assert (ended.code, ended.err) == (2, "harness: twin True\n")


@pytest.mark.parametrize("name", ["paid", "nobody", "litellm:openai/x"])
def test_no_model_over_a_wire_is_served_as_another(
    name: str, project: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    ended = call(capsys, "serve", "openai", "--model", name, *project)

    assert ended.code == 2
    assert f"--model: found {name!r}; only mocks are served" in ended.err


def test_tools_over_http_are_spelled_by_the_contracts_of_the_project(
    project: tuple[str, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(_: Any, contracts: Iterable[Contract], *_more: Any, **_named: Any) -> None:
        raise InvalidInput(str({each.id for each in contracts} == ALL))

    monkeypatch.setattr(harness.serving.mcp, "serve_http", told)

    assert call(capsys, "serve", "mcp", "--http", *project).err == "harness: True\n"


def test_tools_on_standard_input_are_too(
    project: tuple[str, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(_: Any, contracts: Iterable[Contract]) -> None:
        raise InvalidInput(str({each.id for each in contracts} == ALL))

    monkeypatch.setattr(harness.serving.mcp, "offers_for", told)

    assert call(capsys, "serve", "mcp", "-s", INCIDENT, *project).err == "harness: True\n"

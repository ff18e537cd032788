"""Docs tell the truth about today's code."""

import re
import shlex
from pathlib import Path

import pytest

import harness
from harness.cli import COMMANDS, parser_for
from harness.contracts import CONTRACTS
from harness.reporting.write import FORMATS
from harness.scenarios import scenario_ids
from harness.scenarios.load import CHECKOUT, Project
from harness.targets import known_targets

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("scenarios/*.md")])
README = (ROOT / "README.md").read_text(encoding="utf-8")


def commands(text: str) -> list[str]:
    """Return the harness commands of console blocks, comments dropped."""
    blocks = re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [line.removeprefix("$ ").split("#  ")[0] for each in blocks for line in each.splitlines()]
    return [line.split("   # ")[0].strip() for line in lines if line.startswith("harness ")]


@pytest.mark.parametrize("page", PAGES, ids=lambda each: each.name)
def test_every_command_in_the_docs_is_one_the_parser_takes(page: Path) -> None:
    for line in commands(page.read_text(encoding="utf-8")):
        words = shlex.split(line)[1:]
        arguments = parser_for(words).parse_args(words)
        assert arguments.command == words[0]


@pytest.mark.parametrize("page", PAGES, ids=lambda each: each.name)
def test_python_in_the_docs_runs(page: Path) -> None:
    for block in re.findall(
        r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    ):
        exec(compile(block, str(page), "exec"), {"__name__": "__main__"})  # noqa: S102 - our own docs


@pytest.mark.parametrize("page", PAGES, ids=lambda each: each.name)
def test_links_lead_to_files(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert target.startswith("http") or (page.parent / target).exists(), target


def test_names_in_the_readme_exist() -> None:
    ids = scenario_ids(Project(CHECKOUT))
    for name in re.findall(r"(?:incident|recovery|hostile)/[a-z0-9-]+", README):
        assert name in ids
    for name in re.findall(r"-t (mock:[a-z]+)", README):
        assert name in known_targets()
    for name in re.findall(r"workflow-[a-z]+-\d\.\d", README):
        assert name in [each.id for each in CONTRACTS]
    for formats in re.findall(r"-f ([a-z,]+)", README):
        assert set(formats.split(",")) <= set(FORMATS)


def test_the_readme_is_short_and_names_the_test_command() -> None:
    assert len(README.splitlines()) <= 120
    assert "make test" in README


def test_every_command_is_in_the_changelog() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")

    assert all(f"`{each.name}" in text for each in COMMANDS)


def test_decisions_are_numbered_and_one_screen() -> None:
    pages = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    numbers = [int(each.name[:4]) for each in pages]

    assert numbers == list(range(1, len(pages) + 1))
    assert all(len(each.read_text(encoding="utf-8").splitlines()) <= 60 for each in pages)


def test_public_names_are_sorted_and_importable() -> None:
    assert harness.__all__ == sorted(harness.__all__)
    assert all(getattr(harness, name) is not None for name in harness.__all__)


def test_the_architecture_names_every_layer() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    layers = {each.name.removesuffix(".py") for each in (ROOT / "harness").iterdir()}
    layers -= {"__init__", "__main__", "__pycache__", "suite", "py.typed"}

    assert all(f"`{name}`" in text for name in layers)

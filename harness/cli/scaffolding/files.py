"""Texts that become files of a project: all of them or none, none over another, none outside."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from harness.errors import InvalidInput
from harness.scenarios import Project, find_project
from harness.scenarios.files import shown

Texts = Mapping[Path, str]

STARTER = Path(__file__).parent / "starter"
"""The texts that scaffolds are made of."""


@dataclass(frozen=True, slots=True)
class Scaffold:
    """New files and edited ones, by path, and what to do next: commands or sentences."""

    new: Texts
    next: tuple[str, ...]
    edited: Texts = field(default_factory=dict[Path, str])


def own_project(given: Path | None) -> Project:
    """Return the project at hand; raise InvalidInput where only the packaged suite would be left."""
    project = find_project(given)
    here = Path.cwd()
    if given is None and project.root not in {here, *here.parents}:
        raise InvalidInput(
            f"{here}: no project here or above; make one with `mkdir -p scenarios/worlds`, or name one with "
            f"--project DIR"
        )
    return project


def write(project: Project, scaffold: Scaffold) -> list[Path]:
    """Write a scaffold and return the paths, new ones first.

    Raises:
        InvalidInput: a new file is there already, or a path leads out of the project; nothing was written.
    """
    root = project.root.resolve()
    for path in (*scaffold.new, *scaffold.edited):
        if not path.resolve().is_relative_to(root):
            raise InvalidInput(f"{shown(path)}: lies outside the project {root}; choose another name")
    for path in scaffold.new:
        if path.exists() or path.is_symlink():
            raise InvalidInput(f"{shown(path)}: is there already; choose another name, or edit it")
    for path, text in {**scaffold.new, **scaffold.edited}.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return [*scaffold.new, *scaffold.edited]

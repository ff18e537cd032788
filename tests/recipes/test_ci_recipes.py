"""The recipes of docs/ci, run as far as a shell can: every `run` step of every job, with mocks for models."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest
import yaml
from conftest import PROJECT

CI = Path(__file__).resolve().parents[2] / "docs" / "ci"
TARGETS = "reference: {kind: mock, model: %s}\n"
STUB = '#!/bin/sh\necho "$0 $@" >> "$CALLS"\n'
GIVEN = {
    "github.repository": "org/repo", "github.event.number": "7", "github.token": "t0ken",
    "secrets.ANTHROPIC_API_KEY": "a", "secrets.OPENAI_API_KEY": "b",
}  # fmt: skip

pytestmark = pytest.mark.slow


@dataclass
class Shell:
    """A checkout in which steps run one after the other, as a runner would have them."""

    folder: Path
    model: str = "oracle"

    def __post_init__(self) -> None:
        """Lay out a project whose only target is a mock, and commands that only write down their calls."""
        shutil.copytree(PROJECT.scenarios, self.folder / "scenarios")
        (self.folder / "targets.yaml").write_text(TARGETS % self.model, encoding="utf-8")
        stubs = self.folder / ".stubs"
        stubs.mkdir()
        for name in ("pip", "gh"):
            (stubs / name).write_text(STUB, encoding="utf-8")
            (stubs / name).chmod(0o755)

    def run(self, script: str, **variables: str) -> int:
        """Run a script as GitHub and GitLab do, and return how it ended."""
        here = str(self.folder)
        done = subprocess.run(
            ["/bin/bash", "-eo", "pipefail", "-c", script],
            cwd=self.folder, capture_output=True, text=True, check=False, timeout=300,
            env={
                "PATH": f"{here}/.stubs:{Path(sys.executable).parent}:{os.defpath}",
                "HOME": here, "LANG": "C.UTF-8", "CALLS": f"{here}/calls",
                "GITHUB_STEP_SUMMARY": f"{here}/step.md", "GITHUB_OUTPUT": f"{here}/output",
                "GITHUB_REPOSITORY": "org/repo", "GITHUB_WORKSPACE": here, **variables,
            },
        )  # fmt: skip
        assert done.returncode in {0, 1, 4}, f"{script}\n{done.stdout}\n{done.stderr}"
        return done.returncode

    def text(self, name: str) -> str:
        """Return a file that the steps left."""
        return (self.folder / name).read_text(encoding="utf-8")

    def outputs(self) -> dict[str, str]:
        """Return what steps handed to later ones."""
        file = self.folder / "output"
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        return dict(line.split("=", 1) for line in lines)

    def job(self, workflow: Mapping[str, Any], name: str, **given: str) -> int:
        """Run the steps of a GitHub job up to the first that fails, and return how that ended."""
        stated = {key: _filled(value, given) for key, value in workflow.get("env", {}).items()}
        for step in cast("list[dict[str, Any]]", workflow["jobs"][name]["steps"]):
            if "run" not in step:
                continue
            output = self.folder / "output"
            known = (
                dict(line.split("=", 1) for line in output.read_text().splitlines())
                if output.exists()
                else {}
            )
            values = {**given, **{f"steps.{name}.outputs.{key}": each for key, each in known.items()}}
            variables = {key: _filled(value, values) for key, value in step.get("env", {}).items()}
            code = self.run(_filled(step["run"], values), **stated, **variables)
            if code:
                return code
        return 0


def _filled(text: str, given: Mapping[str, str]) -> str:
    """Return a text with its expressions replaced; an unknown one is a mistake in the recipe."""

    def value(found: re.Match[str]) -> str:
        name, _, default = found[1].partition(" || ")
        known = {**GIVEN, **given}
        return known[name] if name in known else default.strip("'")

    filled = re.sub(r"\$\{\{ (.*?) \}\}", value, text)
    assert "${{" not in filled
    return filled


def workflow(name: str) -> dict[str, Any]:
    """Return a recipe."""
    return cast("dict[str, Any]", yaml.safe_load((CI / name).read_text(encoding="utf-8")))


def blessed(shell: Shell) -> None:
    """Record and bless the baseline that the recipes compare with."""
    assert shell.run("harness run -t reference -n 3 --seed 1 --quiet") == 0
    assert shell.run("harness bless latest --as stable --why 'the first'") == 0
    shutil.rmtree(shell.folder / "reports")


def git(*arguments: str) -> str:
    """Run git, and return what it prints."""
    command = shutil.which("git")
    assert command
    return subprocess.run([command, *arguments], check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize(
    ("model", "verdict", "ending"), [("oracle", "inconclusive", 0), ("meddler", "regression", 1)]
)
def test_the_gate_on_github(tmp_path: Path, model: str, verdict: str, ending: int) -> None:
    recipe, shell = workflow("github-gate.yml"), Shell(tmp_path)
    blessed(shell)
    (tmp_path / "targets.yaml").write_text(TARGETS % model, encoding="utf-8")

    assert shell.job(recipe, "offline") == 0
    assert "mock:oracle" in shell.text("step.md")
    for shard in recipe["jobs"]["record"]["strategy"]["matrix"]["shard"]:
        assert shell.job(recipe, "record", **{"matrix.shard": str(shard)}) == 0
    assert shell.job(recipe, "gate") == ending

    assert shell.text("gate.md").startswith("<!-- contract-harness gate reference -->")
    assert (tmp_path / "report" / "report.html").exists()
    assert f"## Gate: {verdict}\n" in shell.text("gate.md")
    if not ending:
        assert "gh api repos/org/repo/issues/7/comments -F body=@gate.md" in shell.text("calls")


def test_only_what_is_trusted_is_handed_a_key() -> None:
    for name in ("github-gate.yml", "github-nightly.yml"):
        recipe = workflow(name)
        # YAML 1.1 reads the key `on` as true.
        events = set(cast("dict[Any, Any]", recipe)[True])
        for job in recipe["jobs"].values():
            if "secrets." not in yaml.safe_dump(job):
                continue
            own = job.get("if") == "github.event.pull_request.head.repo.full_name == github.repository"
            assert own or events <= {"schedule", "workflow_dispatch"}
        assert "pull_request_target" not in events
        assert recipe["permissions"]


def test_the_gate_on_gitlab(tmp_path: Path) -> None:
    recipe, shell = workflow("gitlab-ci.yml"), Shell(tmp_path)
    blessed(shell)
    variables = cast("dict[str, str]", recipe["variables"])
    assert all(shell.run(line) == 0 for line in recipe["offline"]["script"])
    total = recipe["record"]["parallel"]
    for index in range(1, total + 1):
        given = {**variables, "CI_NODE_INDEX": str(index), "CI_NODE_TOTAL": str(total)}
        assert all(shell.run(line, **given) == 0 for line in recipe["record"]["script"])
    *before, decision = (shell.run(line, **variables) for line in recipe["gate"]["script"])
    assert not any(before)
    # The small project is one family of scenarios, which decides nothing.
    assert [decision] == recipe["gate"]["allow_failure"]["exit_codes"]
    assert (tmp_path / "report" / "junit.xml").exists()


def test_the_nightly_on_github_keeps_its_history_on_a_branch(tmp_path: Path) -> None:
    origin, checkout = tmp_path / "origin", tmp_path / "checkout"
    git("init", "--bare", str(origin))
    recipe = workflow("github-nightly.yml")
    for night in ("2026-03-01", "2026-03-02"):
        shutil.rmtree(checkout, ignore_errors=True)
        git("clone", str(origin), str(checkout))
        shell = Shell(checkout)
        _dated(recipe, night)
        assert shell.job(recipe, "nightly") == 0
        assert "reference" in shell.text("step.md")
    kept = git("--git-dir", str(origin), "show", "nightly-history:nights.jsonl")
    assert {night for night in ("2026-03-01", "2026-03-02") if night in kept} == {"2026-03-01", "2026-03-02"}


def _dated(recipe: dict[str, Any], night: str) -> None:
    """Say which night it is, and take every scenario of the small project, which has no tag `core`."""
    for step in recipe["jobs"]["nightly"]["steps"]:
        if "harness nightly" in step.get("run", ""):
            step["run"] = re.sub(r"(?:--tag core|--date \S+)", f"--date {night}", step["run"])


def test_the_nightly_on_gitlab(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    for line in workflow("gitlab-ci.yml")["nightly"]["script"]:
        assert shell.run(line.replace("--tag core", "--date 2026-03-01")) == 0
    assert "reference" in shell.text("history/nightly.md")

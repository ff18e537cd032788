"""Sessions whose targets are names of the project's targets.yaml."""

from pathlib import Path

import pytest
from conftest import PROJECT
from sessions import INCIDENT, info, only_run, session, turn_on

TARGETS = """\
twin: {kind: mock, model: oracle}
paid: {kind: litellm, model: openai/x, api_key_env: NOBODYS_OWN_KEY}
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> Path:
    """Turn the plugin on for the small project with a targets.yaml."""
    turn_on(pytester)
    (pytester.path / "scenarios").symlink_to(PROJECT.scenarios)
    (pytester.path / "targets.yaml").write_text(TARGETS, encoding="utf-8")
    (pytester.path / "pytest.ini").write_text("[pytest]\nharness_project = .\n", encoding="utf-8")
    return pytester.path


@pytest.mark.usefixtures("project")
def test_a_name_of_the_file_is_a_target(pytester: pytest.Pytester) -> None:
    result = session(pytester, "-m", "eval", "-k", INCIDENT, "--target", "twin", "--target", "mock:oracle")

    result.assert_outcomes(passed=2, deselected=5)
    assert sorted(info(only_run(pytester))["targets"]) == ["mock:oracle", "twin"]


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("twins", "*no target 'twins'; did you mean 'twin'*"),
        ("paid", "*target 'paid': the environment has no NOBODYS_OWN_KEY; set it*"),
    ],
)
def test_a_name_that_means_nothing_here_is_refused(
    pytester: pytest.Pytester, name: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NOBODYS_OWN_KEY", raising=False)

    result = session(pytester, "-m", "eval", "--target", name)

    assert result.ret != 0
    result.stderr.fnmatch_lines([said])

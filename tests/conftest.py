"""The small project that tests share, and good transcripts to break."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from harness.contracts import DEFAULT_BY_FLOW, load_contract
from harness.conversation import Trial, converse
from harness.model import SampleId, Scenario, Transcript
from harness.prompting import render
from harness.scenarios import Project, load_scenario
from harness.targets import TargetOptions, open_target, trial_seed

pytest_plugins = ["pytester", "tests.parts"]

# What `make fuzz` runs under; tests/fuzzing says how much more it draws.
settings.register_profile("fuzz", deadline=None, suppress_health_check=list(HealthCheck))

PROJECT = Project(Path(__file__).parent / "project")
GOLDEN = Path(__file__).parent.parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite golden/ as the code has it now")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--update-golden") and os.environ.get("CI"):  # noqa: TID251 - no command line here
        raise pytest.UsageError("--update-golden: refused where CI is set; people review golden files")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Under `-m eval` load none of these modules unless they are named: no test here is an evaluation."""
    unnamed = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if unnamed and config.option.markexpr == "eval" and collection_path != Path(__file__).parent:
        return True
    return None


@pytest.fixture(autouse=True)
def no_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing that is piped be broken to the width of whoever runs the tests; xdist hands its own on."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with a file below golden/; with --update-golden write it instead."""

    def compare(name: str, text: str) -> None:
        file = GOLDEN / name
        if request.config.getoption("--update-golden"):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        assert file.exists(), f"golden/{name} is missing; run pytest --update-golden and read it"
        assert file.read_text(encoding="utf-8") == text, (
            f"golden/{name} differs; if that is meant, run pytest --update-golden and read the diff"
        )

    return compare


def recorded(
    scenario: Scenario, target: str = "mock:oracle", seed: int = 0, contract_id: str | None = None
) -> Transcript:
    """Return what a mock says to a scenario under a contract, by default that of its flow."""
    model = open_target(target, TargetOptions())
    contract = load_contract(contract_id or DEFAULT_BY_FLOW[scenario.flow])
    sample = SampleId(scenario.id, contract.id, model.name, 1)
    trial = Trial(sample, scenario, contract, render(scenario, contract), trial_seed(seed, 1), {})
    return asyncio.run(converse(model, trial))


@pytest.fixture(scope="session")
def project() -> Project:
    return PROJECT


@pytest.fixture(scope="session")
def incident() -> Scenario:
    return load_scenario(PROJECT, "incident/oom-behind-latency")


@pytest.fixture(scope="session")
def renamed() -> Scenario:
    return load_scenario(PROJECT, "paired/oom-renamed")


@pytest.fixture(scope="session")
def recovery() -> Scenario:
    return load_scenario(PROJECT, "recovery/scale-out-failed")

"""The small project that tests share, and good transcripts to break."""

import asyncio
from pathlib import Path

import pytest

from harness.contracts import DEFAULT_BY_FLOW, load_contract
from harness.conversation import converse
from harness.model import Scenario, Transcript
from harness.pipeline import Plan, trials_of
from harness.scenarios import Project, load_scenario
from harness.targets import TargetOptions, open_target

PROJECT = Project(Path(__file__).parent / "project")


def recorded(scenario: Scenario, target: str = "mock:oracle", seed: int = 0) -> Transcript:
    """Return what a mock says to a scenario under the default contract of its flow."""
    model = open_target(target, TargetOptions())
    contract = load_contract(DEFAULT_BY_FLOW[scenario.flow])
    (trial,) = trials_of(Plan([scenario], [contract], 1, seed), model)
    return asyncio.run(converse(model, trial))


@pytest.fixture(scope="session")
def project() -> Project:
    return PROJECT


@pytest.fixture(scope="session")
def incident() -> Scenario:
    return load_scenario(PROJECT, "incident/oom-behind-latency")


@pytest.fixture(scope="session")
def recovery() -> Scenario:
    return load_scenario(PROJECT, "recovery/scale-out-failed")

"""The small project that tests share, and good transcripts to break."""

import asyncio
from pathlib import Path

import pytest

from harness.contracts import DEFAULT_BY_FLOW, load_contract
from harness.conversation import Trial, converse
from harness.model import SampleId, Scenario, Transcript
from harness.prompting import render
from harness.scenarios import Project, load_scenario
from harness.targets import TargetOptions, open_target, trial_seed

PROJECT = Project(Path(__file__).parent / "project")


def recorded(scenario: Scenario, target: str = "mock:oracle", seed: int = 0) -> Transcript:
    """Return what a mock says to a scenario under the default contract of its flow."""
    model = open_target(target, TargetOptions())
    contract = load_contract(DEFAULT_BY_FLOW[scenario.flow])
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
def recovery() -> Scenario:
    return load_scenario(PROJECT, "recovery/scale-out-failed")

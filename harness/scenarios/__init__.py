"""Scenario files: the format, the loader, and what it looks up."""

from harness.scenarios.load import (
    Project,
    find_project,
    load_scenario,
    load_scenarios,
    scenario_ids,
    with_world,
)

__all__ = ["Project", "find_project", "load_scenario", "load_scenarios", "scenario_ids", "with_world"]

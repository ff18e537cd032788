"""`pytest -m eval`: every sample of the suite as a test, in projects whose pytest configuration asks for it.

Every pytest session of an environment with the harness in it loads this module, so it imports nothing heavy,
and where a project does not ask it registers the marker, two settings and no more.
"""

from collections.abc import Generator

import pytest

from harness.pytest_plugin.options import add_options, asked

MARKER = "eval: samples of the evaluation harness; they run only when asked for"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the settings by which a project turns this plugin on."""
    parser.addini("harness_eval", "true: `pytest -m eval` runs the evaluation suite", "bool", default=False)
    parser.addini(
        "harness_project",
        "the folder that holds scenarios/, relative to the root directory; turns `pytest -m eval` on",
        default="",
    )


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser
) -> Generator[None, object, object]:
    """Add the options where they are wanted, after every other plugin and conftest has added its own."""
    result = yield
    if wanted(early_config):
        add_options(early_config, parser)
    return result


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and what runs the evaluations where this session asks for them."""
    config.addinivalue_line("markers", MARKER)
    if wanted(config) and asked(config):
        from harness.pytest_plugin.leftovers import end_quickly, undisturbed

        with undisturbed():
            from harness.pytest_plugin.session import EvalSession
        end_quickly()
        config.pluginmanager.register(EvalSession(config), "harness-eval")


def wanted(config: pytest.Config) -> bool:
    """Return whether the project's pytest configuration turns this plugin on."""
    return bool(config.getini("harness_eval") or config.getini("harness_project"))

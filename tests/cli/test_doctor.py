"""harness doctor: names what is there, never a value, and ends with 2 where something needed is missing."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import PROJECT
from outside import ID, write_contract

from harness import __version__
from harness.cli import main
from harness.cli.doctor import DISTRIBUTION
from harness.contracts import CONTRACTS
from harness.scenarios.load import CHECKOUT

CANARY = "canary-77ab20"


@pytest.fixture
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def examined(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    code = main(["doctor", "--json", *arguments])
    out, err = capsys.readouterr()
    assert code == 0, err
    assert err == ""
    return json.loads(out)


def test_what_is_installed_is_listed_with_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    found = examined(capsys)

    packages = {each["name"]: each for each in found["packages"]}
    assert (found["ok"], found["harness"], found["problems"]) == (True, __version__, [])
    assert found["python"].startswith(f"{sys.version_info.major}.{sys.version_info.minor}.")
    assert packages["litellm"]["version"].startswith("1.")
    assert not packages["pydantic"]["optional"]
    assert packages["json-repair"]["optional"]


def test_places_are_counted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    places = examined(capsys, "--project", str(PROJECT.root), "--out", str(tmp_path))["places"]

    assert places["project"] == {"folder": str(PROJECT.root.resolve()), "found": 3}
    assert places["runs"] == {"folder": str(tmp_path), "found": 0}
    assert places["prompts"]["found"] == len(CONTRACTS)
    assert (places["suite"]["folder"], places["suite"]["found"] > 3) == (str(CHECKOUT), True)


def test_contracts_of_the_project_are_counted_and_tried(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "scenarios").symlink_to(PROJECT.scenarios)
    folder = write_contract(tmp_path / "contracts" / ID)

    places = examined(capsys, "--project", str(tmp_path))["places"]
    assert places["contracts"] == {"folder": str(tmp_path / "contracts"), "found": 1}

    (folder / "contract.py").write_text("CONTRACT = None\n", encoding="utf-8")
    assert main(["doctor", "--project", str(tmp_path)]) == 2
    assert str(folder / "contract.py") in capsys.readouterr().err


@pytest.mark.usefixtures("no_keys")
def test_keys_are_named_and_nothing_more_is_said_of_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", CANARY)
    monkeypatch.setenv("EMPTY_API_KEY", "")
    monkeypatch.setenv("SOME_PLACE", CANARY)

    as_json = examined(capsys)
    main(["doctor"])
    text = capsys.readouterr().out

    assert as_json["keys"] == ["SOME_API_KEY"]
    assert "keys in the environment: SOME_API_KEY\n" in text
    assert CANARY not in json.dumps(as_json) + text
    assert str(len(CANARY)) not in text.split("keys in the environment")[1].splitlines()[0]


def test_people_get_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"harness {__version__}, Python 3.")
    assert lines[-1] == "everything needed is here"


def test_a_project_that_is_none_ends_with_two(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--project", "nowhere"]) == 2
    assert "nowhere: holds no folder scenarios/" in capsys.readouterr().err


def doctor(folder: Path) -> subprocess.CompletedProcess[str]:
    """Return how the doctor ends where Python looks for everything in this folder first."""
    command = [sys.executable, "-m", "harness", "doctor", "--json"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_a_package_that_is_needed_and_missing_ends_with_two(tmp_path: Path) -> None:
    told = tmp_path / f"{DISTRIBUTION.replace('-', '_')}-{__version__}.dist-info"
    told.mkdir()
    needs = ("pydantic>=2", "nobody-wrote-this>=1", "nor-this; extra == 'more'")
    requires = "".join(f"Requires-Dist: {each}\n" for each in needs)
    (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {DISTRIBUTION}\nVersion: 1\n{requires}")

    ended = doctor(tmp_path)

    found = json.loads(ended.stdout)
    assert ended.returncode == 2
    assert ended.stderr == "nobody-wrote-this is missing; `pip install 'nobody-wrote-this>=1'`\n"
    assert (found["ok"], found["places"]) == (False, {})
    assert [each["version"] is None for each in found["packages"]] == [False, True, True]


def test_a_suite_that_does_not_load_ends_with_two(tmp_path: Path) -> None:
    shutil.copytree(CHECKOUT / "harness", tmp_path / "harness", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(PROJECT.scenarios, tmp_path / "scenarios")
    broken = tmp_path / "scenarios" / "incident" / "oom-behind-latency.yaml"
    broken.write_text(broken.read_text().replace("[critical]", "[urgent]", 1))

    ended = doctor(tmp_path)

    assert ended.returncode == 2
    assert "'urgent'" in ended.stderr
    assert "the packaged suite does not load" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_nothing_heavy_is_loaded(tmp_path: Path) -> None:
    code = (
        "import sys; from harness.cli import main; "
        "assert main(['doctor']) == 0; "
        "assert not {'litellm', 'pandas', 'scipy', 'aiohttp', 'openai'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)

"""How a process ends where the system refuses something: in one line, and never as a bug of the harness."""

import subprocess
import sys
from pathlib import Path

import pytest
from calling import SUITE, call, made_run

import harness.cli
from harness.cli import entry, main

HARNESS = (sys.executable, "-m", "harness")


def shell(line: str) -> tuple[int, str]:
    """Return how a line of a shell ended, and what stood on standard error."""
    ended = subprocess.run(["/bin/sh", "-c", line, *HARNESS], capture_output=True, text=True, check=False)
    return ended.returncode, ended.stderr


def test_closed_standard_output_is_refused_before_anything_is_written() -> None:
    code, said = shell('"$0" "$@" list contracts >&-')

    assert code == 2
    assert said == "harness: standard output is closed; send it to a file or to /dev/null\n"


def test_closed_standard_error_does_not_change_how_a_command_ends() -> None:
    assert shell('out=$("$0" "$@" show no-such-run 2>&-); code=$?; test -z "$out" && exit $code') == (2, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_full_standard_output_ends_with_3() -> None:
    code, said = shell('"$0" "$@" list contracts >/dev/full')

    assert code == 3
    assert "No space left on device; make room" in said
    assert "Traceback" not in said


def test_an_interruption_while_a_command_is_loaded_ends_with_130(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(harness.cli, "import_module", interrupted)

    assert main(["list", "contracts"]) == 130
    assert capsys.readouterr().err == "harness: interrupted\n"


def test_what_no_system_refused_is_still_a_bug(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def forgotten(_: str) -> None:
        raise TimeoutError

    monkeypatch.setattr(harness.cli, "import_module", forgotten)
    monkeypatch.setattr(sys, "argv", ["harness", "list", "contracts"])

    with pytest.raises(SystemExit) as ending:
        entry()

    assert ending.value.code == 70
    assert "this is a bug in the harness" in capsys.readouterr().err


def test_names_longer_than_a_file_may_have_are_invalid_input(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    long = f"{'x' * 150}-{'x' * 150}"
    (tmp_path / "scenarios").mkdir()
    run = made_run(capsys, tmp_path / "runs", "-s", "incident/*")

    made = call(capsys, "new", "scenario", f"incident/{long}", "--project", str(tmp_path))
    elsewhere = str(tmp_path / long)
    blessed = call(capsys, "bless", str(run), "--as", "first", "--baselines", elsewhere, *SUITE)

    for each in (made, blessed):
        assert (each.code, "File name too long" in each.err) == (2, True), each.err
        assert "Traceback" not in each.err


@pytest.mark.parametrize(
    "words",
    [
        ("run", "--timeout", "0"), ("run", "--timeout", "nan"), ("run", "--timeout", "-1"),
        ("run", "--timeout", "inf"), ("run", "--timeout", "86401"), ("run", "--timeout", "soon"),
        ("run", "--temperature", "nan"), ("run", "--temperature", "inf"), ("run", "--temperature", "-0.1"),
        ("run", "--temperature", "2.1"), ("run", "--concurrency", "0"), ("run", "--max-tokens", "0"),
        ("run", "--max-cost", "nan"), ("nightly", "--concurrency", "0"), ("nightly", "--max-cost", "inf"),
        ("serve", "api", "--timeout", "0"), ("serve", "api", "--temperature", "nan"),
        ("serve", "api", "--max-tokens", "0"), ("serve", "api", "--port", "65536"),
        ("serve", "openai", "--port", "-1"), ("serve", "mcp", "--port", "99999"),
    ],
)  # fmt: skip
def test_numbers_that_mean_nothing_are_usage_errors(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    ended = call(capsys, *words)

    assert ended.code == 2
    assert f"argument {words[-2]}: found {words[-1]!r}; use " in ended.err


@pytest.mark.parametrize("seconds", ["0.5", "86400"])
def test_the_longest_wait_is_a_day(seconds: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    made_run(capsys, tmp_path, "-s", "incident/*", "--timeout", seconds, "--temperature", "0")

"""The command line: the only place that prints, exits, and reads the environment."""

import argparse
import gc
import os
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import NamedTuple, NoReturn

from harness.errors import HarnessError, UnknownName, disk_failed, printable

INVALID = 2
DISK = 3
INTERRUPTED = 130
BUG = 70
CLOSED_PIPE = 141


class Command(NamedTuple):
    """One verb: its module has `add_arguments(parser)` and `run(arguments) -> exit code`."""

    name: str
    module: str
    summary: str


COMMANDS: tuple[Command, ...] = (
    Command("run", "harness.cli.run", "put scenarios to targets, grade what they say, report"),
    Command("grade", "harness.cli.grade", "grade a stored run again, and say which verdicts moved"),
    Command("merge", "harness.cli.merge", "put the shards of a run together"),
    Command("report", "harness.cli.report", "write the reports of stored runs"),
    Command("compare", "harness.cli.compare", "say what differs between two runs"),
    Command("gate", "harness.cli.gate", "decide whether a run is worse than its baseline"),
    Command("bless", "harness.cli.bless", "accept a run as a baseline"),
    Command("nightly", "harness.cli.nightly", "ask every target each night, and tell drift from noise"),
    Command("plan", "harness.cli.plan", "say how many scenarios and trials show a drop, and what they cost"),
    Command("show", "harness.cli.show", "show a run, or one sample with its transcript and verdicts"),
    Command("list", "harness.cli.listing", "list scenarios, contracts, clauses, graders, targets or runs"),
    Command(
        "explain", "harness.cli.explain", "say what a clause asks for, how it is judged and what breaks it"
    ),
    Command("render", "harness.cli.render", "show the prompt of a scenario"),
    Command("schema", "harness.cli.schema", "show the JSON Schema of a contract's answer"),
    Command("lint", "harness.cli.lint", "check scenarios, catalogs, requests and prompts without a model"),
    Command(
        "exam", "harness.cli.exam", "prove the graders: break good transcripts, and see each break found"
    ),
    Command("audit", "harness.cli.audit", "grade transcripts that the harness did not record"),
    Command("probe", "harness.cli.probe", "find by trying what a target really supports"),
    Command("doctor", "harness.cli.doctor", "say what is installed and configured, and where things are"),
    Command("new", "harness.cli.new", "write a scenario, a contract or a grader to begin with"),
    Command("completion", "harness.cli.completion", "print what lets a shell complete this command line"),
    Command("serve", "harness.cli.serve", "put a mock model, or the tools of a scenario, behind common APIs"),
)

ENDINGS = """\
exit codes: 0 done, 1 regression, or failed what was asked (lint, --fail-on), 2 invalid input, 3 target or
cluster unavailable, too little scored or a full disk, 4 inconclusive, 70 a bug in the harness,
130 interrupted"""


class Parser(argparse.ArgumentParser):
    """A parser that offers the nearest word for a mistyped one, in one line."""

    def error(self, message: str) -> NoReturn:
        """End with 2 and what would have been right."""
        wrong = re.search(r"invalid choice: '(.*?)' \(choose from (.*)\)", message)
        if wrong:
            known = re.findall(r"'(.*?)'", wrong[2])
            self.exit(2, f"{self.prog}: {UnknownName('word', wrong[1], known)}\n")
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def parser_for(names: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser; only the named commands load their modules, so that --help stays quick."""
    from harness import __version__

    parser = Parser(
        prog="harness",
        description="Grade LLMs against the contracts of a Kubernetes operations platform, clause by clause.",
        epilog=ENDINGS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"harness {__version__}")
    verbs = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        verb = verbs.add_parser(command.name, help=command.summary, description=command.summary)
        if command.name in names:
            import_module(command.module).add_arguments(verb)
    return parser


def main(argv: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    try:
        arguments = parser_for(argv).parse_args(argv)
        module = next(each.module for each in COMMANDS if each.name == arguments.command)
        return int(import_module(module).run(arguments))
    except HarnessError as error:
        print(f"harness: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.errno is None:
            # No system said this, so it is no file's fault.
            raise
        return _refused(error)
    except KeyboardInterrupt:
        return _interrupted()


def _refused(error: OSError) -> int:
    """Say in one line what the system refused; return 3 where a disk failed, else 2."""
    where = error.filename or "standard output or a connection"
    then = "make room" if disk_failed(error) else "use another name or place"
    print(printable(f"harness: {where!s}: {error.strerror}; {then}"), file=sys.stderr)
    return DISK if disk_failed(error) else INVALID


def _interrupted() -> int:
    print("harness: interrupted", file=sys.stderr)
    return INTERRUPTED


def entry() -> None:
    """Run the command line of this process and exit."""
    _open_streams()
    if "_ARGCOMPLETE" in os.environ:
        from harness.cli.completing import complete

        complete()
    # Worlds are large trees without cycles; looking for some at the usual pace takes a third of the time.
    gc.set_threshold(100_000)
    # Statistics load a library that would start a thread for each processor; nothing here is large enough.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    code = CLOSED_PIPE
    try:
        code = main(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read the output has seen enough; the verdict stays what it is, where there is one.
        _drop_output()
    except KeyboardInterrupt:
        code = _interrupted()
    except OSError as error:
        if error.errno is None:
            code = _bug()
        else:
            code = code if code == DISK else _refused(error)
            _drop_output()
    except Exception:  # noqa: BLE001 - whatever it is, it is a bug, and the traceback is its report
        code = _bug()
    # The process ends, and all it holds with it: looking for cycles in that takes a sixth of a short command.
    gc.freeze()
    sys.exit(code)


def _open_streams() -> None:
    """Let everything be printed somehow; end with 2 where standard output is closed."""
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - as long as the process lives
    if sys.stdout is None:
        # A file opened next would get its number, and be written into.
        print("harness: standard output is closed; send it to a file or to /dev/null", file=sys.stderr)
        sys.exit(INVALID)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    """Let what could not be printed go nowhere: the interpreter would try once more when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _bug() -> int:
    import traceback

    traceback.print_exc()
    print("harness: this is a bug in the harness; please report it with the lines above", file=sys.stderr)
    return BUG

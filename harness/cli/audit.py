"""harness audit: grade transcripts that the harness did not record."""

import argparse
import json
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import partial
from itertools import chain, islice
from pathlib import Path

from harness.auditing import NAMES, Refused
from harness.auditing.audits import Asked, Audit, agreement, as_json, audits
from harness.auditing.pieces import Piece, pieces, read_piece
from harness.auditing.places import Place, places
from harness.cli.engines import RAY, add_engine, engine_of
from harness.cli.output import add_json, add_project, print_json_texts, project, say
from harness.engines import Engine, local_engine
from harness.errors import InvalidInput

BLANK = 4096
"""Bytes of a file that may be nothing but line ends."""

PIECE = 2 << 20
"""Bytes of input that are judged at once where the verdicts are printed."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness audit` takes."""
    parser.add_argument(
        "files", metavar="FILE", nargs="+",
        help="conversations: one object on each line (.jsonl, .json) or in an array (.json); a log of "
        "Inspect AI (.eval, .json); or one bare answer (.json, .txt); on disk or as s3://BUCKET/KEY",
    )  # fmt: skip
    parser.add_argument(
        "--from", dest="form", choices=NAMES, metavar="FORM",
        help=f"the form of the files: {', '.join(NAMES)} (default: recognised by what they hold)",
    )  # fmt: skip
    parser.add_argument(
        "-c", "--contract", metavar="CONTRACT",
        help="the agreement to judge by, an id or a path (default: what the transcript names, else its "
        "flow's)",
    )  # fmt: skip
    parser.add_argument(
        "--scenario", metavar="ID", help="what was asked (default: what the transcript names)"
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR",
        help="write scores and summaries there instead of printing verdicts; the same command again goes on "
        "where it stopped",
    )  # fmt: skip
    add_engine(parser, "judge, with --json or --out")
    parser.add_argument(
        "--parquet",
        action="store_true",
        help="with --out: also write every verdict as Parquet",
    )
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print what every transcript breaks: that is data, and no error; what is no transcript ends with 2."""
    asked = Asked(project(arguments), arguments.contract, arguments.scenario, arguments.form)
    # Whoever edits a contract between two commands of one process means what it says now.
    agreement.cache_clear()
    # What is wrong for all of them is said once, before the first.
    agreement(asked)
    engine = engine_of(arguments)
    files = list(places(arguments.files))
    for each in filter(_is_empty, files):
        say(f"{each}: holds no transcript; was it written to its end?")
    if arguments.parquet and not arguments.out:
        raise InvalidInput("--parquet: is written into a folder; name it with --out")
    if arguments.engine == RAY and not arguments.out:
        raise InvalidInput("--engine ray: what it judges is written into a folder; name it with --out")
    if arguments.out:
        from harness.cli.audit_folder import run_in_folder

        refused = run_in_folder(
            asked,
            files,
            arguments.out,
            engine,
            tabled=arguments.parquet,
            quiet=arguments.json,
        )
    elif arguments.json:
        with engine as entered:
            refused = _print_json(asked, files, entered)
    else:
        refused = _print(asked, files)
    return InvalidInput.exit_code if refused else 0


def _is_empty(path: Place) -> bool:
    """Return whether a .jsonl file has no line with anything on it; a large one is not looked into."""
    if not isinstance(path, Path):
        return path.size == 0
    few = path.suffix.lower() == ".jsonl" and path.is_file() and path.stat().st_size <= BLANK
    return few and not path.read_bytes().strip()


def _print(asked: Asked, files: list[Place]) -> int:
    from harness.cli.audit_text import print_audit

    refused = 0
    for each in chain.from_iterable(map(partial(_audited, asked), _read_here(files, asked))):
        if isinstance(each, Refused):
            refused += 1
            say(str(each))
        else:
            print_audit(each)
    return refused


def _audited(asked: Asked, piece: Piece) -> Iterator[Audit | Refused]:
    return audits(read_piece(piece, asked.form), asked)


def _print_json(asked: Asked, files: list[Place], engine: Engine) -> int:
    refused = 0

    def told(found: Iterable[str | Refused]) -> Iterator[str]:
        nonlocal refused
        for each in found:
            if isinstance(each, Refused):
                refused += 1
                say(str(each))
            else:
                yield each

    ahead = _read_here(files, asked)
    few = list(islice(ahead, 2))
    if len(few) < 2:
        # Nothing is gained by other processes, and what is judged is seen at once.
        print_json_texts(told(_as_text(each) for piece in few for each in _audited(asked, piece)))
        return refused
    with closing(engine.in_order(partial(_texts, asked), chain(few, ahead))) as judged:
        print_json_texts(told(chain.from_iterable(judged)))
    return refused


def _read_here(files: list[Place], asked: Asked) -> Iterator[Piece]:
    """Yield the pieces of files as they are found: what comes first is judged first."""
    return pieces(files, asked.form, PIECE, local_engine(1))


def _texts(asked: Asked, piece: Piece) -> list[str | Refused]:
    return [_as_text(each) for each in _audited(asked, piece)]


def _as_text(each: Audit | Refused) -> str | Refused:
    return each if isinstance(each, Refused) else json.dumps(as_json(each), indent=2, ensure_ascii=True)

"""harness show: a run's summary, or one sample with its transcript and verdicts."""

import argparse

from harness.cli.output import add_json, add_out, console, print_json
from harness.contracts import load_contract
from harness.errors import UnknownName
from harness.extraction import read_sample
from harness.model import Transcript
from harness.store import Run, ScoreRow, open_run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness show` takes."""
    parser.add_argument("run", metavar="RUN", help="a run folder, an id, or latest")
    parser.add_argument(
        "sample",
        metavar="SAMPLE",
        nargs="?",
        help="scenario@contract@target#trial, or a part of it that only one sample has",
    )
    parser.add_argument("--full", action="store_true", help="do not fold long prompts and tool results")
    add_out(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the summary of a run, or one of its samples."""
    stored = open_run(arguments.run, arguments.out)
    if arguments.sample:
        _show_sample(stored, arguments)
    elif arguments.json:
        print_json(stored.info.model_dump())
    else:
        from harness.reporting.overview import overview
        from harness.reporting.terminal import print_summary

        reports = [path for name in ("report.md", "summary.csv") if (path := stored.path(name)).is_file()]
        print_summary(console(), overview(stored), reports)
    return 0


def _show_sample(stored: Run, arguments: argparse.Namespace) -> None:
    transcript = _find(stored, arguments.sample)
    rows = [row for row in stored.scores() if row.sample == str(transcript.id)]
    if arguments.json:
        print_json(_as_json(transcript, rows))
        return
    from harness.reporting.show import show_sample

    sample = read_sample(transcript, load_contract(transcript.id.contract), None)
    selection = sample.answer.selection if sample.answer else None
    console().print(show_sample(transcript, rows, selection, full=arguments.full))


def _find(stored: Run, wanted: str) -> Transcript:
    transcripts = {str(each.id): each for each in stored.transcripts()}
    found = [name for name in transcripts if wanted == name] or [
        name for name in transcripts if wanted in name
    ]
    if len(found) == 1:
        return transcripts[found[0]]
    raise UnknownName("single sample", wanted, found or transcripts)


def _as_json(transcript: Transcript, rows: list[ScoreRow]) -> dict[str, object]:
    return {
        "sample": str(transcript.id),
        "messages": [
            {
                "role": each.role,
                "content": each.content,
                "tool_calls": [[call.id, call.name, call.arguments] for call in each.tool_calls],
                "tool_call_id": each.tool_call_id,
            }
            for each in transcript.messages
        ],
        "failure": [transcript.failure.cause, transcript.failure.detail] if transcript.failure else None,
        "scores": [row.as_json() for row in rows],
    }

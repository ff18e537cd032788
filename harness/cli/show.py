"""harness show: a run's summary, or one sample with its transcript and verdicts."""

import argparse
from collections.abc import Collection
from difflib import get_close_matches

from harness.cli.output import add_contract_folder, add_json, add_out, console, print_json, stored_run
from harness.errors import InvalidInput
from harness.extraction import read_sample
from harness.model import SampleId, Transcript
from harness.scenarios.contracts import find_contracts, stored_contract
from harness.store import Run, ScoreRow

FEW = 5
"""Samples named where several match."""


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
    add_contract_folder(parser)
    add_out(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the summary of a run, or one of its samples."""
    stored = stored_run(arguments.run, arguments.out)
    if arguments.sample:
        _show_sample(stored, arguments)
    elif arguments.json:
        print_json(stored.info.model_dump())
    else:
        from harness.reporting.overview import overview
        from harness.reporting.terminal import print_summary

        names = ("report.md", "summary.csv", "samples.csv")
        reports = [path for name in names if (path := stored.path(name)).is_file()]
        print_summary(console(), overview(stored), reports)
    return 0


def _show_sample(stored: Run, arguments: argparse.Namespace) -> None:
    transcript = _find(stored, arguments.sample)
    rows = [row for row in stored.scores() if row.sample == str(transcript.id)]
    if arguments.json:
        print_json(_as_json(transcript, rows))
        return
    from harness.reporting.show import show_sample

    named = {each.id: each for each in find_contracts(arguments.contract)}
    contract = named.get(transcript.id.contract) or stored_contract(stored, transcript.id.contract)
    sample = read_sample(transcript, contract, None)
    selection = sample.answer.selection if sample.answer else None
    whole = show_sample(transcript, rows, selection, full=arguments.full)
    console(unbroken=True).print(whole, soft_wrap=True)


def _find(stored: Run, wanted: str) -> Transcript:
    transcripts = {str(each.id): each for each in stored.transcripts()}
    found = [name for name in transcripts if wanted == name] or [
        name for name in transcripts if wanted in name
    ]
    if len(found) == 1:
        return transcripts[found[0]]
    if found:
        named = ", ".join(repr(each) for each in found[:FEW])
        left = f" and {len(found) - FEW} more" if len(found) > FEW else ""
        hint = f"{named}{left}; write more of the id"
        raise InvalidInput(f"{stored.folder}: {len(found)} samples match {wanted!r}: {hint}")
    near = [repr(each) for each in _near(wanted, transcripts)]
    hint = f"did you mean {' or '.join(near)}?" if near else f"it holds {len(transcripts)} samples"
    raise InvalidInput(f"{stored.folder}: no sample matches {wanted!r}; {hint}")


def _near(wanted: str, names: Collection[str]) -> list[str]:
    """Return the samples whose id, or a part of it, reads like what is wanted; one for each such part."""
    parts: dict[str, str] = {}
    for name in names:
        sample = SampleId.parse(name)
        scenario = sample.scenario.rpartition("/")[2]
        for part in (name, sample.scenario, scenario, sample.contract, sample.target):
            parts.setdefault(part, name)
    return list(dict.fromkeys(parts[each] for each in get_close_matches(wanted, parts, n=3, cutoff=0.5)))


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

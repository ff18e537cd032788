"""Several runs of one plan, as its shards, put together."""

from collections.abc import Sequence
from typing import Any, cast

from harness.errors import InvalidRun
from harness.model import SampleId, Transcript
from harness.model.values import canonical, digest
from harness.store.encoding import request_digest
from harness.store.info import RunInfo
from harness.store.run import Run

PLAN = ("targets", "contracts", "scenarios", "trials", "seed", "only")
"""What run.json must say alike; shards differ in `shard`, machines in `prompts` and `versions` too."""


def merged_info(runs: Sequence[Run], run_id: str, created: str) -> RunInfo:
    """Return the run.json of a merged run; raise InvalidRun where plans or digests differ."""
    first, *others = in_order(runs)
    for other in others:
        for name in PLAN:
            _refuse_difference(name, first, other)
    changes: dict[str, Any] = {
        "id": run_id,
        "created": created,
        "status": "incomplete",
        "shard": None,
        "merged": sorted({source for each in runs for source in each.info.merged or [each.id]}),
        "limits": {},
        "spent": _spent(runs),
        "counts": {},
        "graded": None,
        "deciding": None,
    }
    return first.info.model_copy(update=changes)


def _spent(runs: Sequence[Run]) -> float | None:
    """Return what runs have cost together, as far as that is known."""
    known = [each.info.spent for each in runs if each.info.spent is not None]
    return sum(known) if known else None


def merged_transcripts(runs: Sequence[Run]) -> list[Transcript]:
    """Return each sample of the runs once, sorted, so that the order of the runs changes nothing.

    Raises:
        InvalidRun: two runs hold one sample with different contents, or were told different prompts.
    """
    kept: dict[SampleId, tuple[Transcript, str, Run]] = {}
    prompts: dict[tuple[str, ...], tuple[str | None, Run]] = {}
    for run in in_order(runs):
        for transcript in run.transcripts():
            _refuse_other_prompt(transcript, run, prompts)
            _, known, source = kept.setdefault(transcript.id, (transcript, said(transcript), run))
            if source is not run and known != said(transcript):
                msg = (
                    f"{transcript.id}: says one thing in {source.folder} and another in {run.folder}; "
                    f"merge one of the two alone"
                )
                raise InvalidRun(msg)
    return [kept[each][0] for each in sorted(kept)]


def said(transcript: Transcript) -> str:
    """Return the digest of what verdicts depend on: not when it was said, how fast, or at which price."""
    failure = transcript.failure
    return digest(
        {
            "conversation": request_digest(transcript.messages, transcript.tools),
            "finish_reasons": [each.finish_reason for each in transcript.turns],
            "failure": [failure.cause, failure.detail] if failure else None,
            "digests": dict(transcript.digests),
        }
    )


def in_order(runs: Sequence[Run]) -> list[Run]:
    """Return runs by age: of what two say alike, the older one's words are kept."""
    return sorted(runs, key=lambda each: (each.info.created, each.id, str(each.folder)))


def _refuse_difference(name: str, first: Run, other: Run) -> None:
    one, two = getattr(first.info, name), getattr(other.info, name)
    if one == two:
        return
    if isinstance(one, dict):
        before, after = cast("dict[str, Any]", one), cast("dict[str, Any]", two)
        found = ", ".join(sorted(key for key in {**before, **after} if before.get(key) != after.get(key)))
    else:
        found = f"{canonical(one):.100} and {canonical(two):.100}"
    msg = f"{first.folder} and {other.folder}: different {name}: {found}; only runs of one plan can be merged"
    raise InvalidRun(msg)


def _refuse_other_prompt(
    transcript: Transcript, run: Run, prompts: dict[tuple[str, ...], tuple[str | None, Run]]
) -> None:
    sample, told = transcript.id, transcript.digests.get("prompt")
    # Targets of one run may have been given different packs, on purpose.
    pack = str(run.info.targets.get(sample.target, {}).get("prompts") or "")
    known, source = prompts.setdefault((sample.scenario, sample.contract, pack), (told, run))
    if known != told:
        msg = (
            f"{source.folder} and {run.folder}: different prompts for {sample.scenario}@{sample.contract}; "
            f"only runs of one plan can be merged"
        )
        raise InvalidRun(msg)

"""Runs as logs of Inspect AI, which `inspect view` opens: one .eval file for each target and contract.

The library is the extra `inspect`. Each clause is a scorer, C for a pass, I for a fail; what is unscored has
no score, and the metadata of its sample says why.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from harness import __version__
from harness.errors import InvalidInput
from harness.model import Message, Transcript, Usage
from harness.statistics.outcomes import ALL, by_dimension
from harness.store import Run
from harness.store.scores import ScoreRow

FOLDER = "inspect"
VALUES = {"pass": "C", "fail": "I"}
_UNFIT = re.compile(r"[^A-Za-z0-9.+-]+")


class Group(NamedTuple):
    """What stands in one log."""

    target: str
    contract: str

    @property
    def file(self) -> str:
        """The log's name; targets are named after addresses, too."""
        return _UNFIT.sub("_", f"{self.contract}_{self.target}")[:200] + ".eval"


def write_inspect(run: Run, folder: Path) -> list[Path]:
    """Write a graded run's logs into the folder `inspect` below another, and return them.

    Raises:
        InvalidInput: the extra is not installed.
    """
    try:
        library: Any = import_module("inspect_ai.log")
    except ImportError:
        msg = "report -f inspect: Inspect AI is not installed; pip install 'contract-harness[inspect]'"
        raise InvalidInput(msg) from None
    rows: dict[str, list[ScoreRow]] = defaultdict(list)
    for row in run.scores():
        rows[row.sample].append(row)
    samples: dict[Group, list[Any]] = defaultdict(list)
    for transcript in run.transcripts():
        group = Group(transcript.id.target, transcript.id.contract)
        samples[group].append(_sample(library, transcript, rows[str(transcript.id)]))
    return [_write(library, run, group, found, folder / FOLDER) for group, found in samples.items()]


def _write(library: Any, run: Run, group: Group, samples: list[Any], folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    began = run.info.created
    ids = sorted({each.id for each in samples})
    spec = library.EvalSpec(
        created=began,
        run_id=run.id,
        task=group.contract,
        model=group.target,
        dataset=library.EvalDataset(name="scenarios", samples=len(ids), sample_ids=ids),
        config=library.EvalConfig(epochs=run.info.trials),
        packages={"contract-harness": __version__},
        metadata={
            "contract_digest": run.info.contracts.get(group.contract),
            "target": run.info.targets.get(group.target, {}),
        },
    )
    clauses = list(dict.fromkeys(clause for each in samples for clause in each.scores))
    log = library.EvalLog(
        status="success" if run.info.status == "complete" else "cancelled",
        eval=spec,
        samples=samples,
        stats=library.EvalStats(started_at=began, completed_at=_ended(samples) or began),
        results=library.EvalResults(
            total_samples=len(samples),
            completed_samples=sum(each.error is None for each in samples),
            scores=[_result(library, clause, samples) for clause in clauses],
        ),
    )
    path = folder / group.file
    library.write_eval_log(log, str(path))
    return path


def _ended(samples: Iterable[Any]) -> str | None:
    """Return when the last trial began; how long it took, only its turns know."""
    return max((each.started_at for each in samples if each.started_at), default=None)


def _result(library: Any, clause: str, samples: Iterable[Any]) -> Any:
    """Return the rate of one clause, over the samples that it was judged on."""
    values = [each.scores[clause].value for each in samples if clause in each.scores]
    rate = values.count("C") / len(values)
    return library.EvalScore(
        name=clause,
        scorer=clause,
        scored_samples=len(values),
        metrics={"accuracy": library.EvalMetric(name="accuracy", value=rate)},
    )


def _sample(library: Any, transcript: Transcript, rows: list[ScoreRow]) -> Any:
    scoring: Any = import_module("inspect_ai.scorer")
    models: Any = import_module("inspect_ai.model")
    failure = transcript.failure
    messages = list(_messages(models, transcript))
    answer = (transcript.final.content if transcript.final else None) or ""
    usage = _usage(models, transcript)
    return library.EvalSample(
        id=transcript.id.scenario,
        epoch=transcript.id.trial,
        input=messages[: len(transcript.prompt)] or "",
        target="",
        messages=messages,
        output=models.ModelOutput.from_content(transcript.id.target, _encodable(answer)),
        scores=_compliant(scoring, rows)
        | {
            each.clause: scoring.Score(
                value=VALUES[each.outcome],
                explanation=_encodable(_explained(each)),
                metadata={"level": each.level, "dimension": each.dimension},
            )
            for each in rows
            if each.outcome in VALUES
        },
        metadata={
            "sample": str(transcript.id),
            "unscored": {each.clause: _encodable(each.reason) for each in rows if each.outcome == "unscored"},
            "gaps": dict(transcript.gaps),
        },
        model_usage={transcript.id.target: usage} if usage else {},
        started_at=transcript.started or None,
        total_time=sum(each.seconds for each in transcript.turns),
        error=_error(failure.cause, failure.detail) if failure else None,
    )


def _compliant(scoring: Any, rows: Iterable[ScoreRow]) -> dict[str, Any]:
    """Return the verdict on the whole sample, under a name of its own; an unscored sample has none."""
    worst = by_dimension({each.clause: each.outcome for each in rows}).get(ALL)
    return {"compliant": scoring.Score(value=VALUES[worst])} if worst in VALUES else {}


def _error(cause: str, detail: str) -> Any:
    errors: Any = import_module("inspect_ai._util.error")
    text = _encodable(f"{cause}: {detail}")
    return errors.EvalError(message=text, traceback="", traceback_ansi="")


def _explained(row: ScoreRow) -> str:
    parts = [row.reason]
    if row.outcome == "fail":
        parts += [f"expected {_shown(row.expected)}", f"observed {_shown(row.observed)}", f"at {row.place}"]
    return "; ".join(each for each in parts if each)


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _messages(models: Any, transcript: Transcript) -> Iterator[Any]:
    names: dict[str | None, str] = {}
    for message in transcript.messages:
        text = _encodable(message.content or "")
        if message.role == "system":
            yield models.ChatMessageSystem(content=text)
        elif message.role == "user":
            yield models.ChatMessageUser(content=text)
        elif message.role == "tool":
            name = names.get(message.tool_call_id)
            yield models.ChatMessageTool(content=text, tool_call_id=message.tool_call_id, function=name)
        else:
            names |= {each.id: each.name for each in message.tool_calls}
            calls = list(_calls(message)) or None
            yield models.ChatMessageAssistant(content=text, tool_calls=calls, model=transcript.id.target)


def _calls(message: Message) -> Iterator[Any]:
    tools: Any = import_module("inspect_ai.tool")
    for call in message.tool_calls:
        try:
            arguments: Any = json.loads(call.arguments or "{}")
        except (ValueError, RecursionError):
            arguments = None
        if isinstance(arguments, dict):
            whole = json.loads(_encodable(json.dumps(arguments, ensure_ascii=False)))
            yield tools.ToolCall(id=call.id, function=_encodable(call.name), arguments=whole)
        else:
            # As Inspect itself keeps what a model wrote that is none.
            problem = f"Error parsing the following tool call arguments:\n\n{_encodable(call.arguments)}"
            name = _encodable(call.name)
            yield tools.ToolCall(id=call.id, function=name, arguments={}, parse_error=problem)


def _usage(models: Any, transcript: Transcript) -> Any:
    known = [each.usage for each in transcript.turns if each.usage != Usage()]
    if not known:
        return None
    sent, written = (sum(getattr(each, name) or 0 for each in known) for name in _TOKENS)
    cost = None if any(each.cost is None for each in known) else sum(each.cost or 0.0 for each in known)
    return models.ModelUsage(
        input_tokens=sent, output_tokens=written, total_tokens=sent + written, total_cost=cost
    )


def _encodable(text: str) -> str:
    """Return a text that a file takes: half a character, which some models write, becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


_TOKENS = ("prompt_tokens", "completion_tokens")

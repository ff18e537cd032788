"""Jobs and CronJobs: the Jobs and pods that their controllers have made."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from harness.cluster import names
from harness.cluster.expand.attempts import Attempt, Run, in_order, runs
from harness.cluster.expand.pods import made, pod
from harness.cluster.expand.schedules import last_times
from harness.cluster.expand.scheduling import places
from harness.cluster.expand.templates import pinned
from harness.cluster.expand.told import exit_code, told
from harness.cluster.manifests import (
    Manifest,
    at,
    by_type,
    copied,
    items,
    mapping,
    name,
    namespace,
    number,
    section,
    strings,
    text,
)
from harness.cluster.times import creation, moment, stamp
from harness.errors import InvalidScenario

_FAILED = "failed"
_SUCCEEDED = "succeeded"
_ACTIVE = "active"


Logs = Mapping[tuple[str, str], Sequence[str]]
"""The lines that the logs of pods will hold, by namespace and name."""


def job(
    workload: Manifest,
    nodes: Sequence[Manifest],
    now: datetime,
    where: str,
    *,
    logs: Logs,
    usual: timedelta | None = None,
) -> list[Manifest]:
    """Return the pods of a Job: as many active, succeeded and failed ones as its status states.

    Without a status it has succeeded. A run lasts as long as its log tells; where it tells nothing, about
    as long as `usual`, or less than a minute.
    """
    _label(workload)
    if at(workload, "spec", "suspend") is True:
        return []
    chosen = pinned(workload, where)
    outcomes = _outcomes(workload, len(chosen))
    for each in (_ACTIVE, _SUCCEEDED, _FAILED):
        # From here on the pods count, so that a change to a pod changes the numbers.
        mapping(workload, "status").pop(each, None)
    pod_names = [_pod_name(workload, chosen, ordinal) for ordinal in range(len(outcomes))]
    spec = mapping(workload, "spec", "template", "spec")
    taken = places(nodes, workload, spec, len(outcomes))
    times = _runs(workload, pod_names, outcomes, now, logs=logs, usual=usual)
    return [
        _pod(
            workload, pod_name, run, node, code=_code(outcome, logs.get((namespace(workload), pod_name), ()))
        )
        for pod_name, outcome, run, node in zip(pod_names, outcomes, times, taken, strict=True)
    ]


def _code(outcome: str, lines: Sequence[str]) -> int | None:
    """Return the exit code of a pod, None for one that runs."""
    if outcome == _FAILED:
        return exit_code(lines) or 1
    return 0 if outcome == _SUCCEEDED else None


def cron_job(
    workload: Manifest, nodes: Sequence[Manifest], now: datetime, where: str, *, logs: Logs
) -> list[Manifest]:
    """Return the Jobs that a CronJob keeps, and their pods."""
    chosen = pinned(workload, where)
    by_job: dict[str, list[str]] = {}
    for each in chosen:
        by_job.setdefault(each.rpartition("-")[0], []).append(each)
    made_jobs = by_job or {each: [] for each in _job_names(workload, now, where)}
    kept = {job_name: _job(workload, job_name, now) for job_name in made_jobs}
    usual = _usual(namespace(workload), [(kept[each], pods) for each, pods in made_jobs.items()], now, logs)
    result: list[Manifest] = []
    for job_name, pod_names in made_jobs.items():
        each = kept[job_name]
        if pod_names:
            each["pods"] = pod_names
        result += [each, *job(each, nodes, now, where, logs=logs, usual=usual)]
        each.pop("pods", None)
    return result


def _usual(
    place: str, jobs: Sequence[tuple[Manifest, Sequence[str]]], now: datetime, logs: Logs
) -> timedelta | None:
    # One run is about as long as the next; the last pod of each has succeeded.
    lengths = [
        told(logs.get((place, pods[-1]), ()), creation(each), now).length for each, pods in jobs if pods
    ]
    return next((each for each in reversed(lengths) if each is not None), None)


def _runs(
    workload: Manifest,
    pod_names: Sequence[str],
    outcomes: Sequence[str],
    now: datetime,
    *,
    logs: Logs,
    usual: timedelta | None,
) -> list[Run]:
    start = moment(workload, "status", "startTime") or creation(workload)
    place = namespace(workload)
    told_of = [told(logs.get((place, each), ()), start, now) for each in pod_names]
    stated = moment(workload, "status", "completionTime")
    failures = [
        each.length
        for each, outcome in zip(told_of, outcomes, strict=True)
        if outcome == _FAILED and each.length is not None
    ]
    attempts: list[Attempt] = []
    for pod_name, outcome, each in zip(pod_names, outcomes, told_of, strict=True):
        like = next(iter(failures), None) if outcome == _FAILED else usual
        length = _short(place, pod_name) if like is None else _about(like, place, pod_name)
        known = replace(each, last=stated) if outcome == _SUCCEEDED and stated else each
        attempts.append(Attempt(known, length, outcome == _FAILED))
    abreast = max(1, number(workload, "spec", "parallelism", default=1))
    order = in_order(attempts, start)
    made_in_order = runs([attempts[i] for i in order], start, now, end=_given_up(workload), abreast=abreast)
    return [made_in_order[order.index(i)] for i in range(len(attempts))]


def _given_up(workload: Manifest) -> datetime | None:
    failed = by_type(items(workload, "status", "conditions"), "Failed")
    return moment(failed, "lastTransitionTime")


def _short(place: str, pod_name: str) -> timedelta:
    return timedelta(seconds=12 + names.pick(25, place, pod_name))


def _about(length: timedelta, place: str, pod_name: str) -> timedelta:
    # From its creation on, which is a little before its log begins.
    return timedelta(seconds=2) + length * (0.94 + names.pick(12, "length", place, pod_name) / 100)


def _outcomes(workload: Manifest, count: int) -> list[str]:
    status = mapping(workload, "status")
    stated = {each: number(status, each) for each in (_FAILED, _SUCCEEDED, _ACTIVE)}
    if not any(stated.values()):
        stated[_SUCCEEDED] = number(workload, "spec", "completions", default=1)
    outcomes = [each for each, times in stated.items() for _ in range(times)]
    # More pinned pods than the status counts: the first of them were attempts that failed.
    return [_FAILED] * (count - len(outcomes)) + outcomes


def _pod_name(workload: Manifest, chosen: Sequence[str], ordinal: int) -> str:
    if ordinal < len(chosen):
        return chosen[ordinal]
    return f"{name(workload)}-{names.suffix('Job', namespace(workload), name(workload), ordinal)}"


def _label(workload: Manifest) -> None:
    uid = text(workload, "metadata", "uid")
    labels = {
        "batch.kubernetes.io/controller-uid": uid,
        "batch.kubernetes.io/job-name": name(workload),
        "controller-uid": uid,
        "job-name": name(workload),
    }
    spec = section(workload, "spec")
    section(spec, "template", "metadata", "labels").update(labels)
    spec.setdefault("selector", {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}})
    template_labels = strings(spec, "template", "metadata", "labels")
    held = section(workload, "metadata", "labels")
    held.update({key: value for key, value in template_labels.items() if key not in held})


def _pod(workload: Manifest, pod_name: str, run: Run, node: str, *, code: int | None) -> Manifest:
    template = mapping(workload, "spec", "template")
    created, finished = run
    result = pod(workload, pod_name, template, created=created, node=node, labels={})
    if code is not None:
        section(result, "status")["containerStatuses"] = [
            _ended(text(each, "name"), code, created, finished)
            for each in items(template, "spec", "containers")
        ]
    return result


def _ended(container: str, code: int, created: datetime, finished: datetime) -> Manifest:
    ending = {
        "reason": "Error" if code else "Completed",
        "exitCode": code,
        "startedAt": stamp(min(finished, created + timedelta(seconds=1))),
        "finishedAt": stamp(finished),
    }
    return {"name": container, "state": {"terminated": ending}}


def _job_names(workload: Manifest, now: datetime, where: str) -> list[str]:
    kept = number(workload, "spec", "successfulJobsHistoryLimit", default=3)
    latest = moment(workload, "status", "lastScheduleTime") or now
    schedule = text(workload, "spec", "schedule")
    try:
        times = last_times(schedule, creation(workload), latest, kept)
    except ValueError:
        msg = f"{where}.spec.schedule: found {schedule!r}; write five cron fields, as '*/15 2 * * 1-5'"
        raise InvalidScenario(msg) from None
    return [f"{name(workload)}-{int(each.timestamp()) // 60}" for each in times]


def _job(workload: Manifest, job_name: str, now: datetime) -> Manifest:
    minutes = job_name.rpartition("-")[2]
    created = datetime.fromtimestamp(int(minutes) * 60, UTC) if minutes.isdecimal() else now
    template = mapping(workload, "spec", "jobTemplate")
    labels = strings(template, "metadata", "labels")
    result = made(workload, "batch/v1", "Job", job_name, created=min(created, now), labels=labels)
    section(result, "metadata")["annotations"] = {
        "batch.kubernetes.io/cronjob-scheduled-timestamp": stamp(created)
    }
    result["spec"] = copied(mapping(template, "spec"))
    return result

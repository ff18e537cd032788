"""Jobs and CronJobs: the Jobs and pods that their controllers have made."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from harness.cluster import names
from harness.cluster.expand.pods import made, pod
from harness.cluster.expand.schedules import last_times
from harness.cluster.expand.scheduling import places
from harness.cluster.expand.templates import pinned
from harness.cluster.manifests import (
    Manifest,
    at,
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


def job(workload: Manifest, nodes: Sequence[Manifest], now: datetime, where: str) -> list[Manifest]:
    """Return the pods of a Job: as many active, succeeded and failed ones as its status states.

    Without a status it has succeeded.
    """
    _label(workload)
    if at(workload, "spec", "suspend") is True:
        return []
    chosen = pinned(workload, where)
    outcomes = _outcomes(workload, len(chosen))
    for each in (_ACTIVE, _SUCCEEDED, _FAILED):
        # From here on the pods count, so that a change to a pod changes the numbers.
        mapping(workload, "status").pop(each, None)
    spec = mapping(workload, "spec", "template", "spec")
    taken = places(nodes, workload, spec, len(outcomes))
    return [
        _pod(workload, _pod_name(workload, chosen, ordinal), outcome, ordinal, now=now, node=node)
        for ordinal, (outcome, node) in enumerate(zip(outcomes, taken, strict=True))
    ]


def cron_job(workload: Manifest, nodes: Sequence[Manifest], now: datetime, where: str) -> list[Manifest]:
    """Return the Jobs that a CronJob keeps, and their pods."""
    chosen = pinned(workload, where)
    by_job: dict[str, list[str]] = {}
    for each in chosen:
        by_job.setdefault(each.rpartition("-")[0], []).append(each)
    made_jobs = by_job or {each: [] for each in _job_names(workload, now, where)}
    result: list[Manifest] = []
    for job_name, pod_names in made_jobs.items():
        each = _job(workload, job_name, now)
        if pod_names:
            each["pods"] = pod_names
        result += [each, *job(each, nodes, now, where)]
        each.pop("pods", None)
    return result


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


def _pod(
    workload: Manifest, pod_name: str, outcome: str, ordinal: int, *, now: datetime, node: str
) -> Manifest:
    template = mapping(workload, "spec", "template")
    start = moment(workload, "status", "startTime") or creation(workload)
    created = min(now, start + timedelta(seconds=45 * ordinal))
    result = pod(workload, pod_name, template, created=created, node=node, labels={})
    if outcome != _ACTIVE:
        stated = moment(workload, "status", "completionTime") if outcome == _SUCCEEDED else None
        lasting = timedelta(seconds=12 + names.pick(25, namespace(workload), pod_name))
        finished = min(now, stated or created + lasting)
        section(result, "status")["containerStatuses"] = [
            _ended(text(each, "name"), outcome, created, finished)
            for each in items(template, "spec", "containers")
        ]
    return result


def _ended(container: str, outcome: str, created: datetime, finished: datetime) -> Manifest:
    good = outcome == _SUCCEEDED
    ending = {
        "reason": "Completed" if good else "Error",
        "exitCode": 0 if good else 1,
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

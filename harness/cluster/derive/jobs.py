"""The status of Jobs out of their pods, and of CronJobs out of their Jobs."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from harness.cluster.derive.workloads import is_ready
from harness.cluster.happenings import involved
from harness.cluster.manifests import Manifest, at, by_type, items, number, owned, section, text
from harness.cluster.times import creation, moment, stamp


def fill_job(job: Manifest, held: Mapping[str, Sequence[Manifest]], now: datetime) -> None:
    """Complete the status of a Job in place; what is stated stays. `held`: see workloads.fill_status."""
    pods = owned(held, job, "Pod")
    phases = [text(each, "status", "phase") for each in pods]
    running = [each for each in pods if text(each, "status", "phase") in {"Running", "Pending"}]
    status = section(job, "status")
    counts = {
        "active": len(running),
        "succeeded": phases.count("Succeeded"),
        "failed": phases.count("Failed"),
    }
    for key, count in counts.items():
        if count:
            status.setdefault(key, count)
    status.setdefault("ready", sum(map(is_ready, running)))
    if at(job, "spec", "suspend") is not True:
        status.setdefault("startTime", stamp(creation(job)))
    if "conditions" not in status:
        _conclude(job, status, pods, now)


def _conclude(job: Manifest, status: Manifest, pods: Sequence[Manifest], now: datetime) -> None:
    wanted = number(job, "spec", "completions", default=1)
    failed = number(status, "failed")
    ended = _last_end(pods) or now
    if number(status, "succeeded") >= wanted:
        status.setdefault("completionTime", stamp(ended))
        status["conditions"] = [_condition("Complete", ended)]
    elif failed > number(job, "spec", "backoffLimit", default=6):
        reason = {"reason": "BackoffLimitExceeded", "message": "Job has reached the specified backoff limit"}
        status["conditions"] = [_condition("Failed", ended) | reason]
    elif at(job, "spec", "suspend") is True:
        reason = {"reason": "JobSuspended", "message": "Job suspended"}
        status["conditions"] = [_condition("Suspended", creation(job)) | reason]


def _condition(condition: str, moment_: datetime) -> Manifest:
    written = stamp(moment_)
    return {"type": condition, "status": "True", "lastProbeTime": written, "lastTransitionTime": written}


def _last_end(pods: Sequence[Manifest]) -> datetime | None:
    statuses = [each for pod in pods for each in items(pod, "status", "containerStatuses")]
    ends = [moment(each, "state", "terminated", "finishedAt") for each in statuses]
    return max((each for each in ends if each is not None), default=None)


def fill_cron_job(cron_job: Manifest, held: Mapping[str, Sequence[Manifest]]) -> None:
    """Complete the status of a CronJob in place; what is stated stays. `held`: see workloads.fill_status."""
    jobs = owned(held, cron_job, "Job")
    status = section(cron_job, "status")
    running = [each for each in jobs if not _over(each)]
    if running:
        status.setdefault("active", [involved(each) for each in running])
    if jobs:
        status.setdefault("lastScheduleTime", stamp(max(map(creation, jobs))))
    ends = [found for each in jobs if (found := moment(each, "status", "completionTime"))]
    if ends:
        status.setdefault("lastSuccessfulTime", stamp(max(ends)))


def _over(job: Manifest) -> bool:
    conditions = items(job, "status", "conditions")
    return any(text(by_type(conditions, each), "status") == "True" for each in ("Complete", "Failed"))

"""The columns of workloads."""

from datetime import datetime

from harness.cluster.columns.column import AGE, NAME, Column, ago, of
from harness.cluster.durations import human
from harness.cluster.manifests import Manifest, at, by_type, items, mapping, number, strings, text
from harness.cluster.selectors import pairs_text, selector_text
from harness.cluster.times import moment

_TEMPLATE = ("spec", "template", "spec", "containers")
_JOB_TEMPLATE = ("spec", "jobTemplate", *_TEMPLATE)


def _wide(*path: str, selector: tuple[str, ...] = ("spec", "selector")) -> tuple[Column, ...]:
    def joined(key: str) -> Column:
        title = {"name": "CONTAINERS", "image": "IMAGES"}[key]
        return Column(title, of(lambda v: ",".join(text(each, key) for each in items(v, *path))), wide=True)

    chosen = Column("SELECTOR", of(lambda value: selector_text(mapping(value, *selector))), wide=True)
    return (joined("name"), joined("image"), *((chosen,) if selector else ()))


def _count(title: str, *path: str) -> Column:
    return Column(title, of(lambda value: str(number(value, *path))))


def _ready(value: Manifest) -> str:
    return f"{number(value, 'status', 'readyReplicas')}/{number(value, 'spec', 'replicas')}"


def _job_status(job: Manifest) -> str:
    held = items(job, "status", "conditions")
    true = [each for each in ("Complete", "Failed") if text(by_type(held, each), "status") == "True"]
    if true:
        return true[0]
    if at(job, "metadata", "deletionTimestamp") is not None:
        return "Terminating"
    later = ("Suspended", "FailureTarget", "SuccessCriteriaMet")
    return next((each for each in later if text(by_type(held, each), "status") == "True"), "Running")


def _completions(job: Manifest) -> str:
    succeeded = number(job, "status", "succeeded")
    if at(job, "spec", "completions") is not None:
        return f"{succeeded}/{number(job, 'spec', 'completions')}"
    parallelism = number(job, "spec", "parallelism")
    return f"{succeeded}/1 of {parallelism}" if parallelism > 1 else f"{succeeded}/1"


def _job_duration(job: Manifest, now: datetime) -> str:
    start = moment(job, "status", "startTime")
    end = moment(job, "status", "completionTime")
    return "" if start is None else human((end or now) - start)


def _last_schedule(cron_job: Manifest, now: datetime) -> str:
    last = moment(cron_job, "status", "lastScheduleTime")
    return "<none>" if last is None else human(now - last)


def _suspend(cron_job: Manifest) -> str:
    return text(cron_job, "spec", "suspend", default="<unset>").capitalize()


def _replicas() -> tuple[Column, ...]:
    return (
        NAME,
        _count("DESIRED", "spec", "replicas"),
        _count("CURRENT", "status", "replicas"),
        _count("READY", "status", "readyReplicas"),
        AGE,
        *_wide(*_TEMPLATE),
    )


WORKLOADS: dict[str, tuple[Column, ...]] = {
    "Deployment": (
        NAME,
        Column("READY", of(_ready)),
        _count("UP-TO-DATE", "status", "updatedReplicas"),
        _count("AVAILABLE", "status", "availableReplicas"),
        AGE,
        *_wide(*_TEMPLATE),
    ),
    "ReplicaSet": _replicas(),
    "ReplicationController": _replicas(),
    "StatefulSet": (NAME, Column("READY", of(_ready)), AGE, *_wide(*_TEMPLATE, selector=())),
    "DaemonSet": (
        NAME,
        _count("DESIRED", "status", "desiredNumberScheduled"),
        _count("CURRENT", "status", "currentNumberScheduled"),
        _count("READY", "status", "numberReady"),
        _count("UP-TO-DATE", "status", "updatedNumberScheduled"),
        _count("AVAILABLE", "status", "numberAvailable"),
        Column(
            "NODE SELECTOR", of(lambda v: pairs_text(strings(v, "spec", "template", "spec", "nodeSelector")))
        ),
        AGE,
        *_wide(*_TEMPLATE),
    ),
    "Job": (
        NAME,
        Column("STATUS", of(_job_status)),
        Column("COMPLETIONS", of(_completions)),
        Column("DURATION", _job_duration),
        AGE,
        *_wide(*_TEMPLATE),
    ),
    "CronJob": (
        NAME,
        Column("SCHEDULE", of(lambda value: text(value, "spec", "schedule"))),
        Column("TIMEZONE", of(lambda value: text(value, "spec", "timeZone") or "<none>")),
        Column("SUSPEND", of(_suspend)),
        Column("ACTIVE", of(lambda value: str(len(items(value, "status", "active"))))),
        Column("LAST SCHEDULE", _last_schedule),
        Column("AGE", ago("metadata", "creationTimestamp")),
        *_wide(*_JOB_TEMPLATE, selector=("spec", "jobTemplate", "spec", "selector")),
    ),
}

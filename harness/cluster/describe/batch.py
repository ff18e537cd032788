"""Jobs and CronJobs."""

from harness.cluster.describe.parts import controlled_by, date, events, head, marks, title_case
from harness.cluster.describe.pods import template
from harness.cluster.durations import human
from harness.cluster.manifests import Manifest, at, items, mapping, number, text
from harness.cluster.selectors import selector_text
from harness.cluster.times import moment
from harness.model.scenario import World

_SPEC = (
    ("Parallelism", "parallelism"),
    ("Completions", "completions"),
    ("Completion Mode", "completionMode"),
    ("Suspend", "suspend"),
    ("Backoff Limit", "backoffLimit"),
    ("TTL Seconds After Finished", "ttlSecondsAfterFinished"),
)


def job(value: Manifest, world: World) -> list[str]:
    """Describe a Job."""
    spec, status = mapping(value, "spec"), mapping(value, "status")
    lines = [*head(value), f"Selector:\t{selector_text(mapping(spec, 'selector'))}", *marks(value)]
    lines += controlled_by(value)
    for title, key in _SPEC:
        if at(spec, key) is not None or key == "completions":
            lines.append(f"{title}:\t{text(spec, key, default='<unset>')}")
    lines += [*_times(value), *_deadline(spec)]
    counts = (
        f"{number(status, 'active')} Active ({number(status, 'ready')} Ready) / "
        f"{number(status, 'succeeded')} Succeeded / {number(status, 'failed')} Failed"
    )
    lines += [f"Pods Statuses:\t{counts}", *template(mapping(spec, "template"))]
    return [*lines, *events(world, value)]


def _times(value: Manifest) -> list[str]:
    start, end = moment(value, "status", "startTime"), moment(value, "status", "completionTime")
    lines: list[str] = []
    if start:
        lines.append(f"Start Time:\t{date(value, 'status', 'startTime')}")
    if end:
        lines.append(f"Completed At:\t{date(value, 'status', 'completionTime')}")
    if start and end:
        lines.append(f"Duration:\t{human(end - start)}")
    return lines


def _deadline(spec: Manifest) -> list[str]:
    seconds = text(spec, "activeDeadlineSeconds")
    return [f"Active Deadline Seconds:\t{seconds}s"] if seconds else []


def cron_job(value: Manifest, world: World) -> list[str]:
    """Describe a CronJob."""
    spec = mapping(value, "spec")
    inner = mapping(spec, "jobTemplate", "spec")
    starting = text(spec, "startingDeadlineSeconds")
    chosen = selector_text(mapping(inner, "selector")) if mapping(inner, "selector") else "<unset>"
    scheduled = text(value, "status", "lastScheduleTime")
    running = ", ".join(text(each, "name") for each in items(value, "status", "active"))
    return [
        *head(value),
        *marks(value),
        f"Schedule:\t{text(spec, 'schedule')}",
        f"Concurrency Policy:\t{text(spec, 'concurrencyPolicy')}",
        f"Suspend:\t{title_case(spec, 'suspend')}",
        f"Successful Job History Limit:\t{text(spec, 'successfulJobsHistoryLimit', default='<unset>')}",
        f"Failed Job History Limit:\t{text(spec, 'failedJobsHistoryLimit', default='<unset>')}",
        f"Starting Deadline Seconds:\t{starting + 's' if starting else '<unset>'}",
        f"Selector:\t{chosen}",
        f"Parallelism:\t{text(inner, 'parallelism', default='<unset>')}",
        f"Completions:\t{text(inner, 'completions', default='<unset>')}",
        *_deadline(inner),
        *template(mapping(inner, "template")),
        f"Last Schedule Time:\t{date(value, 'status', 'lastScheduleTime') if scheduled else '<unset>'}",
        f"Active Jobs:\t{running or '<none>'}",
        *events(world, value),
    ]

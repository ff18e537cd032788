"""Containers, in a pod with their state and in a template without."""

from collections.abc import Sequence

from harness.cluster.describe.parts import bracketed, date
from harness.cluster.manifests import Manifest, at, by_name, items, mapping, number, strings, text, texts

_PROBES = (("Liveness", "livenessProbe"), ("Readiness", "readinessProbe"), ("Startup", "startupProbe"))


def containers(
    title: str,
    found: Sequence[Manifest],
    statuses: Sequence[Manifest] | None,
    pod: Manifest,
    indent: str = "",
) -> list[str]:
    """Return a section of containers.

    Args:
        title: the section's title.
        found: the containers.
        statuses: their statuses, or None in a template.
        pod: the pod, from which variables that point to its fields are resolved; empty in a template.
        indent: two spaces in a template.
    """
    lines = [f"{indent}{title}:{'' if found else ' <none>'}"]
    for each in found:
        status = by_name(statuses or [], text(each, "name"))
        lines.append(f"  {indent[:1]}{text(each, 'name')}:")
        lines += [*_basics(each, status), *_command(each), *(_state(status) if status else [])]
        lines += [*_resources(each), *_probes(each), *_sources(each), *_variables(each, pod), *_mounts(each)]
    return lines


def _basics(container: Manifest, status: Manifest) -> list[str]:
    ports = items(container, "ports")
    inside = ", ".join(f"{number(each, 'containerPort')}/{text(each, 'protocol')}" for each in ports)
    outside = ", ".join(f"{number(each, 'hostPort')}/{text(each, 'protocol')}" for each in ports)
    plural = "s" if len(ports) > 1 else ""
    lines = [f"    Image:\t{text(container, 'image')}"]
    if status:
        lines.insert(0, f"    Container ID:\t{text(status, 'containerID')}")
        lines.append(f"    Image ID:\t{text(status, 'imageID')}")
    lines.append(f"    Port{plural}:\t{inside or '<none>'}")
    lines.append(f"    Host Port{plural}:\t{outside or '<none>'}")
    return lines


def _command(container: Manifest) -> list[str]:
    lines: list[str] = []
    for title, key in (("Command", "command"), ("Args", "args")):
        parts = [line for each in texts(container, key) for line in each.split("\n")]
        lines += [f"    {title}:", *(f"      {each}" for each in parts)] if parts else []
    return lines


def _state(status: Manifest) -> list[str]:
    lines = _one_state("State", mapping(status, "state"))
    if "terminated" in mapping(status, "lastState"):
        lines += _one_state("Last State", mapping(status, "lastState"))
    lines.append(f"    Ready:\t{text(status, 'ready', default='false').capitalize()}")
    lines.append(f"    Restart Count:\t{number(status, 'restartCount')}")
    return lines


def _one_state(title: str, state: Manifest) -> list[str]:
    if "running" in state:
        return [f"    {title}:\tRunning", f"      Started:\t{date(state, 'running', 'startedAt')}"]
    if "terminated" in state:
        return [f"    {title}:\tTerminated", *_ending(mapping(state, "terminated"))]
    reason = text(state, "waiting", "reason")
    return [f"    {title}:\tWaiting", *([f"      Reason:\t{reason}"] if reason else [])]


def _ending(ending: Manifest) -> list[str]:
    lines: list[str] = []
    if text(ending, "reason"):
        lines.append(f"      Reason:\t{text(ending, 'reason')}")
    if text(ending, "message"):
        lines.append(f"      Message:\t{text(ending, 'message')}")
    lines.append(f"      Exit Code:\t{number(ending, 'exitCode')}")
    if number(ending, "signal"):
        lines.append(f"      Signal:\t{number(ending, 'signal')}")
    return [
        *lines,
        f"      Started:\t{date(ending, 'startedAt')}",
        f"      Finished:\t{date(ending, 'finishedAt')}",
    ]


def _resources(container: Manifest) -> list[str]:
    lines: list[str] = []
    for title in ("Limits", "Requests"):
        found = strings(container, "resources", title.lower())
        lines += (
            [f"    {title}:", *(f"      {key}:\t{value}" for key, value in found.items())] if found else []
        )
    return lines


def _probes(container: Manifest) -> list[str]:
    return [f"    {title}:\t{_probe(mapping(container, key))}" for title, key in _PROBES if key in container]


def _probe(probe: Manifest) -> str:
    timing = (
        f"delay={number(probe, 'initialDelaySeconds')}s timeout={number(probe, 'timeoutSeconds')}s "
        f"period={number(probe, 'periodSeconds')}s #success={number(probe, 'successThreshold')} "
        f"#failure={number(probe, 'failureThreshold')}"
    )
    if "exec" in probe:
        return f"exec {bracketed(texts(probe, 'exec', 'command'))} {timing}"
    if "httpGet" in probe:
        call = mapping(probe, "httpGet")
        path = text(call, "path")
        path = path if path.startswith("/") or not path else f"/{path}"
        address = f"{text(call, 'scheme').lower()}://{text(call, 'host')}:{text(call, 'port')}"
        return f"http-get {address}{path} {timing}"
    if "tcpSocket" in probe:
        return f"tcp-socket {text(probe, 'tcpSocket', 'host')}:{text(probe, 'tcpSocket', 'port')} {timing}"
    if "grpc" in probe:
        return f"grpc <pod>:{text(probe, 'grpc', 'port')} {text(probe, 'grpc', 'service')} {timing}"
    return f"unknown {timing}"


def _sources(container: Manifest) -> list[str]:
    lines: list[str] = []
    for each in items(container, "envFrom"):
        kind, key = ("ConfigMap", "configMapRef") if "configMapRef" in each else ("Secret", "secretRef")
        prefix = f" with prefix '{text(each, 'prefix')}'" if text(each, "prefix") else ""
        optional = text(each, key, "optional", default="false")
        lines.append(f"      {text(each, key, 'name')}\t{kind}{prefix}\tOptional: {optional}")
    return ["    Environment Variables from:", *lines] if lines else []


def _variables(container: Manifest, pod: Manifest) -> list[str]:
    found = items(container, "env")
    if not found:
        return ["    Environment:\t<none>"]
    return ["    Environment:", *(line for each in found for line in _variable(each, container, pod))]


def _variable(variable: Manifest, container: Manifest, pod: Manifest) -> list[str]:
    start, source = f"      {text(variable, 'name')}:\t", mapping(variable, "valueFrom")
    if not source:
        first, *others = text(variable, "value").split("\n")
        return [start + first, *(f"      \t{each}" for each in others)]
    return [start + _origin(source, container, pod)]


def _origin(source: Manifest, container: Manifest, pod: Manifest) -> str:
    key, held = next(iter(source.items()))
    named, its_key = text(held, "name"), text(held, "key")
    optional = text(held, "optional", default="false")
    match key:
        case "fieldRef":
            path = text(held, "fieldPath")
            value = text(pod, *path.split(".")) if "[" not in path else _subscript(pod, path)
            return f"{value} ({text(held, 'apiVersion', default='v1')}:{path})"
        case "resourceFieldRef":
            resource = text(held, "resource")
            value = text(container, "resources", *resource.split(".")) or "node allocatable"
            return f"{value} ({resource})"
        case "secretKeyRef":
            return f"<set to the key '{its_key}' in secret '{named}'>\tOptional: {optional}"
        case _:
            return f"<set to the key '{its_key}' of config map '{named}'>\tOptional: {optional}"


def _subscript(pod: Manifest, path: str) -> str:
    start, _, key = path.partition("[")
    return text(at(pod, *start.split(".")), key.strip("]'\""))


def _mounts(container: Manifest) -> list[str]:
    found = sorted(items(container, "volumeMounts"), key=lambda each: text(each, "mountPath"))
    if not found:
        return ["    Mounts:\t<none>"]
    lines = ["    Mounts:"]
    for each in found:
        flags = ["ro" if at(each, "readOnly") is True else "rw"]
        if text(each, "subPath"):
            flags.append(f'path="{text(each, "subPath")}"')
        lines.append(f"      {text(each, 'mountPath')} from {text(each, 'name')} ({','.join(flags)})")
    return lines

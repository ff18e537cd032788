"""Services, endpoints, ingresses and network policies."""

from collections.abc import Sequence

from harness.cluster import kinds
from harness.cluster.columns.network import few, load_balancer_text
from harness.cluster.describe.parts import annotations, events, head, labels, marks
from harness.cluster.lookup import Wanted, find, objects
from harness.cluster.manifests import (
    Manifest,
    first,
    items,
    mapping,
    name,
    namespace,
    number,
    strings,
    text,
    texts,
)
from harness.cluster.selectors import pairs_text, selector_text
from harness.cluster.times import creation
from harness.model.scenario import World


def service(value: Manifest, world: World) -> list[str]:
    """Describe a service with its endpoints."""
    spec = mapping(value, "spec")
    lines = [*head(value), *marks(value), f"Selector:\t{pairs_text(strings(spec, 'selector'))}"]
    lines.append(f"Type:\t{text(spec, 'type')}")
    if text(spec, "ipFamilyPolicy"):
        lines.append(f"IP Family Policy:\t{text(spec, 'ipFamilyPolicy')}")
    lines += [
        f"IP Families:\t{','.join(texts(spec, 'ipFamilies')) or '<none>'}",
        f"IP:\t{text(spec, 'clusterIP')}",
    ]
    lines.append(f"IPs:\t{','.join(texts(spec, 'clusterIPs')) or '<none>'}")
    if texts(spec, "externalIPs"):
        lines.append(f"External IPs:\t{','.join(texts(spec, 'externalIPs'))}")
    if text(spec, "externalName"):
        lines.append(f"External Name:\t{text(spec, 'externalName')}")
    if load_balancer_text(value):
        lines.append(f"LoadBalancer Ingress:\t{load_balancer_text(value).replace(',', ', ')}")
    for port in items(spec, "ports"):
        lines += _port(port, _slice(value, world))
    lines.append(f"Session Affinity:\t{text(spec, 'sessionAffinity')}")
    for title in ("External Traffic Policy", "Internal Traffic Policy"):
        key = title[0].lower() + title[1:].replace(" ", "")
        lines += [f"{title}:\t{text(spec, key)}"] if text(spec, key) else []
    return [*lines, *events(world, value)]


def _port(port: Manifest, endpoint_slice: Manifest) -> list[str]:
    port_name, protocol = text(port, "name") or "<unset>", text(port, "protocol")
    lines = [
        f"Port:\t{port_name}\t{text(port, 'port')}/{protocol}",
        f"TargetPort:\t{text(port, 'targetPort')}/{protocol}",
    ]
    if number(port, "nodePort"):
        lines.append(f"NodePort:\t{port_name}\t{text(port, 'nodePort')}/{protocol}")
    return [*lines, f"Endpoints:\t{_endpoints(endpoint_slice, text(port, 'name'))}"]


def _slice(service_: Manifest, world: World) -> Manifest:
    slices = objects(world, kinds.KINDS_BY_NAME["EndpointSlice"], namespace(service_))
    label = "kubernetes.io/service-name"
    return first(each for each in slices if text(each, "metadata", "labels", label) == name(service_))


def _endpoints(endpoint_slice: Manifest, port_name: str) -> str:
    if not endpoint_slice:
        return "<none>"
    ready = [
        each
        for each in items(endpoint_slice, "endpoints")
        if mapping(each, "conditions").get("ready") is not False
    ]
    addresses = [texts(each, "addresses")[0] for each in ready]
    ports = items(endpoint_slice, "ports")
    if not ports:
        return few(addresses) if addresses else ""
    chosen = [text(each, "port") for each in ports if text(each, "name") == port_name]
    found = [f"{address}:{port}" for port in chosen for address in addresses]
    return few(found) if found else ""


def endpoints(value: Manifest, world: World) -> list[str]:
    """Describe Endpoints."""
    lines = [*head(value), *marks(value), "Subsets:"]
    for subset in items(value, "subsets"):
        for title, key in (("Addresses", "addresses"), ("NotReadyAddresses", "notReadyAddresses")):
            joined = ",".join(text(each, "ip") for each in items(subset, key))
            lines.append(f"  {title}:\t{joined or '<none>'}")
        ports = items(subset, "ports")
        if ports:
            lines += ["  Ports:", "    Name\tPort\tProtocol", "    ----\t----\t--------"]
        for each in ports:
            lines.append(
                f"    {text(each, 'name') or '<unset>'}\t{text(each, 'port')}\t{text(each, 'protocol')}"
            )
        lines.append("")
    return [*lines, *events(world, value)]


def ingress(value: Manifest, world: World) -> list[str]:
    """Describe an ingress with what its paths lead to."""
    spec = mapping(value, "spec")
    default = mapping(spec, "defaultBackend")
    lines = [f"Name:\t{name(value)}", *labels("Labels", strings(value, "metadata", "labels"))]
    lines += [f"Namespace:\t{namespace(value)}", f"Address:\t{load_balancer_text(value)}"]
    lines.append(f"Ingress Class:\t{text(spec, 'ingressClassName') or '<none>'}")
    shown = _backend(default, namespace(value), world) if default else "<default>"
    lines += [f"Default backend:\t{shown}", *_tls(items(spec, "tls"))]
    lines += ["Rules:", "  Host\tPath\tBackends", "  ----\t----\t--------"]
    rules = [each for each in items(spec, "rules") if mapping(each, "http")]
    for rule in rules:
        lines.append(f"  {text(rule, 'host') or '*'}\t")
        for path in items(rule, "http", "paths"):
            target = _backend(mapping(path, "backend"), namespace(value), world)
            lines.append(f"    \t{text(path, 'path')} \t{target}")
    if not rules:
        lines.append(f"  *\t*\t{shown}")
    return [*lines, *annotations(value), *events(world, value)]


def _tls(found: Sequence[Manifest]) -> list[str]:
    lines: list[str] = []
    for each in found:
        hosts, secret = ",".join(texts(each, "hosts")), text(each, "secretName")
        lines.append(f"  {secret} terminates {hosts}" if secret else f"  SNI routes {hosts}")
    return ["TLS:", *lines] if lines else []


def _backend(backend: Manifest, place: str, world: World) -> str:
    target = mapping(backend, "service")
    port_text = text(target, "port", "number") or text(target, "port", "name")
    shown = f"{text(target, 'name')}:{port_text}"
    found = find(world, Wanted(kinds.KINDS_BY_NAME["Service"], text(target, "name")), place)
    if found is None:
        return f'{shown} (<error: services "{text(target, "name")}" not found>)'
    ports = items(found, "spec", "ports")
    chosen = first(each for each in ports if port_text in {text(each, "port"), text(each, "name")})
    return f"{shown} ({_endpoints(_slice(found, world), text(chosen, 'name'))})"


def network_policy(value: Manifest, world: World) -> list[str]:
    """Describe a network policy; kubectl shows no events here."""
    del world
    spec = mapping(value, "spec")
    selector = mapping(spec, "podSelector")
    everything = "<none> (Allowing the specific traffic to all pods in this namespace)"
    created = creation(value).strftime("%Y-%m-%d %H:%M:%S +0000 UTC")
    types = texts(spec, "policyTypes")
    lines = [*head(value), f"Created on:\t{created}", *marks(value), "Spec:"]
    lines.append(f"  PodSelector:     {selector_text(selector) if selector else everything}")
    for way, side, word in (("ingress", "from", "From"), ("egress", "to", "To")):
        if way.capitalize() in types:
            lines += [f"  Allowing {way} traffic:", *_rules(items(spec, way), way, side, word)]
        else:
            lines.append(f"  Not affecting {way} traffic")
    return [*lines, f"  Policy Types: {', '.join(types) or '<none>'}"]


def _rules(rules: Sequence[Manifest], way: str, side: str, word: str) -> list[str]:
    if not rules:
        return [f"    <none> (Selected pods are isolated for {way} connectivity)"]
    lines: list[str] = []
    for i, rule in enumerate(rules):
        lines += ["    ----------"] if i else []
        ports = [
            f"    To Port: {text(each, 'port')}/{text(each, 'protocol', default='TCP')}"
            for each in items(rule, "ports")
        ]
        lines += ports or ["    To Port: <any> (traffic allowed to all ports)"]
        lines += _peers(items(rule, side), word)
    return lines


def _peers(peers: Sequence[Manifest], word: str) -> list[str]:
    if not peers:
        end = "source" if word == "From" else "destination"
        return [f"    {word}: <any> (traffic not restricted by {end})"]
    lines: list[str] = []
    for each in peers:
        lines.append(f"    {word}:")
        for title, key in (("NamespaceSelector", "namespaceSelector"), ("PodSelector", "podSelector")):
            lines += [f"      {title}: {selector_text(mapping(each, key))}"] if key in each else []
        if "ipBlock" in each:
            lines += ["      IPBlock:", f"        CIDR: {text(each, 'ipBlock', 'cidr')}"]
            lines.append(f"        Except: {', '.join(texts(each, 'ipBlock', 'except'))}")
    return lines

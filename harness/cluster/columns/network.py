"""The columns of services, endpoints, ingresses and network policies."""

from harness.cluster.columns.column import AGE, NAME, Column, of
from harness.cluster.manifests import Manifest, items, mapping, strings, text, texts
from harness.cluster.selectors import pairs_text, selector_text

_MOST = 3


def load_balancer_text(value: Manifest) -> str:
    """Return the addresses that a load balancer gave a service or ingress, joined."""
    ingress = items(value, "status", "loadBalancer", "ingress")
    return ",".join(sorted({text(each, "ip") or text(each, "hostname") for each in ingress} - {""}))


def _external(service: Manifest) -> str:
    own = texts(service, "spec", "externalIPs")
    kind = text(service, "spec", "type")
    if kind == "ExternalName":
        return text(service, "spec", "externalName")
    given = [load_balancer_text(service)] if kind == "LoadBalancer" and load_balancer_text(service) else []
    return ",".join([*given, *own]) or ("<pending>" if kind == "LoadBalancer" else "<none>")


def _ports(service: Manifest) -> str:
    def one(port: Manifest) -> str:
        node = f":{text(port, 'nodePort')}" if text(port, "nodePort", default="0") != "0" else ""
        return f"{text(port, 'port')}{node}/{text(port, 'protocol')}"

    return ",".join(map(one, items(service, "spec", "ports"))) or "<none>"


def few(values: list[str]) -> str:
    """Return up to three values joined, and how many more there are; `<none>` for none."""
    more = f" + {len(values) - _MOST} more..." if len(values) > _MOST else ""
    return (",".join(values[:_MOST]) + more) or "<none>"


def endpoints_text(value: Manifest) -> str:
    """Return the ready addresses of Endpoints with their ports."""
    found: list[str] = []
    for subset in items(value, "subsets"):
        addresses = [text(each, "ip") for each in items(subset, "addresses")]
        ports = [text(each, "port") for each in items(subset, "ports")]
        found += addresses if not ports else [f"{ip}:{port}" for port in ports for ip in addresses]
    return few(found)


def _hosts(ingress: Manifest) -> str:
    rules = items(ingress, "spec", "rules")
    hosts = [text(each, "host") for each in rules if text(each, "host")]
    return few(hosts) if hosts else "*"


def _tls(ingress: Manifest) -> str:
    return "80, 443" if items(ingress, "spec", "tls") else "80"


def _slice_ports(value: Manifest) -> str:
    ports = [text(each, "port") for each in items(value, "ports")]
    return few(ports) if ports else "<unset>"


def _slice_endpoints(value: Manifest) -> str:
    found = [each for endpoint in items(value, "endpoints") for each in texts(endpoint, "addresses")]
    return few(found) if found else "<unset>"


def _parameters(value: Manifest) -> str:
    held = mapping(value, "spec", "parameters")
    group = f".{text(held, 'apiGroup')}" if text(held, "apiGroup") else ""
    return f"{text(held, 'kind')}{group}/{text(held, 'name')}" if held else "<none>"


NETWORK: dict[str, tuple[Column, ...]] = {
    "Service": (
        NAME,
        Column("TYPE", of(lambda value: text(value, "spec", "type"))),
        Column("CLUSTER-IP", of(lambda value: text(value, "spec", "clusterIP") or "<none>")),
        Column("EXTERNAL-IP", of(_external)),
        Column("PORT(S)", of(_ports)),
        AGE,
        Column("SELECTOR", of(lambda value: pairs_text(strings(value, "spec", "selector"))), wide=True),
    ),
    "Endpoints": (NAME, Column("ENDPOINTS", of(endpoints_text)), AGE),
    "EndpointSlice": (
        NAME,
        Column("ADDRESSTYPE", of(lambda value: text(value, "addressType"))),
        Column("PORTS", of(_slice_ports)),
        Column("ENDPOINTS", of(_slice_endpoints)),
        AGE,
    ),
    "Ingress": (
        NAME,
        Column("CLASS", of(lambda value: text(value, "spec", "ingressClassName") or "<none>")),
        Column("HOSTS", of(_hosts)),
        Column("ADDRESS", of(load_balancer_text)),
        Column("PORTS", of(_tls)),
        AGE,
    ),
    "IngressClass": (
        NAME,
        Column("CONTROLLER", of(lambda value: text(value, "spec", "controller"))),
        Column("PARAMETERS", of(_parameters)),
        AGE,
    ),
    "NetworkPolicy": (
        NAME,
        Column("POD-SELECTOR", of(lambda value: selector_text(mapping(value, "spec", "podSelector")))),
        AGE,
    ),
}

"""Services: addresses, and the endpoints that the ready pods make."""

from collections.abc import Sequence

from harness.cluster import names
from harness.cluster.derive.workloads import is_ready
from harness.cluster.manifests import (
    Manifest,
    at,
    by_name,
    first,
    items,
    mapping,
    name,
    namespace,
    number,
    section,
    strings,
    text,
)
from harness.cluster.selectors import pods_of

_API = "kubernetes"


def fill(service: Manifest, taken: set[str]) -> None:
    """Complete the spec of a service in place; its address is one that is not taken yet."""
    spec = section(service, "spec")
    spec.setdefault("type", "ClusterIP")
    for each in items(spec, "ports"):
        each.setdefault("protocol", "TCP")
        each.setdefault("targetPort", each.get("port"))
        if spec["type"] in {"NodePort", "LoadBalancer"}:
            made = 30000 + names.pick(2768, namespace(service), name(service), each.get("port"))
            each.setdefault("nodePort", made)
    spec.setdefault("sessionAffinity", "None")
    if spec["type"] == "ExternalName":
        return
    if "clusterIP" not in spec:
        prefix = f"10.96.{names.pick(250, 'subnet', namespace(service), name(service))}"
        spec["clusterIP"] = names.free_address(prefix, taken, namespace(service), name(service))
    spec.setdefault("clusterIPs", [spec["clusterIP"]])
    spec.setdefault("ipFamilies", ["IPv4"])
    spec.setdefault("ipFamilyPolicy", "SingleStack")
    spec.setdefault("internalTrafficPolicy", "Cluster")
    if spec["type"] in {"NodePort", "LoadBalancer"}:
        spec.setdefault("externalTrafficPolicy", "Cluster")
    usual = {"ingress": [{"ip": _outside(service)}]} if spec["type"] == "LoadBalancer" else {}
    section(service, "status").setdefault("loadBalancer", usual)


def fill_ingress(ingress: Manifest, services: Sequence[Manifest]) -> None:
    """Complete the status of an ingress in place: the address of the first load balancer there is."""
    given = [each for each in services if items(each, "status", "loadBalancer", "ingress")]
    address = text(items(first(given), "status", "loadBalancer", "ingress")[0], "ip") if given else ""
    usual = {"ingress": [{"ip": address or _outside(ingress)}]}
    section(ingress, "status").setdefault("loadBalancer", usual)


def _outside(value: Manifest) -> str:
    return f"203.0.113.{2 + names.pick(250, 'outside', namespace(value), name(value))}"


def api_service(nodes: Sequence[Manifest], addresses: Sequence[str], created: str) -> list[Manifest]:
    """Return the service by which pods reach the API server, and its endpoints on the control plane."""
    planes = [
        address
        for node, address in zip(nodes, addresses, strict=True)
        if "node-role.kubernetes.io/control-plane" in mapping(node, "metadata", "labels")
    ]
    ready = [{"ip": each} for each in planes or ["10.0.0.5"]]
    port = {"name": "https", "port": 6443, "protocol": "TCP"}
    service: Manifest = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": _metadata("Service", "default", _API, created)
        | {"labels": {"component": "apiserver", "provider": _API}},
        "spec": {
            "clusterIP": "10.96.0.1",
            "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}],
        },
    }
    endpoints: Manifest = {
        "apiVersion": "v1",
        "kind": "Endpoints",
        "metadata": _metadata("Endpoints", "default", _API, created),
        "subsets": [{"addresses": ready, "ports": [port]}],
    }
    return [service, endpoints]


def endpoints(service: Manifest, pods: Sequence[Manifest]) -> Manifest | None:
    """Return the Endpoints that a service makes of its pods among all, or None where it has no selector."""
    selector = strings(service, "spec", "selector")
    if not selector or text(service, "spec", "type") == "ExternalName":
        return None
    chosen = pods_of(pods, namespace(service), {"matchLabels": selector})
    subsets: dict[str, Manifest] = {}
    for each in filter(_reachable, chosen):
        ports = [_port(port, each) for port in items(service, "spec", "ports")]
        kept = [port for port in ports if port is not None]
        if ports and not kept:
            continue
        subset = subsets.setdefault(str(kept), {"addresses": [], "notReadyAddresses": [], "ports": kept})
        subset["addresses" if is_ready(each) else "notReadyAddresses"].append(_address(each))
    for each in subsets.values():
        for side in ("addresses", "notReadyAddresses"):
            each[side].sort(key=_numeric)
    result: Manifest = {
        "apiVersion": "v1",
        "kind": "Endpoints",
        "metadata": _made_for(service, "Endpoints", name(service)),
    }
    if subsets:
        filled = subsets.values()
        result["subsets"] = [{key: value for key, value in each.items() if value} for each in filled]
    return result


def slice_of(service: Manifest, made: Manifest) -> Manifest:
    """Return the EndpointSlice that says the same as some Endpoints."""
    slice_name = f"{name(made)}-{names.suffix('slice', namespace(made), name(made))}"
    subsets = items(made, "subsets")
    ports = items(subsets[0], "ports") if subsets else []
    metadata = _made_for(service, "EndpointSlice", slice_name)
    section(metadata, "labels").update(
        {
            "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
            "kubernetes.io/service-name": name(service),
        }
    )
    metadata["generateName"] = f"{name(made)}-"
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": metadata,
        "addressType": "IPv4",
        "endpoints": [
            _endpoint(each, ready=key == "addresses")
            for subset in subsets
            for key in ("addresses", "notReadyAddresses")
            for each in items(subset, key)
        ],
        "ports": [{"name": "", **each} for each in ports],
    }


def _endpoint(address: Manifest, *, ready: bool) -> Manifest:
    result: Manifest = {
        "addresses": [text(address, "ip")],
        "conditions": {"ready": ready, "serving": ready, "terminating": False},
    }
    for key in ("nodeName", "targetRef"):
        if key in address:
            result[key] = address[key]
    return result


def _reachable(pod: Manifest) -> bool:
    over = text(pod, "status", "phase") in {"Succeeded", "Failed"}
    return (
        bool(text(pod, "status", "podIP")) and not over and at(pod, "metadata", "deletionTimestamp") is None
    )


def _address(pod: Manifest) -> Manifest:
    reference = {
        "kind": "Pod",
        "namespace": namespace(pod),
        "name": name(pod),
        "uid": text(pod, "metadata", "uid"),
    }
    return {
        "ip": text(pod, "status", "podIP"),
        "nodeName": text(pod, "spec", "nodeName"),
        "targetRef": reference,
    }


def _numeric(address: Manifest) -> list[int]:
    return [int(each) for each in text(address, "ip").split(".") if each.isdecimal()]


def _port(port: Manifest, pod: Manifest) -> Manifest | None:
    target = port.get("targetPort")
    if isinstance(target, str) and not target.isdecimal():
        held = [each for container in items(pod, "spec", "containers") for each in items(container, "ports")]
        target = number(by_name(held, target), "containerPort") or None
    if target is None:
        return None
    result: Manifest = {"name": text(port, "name")} if text(port, "name") else {}
    return result | {"port": int(target), "protocol": text(port, "protocol", default="TCP")}


def _metadata(kind: str, place: str, made_name: str, created: str) -> Manifest:
    return {
        "name": made_name,
        "namespace": place,
        "uid": names.uid(kind, place, made_name),
        "creationTimestamp": created,
    }


def _made_for(service: Manifest, kind: str, made_name: str) -> Manifest:
    created = text(service, "metadata", "creationTimestamp")
    labels = strings(service, "metadata", "labels")
    result = _metadata(kind, namespace(service), made_name, created)
    return result | {"labels": labels} if labels else result

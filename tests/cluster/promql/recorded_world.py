"""The series that a real Prometheus was asked about, and the moment."""

from datetime import UTC, datetime

from harness.model.scenario import Series, World

NOW = datetime(2026, 3, 2, 10, 15, tzinfo=UTC)
_BEGIN = -3 * 3600.0
_GAUGE = (3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6)
_LATENCIES = {"0.1": 5.0, "0.5": 9.0, "1": 9.5, "+Inf": 10.0}


def _series(name: str, *points: tuple[float, float], **labels: str) -> Series:
    return Series(name=name, labels=labels, points=list(points))


def _counter(name: str, rate: float, **labels: str) -> Series:
    return _series(name, (_BEGIN, 0.0), (0.0, -_BEGIN * rate), **labels)


def _constant(name: str, value: float, **labels: str) -> Series:
    return _series(name, (_BEGIN, value), (0.0, value), **labels)


def _of_pod(ordinal: int, namespace: str, pod: str) -> list[Series]:
    low, high = 200e6 + ordinal * 1e6, 500e6 + ordinal * 3e6
    whose = {"namespace": namespace, "pod": pod}
    return [
        _series("mem", (_BEGIN, low), (-1800.0, low), (0.0, high), container="app", **whose),
        _counter("cpu_total", 0.1 + 0.05 * ordinal, container="app", **whose),
        _constant("limit", 512e6, resource="memory", **whose),
    ]


def recorded_world() -> World:
    """Return the world of the recordings: pods, requests, a restart, a late gauge, histograms."""
    pods = (("prod", "a-1"), ("prod", "a-2"), ("prod", "b-1"), ("stage", "a-1"))
    restarted = [(_BEGIN, 0.0), (-1000.0, 980.0), (-1000.0, 0.0), (0.0, 500.0)]
    gauge = [(-1200.0 + 60 * place, float(each)) for place, each in enumerate(_GAUGE)]
    metrics = [each for ordinal, pod in enumerate(pods) for each in _of_pod(ordinal, *pod)]
    metrics += [
        _series("cpu_total", *restarted, namespace="prod", pod="r-1", container="app"),
        _series("req_total", (_BEGIN, 0.0), (-1300.0, 95.0), (0.0, 5945.0), namespace="prod", code="500"),
        _counter("req_total", 20.0, namespace="prod", code="200"),
        Series(name="gauge", labels={"a": "x"}, points=gauge, every=60),
        _constant("info", 1.0, pod="a-1", namespace="prod", team="pay"),
        _constant("info", 1.0, pod="a-2", namespace="prod", team="web"),
    ]
    for bound, rate in _LATENCIES.items():
        metrics.append(_counter("lat_bucket", rate, le=bound, job="x"))
        metrics.append(_counter("lat_bucket", rate * rate, le=bound, job="y"))
    return World(now=NOW, objects=[], metrics=metrics)

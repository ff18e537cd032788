"""The value of a query at one moment."""

from collections.abc import Sequence
from math import nan, pi

from harness.cluster.metrics.samples import Readings, count, latest, within
from harness.cluster.promql.arithmetic import MATHEMATICS
from harness.cluster.promql.buckets import histogram_quantiles
from harness.cluster.promql.failures import Limited
from harness.cluster.promql.groups import aggregated
from harness.cluster.promql.joins import joined
from harness.cluster.promql.nodes import (
    Aggregation,
    Beyond,
    Binary,
    Call,
    Node,
    Number,
    Paren,
    Range,
    Selector,
    Text,
    Unary,
)
from harness.cluster.promql.vectors import Value, Vector, Window, distinct, nameless
from harness.cluster.promql.windows import RANGE_FUNCTIONS

_LOOKBACK = 300.0
_MOST_WORK = 1_000_000
# To match one element with others takes as long as to read so many samples.
_JOIN = 6


class Engine:
    """The series to ask about, and how much was read of them for one query.

    Moments are seconds from the world's present, which is at `epoch` seconds.
    """

    def __init__(self, series: Sequence[Readings], epoch: float) -> None:
        self.series = series
        self.epoch = epoch
        self._chosen: dict[int, list[Readings]] = {}
        self._work = 0

    def value(self, node: Node, moment: float) -> Value:
        """Return the value of an expression that is no range.

        Raises:
            Failed: it has none with these series.
            Limited: it asks for more than is built here, or for too much.
        """
        self._count(1)
        match node:
            case Number() | Text():
                return node.value
            case Paren():
                return self.value(node.inner, moment)
            case Unary():
                return _signed(node.sign, self.value(node.inner, moment))
            case Selector():
                return self._instant(node, moment)
            case Aggregation():
                parameter = self._scalar(node.parameter, moment) if node.parameter else nan
                return aggregated(node, self._vector(node.inner, moment), parameter)
            case Binary():
                left, right = (
                    _no_text(self.value(node.left, moment)),
                    _no_text(self.value(node.right, moment)),
                )
                self._count(_JOIN * sum(len(each) for each in (left, right) if isinstance(each, list)))
                return joined(node, left, right)
            case Call():
                return self._call(node, moment)
            case Beyond() | Range():
                raise Limited(node.what if isinstance(node, Beyond) else "a range here")

    def windows(self, node: Range, moment: float) -> list[Window]:
        """Return the samples of every series in a range that has any."""
        end = moment - (node.selector.offset or 0.0)
        start = end - node.seconds
        found: list[Window] = []
        for each in self._series(node.selector):
            self._count(count(each, start, end))
            samples = within(each, start, end)
            if samples:
                found.append(Window(each.labels, samples, start, end))
        return found

    def _count(self, work: int) -> None:
        self._work += work
        if self._work > _MOST_WORK:
            raise Limited("query processing would load too many samples into memory in query execution")

    def _series(self, selector: Selector) -> list[Readings]:
        known = self._chosen.get(id(selector))
        if known is None:
            known = [each for each in self.series if _chosen(selector, each)]
            self._chosen[id(selector)] = known
        return known

    def _instant(self, selector: Selector, moment: float) -> Vector:
        then = moment - (selector.offset or 0.0)
        chosen = self._series(selector)
        self._count(len(chosen))
        found = [(each.labels, latest(each, then, _LOOKBACK)) for each in chosen]
        return [(labels, sample[1]) for labels, sample in found if sample is not None]

    def _vector(self, node: Node, moment: float) -> Vector:
        value = self.value(node, moment)
        return value if isinstance(value, list) else []

    def _scalar(self, node: Node, moment: float) -> float:
        value = self.value(node, moment)
        return value if isinstance(value, float) else nan

    def _call(self, call: Call, moment: float) -> Value:
        name, arguments = call.name, call.arguments
        if name in RANGE_FUNCTIONS:
            return self._over_range(call, moment)
        if name in MATHEMATICS:
            scalars = [self._scalar(each, moment) for each in arguments[1:]]
            made = [
                (nameless(labels), MATHEMATICS[name](value, *scalars))
                for labels, value in self._vector(arguments[0], moment)
            ]
            return distinct(made)
        match name:
            case "time":
                return self.epoch + moment
            case "pi":
                return pi
            case "vector":
                return [((), self._scalar(arguments[0], moment))]
            case "scalar":
                found = self._vector(arguments[0], moment)
                return found[0][1] if len(found) == 1 else nan
            case "absent":
                return [] if self._vector(arguments[0], moment) else [(_stated(arguments[0]), 1.0)]
            case "sort" | "sort_desc":
                sign = 1.0 if name == "sort" else -1.0
                found = self._vector(arguments[0], moment)
                return sorted(found, key=lambda each: (each[1] != each[1], sign * each[1]))
            case "histogram_quantile":
                share = self._scalar(arguments[0], moment)
                return distinct(histogram_quantiles(share, self._vector(arguments[1], moment)))
            case _:
                raise Limited(f"the function {name}")

    def _over_range(self, call: Call, moment: float) -> Vector:
        ranges = [each for each in map(bare, call.arguments) if isinstance(each, Range)]
        if not ranges:
            raise Limited(_beyond(call))
        scalars = [each for each in call.arguments if not isinstance(bare(each), Range)]
        values = [self._scalar(each, moment) for each in scalars]
        first = isinstance(bare(call.arguments[0]), Range)
        function = RANGE_FUNCTIONS[call.name]
        made: Vector = []
        for window in self.windows(ranges[0], moment):
            value = function(window, *values) if first else function(*values, window)
            if value is not None:
                labels = window.labels if call.name == "last_over_time" else nameless(window.labels)
                made.append((labels, value))
        return distinct(made)


def bare(node: Node) -> Node:
    """Return what stands in any number of parentheses."""
    while isinstance(node, Paren):
        node = node.inner
    return node


def _beyond(call: Call) -> str:
    found = [each for each in map(bare, call.arguments) if isinstance(each, Beyond)]
    return found[0].what if found else f"this use of {call.name}"


def _chosen(selector: Selector, series: Readings) -> bool:
    labels = dict(series.labels)
    return all(each.accepts(labels.get(each.label, "")) for each in selector.matchers)


def _signed(sign: str, value: Value) -> Value:
    if sign == "+" or isinstance(value, str):
        return value
    if isinstance(value, list):
        return distinct([(nameless(labels), -each) for labels, each in value])
    return -value


def _no_text(value: Value) -> float | Vector:
    return nan if isinstance(value, str) else value


def _stated(node: Node) -> tuple[tuple[str, str], ...]:
    """Return the labels that a selector states with certainty, for what is absent."""
    inner = bare(node)
    if not isinstance(inner, Selector):
        return ()
    matchers = [each for each in inner.matchers if each.label != "__name__"]
    names = [each.label for each in matchers]
    sure = [each for each in matchers if each.operator == "=" and names.count(each.label) == 1 and each.value]
    return tuple(sorted((each.label, each.value) for each in sure))

"""Queries, from tokens to what they mean; errors are those of Prometheus."""

from dataclasses import replace

from harness.cluster.promql import literals
from harness.cluster.promql.checks import SETS, check
from harness.cluster.promql.failures import Limited
from harness.cluster.promql.lexer import Token, quoted
from harness.cluster.promql.nodes import Aggregation, Binary, Call, Matching, Node, Number, Paren, Text, Unary
from harness.cluster.promql.selectors import modified, selector
from harness.cluster.promql.signatures import SIGNATURES
from harness.cluster.promql.stream import Stream

_LONGEST = 10_000
_STRENGTHS = (
    ("or",),
    ("and", "unless"),
    ("==", "!=", "<=", "<", ">=", ">"),
    ("+", "-"),
    ("*", "/", "%", "atan2"),
    ("^",),
)
_STRENGTH = {operator: level for level, group in enumerate(_STRENGTHS, 1) for operator in group}
_POWER = _STRENGTH["^"]
_NO_METRICS = ("bool", "on", "ignoring", "group_left", "group_right")
_WITH_PARAMETER = ("topk", "bottomk", "quantile", "count_values")


def parse(text: str) -> Node:
    """Return what a query means.

    Raises:
        Malformed: it is no PromQL.
        Limited: it is too long or too deep for this tool.
    """
    if len(text) > _LONGEST:
        raise Limited(f"a query of more than {_LONGEST} characters")
    stream = Stream(text)
    if stream.token.is_a("end of input"):
        raise stream.malformed(0, "no expression found in input")
    result = _expression(stream, 1)
    if not stream.token.is_a("end of input"):
        raise stream.unexpected()
    check(result, stream.malformed)
    return result


def _expression(stream: Stream, weakest: int) -> Node:
    stream.enter()
    left = _unary(stream)
    while (strength := _strength(stream.token)) >= weakest:
        operator = stream.take()
        stream.count_operator()
        returns_bool, matching = _modifiers(stream)
        # Only the power binds to the right.
        right = _expression(stream, strength if strength == _POWER else strength + 1)
        left = Binary(operator.text.lower(), left, right, returns_bool, matching, operator.start)
    stream.leave()
    return left


def _strength(token: Token) -> int:
    return _STRENGTH.get(token.text.lower(), 0) if token.kind == "operator" else 0


def _modifiers(stream: Stream) -> tuple[bool, Matching]:
    returns_bool = stream.token.is_word("bool")
    if returns_bool:
        stream.take()
    if not stream.token.is_word("on", "ignoring"):
        return returns_bool, Matching()
    on = stream.take().text.lower() == "on"
    matching = Matching(stream.labels(), on)
    if not stream.token.is_word("group_left", "group_right"):
        return returns_bool, matching
    side = "left" if stream.take().text.lower() == "group_left" else "right"
    included = stream.labels() if stream.token.is_sign("(") else ()
    return returns_bool, replace(matching, group=side, included=included)


def _unary(stream: Stream) -> Node:
    if not stream.token.is_word("+", "-"):
        return modified(stream, _primary(stream))
    sign = stream.take()
    inner = _expression(stream, _POWER)
    if isinstance(inner, Number):
        return Number(-inner.value if sign.text == "-" else inner.value, sign.start, inner.end)
    return Unary(sign.text, inner, sign.start, inner.end)


def _primary(stream: Stream) -> Node:
    token = stream.token
    if token.kind == "number":
        return _number(stream)
    if token.kind == "string":
        stream.take()
        return Text(literals.string(token.text), token.start, token.end)
    if token.is_sign("("):
        stream.take()
        inner = _expression(stream, 1)
        return Paren(inner, token.start, stream.closed().end)
    if token.is_sign("{"):
        return selector(stream, None)
    # The names of aggregations may also be names of metrics.
    if token.kind == "aggregator" and (stream.after.is_sign("(") or stream.after.is_word("by", "without")):
        return _aggregation(stream)
    if token.kind == "identifier" and stream.after.is_sign("("):
        return _call(stream)
    if _is_metric(token):
        return selector(stream, stream.take())
    raise stream.unexpected()


def _number(stream: Stream) -> Number:
    token = stream.take()
    try:
        return Number(literals.number(token.text), token.start, token.end)
    except ValueError:
        wrong = f"strconv.ParseFloat: parsing {quoted(token.text)}: invalid syntax"
        raise stream.malformed(token.start, f"error parsing number: {wrong}") from None


def _is_metric(token: Token) -> bool:
    if token.kind == "operator":
        return token.is_word(*SETS)
    named = token.kind in {"identifier", "metric identifier", "aggregator", "keyword"}
    return named and not token.is_word(*_NO_METRICS)


def _call(stream: Stream) -> Node:
    name = stream.take()
    arguments, end = _arguments(stream)
    if name.text not in SIGNATURES:
        raise stream.malformed(name.start, f"unknown function with name {quoted(name.text)}")
    return Call(name.text, arguments, name.start, end)


def _arguments(stream: Stream) -> tuple[tuple[Node, ...], int]:
    stream.take()
    if stream.token.is_sign(")"):
        return (), stream.take().end
    arguments = [_expression(stream, 1)]
    while stream.token.is_sign(","):
        comma = stream.take()
        if stream.token.is_sign(")"):
            raise stream.malformed(comma.start, "trailing commas not allowed in function call args")
        arguments.append(_expression(stream, 1))
    return tuple(arguments), stream.closed().end


def _aggregation(stream: Stream) -> Node:
    name = stream.take()
    stream.aggregations += 1
    before = _grouped(stream)
    if not stream.token.is_sign("("):
        raise stream.unexpected()
    arguments, end = _arguments(stream)
    stream.aggregations -= 1
    without, labels = before or _grouped(stream) or (False, ())
    wanted = 2 if name.text.lower() in _WITH_PARAMETER else 1
    if not arguments:
        raise stream.malformed(name.start, "no arguments for aggregate expression provided")
    if len(arguments) != wanted:
        counts = f"expected {wanted}, got {len(arguments)}"
        message = f"wrong number of arguments for aggregate expression provided, {counts}"
        raise stream.malformed(name.start, message)
    parameter = arguments[0] if wanted == 2 else None
    operation = name.text.lower()
    return Aggregation(operation, arguments[-1], parameter, labels, without, name.start, end)


def _grouped(stream: Stream) -> tuple[bool, tuple[str, ...]] | None:
    if not stream.token.is_word("by", "without"):
        return None
    return stream.take().text.lower() == "without", stream.labels()

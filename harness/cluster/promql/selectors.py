"""The parts of the grammar that choose series: names, matchers, ranges and moments."""

from collections.abc import Callable
from dataclasses import replace

from harness.cluster.promql import literals
from harness.cluster.promql.characters import BadPattern
from harness.cluster.promql.checks import SUBQUERY
from harness.cluster.promql.lexer import Token, quoted
from harness.cluster.promql.nodes import Beyond, Matcher, Node, Range, Selector
from harness.cluster.promql.patterns import whole_match
from harness.cluster.promql.stream import Stream

AT = "the @ modifier"
_MOVABLE = "an instant vector selector or range vector selector or a subquery"


def selector(stream: Stream, name: Token | None) -> Selector:
    """Return the selector of a name that was taken, or of braces alone."""
    first = stream.token if name is None else name
    start, end = first.start, first.end
    matchers: list[Matcher] = []
    if name is not None:
        matchers.append(Matcher("__name__", "=", name.text, name.text.__eq__))
    if stream.token.is_sign("{"):
        stream.take()
        while not stream.token.is_sign("}"):
            matchers.append(_matcher(stream))
            if stream.token.is_sign(","):
                stream.take()
            elif not stream.token.is_sign("}"):
                raise stream.unexpected("label matching", '"," or "}"')
        end = stream.take().end
    names = [each.value for each in matchers if each.label == "__name__"]
    if name is not None and len(names) > 1:
        both = f"{quoted(names[0])} or {quoted(names[1])}"
        raise stream.malformed(start, f"metric name must not be set twice: {both}")
    return Selector(tuple(matchers), start, end)


def _matcher(stream: Stream) -> Matcher:
    if not stream.token.is_a("identifier"):
        raise stream.unexpected("label matching", 'identifier or "}"')
    label = stream.take()
    if not stream.token.is_sign("=", "!=", "=~", "!~"):
        raise stream.unexpected("label matching", "label matching operator")
    operator = stream.take().text
    if not stream.token.is_a("string"):
        raise stream.unexpected("label matching", "string")
    value = literals.string(stream.take().text)
    try:
        return Matcher(label.text, operator, value, _condition(operator, value))
    except BadPattern as error:
        raise stream.malformed(label.start, f"error parsing regexp: {error}") from None


def _condition(operator: str, value: str) -> Callable[[str], bool]:
    if operator == "=":
        return value.__eq__
    if operator == "!=":
        return value.__ne__
    matches = whole_match(value)
    return matches if operator == "=~" else lambda text: not matches(text)


def modified(stream: Stream, node: Node) -> Node:
    """Return an expression with the ranges and moments that stand behind it."""
    while True:
        if stream.token.is_sign("["):
            node = _ranged(stream, node)
        elif stream.token.is_word("offset"):
            node = _offset(stream, node)
        elif stream.token.is_word("@"):
            node = _at(stream, node)
        else:
            return node


def _ranged(stream: Stream, node: Node) -> Node:
    bracket = stream.take()
    seconds = stream.duration("subquery selector", "duration")
    if stream.token.is_sign(":"):
        return _subquery(stream, node)
    if not stream.token.is_sign("]"):
        raise stream.unexpected("subquery or range", '":" or "]"')
    end = stream.take().end
    if isinstance(node, Beyond) and isinstance(node.inner, Selector):
        raise stream.malformed(bracket.start, "no @ modifiers allowed before range")
    if not isinstance(node, Selector):
        raise stream.malformed(bracket.start, "ranges only allowed for vector selectors")
    if node.offset is not None:
        raise stream.malformed(bracket.start, "no offset modifiers allowed before range")
    return Range(node, seconds, node.start, end)


def _subquery(stream: Stream, node: Node) -> Node:
    stream.take()
    if stream.token.is_a("duration"):
        stream.duration("subquery selector", 'duration or "]"')
    if not stream.token.is_sign("]"):
        raise stream.unexpected("subquery selector", 'duration or "]"')
    return Beyond(SUBQUERY, "range vector", node, node.start, stream.take().end)


def _offset(stream: Stream, node: Node) -> Node:
    stream.take()
    back = stream.token.is_word("-")
    if back:
        stream.take()
    seconds = stream.duration("offset", "duration") * (-1 if back else 1)
    moved = node.selector if isinstance(node, Range) else node
    if isinstance(moved, Beyond):
        return node
    if not isinstance(moved, Selector):
        raise stream.malformed(node.start, f"offset modifier must be preceded by {_MOVABLE}")
    if moved.offset is not None:
        raise stream.malformed(node.start, "offset may not be set multiple times")
    moved = replace(moved, offset=seconds)
    return replace(node, selector=moved) if isinstance(node, Range) else moved


def _at(stream: Stream, node: Node) -> Node:
    stream.take()
    if stream.token.is_word("start", "end") and stream.after.is_sign("("):
        stream.take()
        stream.take()
        end = stream.closed().end
    else:
        if stream.token.is_word("+", "-"):
            stream.take()
        if not stream.token.is_a("number"):
            raise stream.unexpected("@", "timestamp")
        end = stream.take().end
    if not isinstance(node, Selector | Range | Beyond):
        raise stream.malformed(node.start, f"@ modifier must be preceded by {_MOVABLE}")
    kind = "instant vector" if isinstance(node, Selector) else "range vector"
    return Beyond(AT, kind, node, node.start, end)

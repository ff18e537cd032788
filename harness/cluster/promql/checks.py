"""Which kind of value every part of a query has, and whether those around it take it."""

from collections.abc import Callable

from harness.cluster.promql.failures import Malformed
from harness.cluster.promql.lexer import quoted
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
from harness.cluster.promql.signatures import SIGNATURES, ValueKind, returns

COMPARISONS = ("==", "!=", "<=", "<", ">=", ">")
SUBQUERY = "a subquery"
SETS = ("and", "or", "unless")
_PARAMETERS: dict[str, ValueKind] = {"count_values": "string"}

Malform = Callable[[int, str], Malformed]
"""Makes an error out of a position and a message."""


def kind_of(node: Node) -> ValueKind:
    """Return the kind of value that an expression has."""
    match node:
        case Number():
            return "scalar"
        case Text():
            return "string"
        case Selector() | Aggregation():
            return "instant vector"
        case Range():
            return "range vector"
        case Beyond():
            return node.kind
        case Call():
            return returns(node.name)
        case Paren() | Unary():
            return kind_of(node.inner)
        case Binary():
            both = {kind_of(node.left), kind_of(node.right)}
            return "scalar" if both == {"scalar"} else "instant vector"


def check(node: Node, malformed: Malform) -> None:
    """Raise Malformed for the first part of an expression that does not fit."""
    match node:
        case Selector():
            _check_selector(node, malformed)
        case Range():
            _check_selector(node.selector, malformed)
        case Paren() | Unary() | Beyond():
            check(node.inner, malformed)
            _check_around(node, malformed)
        case Binary():
            check(node.left, malformed)
            check(node.right, malformed)
            _check_binary(node, malformed)
        case Call():
            _check_call(node, malformed)
        case Aggregation():
            _check_aggregation(node, malformed)
        case Number() | Text():
            pass


def _check_aggregation(node: Aggregation, malformed: Malform) -> None:
    _expect(node.inner, "instant vector", "aggregation expression", malformed)
    if node.parameter is not None:
        _expect(node.parameter, _PARAMETERS.get(node.name, "scalar"), "aggregation parameter", malformed)


def _check_around(node: Paren | Unary | Beyond, malformed: Malform) -> None:
    found = kind_of(node.inner)
    if isinstance(node, Unary) and found not in {"scalar", "instant vector"}:
        message = "unary expression only allowed on expressions of type scalar or instant vector, got"
        raise malformed(node.start, f"{message} {quoted(found)}")
    if isinstance(node, Beyond) and node.what == SUBQUERY and found != "instant vector":
        raise malformed(node.start, f"subquery is only allowed on instant vector, got {found} instead")


def _expect(node: Node, wanted: ValueKind, context: str, malformed: Malform) -> None:
    check(node, malformed)
    found = kind_of(node)
    if found != wanted:
        raise malformed(node.start, f"expected type {wanted} in {context}, got {found}")


def _check_selector(node: Selector, malformed: Malform) -> None:
    if all(each.accepts("") for each in node.matchers):
        raise malformed(node.start, "vector selector must contain at least one non-empty matcher")


def _check_call(node: Call, malformed: Malform) -> None:
    signature, given = SIGNATURES[node.name], len(node.arguments)
    exact = signature.required == signature.most
    most = given if signature.most is None else signature.most
    if not signature.required <= given <= most:
        least = "" if exact else ("at least " if given < signature.required else "at most ")
        wanted = signature.required if given < signature.required else most
        call = f"argument(s) in call to {quoted(node.name)}, got {given}"
        raise malformed(node.start, f"expected {least}{wanted} {call}")
    for place, each in enumerate(node.arguments):
        _expect(each, signature.kind_of(place), f"call to function {quoted(node.name)}", malformed)


def _check_binary(node: Binary, malformed: Malform) -> None:
    left, right = kind_of(node.left), kind_of(node.right)
    compares, is_set = node.operator in COMPARISONS, node.operator in SETS
    if node.returns_bool and not compares:
        raise malformed(node.place, "bool modifier can only be used on comparison operators")
    if compares and not node.returns_bool and left == right == "scalar":
        raise malformed(node.place, "comparisons between scalars must use BOOL modifier")
    both = [each for each in node.matching.labels if each in node.matching.included]
    if node.matching.on and both:
        message = f"label {quoted(both[0])} must not occur in ON and GROUP clause at once"
        raise malformed(node.place, message)
    for each, found in ((node.left, left), (node.right, right)):
        if found not in {"scalar", "instant vector"}:
            raise malformed(each.start, "binary expression must contain only scalar and instant vector types")
    if "scalar" in {left, right} and node.matching.labels:
        raise malformed(node.start, "vector matching only allowed between instant vectors")
    if is_set and node.matching.group and left == right == "instant vector":
        raise malformed(node.start, f"no grouping allowed for {quoted(node.operator)} operation")
    if is_set and "scalar" in {left, right}:
        raise malformed(
            node.start, f"set operator {quoted(node.operator)} not allowed in binary scalar expression"
        )

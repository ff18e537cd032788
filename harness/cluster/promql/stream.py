"""The tokens of a query, taken one after the other."""

from harness.cluster.promql import literals
from harness.cluster.promql.failures import Limited, Malformed
from harness.cluster.promql.lexer import Token, tokens

_DEEPEST = 40
_MOST_OPERATORS = 120


class Stream:
    """A query and the place reached in it, with what every part of the grammar needs."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens = tokens(text)
        self._place = 0
        self._depth = 0
        self._operators = 0
        self.aggregations = 0
        """How many aggregations are open; an error inside of one says so, unless it knows better."""

    @property
    def token(self) -> Token:
        """The next token."""
        return self._tokens[self._place]

    @property
    def after(self) -> Token:
        """The token after the next, or the last one."""
        return self._tokens[min(self._place + 1, len(self._tokens) - 1)]

    def take(self) -> Token:
        """Return the next token and go behind it; nothing is behind the end."""
        token = self.token
        if token.kind not in {"end of input", "error"}:
            self._place += 1
        return token

    def enter(self) -> None:
        """Count one more expression inside others; raise Limited where there are too many."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Limited(f"a query with more than {_DEEPEST} expressions in one another")

    def leave(self) -> None:
        """Count one expression less."""
        self._depth -= 1

    def count_operator(self) -> None:
        """Count one more operator; raise Limited where there are too many."""
        self._operators += 1
        if self._operators > _MOST_OPERATORS:
            raise Limited(f"a query with more than {_MOST_OPERATORS} operators")

    def malformed(self, position: int, message: str) -> Malformed:
        """Return the error of a place in the query."""
        return Malformed(self.text, position, message)

    def unexpected(self, context: str = "", expected: str = "") -> Malformed:
        """Return the error of the next token: its own, or that it is not expected here."""
        token = self.token
        if token.kind == "error":
            return self.malformed(token.start, token.text)
        context = context or ("aggregation" if self.aggregations else "")
        inside = f" in {context}" if context else ""
        instead = f", expected {expected}" if expected else ""
        return self.malformed(token.start, f"unexpected {token.described()}{inside}{instead}")

    def closed(self) -> Token:
        """Take a right parenthesis; raise Malformed where there is none."""
        if not self.token.is_sign(")"):
            raise self.unexpected()
        return self.take()

    def duration(self, context: str, expected: str) -> float:
        """Take a duration and return its seconds; raise Malformed where there is none."""
        if not self.token.is_a("duration"):
            raise self.unexpected(context, expected)
        token = self.take()
        try:
            seconds = literals.duration(token.text)
        except ValueError as error:
            raise self.malformed(token.start, str(error)) from None
        if seconds == 0:
            raise self.malformed(token.start, "duration must be greater than 0")
        return seconds

    def labels(self) -> tuple[str, ...]:
        """Take a list of labels in parentheses; raise Malformed where there is none."""
        if not self.token.is_sign("("):
            raise self.unexpected("grouping opts", '"("')
        self.take()
        found: list[str] = []
        while not self.token.is_sign(")"):
            if not self.token.is_label:
                raise self.unexpected("grouping opts", "label")
            found.append(self.take().text)
            if self.token.is_sign(","):
                self.take()
            elif not self.token.is_sign(")"):
                raise self.unexpected("grouping opts", '"," or ")"')
        self.take()
        return tuple(found)

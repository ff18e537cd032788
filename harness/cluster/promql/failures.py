"""What Prometheus answers instead of a result."""


class QueryFailure(Exception):
    """A query without a result; `kind` is the errorType of the answer."""

    kind = "execution"
    limited = False

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class BadRequest(QueryFailure):
    """A request that asks for what nobody gets."""

    kind = "bad_data"


class BadParameter(BadRequest):
    """A parameter that cannot be read."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f'invalid parameter "{name}": {message}')


class Malformed(BadParameter):
    """A query that is no PromQL, with the place where that shows."""

    def __init__(self, text: str, position: int, message: str) -> None:
        before = text[:position]
        line, column = before.count("\n") + 1, position - before.rfind("\n")
        super().__init__("query", f"{line}:{column}: parse error: {message}")


class Failed(QueryFailure):
    """A query that is PromQL and has no result with this data, as in Prometheus."""


class Limited(QueryFailure):
    """A query that Prometheus would answer, and this tool does not."""

    limited = True

    def __init__(self, message: str) -> None:
        super().__init__(f"not supported by this tool: {message}")

"""One request to one answer: read, bound to its scenario, replied to by the target, and written."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from time import time

from harness.errors import InvalidInput, ReplayMiss, TargetUnavailable
from harness.model import prompt_digest
from harness.serving.bodies import DEFAULT_SEED, Asked, Beside, Exchange, read_seed
from harness.serving.chat import error_body
from harness.serving.delivery import STREAM, Answered
from harness.serving.dialects import Dialect
from harness.serving.faults import Circumstances
from harness.serving.injecting import Hits, Injection
from harness.serving.memory import Memory
from harness.serving.responses import response_id
from harness.targets import Binding, Target

SEED_HEADER = "X-Seed"
"""Names the seed where a body has no field for it."""

_STATUS = {
    "bad_request": 400,
    "unsupported_parameter": 400,
    "context_overflow": 400,
    "content_filter": 400,
    "bad_key": 401,
    "forbidden": 403,
    "not_found": 404,
    "conflict": 409,
    "rate_limited": 429,
    "connection": 502,
    "bad_response": 502,
    "server_error": 503,
    "timeout": 504,
}
# Clients know these two by OpenAI's words.
_CODES = {"context_overflow": "context_length_exceeded", "content_filter": "content_policy_violation"}


@dataclass(frozen=True, slots=True)
class Served:
    """What a server answers from: a target, what digests bind, which faults hit, and what was said."""

    target: Target
    bindings: Mapping[str, Binding]
    hits: Hits
    memory: Memory = field(default_factory=Memory)


async def answer(
    served: Served,
    dialect: Dialect,
    body: bytes,
    *,
    bound_to: str | None = None,
    key: str = "",
    seed: str | None = None,
) -> Answered:
    """Return the answer to one POST.

    Args:
        served: what is answered from.
        dialect: how bodies are read and written.
        body: the request's.
        bound_to: the digest in the request's URL, if any.
        key: the key that came with the request; a fault may quote it.
        seed: the header of that name, if any; a seed in the body comes first.
    """
    try:
        number = DEFAULT_SEED if seed is None else read_seed(seed, SEED_HEADER)
        asked = dialect.read(body, Beside(number, served.memory.recall))
    except InvalidInput as error:
        return Answered(400, _spelled(dialect, 400, "invalid_request", str(error)))
    digest = bound_to or prompt_digest(asked.request.messages)
    binding = served.bindings.get(digest)
    scenario = binding.scenario.id if binding else "-"
    hit = served.hits(scenario)
    if binding:
        request = served.memory.restored(digest, asked.request)
        put = replace(asked, request=request), hit
        found = await _replied(served, dialect, digest, binding, put)
    else:
        found = Answered(404, error_body(404, "unknown_scenario", _unknown(digest, bound_to)))
    found = replace(
        found, scenario=scenario, seed=asked.request.seed, messages=len(asked.request.messages),
        fault=hit.fault.name if hit else "",
    )  # fmt: skip
    if hit is not None:
        found = hit.fault.answer(found, Circumstances(hit.seconds, key, asked.sent))
    return respelled(dialect, found)


async def _replied(
    served: Served, dialect: Dialect, digest: str, binding: Binding, put: tuple[Asked, Injection | None]
) -> Answered:
    """Return what the target, and a fault of its reply, make of what was put to it."""
    asked, hit = put
    request = hit.fault.request(asked.request) if hit else asked.request
    try:
        reply = await served.target.reply(request, binding)
        said = hit.fault.reply(reply, asked.request) if hit else reply
        exchange = Exchange(asked, said, served.target.name, int(time()))
        # Written as a whole first: what a protocol has no body for ends here, streamed or not.
        body = dialect.body(exchange)
    except ReplayMiss as error:
        return Answered(404, error_body(404, "replay_miss", str(error)))
    except TargetUnavailable as error:
        status = _STATUS.get(error.cause, 503)
        failure = error_body(status, _CODES.get(error.cause, error.cause), str(error))
        return Answered(status, failure, retry_after=error.retry_after)
    served.memory.keep(digest, asked, said.message, response_id(exchange))
    if asked.streamed:
        return Answered(200, "".join(dialect.events(exchange)), STREAM)
    return Answered(200, body)


def respelled(dialect: Dialect, answered: Answered) -> Answered:
    """Return an answer whose error, if it is one, is spelled as the dialect has it."""
    if isinstance(answered.body, str) or "error" not in answered.body or answered.status < 400:
        return answered
    return replace(answered, body=dialect.failure(answered.status, answered.body["error"]))


def _spelled(dialect: Dialect, status: int, code: str, message: str) -> Mapping[str, object]:
    return dialect.failure(status, error_body(status, code, message)["error"])


def _unknown(digest: str, bound_to: str | None) -> str:
    if bound_to:
        return f"no scenario has the digest {digest!r}; GET /s lists scenarios with their digests"
    return (
        f"the messages before the first assistant message have the digest {digest}, which is no single"
        " scenario's prompt; send exactly what `harness render SCENARIO` prints as one user message, or use"
        " the base URL /s/DIGEST/v1 (GET /s lists the digests)"
    )

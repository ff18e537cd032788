"""A deployed analysis API as a target: it investigates by itself, and shows its result alone."""

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, cast, get_args
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

from harness.errors import InvalidInput, TargetUnavailable
from harness.model import Message, Turn
from harness.targets import TargetOptions
from harness.targets.accounts import Gate, Limits
from harness.targets.http_answers import shown
from harness.targets.http_exchange import Answered, Exchange, failed
from harness.targets.http_requests import Generation, Severities, deployed_request
from harness.targets.protocol import Binding, ModelReply, ModelRequest, OwnWork
from harness.targets.redacting import Redacting
from harness.targets.retrying import USUAL, RetryPolicy, ask
from harness.targets.sizes import estimated_size
from harness.targets.wire import check_address

RESUBMISSIONS = 5
"""A session that is gone means a restarted service: it is asked anew so often, and no more."""

_WAITING = {"pending", "investigating", "running"}
_SESSION = re.compile(r"[A-Za-z0-9._:-]{1,200}")
_LONGEST_EVIDENCE = 200_000
_USAGE = "write http://HOST:PORT?generation=1|2|3, with &poll=, &patience=, &analysis=raw or &severities="


@dataclass(frozen=True, slots=True)
class Api:
    """What is known of a deployed service.

    `poll` are seconds between two looks at a session, `patience` the most that one investigation may take;
    `raw` says that the service hands on its model's last message word for word.
    """

    generation: Generation = 2
    poll: float = 15.0
    patience: float = 900.0
    raw: bool = False
    severities: Severities = "medium-low"

    def query(self) -> str:
        """Return the settings as an address spells them: the generation, and what is not as usual."""
        usual = usual_api(self.generation)
        said = {"generation": str(self.generation)}
        said |= {"poll": f"{self.poll:g}"} if self.poll != usual.poll else {}
        said |= {"patience": f"{self.patience:g}"} if self.patience != usual.patience else {}
        said |= {"analysis": "raw"} if self.raw else {}
        said |= {"severities": self.severities} if self.severities != usual.severities else {}
        return urlencode(said)


def usual_api(generation: Generation) -> Api:
    """Return what goes for a generation unless it is told otherwise."""
    return Api(generation, severities="warning-info" if generation == 3 else "medium-low")


def open_http(address: str, options: TargetOptions, *, retry: RetryPolicy = USUAL) -> "HttpTarget":
    """Return the target http:<address>.

    Args:
        address: as http://HOST:PORT?generation=2.
        options: a key goes out only if they hold one; `timeout` is for one request, but for the one of
            generation 1 that is the whole investigation.
        retry: how often to send a request again that failed on its way.

    Raises:
        InvalidInput: the address is none, or says something unknown.
    """
    base, api = _parted(address)
    check_address(base)
    return HttpTarget(api, replace(options, api_base=base), retry)


def means(query: str, api_base: str) -> str:
    """Return how `-t` spells a deployed service."""
    return f"http:{api_base}?{query}"


def spelled(said: Mapping[str, Any]) -> str:
    """Return settings, by their names in an address, as the query of one."""
    return urlencode(
        {name: f"{value:g}" if isinstance(value, float) else value for name, value in said.items()}
    )


def _parted(address: str) -> tuple[str, Api]:
    try:
        parts = urlsplit(address)
        asked = parse_qs(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
        base = urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))
    except ValueError:
        raise InvalidInput(f"target http: found no address; {_USAGE}") from None
    said = {name: values[0] for name, values in asked.items() if len(values) == 1}
    known = {"generation", "poll", "patience", "analysis", "severities"}
    if parts.fragment or len(said) < len(asked) or not set(said) <= known:
        raise InvalidInput(f"target http: the address says more than a service needs; {_USAGE}")
    generation = _one_of("generation", said.get("generation", "2"), ("1", "2", "3"))
    usual = usual_api(cast("Generation", int(generation)))
    severities = _one_of("severities", said.get("severities", usual.severities), get_args(Severities))
    return base, Api(
        usual.generation,
        _seconds("poll", said.get("poll"), usual.poll),
        _seconds("patience", said.get("patience"), usual.patience),
        _one_of("analysis", said.get("analysis", "prose"), ("prose", "raw")) == "raw",
        cast("Severities", severities),
    )


def _one_of(name: str, found: str, known: tuple[str, ...]) -> str:
    if found not in known:
        raise InvalidInput(f"target http: {name}: found {found!r}; use {' or '.join(known)}")
    return found


def _seconds(name: str, found: str | None, usual: float) -> float:
    if found is None:
        return usual
    if not re.fullmatch(r"\d{1,6}(\.\d{1,3})?", found) or float(found) == 0:
        raise InvalidInput(f"target http: {name}: found {found!r}; use seconds above 0, as 15")
    return float(found)


class HttpTarget:
    """Puts each scenario to a service once, and waits for its result."""

    def __init__(self, api: Api, options: TargetOptions, retry: RetryPolicy) -> None:
        """Make the target of a service whose address is the options' `api_base`."""
        self._api, self._options, self._retry = api, options, retry
        self._base = options.api_base or ""
        timeout = None if api.generation == 1 else options.timeout
        self._exchange = Exchange(self._base, options.api_key, timeout)
        self._redacted = Redacting(options.api_key)
        self._gate: Gate | None = None

    @property
    def name(self) -> str:
        """The name in sample ids."""
        return self._options.name or means(self._api.query(), self._base)

    @property
    def account(self) -> str:
        """The one stated, else the server."""
        return self._options.account or urlsplit(self._base).netloc

    @property
    def limits(self) -> Limits:
        """How much is asked of the service at once, and per minute."""
        return self._options.limits

    def paced_by(self, gate: Gate) -> None:
        """Send through this gate from now on."""
        self._gate = gate

    @property
    def settings(self) -> Mapping[str, Any]:
        """What a run records; never a key."""
        options = self._options
        return {
            "kind": "http",
            "model": self._api.query(),
            "api_base": self._base,
            "timeout": options.timeout,
            **options.stated(),
        }

    async def reply(self, request: ModelRequest, binding: Binding) -> ModelReply:
        """Return the service's result for the scenario; of the request only the seed is used.

        Raises:
            TargetUnavailable: there is no result, whether the service or the way to it failed.
        """
        flow, api = binding.contract.flow, self._api
        if api.generation == 3 and flow == "recovery":
            detail = "generation 3 of the API has no recovery; leave it out, as by -s 'incident/*'"
            raise TargetUnavailable("unsupported", detail)
        asked = deployed_request(
            binding.contract, binding.scenario, api.generation, api.severities, request.seed
        )
        if self._gate is None:
            return self._redacted(await self._replied(asked, binding))
        size = estimated_size(request, self._options.max_tokens)
        reply = await self._gate.through(size, lambda _: self._replied(asked, binding))
        return self._redacted(reply)

    async def close(self) -> None:
        """Let go of connections."""
        await self._exchange.close()

    async def _replied(self, asked: Mapping[str, Any], binding: Binding) -> ModelReply:
        began, api = perf_counter(), self._api
        try:
            async with asyncio.timeout(api.patience):
                body, attempts = await self._result(asked, binding.contract.flow)
        except TimeoutError:
            detail = f"no result within {api.patience:g} s; raise `patience` if the service needs more"
            raise TargetUnavailable("timeout", detail) from None
        told = shown(binding.contract, body, raw=api.raw)
        # The result as it came is kept beside the text that graders read, where they do not look.
        evidence = json.dumps(body)[:_LONGEST_EVIDENCE]
        seconds = perf_counter() - began
        # Nothing of the request is a message of the transcript.
        turn = Turn(0, None, "stop", seconds=seconds, attempts=attempts)
        return ModelReply(
            Message("assistant", told.text, reasoning=evidence),
            "stop",
            seconds=seconds,
            attempts=attempts,
            work=OwnWork(turns=(turn,), shows_tools=False, gaps=told.gaps),
        )

    async def _result(self, asked: Mapping[str, Any], flow: str) -> tuple[Mapping[str, Any], int]:
        """Return the result and how often the request had to be made."""
        path = f"/api/v1/{flow}"
        if self._api.generation == 1:
            found, attempts = await self._sent("POST", f"{path}/analyze", asked, 200)
            return found.body, attempts
        made = 0
        for _ in range(1 + RESUBMISSIONS):
            accepted, attempts = await self._sent("POST", f"{path}/analyze", asked, 202)
            made += attempts
            result = await self._followed(f"{path}/session/{_session(accepted)}")
            if result is not None:
                return result, made
        detail = f"the service forgot its session {1 + RESUBMISSIONS} times; does it restart all the time?"
        raise TargetUnavailable("session_lost", detail)

    async def _followed(self, session: str) -> Mapping[str, Any] | None:
        """Return the result of a session once it has one; None where the service knows of no such session."""
        while True:
            seen, _ = await self._sent("GET", session, None, 200, 404)
            if seen.status == 404:
                return None
            state = seen.body.get("status")
            if state in {"failed", "cancelled"}:
                raise failed(seen.body, self._options.api_key)
            if state == "completed":
                found, _ = await self._sent("GET", f"{session}/result", None, 200, 404, 409)
                if found.status != 409:
                    return found.body if found.status == 200 else None
            elif state not in _WAITING:
                raise TargetUnavailable("bad_response", f"found the session state {str(state)[:80]!r}")
            await self._retry.sleep(self._api.poll)

    async def _sent(
        self, method: str, path: str, body: Mapping[str, Any] | None, *expected: int
    ) -> tuple[Answered, int]:
        return await ask(
            lambda: self._exchange.send(method, path, body, expected),
            key=lambda: f"{(body or {}).get('remediation_id')} {method} {path}",
            retry=self._retry,
        )


def _session(accepted: Answered) -> str:
    found = accepted.body.get("session_id")
    if not isinstance(found, str) or not _SESSION.fullmatch(found):
        raise TargetUnavailable("bad_response", f"found the session id {str(found)[:80]!r}")
    return found

"""targets.yaml: targets by name, with their settings, limits, prices and accounts; never with a key.

A file maps names to targets:

    haiku:
      kind: litellm
      model: anthropic/claude-haiku-4-5
      settings: {max_tokens: 4096}
      limits: {concurrency: 8, requests_per_minute: 50}
      prices: {prompt: 1.00, completion: 5.00}
      account: anthropic
      api_key_env: ANTHROPIC_API_KEY
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from harness.errors import HarnessError, InvalidInput
from harness.scenarios.files import Document, dotted, read_yaml, shown
from harness.store.secrets import secret_in
from harness.targets import Target, TargetOptions, ToolServer, open_target
from harness.targets.accounts import Limits
from harness.targets.direct import means as direct_means
from harness.targets.holmes_options import HolmesOptions, Mode
from harness.targets.http import means as http_means
from harness.targets.http import spelled as spelled_api
from harness.targets.http_requests import Generation, Severities
from harness.targets.prices import Prices
from harness.targets.protocol import Binding, ModelReply, ModelRequest

FILE = "targets.yaml"
HOTTEST = 2.0
LONGEST_TIMEOUT = 86_400.0
"""A day, in seconds: whoever waits longer for one reply waits for nothing."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_VARIABLE = r"^[A-Za-z_][A-Za-z0-9_]{0,127}$"
# What keys of well-known providers begin with, besides those that no recording may hold.
_KEY = re.compile(
    r"(?<![A-Za-z0-9])(?:AIza[\w-]{16}|gsk_\w{12}|hf_[A-Za-z0-9]{12}|xai-\w{12}|r8_\w{12}|ghp_\w{12}|sk-\w{6})"
)
_DEPLOYED = "the service's"
"""Stands for the model of a deployed service, which nobody names."""
_WIRE_ONLY = ("api_base", "settings", "limits", "prices", "account", "api_key_env")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class Settings(_Strict):
    """What is sent with every request, and how long to wait for its reply; None is not sent."""

    temperature: float | None = Field(default=None, ge=0, le=HOTTEST)
    max_tokens: int | None = Field(default=None, gt=0)
    timeout: float | None = Field(default=None, gt=0, le=LONGEST_TIMEOUT)
    response_format: Literal["json-schema", "openai-strict", "anthropic", "gemini"] | None = None


class LimitTable(_Strict):
    """What the account allows: requests at once, requests and tokens per minute."""

    concurrency: int | None = Field(default=None, ge=1)
    requests_per_minute: float | None = Field(default=None, gt=0)
    tokens_per_minute: float | None = Field(default=None, gt=0)


class PriceTable(_Strict):
    """US dollars per million tokens."""

    prompt: float = Field(ge=0)
    completion: float = Field(ge=0)


class ApiTable(_Strict):
    """What is known of a deployed service; None is what is usual in its generation."""

    generation: Generation = 2
    poll: float | None = Field(default=None, gt=0)
    patience: float | None = Field(default=None, gt=0)
    analysis: Literal["prose", "raw"] | None = None
    severities: Severities | None = None


class HolmesTable(_Strict):
    """How HolmesGPT is run: the interpreter that has it, the way to its tools, steps, processes."""

    python: str = Field(min_length=1)
    mode: Mode = "mcp"
    max_steps: int = Field(default=30, ge=1, le=30)
    workers: int = Field(default=2, ge=1, le=64)
    version: str | None = Field(default=None, min_length=1)


class Entry(_Strict):
    """One target as it is written."""

    kind: Literal["mock", "litellm", "openai", "http", "holmes"]
    model: str = Field(min_length=1)
    api_base: str | None = None
    api: ApiTable = ApiTable()
    holmes: HolmesTable | None = None
    settings: Settings = Settings()
    limits: LimitTable = LimitTable()
    prices: PriceTable | None = None
    account: str | None = Field(default=None, min_length=1)
    api_key_env: str | None = Field(default=None, pattern=_VARIABLE)

    @property
    def means(self) -> str:
        """What the name stands for, as `-t` takes it."""
        if self.kind == "http":
            return http_means(spelled_api(self.api.model_dump(exclude_none=True)), self.api_base or "")
        return _means(self.kind, self.model, self.api_base)

    def options(self, name: str) -> TargetOptions:
        """Return the options of the target under its name; a key is not among them."""
        given = {key: value for key, value in self.settings.model_dump().items() if value is not None}
        return TargetOptions(
            name=name,
            api_base=self.api_base,
            api_key_env=self.api_key_env,
            account=self.account,
            limits=Limits(**self.limits.model_dump()),
            prices=Prices(**self.prices.model_dump()) if self.prices else None,
            holmes=HolmesOptions(**self.holmes.model_dump()) if self.holmes else None,
            **given,
        )


def read_targets(folder: Path) -> dict[str, Entry]:
    """Return the targets of a folder's targets.yaml by name; none where there is no such file.

    Raises:
        InvalidInput: the file is wrong, or holds what looks like a key; each problem is a line of its own.
    """
    path = folder / FILE
    if not path.is_file():
        return {}
    _refuse_keys(path)
    document = read_yaml(path)
    written: Any = document.value
    if written is None:
        return {}
    if not isinstance(written, dict):
        msg = f"{shown(path)}:1: found no names; write `NAME:` and below it kind and model"
        raise InvalidInput(msg)
    found: dict[str, Entry] = {}
    problems: list[str] = []
    for name, value in cast("dict[str, Any]", written).items():
        try:
            found[name] = _entry(name, value, document)
        except InvalidInput as error:
            problems.append(str(error))
    if problems:
        raise InvalidInput("\n".join(problems))
    return found


def _refuse_keys(path: Path) -> None:
    """Raise InvalidInput where any line, a comment too, holds what looks like a key; it is never quoted."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        # Whatever is wrong, the reader says it.
        return
    for number, line in enumerate(lines, start=1):
        if secret_in(line) or _KEY.search(line):
            msg = (
                f"{shown(path)}:{number}: holds what looks like a key; put it into the environment, and the "
                f"name of its variable into api_key_env"
            )
            raise InvalidInput(msg)


def _entry(name: str, value: Any, document: Document) -> Entry:
    if not _NAME.fullmatch(name):
        msg = (
            f"{document.where((name,))}: found the name {name!r}; use at most 64 letters, digits, '.', '_' "
            f"and '-': ids of samples are made of it"
        )
        raise InvalidInput(msg)
    if isinstance(value, dict) and cast("dict[Any, Any]", value).get("kind") == "http":
        value = {"model": _DEPLOYED, **cast("dict[str, Any]", value)}
    try:
        entry = Entry.model_validate(value)
    except ValidationError as error:
        raise InvalidInput("\n".join(_reworded(name, document, error))) from None
    if entry.kind == "mock":
        extra = [each for each in _WIRE_ONLY if each in entry.model_fields_set]
        if extra:
            msg = f"{document.where((name, extra[0]))}: {name}.{extra[0]}: a mock has none; leave it out"
            raise InvalidInput(msg)
    _check_api(name, entry, document)
    _check_holmes(name, entry, document)
    try:
        # A wrong address or an unknown mock shows now, not in the middle of a run.
        open_entry(name, entry)
    except HarnessError as error:
        place = "api_base" if str(error).startswith("api base") else "model"
        raise InvalidInput(f"{document.where((name, place))}: {name}.{place}: {error}") from None
    return entry


def _check_api(name: str, entry: Entry, document: Document) -> None:
    """Refuse what a deployed service does not have, and its own keys where there is none."""
    if entry.kind != "http":
        if "api" in entry.model_fields_set:
            msg = f"{document.where((name, 'api'))}: {name}.api: only kind http has it; leave it out"
            raise InvalidInput(msg)
        return
    if entry.model != _DEPLOYED:
        msg = f"{document.where((name, 'model'))}: {name}.model: a service chooses its own; leave it out"
        raise InvalidInput(msg)
    extra = sorted(entry.settings.model_fields_set - {"timeout"})
    if extra:
        place = (name, "settings", extra[0])
        raise InvalidInput(f"{document.where(place)}: {dotted(place)}: a service takes none; leave it out")


def _check_holmes(name: str, entry: Entry, document: Document) -> None:
    """Refuse HolmesGPT without its interpreter, what it does not take, and its own keys elsewhere."""
    place: tuple[str, ...] | None = None
    if entry.kind != "holmes":
        place, why = (name, "holmes") if entry.holmes else None, "only kind holmes has it; leave it out"
    elif entry.holmes is None:
        place, why = (name, "holmes"), "missing; write `holmes: {python: PATH}`, the interpreter that has it"
    else:
        asked = entry.settings.response_format
        place, why = (
            (name, "settings", "response_format") if asked else None,
            "HolmesGPT takes none; leave it out",
        )
    if place:
        raise InvalidInput(f"{document.where(place)}: {dotted(place)}: {why}")


def _reworded(name: str, document: Document, error: ValidationError) -> Iterator[str]:
    """Yield one line per problem; a value is shown only where nobody would put a key."""
    for problem in error.errors(include_url=False, include_context=False):
        place = (name, *problem["loc"])
        where = f"{document.where(place)}: {dotted(place)}:"
        if problem["type"] == "extra_forbidden":
            yield f"{where} no such key; {_nearest(problem['loc'])}"
        elif problem["type"] == "missing":
            yield f"{where} missing; it is required"
        elif problem["loc"][:1] == ("api_key_env",):
            yield f"{where} found no name of a variable; write one as OPENAI_API_KEY, never the key itself"
        elif problem["type"] == "model_type":
            yield f"{where} found no keys; write {_listed(_keys(problem['loc']))} below it"
        else:
            said = problem["msg"]
            yield f"{where} found {problem['input']!r:.80}; {said[:1].lower()}{said[1:]}"


_TABLES: Mapping[str, type[BaseModel]] = {
    "api": ApiTable,
    "holmes": HolmesTable,
    "settings": Settings,
    "limits": LimitTable,
    "prices": PriceTable,
}


def _keys(place: Sequence[int | str]) -> list[str]:
    """Return the keys that may stand at a place within a target."""
    model = _TABLES.get(str(place[0]), Entry) if place else Entry
    return list(model.model_fields)


def _nearest(place: Sequence[int | str]) -> str:
    known = _keys(place[:-1])
    near = get_close_matches(str(place[-1]), known, n=1, cutoff=0.5)
    return f"did you mean {near[0]!r}?" if near else f"use {_listed(known)}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


@dataclass(frozen=True, slots=True)
class _Renamed:
    """A target under the name that targets.yaml gives it."""

    name: str
    target: Target

    @property
    def settings(self) -> Mapping[str, Any]:
        return self.target.settings

    async def reply(self, request: ModelRequest, binding: Binding) -> ModelReply:
        """Return the target's next message."""
        return await self.target.reply(request, binding)

    async def close(self) -> None:
        """Let go of connections."""
        await self.target.close()


def open_entry(
    name: str, entry: Entry, given: Mapping[str, Any] | None = None, *, key: str | None = None
) -> Target:
    """Return the target of an entry; `given` are options of the command line, which win where not None."""
    stated = {option: value for option, value in (given or {}).items() if value is not None}
    return _opened(entry.means, replace(entry.options(name), api_key=key, **stated))


def _opened(means: str, options: TargetOptions) -> Target:
    target = open_target(means, options)
    return target if options.name in {None, target.name} else _Renamed(options.name or "", target)


def _check_recorded(name: str, given: Mapping[str, Any], limits: Any, prices: Any) -> None:
    """Refuse what targets.yaml would not take: a run.json may have been written by hand, or by anybody."""
    stated = {each: given[each] for each in Settings.model_fields if each in given}
    for place, model, value in (
        ("settings", Settings, stated), ("limits", LimitTable, limits), ("prices", PriceTable, prices),
    ):  # fmt: skip
        try:
            if value:
                model.model_validate(value)
        except ValidationError as error:
            problem = error.errors(include_url=False, include_context=False)[0]
            where = ".".join((place, *map(str, problem["loc"])))
            said = problem["msg"]
            msg = (
                f"run.json: target {name!r}: {where}: found {problem['input']!r:.80}; "
                f"{said[:1].lower()}{said[1:]}; start a new run"
            )
            raise InvalidInput(msg) from None


def open_recorded(
    name: str,
    settings: Mapping[str, Any],
    *,
    key: str | None = None,
    tool_server: ToolServer | None = None,
) -> Target:
    """Return the target of a stored run with the settings that it recorded, whatever targets.yaml says."""
    if not {"kind", "model"} <= set(settings):
        return open_target(name, TargetOptions())
    prices, limits = settings.get("prices"), settings.get("limits")
    plain = (
        "api_base", "temperature", "max_tokens", "timeout", "api_key_env", "account", "response_format",
    )  # fmt: skip
    given = {each: settings[each] for each in plain if settings.get(each) is not None}
    _check_recorded(name, given, limits, prices)
    options = TargetOptions(
        **given,
        name=name,
        api_key=key,
        limits=Limits(**limits) if limits else Limits(),
        prices=Prices(**prices) if prices else None,
        holmes=HolmesOptions(**settings["holmes"]) if settings.get("holmes") else None,
        tool_server=tool_server,
    )
    return _opened(_means(settings["kind"], settings["model"], options.api_base), options)


def _means(kind: str, model: str, api_base: str | None) -> str:
    if kind == "http":
        return http_means(model, api_base or "")
    return direct_means(model, api_base or "") if kind == "openai" else f"{kind}:{model}"

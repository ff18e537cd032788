"""The severity rubric: which levels stated impact facts admit.

Sources: ADR-038 "RCA Severity Assessment" and DD-LLM-001 section 5. The five factors are applied in their
order; an absent fact moves nothing. Where the texts leave a choice, both neighbours are admitted:

- A share exactly on a border (10 or 50 % of users, 1 or 10 % of requests) belongs to either side; it is
  reported as `on_edge`, since nobody can be graded fairly there.
- No user affected: DD-LLM-001 lists "no immediate user impact" under medium and "no user impact" under low.
- Failing requests between 0 and 1 %: ADR-038 begins at 1 %, so medium or low. Above half of them it says both
  high (its example) and critical (an outage); all of them failing is an outage.
- A degraded service: ADR-038 divides high from medium at half of the performance, which is not a stated fact.
- A workaround: a criterion of medium in DD-LLM-001. It makes a degraded service medium, stands alone as
  medium, reaches from critical to medium where a service is down, and lets a share count one level milder.
- A service that is down beside a stated share: critical in production by the criteria, the share by factor 1.
- Production with user impact: factor 2 raises by one, while the criteria name production cases at their
  unraised level.
- Staging: the same level (ADR-038) or medium (DD-LLM-001), and what lies between.
- Development and test: one level milder by factor 2, or one more by the criteria, which put both under low.
- A violated service level: critical or high (ADR-038). One at risk is a criterion of high, and beside a
  workaround, a criterion of medium, either.
- Escalation: the fact does not say how rapid it is; raised by one or, as the criteria of high have it, not.
  An improvement "may" lower.
- Data at risk: high (ADR-038) or critical (DD-LLM-001, "data loss risk").
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from harness.model.scenario import SEVERITIES, Impact, Severity

Factor = Literal["user impact", "environment", "business impact", "escalation", "data risk"]

CRITICAL, HIGH, MEDIUM, LOW = range(len(SEVERITIES))
WIDEST = 3
"""So many levels at most; where the factors admit more, the mildest go, since harm decides."""


_BORDERS = {"users_affected": (10, 50), "error_rate": (1, 10)}


class Span(NamedTuple):
    """A contiguous range of levels as places in SEVERITIES; `worst` is the smaller number."""

    worst: int
    mildest: int


@dataclass(frozen=True, slots=True)
class Move:
    """One factor that spoke: the facts it looked at, and the levels that were admissible after it."""

    factor: Factor
    facts: str
    levels: tuple[Severity, ...]


@dataclass(frozen=True, slots=True)
class Assessment:
    """What the rubric says. `levels` is one to three neighbours, worst first.

    `on_edge` names the facts that lie exactly on a border between two levels.
    """

    levels: tuple[Severity, ...]
    moves: tuple[Move, ...]
    on_edge: tuple[str, ...] = ()


class _Said(NamedTuple):
    span: Span | None
    facts: str


def admissible(impact: Impact, environment: str | None) -> Assessment | None:
    """Return the levels that stated facts admit, or None where they say nothing about severity.

    Args:
        impact: the stated facts; percentages where they are numbers.
        environment: the request's, as "production"; an unknown word moves nothing.
    """
    span: Span | None = None
    moves: list[Move] = []
    for factor, step in _FACTORS:
        said = step(span, impact, environment)
        if said is None:
            continue
        span = _narrowed(said.span) if said.span else span
        moves.append(Move(factor, said.facts, _levels(span)))
    if span is None:
        return None
    return Assessment(_levels(span), tuple(moves), edges(impact))


def edges(impact: Impact) -> tuple[str, ...]:
    """Return the stated facts that lie exactly on a border, as "users_affected 50"."""
    stated = {"users_affected": impact.users_affected, "error_rate": impact.error_rate}
    return tuple(f"{name} {value:g}" for name, value in stated.items() if value in _BORDERS[name])


def _levels(span: Span | None) -> tuple[Severity, ...]:
    return SEVERITIES[span.worst : span.mildest + 1] if span else ()


def _narrowed(span: Span) -> Span:
    worst = min(max(span.worst, CRITICAL), LOW)
    return Span(worst, min(max(span.mildest, worst), LOW, worst + WIDEST - 1))


def _at_least(span: Span | None, floor: Span) -> Span:
    """Return a span with nothing milder than the floor; without a span, the floor."""
    return Span(min(span.worst, floor.worst), min(span.mildest, floor.mildest)) if span else floor


# Factor 1: user impact, and the equivalents of it


def _user_impact(_: Span | None, impact: Impact, environment: str | None) -> _Said | None:
    shares = [each for each in (_users(impact.users_affected), _errors(impact.error_rate)) if each]
    share = Span(min(each.worst for each in shares), min(each.mildest for each in shares)) if shares else None
    span = _with_service(share, impact, environment)
    if impact.workaround:
        span = _with_workaround(span, stated=share is not None)
    facts = _told(impact, "users_affected", "error_rate", "service")
    facts += ["workaround"] if impact.workaround else []
    return _Said(span, ", ".join(facts)) if span else None


def _users(percent: float | None) -> Span | None:
    if percent is None:
        return None
    if percent == 0:
        return Span(MEDIUM, LOW)
    worst = CRITICAL if percent >= 50 else HIGH if percent >= 10 else MEDIUM
    mildest = CRITICAL if percent > 50 else HIGH if percent > 10 else MEDIUM
    return Span(worst, mildest)


def _errors(percent: float | None) -> Span | None:
    if percent is None:
        return None
    if percent == 100:
        return Span(CRITICAL, CRITICAL)
    if percent > 50:
        return Span(CRITICAL, HIGH)
    if percent >= 10:
        return Span(HIGH, HIGH if percent > 10 else MEDIUM)
    return Span(MEDIUM, MEDIUM if percent > 1 else LOW)


def _with_service(share: Span | None, impact: Impact, environment: str | None) -> Span | None:
    if share is None:
        return _SERVICE[impact.service] if impact.service else None
    outage = impact.service == "down" and environment == "production" and _users_harmed(impact)
    return Span(CRITICAL, share.mildest) if outage else share


_SERVICE = {"down": Span(CRITICAL, CRITICAL), "degraded": Span(HIGH, MEDIUM), "working": Span(MEDIUM, LOW)}


def _with_workaround(span: Span | None, *, stated: bool) -> Span:
    if span is None:
        return Span(MEDIUM, MEDIUM)
    if stated:
        return Span(span.worst, max(span.mildest, min(span.mildest + 1, MEDIUM)))
    return Span(CRITICAL if span.worst == CRITICAL else MEDIUM, max(span.mildest, MEDIUM))


def _users_harmed(impact: Impact) -> bool:
    stated = (impact.users_affected, impact.error_rate)
    if all(each is None for each in stated):
        return impact.service == "down"
    return any(stated)


# Factor 2: the environment multiplies


def _environment(span: Span | None, impact: Impact, environment: str | None) -> _Said | None:
    if span is None:
        return None
    match environment:
        case "production" if _users_harmed(impact):
            return _Said(Span(span.worst - 1, span.mildest), "production with user impact")
        case "staging":
            return _Said(Span(min(span.worst, MEDIUM), max(span.mildest, MEDIUM)), "staging")
        case "development" | "test":
            return _Said(Span(span.worst + 1, span.mildest + 2), environment)
        case _:
            return None


# Factors 3 to 5 set floors, or move what stands


def _business_impact(span: Span | None, impact: Impact, _: str | None) -> _Said | None:
    if impact.revenue_loss:
        return _Said(Span(CRITICAL, CRITICAL), "revenue_loss")
    if impact.sla == "violated":
        return _Said(_at_least(span, Span(CRITICAL, HIGH)), "sla violated")
    if impact.sla == "at_risk":
        floor = Span(HIGH, MEDIUM if impact.workaround else HIGH)
        return _Said(_at_least(span, floor), "sla at_risk")
    silent = span is None and _everything_else_silent(impact)
    if silent and (impact.sla == "kept" or impact.revenue_loss is False):
        return _Said(Span(LOW, LOW), "no business impact")
    return None


def _everything_else_silent(impact: Impact) -> bool:
    return impact.trend != "escalating" and impact.data not in {"lost", "at_risk"}


def _escalation(span: Span | None, impact: Impact, _: str | None) -> _Said | None:
    if span is None:
        return None
    if impact.trend == "escalating":
        return _Said(Span(span.worst - 1, span.mildest), "trend escalating")
    if impact.trend == "improving":
        return _Said(Span(span.worst, span.mildest + 1), "trend improving")
    return None


def _data_risk(span: Span | None, impact: Impact, _: str | None) -> _Said | None:
    if impact.data == "lost":
        return _Said(Span(CRITICAL, CRITICAL), "data lost")
    if impact.data == "at_risk":
        return _Said(_at_least(span, Span(CRITICAL, HIGH)), "data at_risk")
    return None


_Step = Callable[[Span | None, Impact, str | None], _Said | None]

_FACTORS: tuple[tuple[Factor, _Step], ...] = (
    ("user impact", _user_impact),
    ("environment", _environment),
    ("business impact", _business_impact),
    ("escalation", _escalation),
    ("data risk", _data_risk),
)


def _told(impact: Impact, *names: str) -> list[str]:
    stated = ((name, getattr(impact, name)) for name in names)
    return [f"{name} {_plain(value)}" for name, value in stated if value is not None]


def _plain(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"

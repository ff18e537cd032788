"""YAML text -> plain values and the lines they stand on, in one pass over the parser's events.

What `yaml.compose` makes on the way, a node for each value with its tag found by regular expressions, takes
several times as long as the parsing itself.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, cast

import yaml
from yaml import AliasEvent, MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent, StreamEndEvent

Place = tuple[str | int, ...]
"""The keys and indices that lead to a value."""

# A world is some twelve levels deep. The reader descends level by level and would end the process far below.
MAX_DEPTH = 64
_TAG = "tag:yaml.org,2002:"
_TEXTS = frozenset({"str", "timestamp", "value", "merge"})
_RESOLVER: Any = yaml.resolver.Resolver()
_STARTS = frozenset(cast("Mapping[str, object]", yaml.resolver.Resolver.yaml_implicit_resolvers))
"""The first characters of all that can mean something else than itself."""


class NotPlain(Exception):
    """What is wrong with a text and on which line; whoever knows its file says so."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line


class Lines(Mapping[Place, int]):
    """The line of every value, counted from 1, by its place.

    Places are put together when somebody asks, and nobody does where a file is right.

    Args:
        value: the file's.
        lines: the line of each value, in the order of the file; a member stands where its key does.
    """

    def __init__(self, value: Any, lines: Sequence[int]) -> None:
        self._value = value
        self._lines = lines

    @cached_property
    def _by_place(self) -> Mapping[Place, int]:
        return dict(zip(_places(self._value, ()), self._lines, strict=True))

    def __getitem__(self, place: Place) -> int:
        return self._by_place[place]

    def __iter__(self) -> Iterator[Place]:
        return iter(self._by_place)

    def __len__(self) -> int:
        return len(self._lines)


def _places(value: Any, at: Place) -> Iterator[Place]:
    """Yield the places of a value and of all in it, in the order of the file."""
    yield at
    if isinstance(value, dict):
        for key, each in cast("dict[str, Any]", value).items():
            yield from _places(each, (*at, key))
    elif isinstance(value, list):
        for index, each in enumerate(cast("list[Any]", value)):
            yield from _places(each, (*at, index))


def dotted(place: Sequence[str | int]) -> str:
    """Return a place as people write it: `expect.evidence[2].tool`."""
    text = ""
    for part in place:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            name = part if part.isprintable() else repr(part)
            text += f".{name}" if text else name
    return text or "the file"


def parsed(text: str) -> tuple[Any, Lines]:
    """Return a text's value and its lines: strings stay strings, no aliases, no tags, no repeated keys.

    The tags of YAML's own scalars are followed, as `! 12`, which is a text; of the others none is.

    Raises:
        NotPlain: it is no YAML, or uses what the format forbids.
    """
    try:
        return _Reading(text).whole()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = " ".join(str(getattr(error, "problem", error)).split())
        raise NotPlain(mark.line + 1 if mark else 1, f"not YAML: {problem}") from error


class _Reading:
    """One text on its way to a value; `_at` leads to what is read at present."""

    def __init__(self, text: str) -> None:
        self._next: Any = yaml.CSafeLoader(text).get_event
        self._lines: list[int] = []
        self._at: list[str | int] = []

    def whole(self) -> tuple[Any, Lines]:
        """Return the value of the one document, None where the text is empty."""
        self._next()
        if isinstance(self._next(), StreamEndEvent):
            return None, Lines(None, [1])
        value = self._member(self._next())
        self._next()
        more = self._next()
        if not isinstance(more, StreamEndEvent):
            raise NotPlain(_line(more), "not YAML: found another document; a file is one")
        return value, Lines(value, self._lines)

    def _member(self, event: Any, line: int = 0) -> Any:
        """Return the value that begins with an event; `line` is that of its key."""
        self._lines.append(line or _line(event))
        kind = event.__class__
        if kind is ScalarEvent:
            text: str = event.value
            if event.tag is not None:
                return self._tagged_scalar(event)
            # Quoted, or one of the many words that nothing could be meant by but themselves.
            return text if not event.implicit[0] or (text and text[0] not in _STARTS) else _meaning(text)
        if kind is AliasEvent:
            raise _alias(event)
        if len(self._at) >= MAX_DEPTH:
            raise NotPlain(_line(event), f"nested deeper than {MAX_DEPTH}; a scenario is flat")
        if kind is MappingStartEvent:
            self._untagged(event, "map")
            return self._mapping()
        self._untagged(event, "seq")
        return self._sequence()

    def _mapping(self) -> dict[str, Any]:
        made: dict[str, Any] = {}
        at, following, member = self._at, self._next, self._member
        at.append("")
        while type(event := following()) is not MappingEndEvent:
            line = event.start_mark.line + 1
            if type(event) is not ScalarEvent or event.tag is not None:
                raise self._no_key(event)
            key = at[-1] = event.value
            if key in made:
                raise NotPlain(line, f"{dotted(at)}: found twice; keep one")
            made[key] = member(following(), line)
        at.pop()
        return made

    def _sequence(self) -> list[Any]:
        made: list[Any] = []
        at, following, member = self._at, self._next, self._member
        at.append(0)
        while type(event := following()) is not SequenceEndEvent:
            at[-1] = len(made)
            made.append(member(event))
        at.pop()
        return made

    def _no_key(self, event: Any) -> NotPlain:
        if type(event) is AliasEvent:
            return _alias(event)
        if type(event) is ScalarEvent:
            self._at[-1] = event.value
            return self._tagged(event)
        return NotPlain(
            _line(event), f"{dotted(self._at[:-1])}: found a list or a mapping as a key; use a word"
        )

    def _tagged_scalar(self, event: Any) -> str | float | bool | None:
        try:
            return event.value if event.tag == "!" else _meant(event.tag, event.value)
        except KeyError:
            raise self._tagged(event) from None

    def _untagged(self, event: Any, usual: str) -> None:
        if event.tag not in {None, "!", _TAG + usual}:
            raise self._tagged(event)

    def _tagged(self, event: Any) -> NotPlain:
        return NotPlain(_line(event), f"{dotted(self._at)}: found the tag {event.tag!r}; no tags here")


def _alias(event: Any) -> NotPlain:
    return NotPlain(_line(event), f"found the alias '*{event.anchor}'; write the value out")


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


@lru_cache(maxsize=4096)
def _meaning(text: str) -> str | float | bool | None:
    """Return what a word without quotes means: itself, a number, a truth or nothing."""
    tag: str = _RESOLVER.resolve(yaml.ScalarNode, text, (True, False))
    return _meant(tag, text)


def _meant(tag: str, text: str) -> str | float | bool | None:
    """Return a scalar of a tag; dates stay text, and YAML 1.1's yes, no, on and off stay words.

    Raises:
        KeyError: the tag is none of those that a word without quotes can have.
    """
    kind = tag.removeprefix(_TAG)
    if kind in _TEXTS:
        return text
    if kind == "null":
        return None
    if kind == "bool":
        return {"true": True, "false": False}.get(text.lower(), text)
    try:
        return {"int": int, "float": float}[kind](text)
    except ValueError:
        return text

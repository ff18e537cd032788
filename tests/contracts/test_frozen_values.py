"""Frozen values are the standard library's, but for how soon they are made."""

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, is_dataclass, replace
from typing import Any, cast

import pytest

from harness import model
from harness.model.frozen import frozen


@frozen
class Quick:
    """A value with every kind of field."""

    name: str
    size: int = 3
    seen: list[int] = field(default_factory=list[int])
    known: dict[str, int] = field(default_factory=dict[str, int], init=False, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Usual:
    """The same, as the standard library makes it."""

    name: str
    size: int = 3
    seen: list[int] = field(default_factory=list[int])
    known: dict[str, int] = field(default_factory=dict[str, int], init=False, repr=False, compare=False)


def test_fields_are_filled_as_usual() -> None:
    given: list[dict[str, Any]] = [{"name": "a"}, {"name": "a", "size": 0}, {"name": "a", "seen": [1]}]
    for each in given:
        quick, usual = Quick(**each), Usual(**each)
        assert [getattr(quick, one.name) for one in fields(usual)] == [
            usual.name,
            usual.size,
            usual.seen,
            {},
        ]
        assert repr(quick) == repr(usual).replace("Usual", "Quick")
    assert inspect.signature(Quick.__init__) == inspect.signature(Usual.__init__)


def test_no_field_is_set_again() -> None:
    with pytest.raises(FrozenInstanceError):
        Quick("a").name = "b"  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises((AttributeError, TypeError)):
        Quick("a").other = "b"  # pyright: ignore[reportAttributeAccessIssue]


def test_what_no_field_takes_is_refused() -> None:
    given: list[dict[str, Any]] = [{}, {"name": "a", "known": {}}, {"name": "a", "other": 1}]
    for wrong in given:
        with pytest.raises(TypeError):
            Quick(**wrong)


def test_what_would_not_be_called_is_refused() -> None:
    class Late:
        name: str

        def __post_init__(self) -> None:
            """Never called."""

    with pytest.raises(TypeError, match="Late: has a __post_init__, which is not called here"):
        frozen(Late)


def test_two_values_share_nothing_that_was_made_for_them() -> None:
    one, other = Quick("a"), Quick("a")

    one.seen.append(1)
    one.known["a"] = 1

    assert (other.seen, other.known, one.known) == ([], {}, {"a": 1})


def test_a_changed_copy_begins_with_nothing_known() -> None:
    one = Quick("a", 1)
    one.known["a"] = 1

    assert (replace(one, size=2).size, replace(one).known) == (2, {})


def test_copies_are_equal() -> None:
    one = model.ToolCall("1", "get", "{}")

    assert copy.copy(one) == one == pickle.loads(pickle.dumps(one))  # noqa: S301
    assert len({one, copy.deepcopy(one)}) == 1


def test_every_noun_is_frozen() -> None:
    nouns = [each for each in vars(model).values() if isinstance(each, type) and is_dataclass(each)]

    assert all(cast("Any", each).__dataclass_params__.frozen for each in nouns)
    assert len(nouns) > 20

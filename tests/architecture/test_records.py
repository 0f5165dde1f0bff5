"""Records mean what the standard library's dataclasses mean, for the options that the package uses."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any, ClassVar

import pytest

from everypath import records


def declare(library: Any) -> dict[str, Any]:
    """The same classes, declared with one library or the other."""
    dataclass, field = library.dataclass, library.field

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Base:
        span: int = 7

    @dataclass(frozen=True, slots=True)
    class Frozen(Base):
        """Documented."""

        kinds: ClassVar[int] = 3
        a: int
        b: tuple[int, ...] = ()

    @dataclass(frozen=True, slots=True)
    class Single:
        value: object

    @dataclass(frozen=True, slots=True)
    class Empty:
        pass

    @dataclass(frozen=True, slots=True, order=True)
    class Ordered:
        x: int = 0
        y: int = 0

    @dataclass(slots=True)
    class Mutable:
        name: str
        items: list[int] = field(default_factory=list)
        cache: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)

    @dataclass(slots=True)
    class Checked:
        n: int

        def __post_init__(self) -> None:
            self.n += 1

    return {name: value for name, value in locals().items() if isinstance(value, type)}


OURS, THEIRS = declare(records), declare(dataclasses)
BUILD = [
    ("Base", (), {}),
    ("Base", (), {"span": 1}),
    ("Base", (1,), {}),
    ("Frozen", (1,), {}),
    ("Frozen", (1, (2,)), {"span": 3}),
    ("Frozen", (), {"a": 1, "b": (4,)}),
    ("Frozen", (), {}),
    ("Frozen", (1, (), 3), {}),
    ("Frozen", (1,), {"c": 1}),
    ("Single", (None,), {}),
    ("Empty", (), {}),
    ("Empty", (1,), {}),
    ("Ordered", (2, 1), {}),
    ("Mutable", ("m",), {}),
    ("Mutable", ("m", [1]), {}),
    ("Mutable", ("m",), {"cache": {}}),
    ("Checked", (1,), {}),
]


def attempt(work: Any) -> tuple[str, Any]:
    try:
        return "value", work()
    except Exception as error:
        return type(error).__name__, None


@pytest.mark.parametrize(("name", "args", "kwargs"), BUILD)
def test_construction_and_repr(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    ours = attempt(lambda: repr(OURS[name](*args, **kwargs)))
    assert ours == attempt(lambda: repr(THEIRS[name](*args, **kwargs)))


@pytest.mark.parametrize("name", sorted(OURS))
def test_what_a_class_tells_about_itself(name: str) -> None:
    ours, theirs = OURS[name], THEIRS[name]
    assert ours.__match_args__ == theirs.__match_args__
    assert ours.__slots__ == theirs.__slots__
    assert ours.__qualname__ == theirs.__qualname__
    assert not hasattr(ours, "__dict__") or "__dict__" not in ours.__dict__
    shown = [(f.name, f.type, f.init, f.repr, f.compare, f.kw_only) for f in dataclasses.fields(theirs)]
    for look in (records.fields, dataclasses.fields):
        assert [(f.name, f.type, f.init, f.repr, f.compare, f.kw_only) for f in look(ours)] == shown


ROUNDS = pytest.mark.parametrize("_round", range(60))
"""Methods are general when they are first called, and compiled for good after that."""


@ROUNDS
def test_equality_and_hash(_round: int) -> None:
    cls, nan = OURS["Single"], float("nan")
    assert cls(1) == cls(1) != cls(2)
    assert cls(nan) == cls(nan)
    assert hash(cls(1)) == hash(cls(1))
    assert cls(1) != OURS["Ordered"](1)
    assert OURS["Empty"]() == OURS["Empty"]()
    assert OURS["Frozen"](1) != OURS["Frozen"](1, span=2)
    with pytest.raises(TypeError):
        hash(OURS["Mutable"]("m"))
    first, second = OURS["Mutable"]("m"), OURS["Mutable"]("m")
    first.cache["x"] = 1
    assert first == second
    assert first.items is not second.items


@ROUNDS
def test_order(_round: int) -> None:
    cls = OURS["Ordered"]
    assert sorted([cls(2, 1), cls(1, 2), cls(1, 1)]) == [cls(1, 1), cls(1, 2), cls(2, 1)]
    assert cls(1) <= cls(1) >= cls(1)
    with pytest.raises(TypeError):
        assert cls(1) < OURS["Single"](1)


def test_frozen() -> None:
    value = OURS["Frozen"](1)
    for change in (lambda: setattr(value, "a", 2), lambda: delattr(value, "a"), lambda: setattr(value, "new", 1)):
        with pytest.raises(dataclasses.FrozenInstanceError):
            change()


def test_replace_and_asdict() -> None:
    for library in (records, dataclasses):
        changed = library.replace(OURS["Frozen"](1, (2,), span=3), a=5)
        assert (changed.a, changed.b, changed.span) == (5, (2,), 3)
        assert library.asdict(OURS["Mutable"]("m", [1])) == {"name": "m", "items": [1], "cache": {}}
    nested = OURS["Single"]((OURS["Single"](1),))
    assert records.asdict(nested) == {"value": ({"value": 1},)}


def test_copies() -> None:
    from everypath.errors import Span

    span = Span("f.py", 3, 4)
    assert pickle.loads(pickle.dumps(span)) == copy.deepcopy(span) == copy.copy(span) == span
    match span:
        case Span(file, line):
            assert (file, line) == ("f.py", 3)


def test_a_default_before_a_field_without_is_refused() -> None:
    with pytest.raises(TypeError, match="without a default"):

        @records.dataclass(slots=True)
        class Wrong:
            a: int = 1
            b: int

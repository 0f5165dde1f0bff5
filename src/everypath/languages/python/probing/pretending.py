"""Stands in for `unittest.mock` while a search runs: does what a mock does by default, at a tenth of its price.

A mock makes a class of its own for every object. A search makes thousands of them for each call that it keeps, and the
calls that are kept are observed with real mocks.
"""

from __future__ import annotations

from types import FunctionType, MethodType
from typing import Any

_SPECIAL = frozenset({"return_value", "side_effect"})
_FUNCTIONS = (FunctionType, MethodType)
_MOST_HANDED = 6
handed: list[tuple[Any, int, Any]] = []
"""What was called with a function as an argument, at which position, and the function; of the last run."""
_OFTEN = 100
_TOO_OFTEN = 2_000
asked_often: list[Any] = []
"""What was called so often that it may be what keeps the last run from ending."""
_ASYNC = frozenset({"__aenter__", "__aexit__", "__aiter__", "__anext__"})


class Endless(BaseException):
    """A mock was asked so often that the call would hardly end by itself; cheaper than waiting for its time limit."""


def _class_of(pretended: Any) -> Any:
    spec = pretended.__dict__.get("_spec")
    return spec if isinstance(spec, type) else type(pretended)


class Pretended:
    """Has every attribute, can be called, and remembers where it came from, under the names that mocks use."""

    # As with a mock, `isinstance` sees the class that it stands for.
    __class__ = property(_class_of)  # type: ignore[assignment]

    def __init__(self, spec: Any = None, _name: str = "", _parent: Any = None, **given: Any) -> None:
        own = self.__dict__
        own["_mock_new_name"], own["_mock_new_parent"] = _name, _parent
        own["_spec"] = spec
        own["called"], own["call_count"] = False, 0
        own.update(given)
        if isinstance(given.get("side_effect"), (list, tuple)):
            own["side_effect"] = iter(given["side_effect"])

    def __getattr__(self, name: str) -> Any:
        spec = self.__dict__.get("_spec")
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        refused = name.startswith(("assert", "assret", "asert")) or (spec is not None and not hasattr(spec, name))
        if refused and name not in _SPECIAL:
            raise AttributeError(f"Mock object has no attribute {name!r}", name=name, obj=self)
        made = self.__dict__[name] = type(self)(_name="()" if name == "return_value" else name, _parent=self)
        return made

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        own = self.__dict__
        own["called"] = True
        own["call_count"] += 1
        if own["call_count"] == _OFTEN:
            asked_often.append(self)
        elif own["call_count"] >= _TOO_OFTEN:
            raise Endless
        own["call_args"] = (arguments, keywords)
        for position, each in enumerate(arguments):
            if type(each) in _FUNCTIONS and len(handed) < _MOST_HANDED:
                handed.append((self, position, each))
        effect = own.get("side_effect")
        if effect is not None:
            if isinstance(effect, BaseException) or (isinstance(effect, type) and issubclass(effect, BaseException)):
                raise effect
            return effect(*arguments, **keywords) if callable(effect) else next(effect)
        return self.return_value

    def __repr__(self) -> str:
        return f"<MagicMock id='{id(self)}'>"


class _Magic:
    """A special method: what the object was given for it, or else the answer of an attribute of that name."""

    def __init__(self, name: str, answer: Any = None) -> None:
        self._name = name
        self._answer = answer

    def __get__(self, pretended: Any, owner: type | None = None) -> Any:
        if pretended is None:
            return self
        own = pretended.__dict__
        if self._name in own:
            return own[self._name]
        if self._answer is not None:
            return lambda *arguments: self._answer(pretended)
        made = own[self._name] = type(pretended)(_name=self._name, _parent=pretended)
        return made

    def __set__(self, pretended: Any, value: Any) -> None:
        pretended.__dict__[self._name] = value


class MagicPretended(Pretended):
    """Also does what operators and statements ask of an object."""


_ANSWERS: dict[str, Any] = {
    "__iter__": lambda _: iter([]),
    "__len__": lambda _: 0,
    "__bool__": lambda _: True,
    "__int__": lambda _: 1,
    "__float__": lambda _: 1.0,
    "__complex__": lambda _: 1j,
    "__index__": lambda _: 1,
    "__contains__": lambda _: False,
    "__exit__": lambda _: False,
    "__fspath__": lambda pretended: f"MagicMock/mock/{id(pretended)}",
    "__lt__": lambda _: NotImplemented,
    "__gt__": lambda _: NotImplemented,
    "__le__": lambda _: NotImplemented,
    "__ge__": lambda _: NotImplemented,
}
_NUMERIC = "add sub mul matmul truediv floordiv mod divmod lshift rshift and xor or pow".split()
_OTHERS = "enter getitem setitem delitem neg pos abs invert trunc floor ceil round reversed".split()


async def _finished(value: Any) -> Any:
    return value


def _complete() -> None:
    for name, answer in _ANSWERS.items():
        setattr(MagicPretended, name, _Magic(name, answer))
    names = [f"{way}{name}" for name in _NUMERIC for way in ("", "r", "i") if f"{way}{name}" != "idivmod"]
    for name in (*names, *_OTHERS):
        setattr(MagicPretended, f"__{name}__", _Magic(f"__{name}__"))
    for name in sorted(_ASYNC):
        answer = {"__aiter__": _no_items, "__aenter__": _finished, "__aexit__": lambda _: _finished(False)}.get(name)
        if answer is not None:
            setattr(MagicPretended, name, _Magic(name, answer))


async def _no_items(_: Any) -> Any:
    nothing: list[Any] = []
    for item in nothing:
        yield item


_complete()
KINDS = {"Mock": Pretended, "MagicMock": MagicPretended}

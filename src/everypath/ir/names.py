"""Names in a program that no source can write: front ends make them, and later stages recognise them.

A method or static that the source does not name itself gets a name in angle brackets, which is no identifier in any
language. This module is the only one that knows how these names look.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from everypath.ir.types import Type

CELL = "<cell>"
"""the class of the objects in which functions share a variable"""
EFFECTS = "<effects>"
"""the method that does what importing the modules does besides defining names"""
LOOKUP = "<lookup>"
"""the class method that finds the member of an enumeration by its value, which is what calling the class does"""
BY_NAME = "<by name>"
"""the class method that finds the member of an enumeration by its name, which is what indexing the class does"""
REGISTERED = "<registered>"
"""a method of classes that an abstract class somewhere takes for its own"""

_STAND_IN = ".<stand-in>"
_STATIC, _MEMBER, _SETTER, _NO_SLOT = "<static ", "<member ", "<set ", "<no slot "
_REQUIRES = "<requires "
_QUALIFIED = re.compile(r"(?:\w+\.)+")
_PLACE = re.compile(r":\d+:\d+$")


def is_hidden(name: str) -> bool:
    """Whether the source cannot write this name."""
    return name.startswith("<")


def stand_in(cls: str) -> str:
    """The class of the objects that stand for any implementation of an interface."""
    return f"{cls}{_STAND_IN}"


def filled_in(cls: str, types: Iterable[Type]) -> str:
    """A class with types for its parameters."""
    # Without modules, because a dot would look like the end of one.
    return f"{cls}[{', '.join(_QUALIFIED.sub('', str(type_)) for type_ in types)}]"


def without_arguments(cls: str) -> str:
    """The class as the source names it, without types for its parameters."""
    return cls.partition("[")[0]


def interface_of(cls: str) -> str | None:
    """The interface for which objects of the class stand in; None for any other class."""
    return cls.removesuffix(_STAND_IN) if cls.endswith(_STAND_IN) else None


def effect(number: int) -> str:
    """The method that does one of the things that importing modules does."""
    return f"{EFFECTS}{number}"


def static_initialiser(name: str) -> str:
    """The method that computes the first value of a module's variable or class attribute."""
    return f"{_STATIC}{name}>"


def initialised_static(method: str) -> str | None:
    """The static whose first value a method of this name computes; None for any other method."""
    return method.removeprefix(_STATIC).removesuffix(">") if method.startswith(_STATIC) else None


def member_initialiser(name: str) -> str:
    """The method that makes a member of an enumeration."""
    return f"{_MEMBER}{name}>"


def runs_on_import(method: str) -> bool:
    """Whether a method of this name does what the real program does while its modules are imported."""
    return method.startswith((_STATIC, _MEMBER, EFFECTS))


def is_preparation(method: str) -> bool:
    """Whether a method of this name runs before the call under test, and is no part of it."""
    return runs_on_import(method) or is_requirement(method)


def setter(name: str) -> str:
    """The method that assigns a property."""
    return f"{_SETTER}{name}>"


def is_setter(method: str) -> bool:
    """Whether a method of this name assigns a property."""
    return method.startswith(_SETTER)


def refusing_setter(name: str) -> str:
    """The method that refuses to assign an attribute for which objects of a class have no place."""
    return f"{_NO_SLOT}{name}>"


def is_refusing_setter(method: str) -> bool:
    """Whether a method of this name refuses to assign an attribute."""
    return method.startswith(_NO_SLOT)


def deleter(name: str) -> str:
    """The method that deletes a property."""
    return f"<delete {name}>"


def resumable_body(method: str) -> str:
    """The body of a generator or coroutine function; the function itself only makes the object that runs it."""
    return f"{method}.<body>"


def requirement(number: int) -> str:
    """The function that tells whether callers keep a precondition."""
    return f"{_REQUIRES}{number}>"


def is_requirement(method: str) -> bool:
    """Whether a method of this name tells whether callers keep a precondition."""
    return method.startswith(_REQUIRES)


def undecorated(method: str) -> str:
    """A function as it is written, without its decorators."""
    return f"<undecorated {method}>"


def decorated(method: str) -> str:
    """The static that holds what the decorators of a function made of it."""
    return f"<decorated {method}>"


def uncached(method: str) -> str:
    """The function that computes a cached property."""
    return f"<uncached {method}>"


def implementation(function: str, line: int) -> str:
    """A function that is registered with another one, which chooses between several of that name."""
    return f"<{function}:{line}>"


def nested_function(outer: str, name: str, line: int, column: int) -> str:
    """A function inside another one; several may have the same name, but not the same place."""
    return f"{outer}.{name}:{line}:{column}"


def is_nested_function(name: str) -> bool:
    """Whether this is the name of a function inside another one, or of the class of its objects."""
    return _PLACE.search(name) is not None


def written_name(name: str) -> str:
    """The name in the source: `m.outer.inner:3:5` is `inner`, `m.<undecorated g>` is `g`."""
    last = _PLACE.sub("", name).rpartition(".")[2]
    return last.rpartition(" ")[2].rstrip(">") if " " in last else last


def argument_default(param: str, function: str = "") -> str:
    """The default of a parameter: a static of the class, or a field of the object that a nested function is."""
    return f"<default {function}.{param}>" if function else f"<default {param}>"


def captured(variable: str) -> str:
    """The static in which a class inside a function keeps a variable of that function."""
    return f"<captured {variable}>"


def deleted(name: str) -> str:
    """What a name is kept as that the class body deletes: only the body itself can use it."""
    return f"<deleted {name}>"


def before_deletion(name: str) -> str:
    """The name in the class body of something that is kept under this name."""
    return name.removeprefix("<deleted ").removesuffix(">")


def parent_method(start: str, name: str) -> str:
    """The name under which each class keeps the method that comes after class `start` in its order of bases."""
    return f"<super {start}>.{name}"

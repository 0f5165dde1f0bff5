"""Which memory an attribute's name stands for, decided once for each class without running any of its code."""

from __future__ import annotations

import threading
import types
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from everypath.race.observe.containers import DISCOVERIES, Remembered, mro_of, namespace_of

NOTHING, INSTANCE, NAMESPACE, MODULE, CLASS = range(5)
"""No access; the instance's own; its `__dict__`; an attribute of a module; of a class."""

_METHODS_IN_C = (types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType)
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, classmethod, staticmethod, property)
_CODE = frozenset((*_FUNCTIONS, *_METHODS_IN_C, types.GetSetDescriptorType, types.ModuleType, type))
_UNINTERESTING = frozenset("__class__ __name__ __qualname__ __module__ __doc__ __slots__ __annotations__".split())

STORED: set[str] = set()
"""Every attribute that rewritten code assigns anywhere; only such an attribute can hide a method of the class."""
GLOBALS: dict[str, set[str]] = {}
"""module -> its variables that functions assign"""


class ClassData:
    """Data of a class that its instances see."""

    __slots__ = ("owner",)

    def __init__(self, owner: type) -> None:
        self.owner = owner


LoadRule = int | ClassData
_Rule = TypeVar("_Rule")


def find(cls: type, name: str) -> tuple[type | None, Any]:
    """The class that defines the name, and its raw value there."""
    for base in mro_of(cls):
        namespace = namespace_of(base)
        if name in namespace:
            return base, namespace[name]
    return None, None


def _is_python(cls: type, name: str) -> bool:
    return isinstance(find(cls, name)[1], types.FunctionType)


def _is_code(value: Any) -> bool:
    return not _CODE.isdisjoint(mro_of(type(value)))


def _sets(value: Any) -> bool:
    return find(type(value), "__set__")[0] is not None or find(type(value), "__delete__")[0] is not None


def is_ignored(cls: type) -> bool:
    """Whether instances are doubles of our own, or have separate data for each thread."""
    return find(cls, "__everypath_ignore__")[0] is not None or threading.local in mro_of(cls)


def _classify_load(cls: type, name: str) -> LoadRule:
    DISCOVERIES.tell(cls)
    if name in _UNINTERESTING or is_ignored(cls) or cls is super:
        return NOTHING
    if issubclass(cls, type):
        return CLASS
    if issubclass(cls, types.ModuleType):
        return MODULE
    if _is_python(cls, "__getattribute__"):
        # The class's own code decides what is read; if it is rewritten, its accesses are announced there.
        return NOTHING
    owner, value = find(cls, name)
    if name == "__dict__":
        return NAMESPACE if type(value) is types.GetSetDescriptorType else NOTHING
    if owner is None:
        return INSTANCE
    if type(value) is types.MemberDescriptorType:
        return INSTANCE if is_python_class(owner) else NOTHING
    if _sets(value):
        return NOTHING
    if _is_code(value):
        # Methods never change, unless some code assigns an attribute of that name and so hides them.
        return INSTANCE if name in STORED and is_python_class(cls) else NOTHING
    if find(type(value), "__get__")[0] is not None:
        DISCOVERIES.tell(type(value))
        return INSTANCE
    return ClassData(owner)


def _classify_store(cls: type, name: str) -> int:
    if is_ignored(cls):
        return NOTHING
    if issubclass(cls, type):
        return CLASS
    if issubclass(cls, types.ModuleType):
        return MODULE
    return NOTHING if _is_python(cls, "__setattr__") else classify_raw_store(cls, name)


def classify_raw_store(cls: type, name: str) -> int:
    """What `object.__setattr__` does: it lets a descriptor act, or writes to the instance."""
    owner, value = find(cls, name)
    if owner is None:
        return INSTANCE
    if type(value) is types.MemberDescriptorType:
        return INSTANCE if is_python_class(owner) else NOTHING
    return NOTHING if _sets(value) else INSTANCE


_HEAP_TYPE, _IMMUTABLE_TYPE = 1 << 9, 1 << 8


def is_python_class(cls: type) -> bool:
    """Whether the class was made by a class statement, as far as that can be told quickly."""
    return cls.__flags__ & (_HEAP_TYPE | _IMMUTABLE_TYPE) == _HEAP_TYPE


def defines_methods_in_c(cls: type) -> bool:
    """Whether the class has C methods of its own, not only those of its bases."""
    return any(type(value) in _METHODS_IN_C and value.__objclass__ is cls for value in namespace_of(cls).values())


def class_owner(cls: type, name: str) -> type | None:
    """The class whose data `cls.name` is; None for methods and for what a metaclass computes."""
    owner, value = find(cls, name)
    if owner is None or _is_code(value) or name in _UNINTERESTING:
        return None
    return owner if is_python_class(owner) else None


def _rules(classify: Callable[[type, str], _Rule]) -> Remembered[type, Remembered[str, _Rule]]:
    """Class -> attribute -> its rule."""
    return Remembered(lambda cls: Remembered(partial(classify, cls)))


LOADS = _rules(_classify_load)
STORES = _rules(_classify_store)


def forget() -> None:
    """Forget all earlier decisions, because a class changed or more code was rewritten."""
    LOADS.clear()
    STORES.clear()

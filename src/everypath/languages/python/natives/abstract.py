"""Abstract classes of `collections.abc`, `typing` and `numbers`: which values they take for their own."""

from __future__ import annotations

import collections.abc
import types
from abc import ABCMeta

from everypath.errors import Unsupported
from everypath.explore.objects import program_of
from everypath.explore.state import State
from everypath.ir.names import BY_NAME, REGISTERED
from everypath.ir.program import Program
from everypath.languages.python.semantics.host_objects import modelled_class, real_class
from everypath.languages.python.semantics.keys import has_no_hash
from everypath.languages.python.semantics.kinds import need_written

CALLABLE: type = collections.abc.Callable  # type: ignore[assignment]
_HOMES = frozenset(("collections.abc", "_collections_abc", "typing", "typing_extensions"))
_ALIASES = {"AbstractSet": "Set"}
_CONCRETE = frozenset(("typing.Set",))
"""names of `typing` that mean a builtin class, although an abstract one has the same name"""
_METHODS: dict[type, tuple[str, ...]] = {
    collections.abc.Iterable: ("__iter__",),
    collections.abc.Iterator: ("__iter__", "__next__"),
    collections.abc.Generator: ("__iter__", "__next__", "send", "throw", "close"),
    collections.abc.Reversible: ("__reversed__", "__iter__"),
    collections.abc.Sized: ("__len__",),
    collections.abc.Container: ("__contains__",),
    collections.abc.Collection: ("__len__", "__iter__", "__contains__"),
    CALLABLE: ("__call__",),
    collections.abc.Awaitable: ("__await__",),
    collections.abc.Coroutine: ("__await__", "send", "throw", "close"),
    collections.abc.AsyncIterable: ("__aiter__",),
    collections.abc.AsyncIterator: ("__anext__", "__aiter__"),
    collections.abc.AsyncGenerator: ("__aiter__", "__anext__", "asend", "athrow", "aclose"),
}
"""abstract class -> the methods that make any class one of its own"""
KINDS: dict[str, type] = {
    "NoneType": type(None),
    "iterator": type(iter(())),
    "function": types.FunctionType,
    "method": types.MethodType,
    "builtin_function_or_method": types.BuiltinFunctionType,
    "dict_keys": type({}.keys()),
    "dict_values": type({}.values()),
    "dict_items": type({}.items()),
}
"""classes of values that the language has no name for"""
_EXTENDED = {f"builtin_bases.{cls.__name__.capitalize()}Base": cls for cls in (dict, list, set, tuple, str, int, float)}


def abstract_class(name: str) -> type | None:
    """The abstract class behind a dotted name."""
    module, _, member = name.rpartition(".")
    if module == "numbers":
        found = real_class(name)
    else:
        known = module in _HOMES and name not in _CONCRETE
        found = getattr(collections.abc, _ALIASES.get(member, member), None) if known else None
    return found if isinstance(found, ABCMeta) else None


def kind_belongs(kind: str, abstract: type) -> bool:
    """Whether values of a builtin class belong to the abstract one."""
    real = KINDS.get(kind) or real_class(kind)
    if real is None or (kind == "iterator" and abstract is collections.abc.Generator):
        raise Unsupported(f"isinstance() of {kind} with {abstract.__name__}")
    return issubclass(real, abstract)


def class_belongs(st: State, cls: str, abstract: type) -> bool:
    """Whether objects of a class of the program belong to the abstract one."""
    program = program_of(st)
    if abstract is collections.abc.Hashable:
        return not has_no_hash(program, cls)
    order = program.mro(cls)
    reals = {base: _stands_for(program, base) for base in order}
    if any(real is not None and issubclass(real, abstract) for real in reals.values()):
        return True
    methods = _METHODS.get(abstract, ())
    for name in methods:
        need_written(program, cls, name)
    if methods and all(program.find_method(cls, name) is not None for name in methods):
        return True
    if program.find_method(cls, REGISTERED) is not None:
        raise Unsupported(f"isinstance() of an object whose class is registered with {abstract.__name__} or another")
    for base in order:
        owner = program.classes.get(base)
        if reals[base] is None and base != "object" and owner is not None and owner.external:
            raise Unsupported(f"isinstance() of an object whose class extends {base} with {abstract.__name__}")
    return False


def _stands_for(program: Program, base: str) -> type | None:
    """The class of the interpreter that a class of the program is, or is a version of."""
    found = _EXTENDED.get(base) or abstract_class(base) or modelled_class(base) or real_class(base)
    if found is None and base in program.classes:
        methods = program.classes[base].methods
        if "_asdict" in methods and methods["_asdict"].model:
            return tuple
        if BY_NAME in methods and "__len__" in methods and methods["__len__"].model:
            return str
    return found

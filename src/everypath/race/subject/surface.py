"""What can be done with an object of a class: methods, properties and operators as patterns of source."""

from __future__ import annotations

import collections
import functools
import inspect
import types
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from everypath.race.running import SHARED
from everypath.race.subject.class_source import declared_parameters, touches_shared_state
from everypath.records import dataclass

_SEQUENCE = """
    append(value) extend(iterable) insert(index,value) pop(index=-1) remove(value) index(value) count(value)
    reverse() clear() copy() __getitem__(index) __setitem__(index,value) __delitem__(index) __contains__(value)
    __len__() __iter__() __reversed__() __iadd__(iterable)
"""
_SET = """
    union(iterable) intersection(iterable) difference(iterable) symmetric_difference(iterable) issubset(iterable)
    issuperset(iterable) isdisjoint(iterable) copy() __contains__(value) __len__() __iter__()
"""
_MAPPING = """
    get(key,default=None) keys() values() items() copy() __getitem__(key) __contains__(key) __len__() __iter__()
    __reversed__() pop(key,default=None) popitem() setdefault(key,default=None) update(mapping) clear()
    __setitem__(key,value) __delitem__(key) __ior__(mapping)
"""
_TEXT: dict[type[Any], str] = {
    dict: _MAPPING,
    collections.OrderedDict: _MAPPING.replace("popitem()", "popitem(last=True) move_to_end(key,/,last=True)"),
    collections.defaultdict: _MAPPING + " __missing__(key)",
    list: _SEQUENCE + " sort()",
    bytearray: _SEQUENCE.replace("(value)", "(number)"),
    collections.deque: _SEQUENCE.replace("pop(index=-1)", "pop() popleft() appendleft(value) extendleft(iterable)")
    + " rotate(n=1)",
    frozenset: _SET,
    set: _SET
    + """
    add(value) discard(value) remove(value) pop() clear() update(iterable) intersection_update(iterable)
    difference_update(iterable) symmetric_difference_update(iterable) __ior__(other) __iand__(other)
    __isub__(other) __ixor__(other)
    """,
    tuple: "index(value) count(value) __getitem__(index) __contains__(value) __len__() __iter__()",
}


def prototype(owner: type[Any], method: str) -> tuple[inspect.Parameter, ...] | None:
    """What a method of a built-in collection takes besides `self`."""
    text = _TEXT.get(owner)
    return None if text is None else _prototypes(text).get(method)


@lru_cache(maxsize=16)
def _prototypes(prototypes: str) -> dict[str, tuple[inspect.Parameter, ...]]:
    found = {}
    for text in prototypes.split():
        name, _, rest = text.partition("(")
        taken = rest.rstrip(")")
        # C code names no parameters; `last` is the exception.
        taken += ",/" if taken and "last" not in taken else ""
        found[name] = tuple(inspect.signature(eval(f"lambda {taken}: None")).parameters.values())
    return found


OWN, INHERITED, NATIVE, MINOR = 0, 1, 2, 3
"""How much a form matters: defined in the class's package, by a library base, in C, or of interest only at the end."""

ELEMENT = "[]"
"""The role of what stands between the brackets, whatever the methods call it."""
IDENTIFIER = "."
"""The role of the name after the dot: an identifier, not an expression."""
MANY, NAMED = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
_SHOWN_PLAIN = ("default", "d", "failobj", "other", "iterable", "index")
_BY_NAME = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@dataclass(frozen=True, slots=True)
class Form:
    """One operation as a pattern; `{args}` stands for an argument list, `{0}` and `{1}` for single values."""

    method: str
    pattern: str
    parameters: tuple[inspect.Parameter, ...]
    rank: int
    function: Any = None
    """where the annotations are"""

    def role(self, parameter: inspect.Parameter) -> str:
        """Under which name values for the parameter are agreed upon across methods."""
        first = parameter is self.parameters[0]
        if first and self.method in _ATTRIBUTES:
            return IDENTIFIER
        return ELEMENT if first and self.method in _ITEMS else parameter.name

    def required(self, parameter: inspect.Parameter) -> bool:
        """Whether the call needs a value for it."""
        return parameter.default is inspect.Parameter.empty and parameter.kind not in (MANY, NAMED)

    def render(self, values: tuple[str | None, ...]) -> str | None:
        """The source for these arguments, None for one left out; None if it cannot be written."""
        if "{args}" not in self.pattern:
            return self.pattern.format(*values)
        shown = arguments(self.parameters, values)
        return None if shown is None else self.pattern.replace("{args}", shown)


def arguments(parameters: tuple[inspect.Parameter, ...], values: tuple[str | None, ...]) -> str | None:
    """An argument list; what has a default is named where that is allowed."""
    shown = []
    gap = False
    for parameter, value in zip(parameters, values):
        optional = parameter.default is not inspect.Parameter.empty
        if value is None:
            gap = gap or parameter.kind is not inspect.Parameter.KEYWORD_ONLY
        elif parameter.kind in (MANY, NAMED):
            if gap and parameter.kind is MANY and any(p.kind not in (MANY, NAMED) for p in parameters):
                return None
            shown.append(value)
        elif parameter.kind in _BY_NAME and (
            gap or parameter.kind is inspect.Parameter.KEYWORD_ONLY or (optional and parameter.name not in _SHOWN_PLAIN)
        ):
            shown.append(f"{parameter.name}={value}")
            gap = gap or parameter.kind is not inspect.Parameter.KEYWORD_ONLY
        elif gap:
            return None
        else:
            shown.append(value)
    return ", ".join(shown)


_ITEMS = ("__getitem__", "__setitem__", "__delitem__")
_OPERATORS = {
    "__getitem__": "sut[{0}]",
    "__setitem__": "sut[{0}] = {1}",
    "__delitem__": "del sut[{0}]",
    "__contains__": "{0} in sut",
    "__len__": "len(sut)",
    "__iter__": "iter(sut)",
    "__reversed__": "reversed(sut)",
    "__bool__": "bool(sut)",
    "__next__": "next(sut)",
    "__call__": "sut({args})",
    "__enter__": "with sut: pass",
}
_IN_PLACE = {
    f"__i{name}__": f"sut {sign}= {{0}}"
    for name, sign in (
        ("add", "+"), ("sub", "-"), ("mul", "*"), ("or", "|"), ("and", "&"), ("xor", "^"), ("truediv", "/"),
        ("floordiv", "//"), ("mod", "%"), ("lshift", "<<"), ("rshift", ">>"),
    )
}  # fmt: skip
_MINOR = {
    "__repr__": "repr(sut)",
    "__str__": "str(sut)",
    "__copy__": "copy.copy(sut)",
    "__int__": "int(sut)",
    "__float__": "float(sut)",
    "__add__": "sut + {0}",
    "__sub__": "sut - {0}",
    "__mul__": "sut * {0}",
    "__or__": "sut | {0}",
    "__and__": "sut & {0}",
    "__xor__": "sut ^ {0}",
}
_ATTRIBUTES = {"__getattr__": "sut.{0}", "__setattr__": "sut.{0} = {1}", "__delattr__": "del sut.{0}"}
ASYNCHRONOUS = "is asynchronous: an event loop runs it on one thread"
_ASYNCHRONOUS_NAMES = ("__aenter__", "__aiter__", "__anext__", "__await__")


class _Family(NamedTuple):
    """Protocol methods that are offered under the same conditions."""

    patterns: dict[str, str]
    operand: str
    """what the first operand is called where the method does not say it"""
    native: bool
    """whether those in C are offered, too, if it is known what they take"""
    highest: int
    """the rank that they have at best"""


_FAMILIES = (
    _Family(_OPERATORS, "key", True, OWN),
    _Family(_IN_PLACE, "other", True, OWN),
    _Family(_ATTRIBUTES, "key", False, INHERITED),
    _Family(_MINOR, "other", False, MINOR),
)
_FAMILY_OF = {name: family for family in _FAMILIES for name in family.patterns}


def surface(cls: type[Any], named: tuple[str, ...], cls_name: str, problems: list[tuple[str, str]]) -> list[Form]:
    """Every operation, in the order of the source, own ones first; what is left out is added to the problems.

    `cls_name` is how calls on the class itself are written.
    """
    found: dict[str, list[Form]] = {}
    package = cls.__module__.partition(".")[0]
    for owner in cls.__mro__[:-1]:
        for name, member in list(vars(owner).items()):
            if name in found:
                continue
            found[name] = []
            special = name.startswith("__") and name.endswith("__")
            if name.startswith("_") and not special and name not in named:
                continue
            if name in getattr(cls, "__abstractmethods__", ()):
                problems.append((name, "is abstract: only concrete methods are run"))
                continue
            rank = OWN if owner.__module__.partition(".")[0] == package else INHERITED
            if isinstance(member, (classmethod, staticmethod, types.ClassMethodDescriptorType)):
                found[name] = list(_shared_forms(cls, cls_name, name, member, rank, problems))
            else:
                found[name] = list(_forms(cls, owner, name, member, rank, problems))
    return sorted((form for forms in found.values() for form in forms), key=lambda form: form.rank)


def _forms(
    cls: type[Any], owner: type[Any], name: str, member: Any, rank: int, problems: list[tuple[str, str]]
) -> Iterator[Form]:
    if name in _ASYNCHRONOUS_NAMES or inspect.iscoroutinefunction(member) or inspect.isasyncgenfunction(member):
        problems.append((name, ASYNCHRONOUS))
    elif isinstance(member, property):
        yield from _property_forms(name, member, rank)
    elif isinstance(member, functools.cached_property):
        yield Form(name, f"{SHARED}.{name}", (), rank, member.func)
        yield Form(name, f"del {SHARED}.{name}", (), max(rank, INHERITED))
    elif name.startswith("__") and name.endswith("__"):
        yield from _protocol_forms(owner, name, member, rank)
    elif isinstance(member, (type, types.MemberDescriptorType, types.GetSetDescriptorType)):
        return
    elif inspect.isdatadescriptor(member):
        yield Form(name, f"{SHARED}.{name}", (), rank)
        yield Form(name, f"{SHARED}.{name} = {{0}}", (_parameter("value"),), rank)
    elif callable(member) or hasattr(member, "__get__"):
        yield from _method_forms(cls, owner, name, member, rank, problems)


def _shared_forms(
    cls: type[Any], cls_name: str, name: str, member: Any, rank: int, problems: list[tuple[str, str]]
) -> Iterator[Form]:
    function = getattr(member, "__func__", None)
    if name.startswith("__"):
        return
    if inspect.iscoroutinefunction(function):
        problems.append((name, ASYNCHRONOUS))
    elif touches_shared_state(cls, name):
        signature = signature_of(getattr(cls, name))
        if signature is not None:
            yield Form(name, f"{cls_name}.{name}({{args}})", signature, rank, function)
    elif rank == OWN:
        problems.append((name, "is called on the class and uses no state that objects share"))


def _property_forms(name: str, member: property, rank: int) -> Iterator[Form]:
    if member.fget is not None:
        yield Form(name, f"{SHARED}.{name}", (), rank, member.fget)
    if member.fset is not None:
        signature = (signature_of(member.fset) or (None, _parameter("value")))[-1:]
        yield Form(name, f"{SHARED}.{name} = {{0}}", tuple(p for p in signature if p), rank, member.fset)
    if member.fdel is not None:
        yield Form(name, f"del {SHARED}.{name}", (), rank, member.fdel)


def _method_forms(
    cls: type[Any], owner: type[Any], name: str, member: Any, rank: int, problems: list[tuple[str, str]]
) -> Iterator[Form]:
    pattern = f"{SHARED}.{name}({{args}})"
    known = prototype(owner, name)
    if known is not None:
        yield Form(name, pattern, known, NATIVE, None)
        return
    native = isinstance(member, (types.MethodDescriptorType, types.WrapperDescriptorType, types.BuiltinFunctionType))
    try:
        bound = getattr(cls, name)
    except Exception:  # a descriptor of the class may refuse to be read on the class
        bound = member
    if not callable(bound):
        if hasattr(member, "__get__"):
            yield Form(name, f"{SHARED}.{name}", (), rank, None)
        return
    signature = signature_of(bound)
    if signature is None:
        problems.append((name, "has no signature: its arguments are unknown"))
    else:
        # A member that is no descriptor does not get the object passed.
        takes_self = hasattr(member, "__get__") and not inspect.ismethod(bound)
        parameters = signature[1:] if takes_self else signature
        if parameters and all(p.kind in (MANY, NAMED) for p in parameters):
            parameters = _passed_on(cls, owner, name) or parameters
        yield Form(name, pattern, parameters, NATIVE if native else rank, bound)


def _passed_on(cls: type[Any], owner: type[Any], name: str) -> tuple[inspect.Parameter, ...] | None:
    """The parameters behind a method which takes anything: those in its source, or those of the next class."""
    declared = declared_parameters(cls, name)
    if declared:
        return declared
    for base in cls.__mro__[cls.__mro__.index(owner) + 1 :]:
        member = vars(base).get(name)
        known = prototype(base, name)
        if known is not None:
            return known
        if inspect.isfunction(member):
            parameters = (signature_of(member) or ())[1:]
            if not all(p.kind in (MANY, NAMED) for p in parameters):
                return parameters
    return None


def _protocol_forms(owner: type[Any], name: str, member: Any, rank: int) -> Iterator[Form]:
    family = _FAMILY_OF.get(name)
    if family is None or not callable(member):
        return
    pattern = family.patterns[name]
    known = prototype(owner, name)
    signature = known if known is not None else (signature_of(member) or ())[1:]
    if name == "__call__":
        yield Form(name, pattern, signature, rank, member)
        return
    native = not inspect.isfunction(inspect.unwrap(member))
    if native and (known is None or not family.native):
        return
    named = tuple(p for p in signature if p.kind not in (MANY, NAMED))
    operands = _filled(named, pattern.count("{"), family.operand)
    yield Form(name, pattern, operands, NATIVE if native else max(rank, family.highest), member)


def _filled(parameters: tuple[inspect.Parameter, ...], count: int, first: str) -> tuple[inspect.Parameter, ...]:
    """As many parameters as the operator has operands."""
    missing = (_parameter(first), _parameter("value"))[len(parameters) :]
    return (*parameters, *missing)[:count]


def _parameter(name: str) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY)


def signature_of(function: Any) -> tuple[inspect.Parameter, ...] | None:
    """The parameters of a function or class; None if they are not known."""
    try:
        return tuple(inspect.signature(function).parameters.values())
    except Exception:  # C code has none, and a class may compute its own
        return None

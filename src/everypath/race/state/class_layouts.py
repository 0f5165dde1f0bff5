"""How an object of each class is taken apart without running any code of that class."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

from everypath.race.observe.containers import mro_of, namespace_of
from everypath.race.state.contents import (
    EVERYTHING,
    KINDS,
    METHODS_IN_C,
    OURS,
    Kind,
    has_cells,
    is_ignored_function,
    nothing,
)
from everypath.race.state.graph import Shape, shape
from everypath.records import dataclass

_of_types: Any = vars(type)
_qualified = _of_types["__qualname__"].__get__
_module = _of_types["__module__"].__get__

_OWN_DESCRIPTORS = ("__dict__", "__weakref__")
_MOST_PLANS = 5_000


def class_name(cls: type[Any]) -> str:
    """`module.Class`, without the module for builtins; asks nothing of the metaclass."""
    module = namespace_of(cls).get("__module__") or _module(cls)
    if type(module) is not str or module == "builtins":
        return str(_qualified(cls))
    return f"{module}.{_qualified(cls)}"


def short_name(cls: type[Any]) -> str:
    """The class's qualified name without the function in which it was defined."""
    return str(_qualified(cls)).rpartition("<locals>.")[2]


@dataclass(slots=True)
class Plan:
    """How objects of one class are looked into; `identity` says whether two equal ones can be told apart."""

    cls: type[Any]
    shape: Shape
    identity: bool
    content: Callable[[Any], Sequence[Any]] = nothing
    atom: Callable[[Any], Any] | None = None
    """gives a hashable value that stands for the whole object"""
    bare: bool = False
    """whether there are no attributes, only content"""
    opaque: bool = False
    unordered: bool = False
    attributes: Callable[[Any], dict[str, Any]] | None = None
    """gives the `__dict__`"""
    slots: tuple[tuple[str, Callable[[Any], Any]], ...] = ()
    hidden: frozenset[str] = frozenset()
    """attributes that are bookkeeping of the library"""
    choose: Callable[[Any], Plan] | None = None
    """gives the plan for one object, if objects of one class differ"""

    def parts(self, value: Any) -> tuple[tuple[str, ...], Sequence[Any]]:
        """The names of the attributes that are set, and their values followed by the content."""
        names: tuple[str, ...] = ()
        values: list[Any] = []
        if self.attributes is not None:
            found = self.attributes(value)
            if found and found is not value:
                if type(found) is not dict:
                    found = dict(dict.items(found))
                present = tuple(found)
                names = _SORTED.get(present) or _ordered_names(present)
                if self.hidden:
                    names = tuple(name for name in names if name not in self.hidden)
                values = list(map(found.__getitem__, names))
        if self.slots:
            set_slots = []
            for name, get in self.slots:
                try:
                    values.append(get(value))
                except AttributeError:
                    continue
                set_slots.append(name)
            names += tuple(set_slots)
        if self.content is not nothing:
            values += self.content(value)
        return names, values


class _ClosurePlan(Plan):
    """The variables that a function remembers are like attributes."""

    __slots__ = ()

    def parts(self, value: Any) -> tuple[tuple[str, ...], Sequence[Any]]:
        names, values = super().parts(value)
        return (*value.__code__.co_freevars, *names), [*value.__closure__, *values]


_SORTED: dict[tuple[str, ...], tuple[str, ...]] = {}


def _ordered_names(names: tuple[Any, ...]) -> tuple[str, ...]:
    """The names in sorted order: whichever of two threads sets its attribute first, the object is the same."""
    found = tuple(sorted(names, key=lambda n: (type(n) is not str, str.__str__(n) if isinstance(n, str) else repr(n))))
    if len(_SORTED) < _MOST_PLANS:
        _SORTED[names] = found
    return found


PLANS: dict[int, Plan] = {}
"""id of a class -> its plan; a plan keeps its class alive, so an id means one class as long as it is here"""


def plan_of(cls: type[Any]) -> Plan:
    """The plan for instances of a class."""
    found = PLANS.get(id(cls))
    if found is None:
        if len(PLANS) >= _MOST_PLANS:
            PLANS.clear()
        found = PLANS[id(cls)] = _make(cls)
    return found


def plan_for(value: Any) -> Plan:
    """The plan for one object."""
    plan = plan_of(type(value))
    return plan if plan.choose is None else plan.choose(value)


def _make(cls: type[Any]) -> Plan:
    mro = mro_of(cls)
    name = class_name(cls)
    kind, above = _kind(mro)
    stand_in = kind.cls is object and name.startswith(OURS)
    if stand_in or any(namespace_of(base).get("__everypath_ignore__") is True for base in mro):
        return Plan(cls, shape(name, "ignored"), True, bare=True)
    if any(base is Enum for base in mro):
        return Plan(cls, shape(name, "enum"), False, _enum_content)
    if any(base is type for base in mro):
        return Plan(cls, shape("type", "name"), False, atom=class_name)
    plan = Plan(cls, shape(name, kind.name), kind.identity, kind.content)
    plan.opaque, plan.hidden, plan.unordered = kind.opaque, kind.hidden, kind.name == "set"
    if cls is kind.cls:
        plan.atom = kind.atom
    if cls is types.FunctionType:
        plan.choose = _choice_among_functions(plan)
    if kind.hidden is EVERYTHING or (cls is kind.cls and not kind.identity):
        plan.bare = True
        return plan
    plan.slots = _slots(above)
    plan.attributes = _dict_getter(mro)
    if kind.atom is not None and cls is not kind.cls:
        atom = kind.atom
        plan.content = lambda value: (atom(value),)
    # Even of an immutable class, an instance that can be given attributes is not immutable.
    has_attributes = bool(plan.slots) or plan.attributes is not None
    plan.bare = not has_attributes
    plan.identity = (kind.identity or has_attributes) and not _is_frozen(cls)
    return plan


def _kind(mro: tuple[type[Any], ...]) -> tuple[Kind, tuple[type[Any], ...]]:
    """The kind of the nearest known base, and the classes below it."""
    for position, base in enumerate(mro):
        known = KINDS.get(id(base))
        if known is not None:
            return known, mro[:position]
        if _module(base) == "everypath.race.control.locks" and hasattr(base, "locked"):
            return Kind(base, "lock", content=_controlled_lock, hidden=EVERYTHING), ()
        if is_written_in_c(base) and not (base.__module__ == "builtins" and issubclass(base, BaseException)):
            return Kind(base, "opaque", opaque=True), mro[:position]
    return KINDS[id(object)], mro


def _controlled_lock(lock: Any) -> tuple[str]:
    return ("held" if lock.locked() else "free",)


def is_written_in_c(cls: type[Any]) -> bool:
    """Whether instances may have state that no attribute shows."""
    for name, value in namespace_of(cls).items():
        kind = type(value)
        own = kind in METHODS_IN_C or (kind is types.GetSetDescriptorType and name not in _OWN_DESCRIPTORS)
        if own and value.__objclass__ is cls:
            return True
        if name == "__new__" and kind is types.BuiltinFunctionType and value.__self__ is cls:
            return True
    return False


def _slots(classes: tuple[type[Any], ...]) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
    found: dict[str, Callable[[Any], Any]] = {}
    for cls in classes:
        for name, value in namespace_of(cls).items():
            if type(value) is types.MemberDescriptorType and name not in _OWN_DESCRIPTORS and value.__objclass__ is cls:
                found[name if name not in found else f"{class_name(cls)}.{name}"] = value.__get__
    return tuple(sorted(found.items()))


def _dict_getter(mro: tuple[type[Any], ...]) -> Callable[[Any], dict[str, Any]] | None:
    for base in mro:
        descriptor = namespace_of(base).get("__dict__")
        # A class may define a property of this name, which is its own code.
        if type(descriptor) in (types.GetSetDescriptorType, types.MemberDescriptorType):
            getter: Callable[[Any], dict[str, Any]] = descriptor.__get__
            return getter
    return None


def _is_frozen(cls: type[Any]) -> bool:
    """Whether the class is a frozen dataclass (or attrs class), whose instances are values."""
    declared = namespace_of(cls).get("__dataclass_params__")
    if type(declared).__name__ in ("_DataclassParams", "SimpleNamespace"):
        return bool(declared.frozen)
    setter = namespace_of(cls).get("__setattr__")
    return type(setter) is types.FunctionType and setter.__name__ == "_frozen_setattrs"


def _enum_content(member: Any) -> Sequence[Any]:
    attributes = object.__getattribute__(member, "__dict__")
    return (str(attributes.get("_name_")),) if attributes.get("_name_") else (attributes.get("_value_"),)


def _choice_among_functions(plan: Plan) -> Callable[[Any], Plan]:
    closure = _ClosurePlan(plan.cls, shape("function", "closure"), True, plan.content)
    closure.attributes = types.FunctionType.__dict__["__dict__"].__get__
    ignored = Plan(plan.cls, shape("function", "ignored"), False, atom=plan.atom)
    plain = Plan(plan.cls, plan.shape, False, plan.content, plan.atom)
    return lambda f: ignored if is_ignored_function(f) else closure if has_cells(f) else plain

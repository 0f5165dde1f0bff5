"""A start state written down as a recipe that builds it again and again, where that is provably the same.

The recipe is a compiled function which makes all objects empty, then fills them, by the C methods of their builtin
bases only: no code of the classes runs. What it cannot build (closures, generators, weak references, classes
whose instances are keys by a hash of their own, ...) is left to the caller, who can repeat the calls instead.
"""

from __future__ import annotations

import collections
import itertools
import types
from _thread import LockType, allocate_lock
from collections.abc import Callable, Mapping
from typing import Any

from everypath.race.anatomy import Plan, class_dict, class_mro, plan_for
from everypath.race.contents import KINDS, ordered_items
from everypath.race.keeping import restarted
from everypath.race.picture import Ref, Snapshot
from everypath.race.reach import Walk, walk
from everypath.race.snapshot import snapshot

MOST_OBJECTS = 400
_BUILTINS = "__builtins__"

Recipe = Callable[[], dict[str, Any]]


class _CannotCopy(Exception):
    """Some part of the state has to be made by its own code."""


def save_state(namespace: Mapping[str, Any]) -> Recipe | None:
    """What builds a fresh copy of everything that the names hold, None if that would not be the same."""
    names = {name: value for name, value in namespace.items() if name != _BUILTINS}
    found = walk(tuple(names.values()), MOST_OBJECTS * 50)
    if found.opaque or found.truncated or len(found.objects) > MOST_OBJECTS:
        return None
    try:
        recipe = _Writer(found).recipe(names)
        same = _picture(found) == snapshot(*recipe().values())
    except Exception:
        return None
    if not same:
        return None
    builtins = namespace.get(_BUILTINS)
    return recipe if builtins is None else lambda: {**recipe(), _BUILTINS: builtins}


def copy_state(namespace: Mapping[str, Any]) -> dict[str, Any] | None:
    """One copy of everything that the names hold, None if it would not be the same."""
    recipe = save_state(namespace)
    return None if recipe is None else recipe()


def _picture(found: Walk) -> Snapshot:
    return Snapshot((found.roots, *found.nodes), frozenset(found.opaque), found.truncated)


class _Writer:
    """Writes the function that builds the objects of a walk."""

    def __init__(self, found: Walk) -> None:
        self._memo = found.memo
        self._objects = found.objects
        self._scope: dict[str, Any] = {}
        self._names: dict[int, str] = {}
        self._made: list[str] = []
        self._filled: list[str] = []
        self._identities = {id(value) for value in found.objects if value is not None}

    def recipe(self, names: Mapping[str, Any]) -> Recipe:
        """The compiled function."""
        for number, value in enumerate(self._objects):
            if value is not None:
                self._object(f"o{number}", value, plan_for(value))
        result = ", ".join(f"{name!r}: {self._value(value)}" for name, value in names.items())
        lines = ["def build():", *self._made, *self._filled, f" return {{{result}}}"]
        exec(compile("\n".join(lines), "<start state>", "exec"), self._scope)
        made: Recipe = self._scope["build"]
        return made

    def _constant(self, value: Any) -> str:
        name = self._names.get(id(value))
        if name is None:
            name = self._names[id(value)] = f"c{len(self._names)}"
            self._scope[name] = value
        return name

    def _object(self, name: str, value: Any, plan: Plan) -> None:
        cls = type(value)
        made = self._content(name, value, plan)
        self._made.append(f" {name} = {made}")
        if plan.attributes is not None:
            attributes = plan.attributes(value)
            if attributes is value:
                raise _CannotCopy
            if attributes:
                pairs = ", ".join(f"{self._value(k)}: {self._value(v)}" for k, v in dict.items(attributes))
                self._filled.append(f" {self._constant(plan.attributes)}({name}).update({{{pairs}}})")
        for position, (_, get) in enumerate(plan.slots):
            try:
                found = get(value)
            except AttributeError:
                continue
            setter = f"{self._constant(cls)}s{position}"
            self._scope[setter] = get.__self__.__set__  # type: ignore[attr-defined]
            self._filled.append(f" {setter}({name}, {self._value(found)})")

    def _content(self, name: str, value: Any, plan: Plan) -> str:
        """The expression that makes the object empty; what fills it is noted."""
        cls = type(value)
        kind = plan.shape.kind
        if kind == "lock":
            if plan.content(value)[0] != "free":
                raise _CannotCopy
            return f"{self._constant(allocate_lock if cls is LockType else cls)}()"
        if cls is itertools.count:
            return f"{self._constant(restarted)}({repr(value)!r})"
        if kind == "object":
            return f"{self._constant(object.__new__)}({self._constant(cls)})"
        for base, fill in _FILLERS.items():
            if issubclass(cls, base):
                content = fill(self, value)
                if content:
                    self._filled.append(f" {content.format(name)}")
                if base is collections.deque:
                    # The longest length can only be given to the constructor, which the class may have changed.
                    self._plainly_made(cls)
                    return f"{self._constant(cls)}((), {value.maxlen!r})"
                if base is collections.OrderedDict or base is collections.defaultdict:
                    self._plainly_made(cls)
                    return f"{self._constant(cls)}()"
                return f"{self._constant(base.__new__)}({self._constant(cls)})"
        raise _CannotCopy

    @staticmethod
    def _plainly_made(cls: type[Any]) -> None:
        for base in class_mro(cls):
            if any(type(class_dict(base).get(name)) in _PYTHON for name in ("__new__", "__init__")):
                raise _CannotCopy

    def _list(self, value: Any) -> str:
        return f"{self._constant(list.extend)}({{}}, ({self._several(list.copy(value))}))" if value else ""

    def _deque(self, value: Any) -> str:
        inside = self._several(collections.deque.__iter__(value))
        return f"{self._constant(collections.deque.extend)}({{}}, ({inside}))" if inside else ""

    def _set(self, value: Any) -> str:
        inside = "".join(f"{self._key(each)}," for each in set.__iter__(value))
        return f"{self._constant(set.update)}({{}}, ({inside}))" if inside else ""

    def _dict(self, value: Any) -> str:
        pairs = ", ".join(f"{self._key(k)}: {self._value(v)}" for k, v in dict.items(value))
        return f"{self._constant(dict.update)}({{}}, {{{{{pairs}}}}})" if pairs else ""

    def _ordered(self, value: Any) -> str:
        put = self._constant(collections.OrderedDict.__setitem__)
        return "; ".join(f"{put}({{0}}, {self._key(k)}, {self._value(v)})" for k, v in ordered_items(value))

    def _default(self, value: Any) -> str:
        factory = self._value(collections.defaultdict.__dict__["default_factory"].__get__(value))
        setter = self._constant(collections.defaultdict.__dict__["default_factory"].__set__)
        return "; ".join(filter(None, [f"{setter}({{0}}, {factory})", self._dict(value).replace("{}", "{0}", 1)]))

    def _several(self, values: Any) -> str:
        return "".join(f"{self._value(each)}," for each in values)

    def _key(self, value: Any) -> str:
        """A key or element; putting it in place must run nobody's code."""
        for each in value if type(value) is tuple else (value,):
            if any(type(class_dict(base).get(name)) in _PYTHON for base in class_mro(type(each)) for name in _HASHING):
                raise _CannotCopy
        return self._value(value)

    def _value(self, value: Any) -> str:
        token = self._memo.get(id(value))
        if type(token) is Ref and self._objects[token.number] is value:
            return f"o{token.number}"
        cls = type(value)
        if cls is int and value in self._identities:
            raise _CannotCopy
        plan = plan_for(value)
        if plan.shape.kind == "ignored":
            raise _CannotCopy
        if type(token) is not Ref:
            inside = walk((value,), 1000)
            if not any(each is not None for each in inside.objects):
                return self._constant(value)
        if cls is tuple:
            return f"({self._several(value)})"
        if cls is types.MethodType:
            return f"{self._constant(types.MethodType)}({self._value(value.__func__)}, {self._value(value.__self__)})"
        if cls is types.BuiltinFunctionType and id(type(value.__self__)) in KINDS:
            return f"getattr({self._value(value.__self__)}, {value.__name__!r})"
        if issubclass(cls, tuple) and not plan.identity:
            inside_tuple = self._several(tuple.__iter__(value))
            return f"{self._constant(tuple.__new__)}({self._constant(cls)}, ({inside_tuple}))"
        raise _CannotCopy


_PYTHON = (types.FunctionType, staticmethod, classmethod)
_HASHING = ("__hash__", "__eq__")
_FILLERS: dict[type[Any], Callable[[_Writer, Any], str]] = {
    collections.OrderedDict: _Writer._ordered,
    collections.defaultdict: _Writer._default,
    dict: _Writer._dict,
    list: _Writer._list,
    set: _Writer._set,
    collections.deque: _Writer._deque,
}

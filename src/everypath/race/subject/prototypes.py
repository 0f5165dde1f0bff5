"""What the methods of built-in collections take, because their own signatures say little or nothing."""

from __future__ import annotations

import collections
import inspect
from functools import lru_cache
from typing import Any

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
    collections.OrderedDict: _MAPPING.replace("popitem()", "popitem(last=True) move_to_end(key,last=True)"),
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


def prototype(owner: type[Any], method: str) -> inspect.Signature | None:
    """The signature of a method of a built-in collection, without `self`."""
    text = _TEXT.get(owner)
    return None if text is None else _prototypes(text).get(method)


@lru_cache(maxsize=16)
def _prototypes(prototypes: str) -> dict[str, inspect.Signature]:
    found: dict[str, inspect.Signature] = {}
    for text in prototypes.split():
        name, _, rest = text.partition("(")
        parameters = []
        for part in filter(None, rest.rstrip(")").split(",")):
            argument, _, default = part.partition("=")
            value: Any = {"": inspect.Parameter.empty, "None": None, "True": True}.get(default)
            if default.lstrip("-").isdigit():
                value = int(default)
            # C code names no parameters; `last` is the exception.
            kind = inspect.Parameter.POSITIONAL_OR_KEYWORD if argument == "last" else inspect.Parameter.POSITIONAL_ONLY
            parameters.append(inspect.Parameter(argument, kind, default=value))
        found[name] = inspect.Signature(parameters)
    return found

"""Special methods of builtin values that are called by name: `xs.__len__()`, `seen.__contains__`, `it.__next__`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from everypath.explore.objects import program_of, resolve
from everypath.explore.state import State
from everypath.heap.equality import as_int
from everypath.heap.values import Value
from everypath.languages.python.natives.iteration import make_iterator, make_reversed, next_element
from everypath.languages.python.natives.table import builtin
from everypath.languages.python.natives.text import make_str, represent
from everypath.languages.python.semantics import comparisons, items, operations
from everypath.languages.python.semantics.keys import hash_of
from everypath.languages.python.semantics.kinds import type_name
from everypath.languages.python.semantics.reflected import NOT_IMPLEMENTED
from everypath.languages.python.semantics.registry import NATIVES

_SIZED = ("list", "tuple", "str", "dict", "set", "bytes", "range")
_NUMBERS = ("int", "bool", "float")
_EVERY = (*_SIZED, *_NUMBERS)
_COMPARE = {"__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">=", "__eq__": "==", "__ne__": "!="}
_ARITHMETIC = {
    "__add__": "+", "__sub__": "-", "__mul__": "*", "__truediv__": "/", "__floordiv__": "//", "__mod__": "%",
    "__pow__": "**", "__and__": "&", "__or__": "|", "__xor__": "^", "__lshift__": "<<", "__rshift__": ">>",
}  # fmt: skip


_CHANGED = ("list", "dict")
_INTEGERS = ("int", "bool")
_SPECIAL: tuple[tuple[tuple[str, ...], str, Callable[..., Value]], ...] = (
    (_SIZED, "__len__", items.length),
    (_SIZED, "__contains__", lambda st, value, element: comparisons.membership(st, False, element, value)),
    (_SIZED, "__getitem__", items.get_item),
    (_CHANGED, "__setitem__", items.set_item),
    (_CHANGED, "__delitem__", items.del_item),
    ((*_SIZED, "iterator"), "__iter__", lambda st, value: make_iterator(st, value)),
    (("iterator",), "__next__", lambda st, value: next_element(st, value)),
    ((*_CHANGED, "range"), "__reversed__", make_reversed),
    (_EVERY, "__str__", lambda st, value: make_str(st, value)),
    (_EVERY, "__repr__", represent),
    (_EVERY, "__hash__", hash_of),
    (_NUMBERS, "__bool__", operations.truth),
    (_INTEGERS, "__index__", lambda st, value: as_int(value)),
    (_INTEGERS, "__int__", lambda st, value: as_int(value)),
    (_INTEGERS, "__trunc__", lambda st, value: as_int(value)),
    (_NUMBERS, "__neg__", lambda st, value: operations.unary(st, "-", value)),
)

for _kinds, _name, _function in _SPECIAL:
    builtin(*(f"{_kind}.{_name}" for _kind in _kinds))(_function)


_KNOWN = {"int": ("int", "bool"), "bool": ("int", "bool"), "float": _NUMBERS, "set": ("set", "frozenset")}
"""The classes that each class knows how to deal with; any other knows only itself."""


def _operate(kind: str, op: str, st: State, left: Value, right: Value) -> Value:
    """What the method of one class says about another value, which may be that it does not know it."""
    right = resolve(st, right)
    asks = op in _COMPARE.values() or kind in _NUMBERS
    if asks and not any(cls in _KNOWN.get(kind, (kind,)) for cls in _classes(st, right)):
        return NOT_IMPLEMENTED
    if op in _COMPARE.values():
        return comparisons.compare(st, op, left, right)
    return operations.binary(st, op, left, right, False)


def _classes(st: State, value: Value) -> tuple[str, ...]:
    """The names of a value's class and its bases, which may be builtin."""
    name = type_name(st, value)
    return (name, *program_of(st).mro(name)) if name in program_of(st).classes else (name,)


for _name, _op in (*_COMPARE.items(), *_ARITHMETIC.items()):
    for _kind in _EVERY:
        NATIVES.setdefault(f"{_kind}.{_name}", partial(_operate, _kind, _op))

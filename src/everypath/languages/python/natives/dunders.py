"""Special methods of builtin values that are called by name: `xs.__len__()`, `seen.__contains__`, `it.__next__`."""

from __future__ import annotations

from everypath.explore.state import State
from everypath.heap.equality import as_int
from everypath.heap.values import Value
from everypath.languages.python.natives.iteration import make_iterator, make_reversed, next_element
from everypath.languages.python.natives.numbers import hash_
from everypath.languages.python.natives.table import builtin
from everypath.languages.python.natives.text import make_repr, make_str
from everypath.languages.python.semantics import comparisons, items, operations
from everypath.languages.python.semantics.registry import NATIVES

_SIZED = ("list", "tuple", "str", "dict", "set", "bytes", "range")
_NUMBERS = ("int", "bool", "float")
_EVERY = (*_SIZED, *_NUMBERS)
_COMPARE = {"__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">=", "__eq__": "==", "__ne__": "!="}
_ARITHMETIC = {
    "__add__": "+", "__sub__": "-", "__mul__": "*", "__truediv__": "/", "__floordiv__": "//", "__mod__": "%",
    "__pow__": "**", "__and__": "&", "__or__": "|", "__xor__": "^", "__lshift__": "<<", "__rshift__": ">>",
}  # fmt: skip


def _names(kinds: tuple[str, ...], name: str) -> tuple[str, ...]:
    return tuple(f"{kind}.{name}" for kind in kinds)


@builtin(*_names(_SIZED, "__len__"))
def length(st: State, value: Value) -> Value:
    """`value.__len__()`"""
    return items.length(st, value)


@builtin(*_names(_SIZED, "__contains__"))
def contains(st: State, value: Value, element: Value) -> Value:
    """`value.__contains__(element)`"""
    return comparisons.membership(st, False, element, value)


@builtin(*_names(_SIZED, "__getitem__"))
def get(st: State, value: Value, index: Value) -> Value:
    """`value.__getitem__(index)`"""
    return items.get_item(st, value, index)


@builtin(*_names(("list", "dict"), "__setitem__"))
def set_(st: State, value: Value, index: Value, content: Value) -> Value:
    """`value.__setitem__(index, content)`"""
    items.set_item(st, value, index, content)
    return None


@builtin(*_names(("list", "dict"), "__delitem__"))
def delete(st: State, value: Value, index: Value) -> Value:
    """`value.__delitem__(index)`"""
    items.del_item(st, value, index)
    return None


@builtin(*_names((*_SIZED, "iterator"), "__iter__"))
def iterate(st: State, value: Value) -> Value:
    """`value.__iter__()`"""
    return make_iterator(st, value)


@builtin("iterator.__next__")
def advance(st: State, value: Value) -> Value:
    """`value.__next__()`"""
    return next_element(st, value)


@builtin(*_names(("list", "dict", "range"), "__reversed__"))
def backwards(st: State, value: Value) -> Value:
    """`value.__reversed__()`"""
    return make_reversed(st, value)


@builtin(*_names(_EVERY, "__str__"))
def text(st: State, value: Value) -> Value:
    """`value.__str__()`"""
    return make_str(st, value)


@builtin(*_names(_EVERY, "__repr__"))
def representation(st: State, value: Value) -> Value:
    """`value.__repr__()`"""
    return make_repr(st, value)


@builtin(*_names(_EVERY, "__hash__"))
def hashed(st: State, value: Value) -> Value:
    """`value.__hash__()`"""
    return hash_(st, value)


@builtin(*_names(_NUMBERS, "__bool__"))
def truth(st: State, value: Value) -> Value:
    """`value.__bool__()`"""
    return operations.truth(st, value)


@builtin(
    *_names(("int", "bool"), "__index__"), *_names(("int", "bool"), "__int__"), *_names(("int", "bool"), "__trunc__")
)
def integer(st: State, value: Value) -> Value:
    """`value.__index__()`"""
    return as_int(value)


@builtin(*_names(_NUMBERS, "__neg__"))
def negative(st: State, value: Value) -> Value:
    """`value.__neg__()`"""
    return operations.unary(st, "-", value)


def _register_operators() -> None:
    for name, op in _COMPARE.items():
        for kind in _EVERY:
            NATIVES.setdefault(
                f"{kind}.{name}", lambda st, left, right, op=op: comparisons.compare(st, op, left, right)
            )
    for name, op in _ARITHMETIC.items():
        for kind in _EVERY:
            NATIVES.setdefault(
                f"{kind}.{name}", lambda st, left, right, op=op: operations.binary(st, op, left, right, False)
            )


_register_operators()

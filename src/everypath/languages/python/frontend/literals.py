"""The types of values that the source writes out."""

from __future__ import annotations

import ast

from everypath.ir.types import (
    ANY,
    BOOL,
    BYTES,
    FLOAT,
    INT,
    STR,
    DictType,
    ListType,
    SetType,
    TupleType,
    Type,
)
from everypath.languages.python.frontend.evidence import Slot
from everypath.languages.python.frontend.modules import dotted

# A boolean is an integer for `isinstance`, so that its row comes first.
_SCALARS: tuple[tuple[type, Type], ...] = ((bool, BOOL), (int, INT), (str, STR), (float, FLOAT), (bytes, BYTES))
PLAIN: dict[str, Type] = {
    "int": INT, "str": STR, "float": FLOAT, "bool": BOOL, "bytes": BYTES, "list": ListType(ANY),
    "dict": DictType(ANY, ANY), "set": SetType(ANY), "frozenset": SetType(ANY, frozen=True),
    "tuple": TupleType((), ANY),
}  # fmt: skip
"""Predefined classes and the types of their objects."""


def scalar_type(value: object) -> Type | None:
    """The type of a plain value; None for any other value, None itself included."""
    return next((scalar for type_, scalar in _SCALARS if isinstance(value, type_)), None)


def constant(value: object) -> Slot:
    """The slot of a literal."""
    slot = Slot()
    slot.nullable = value is None
    scalar = scalar_type(value)
    if scalar is not None:
        slot.types[scalar] = None
        slot.text = scalar == STR
    return slot


def annotated(node: ast.expr | None) -> Type | None:
    """The type of a simple annotation; what needs to be looked up is not evidence here."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return PLAIN.get(node.value)
    return PLAIN.get(dotted(node)) if isinstance(node, (ast.Name, ast.Attribute)) else None

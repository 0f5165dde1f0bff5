"""Types of ABS to types of the IR, and the data types of a program."""

from __future__ import annotations

from collections.abc import Collection

from everypath.ir import types as ir
from everypath.ir.program import Data
from everypath.languages.abs.frontend import types as abs_types
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.lower.names import interface_class

_BUILTIN: dict[str, ir.Type] = {
    abs_types.INT.name: ir.INT,
    abs_types.BOOL.name: ir.BOOL,
    abs_types.STRING.name: ir.STR,
    abs_types.RAT.name: ir.RATIONAL,
    abs_types.FLOAT.name: ir.FLOAT,
    abs_types.DESTINY.name: ir.FutureType(ir.ANY),
}


def ir_type(type: abs_types.Type, parameters: Collection[str] = ()) -> ir.Type:
    """The IR type of an ABS type; type parameters that are not among `parameters` may be anything."""
    match type:
        case abs_types.DataType(name, arguments):
            if name in _BUILTIN:
                return _BUILTIN[name]
            inner = tuple(ir_type(argument, parameters) for argument in arguments)
            return ir.FutureType(inner[0]) if name == abs_types.FUT else ir.DataType(name, inner)
        case abs_types.InterfaceType(name):
            return ir.optional(ir.ClassType(interface_class(name)))
        case abs_types.ClassType(name):
            return ir.ClassType(name)
        case abs_types.TypeParameter(name) if name in parameters:
            return ir.TypeParameter(name)
        case abs_types.NullType():
            return ir.NONE
    return ir.ANY


def data_types(program: Program) -> dict[str, Data]:
    """The data types of a program that are no types of the IR; exceptions are constructors of one of them."""
    made: dict[str, Data] = {}
    for name, data in program.data.items():
        if name not in _BUILTIN and name != abs_types.FUT:
            made[name] = Data(name, data.parameters, {})
    for name, constructor in program.constructors.items():
        home = made.get(constructor.data)
        if home is not None:
            home.constructors[name] = tuple(ir_type(argument, home.parameters) for argument in constructor.arguments)
    return made

"""The names and types that things of an ABS program have in its IR."""

from __future__ import annotations

from collections.abc import Collection

from everypath.ir import types as ir
from everypath.ir.program import Data
from everypath.languages.abs.frontend import types as abs_types
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.frontend.types import STDLIB

FIELDS = "<fields>"
"""Only gives a new object its fields; of classes whose init block may wait, so that `INIT` is a task of its own."""
RECOVER = "<recover>"
"""Takes an exception that no method handles and says whether the object goes on; of classes with such a block."""
THIS = 0
"""The register of `this`."""

TRUE, FALSE = f"{STDLIB}.True", f"{STDLIB}.False"
UNIT, NIL, CONS = f"{STDLIB}.Unit", f"{STDLIB}.Nil", f"{STDLIB}.Cons"
_BUILTIN: dict[str, ir.Type] = {
    abs_types.INT.name: ir.INT,
    abs_types.BOOL.name: ir.BOOL,
    abs_types.STRING.name: ir.STR,
    abs_types.RAT.name: ir.RATIONAL,
    abs_types.FLOAT.name: ir.FLOAT,
    abs_types.DESTINY.name: ir.FutureType(ir.ANY),
}


def interface_class(interface: str) -> str:
    """The IR class of an interface; a class may have the interface's name, and none can be called `interface`."""
    return f"{interface}.interface"


def function_home(program: Program, function: str) -> tuple[str, str]:
    """IR class and method of a function: the class is named like the module, unless a class of ABS is."""
    module, _, name = function.rpartition(".")
    return (f"{module}.module" if module in program.classes else module), name


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

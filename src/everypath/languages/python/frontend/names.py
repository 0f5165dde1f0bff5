"""What a name in the source can stand for once it is resolved."""

from __future__ import annotations

from everypath.ir.instructions import ConstValue, Reg
from everypath.records import dataclass


@dataclass(frozen=True, slots=True)
class LocalName:
    """A variable of the function, in its register, or in a cell that functions inside it share."""

    register: Reg
    cell: bool = False


@dataclass(frozen=True, slots=True)
class FunctionName:
    """A function or method whose body is in the program."""

    cls: str
    name: str


@dataclass(frozen=True, slots=True)
class StaticName:
    """A module variable or class attribute."""

    cls: str
    name: str


@dataclass(frozen=True, slots=True)
class ConstantName:
    """A name with a value known now."""

    value: ConstValue


@dataclass(frozen=True, slots=True)
class _Name:
    name: str


class ClassName(_Name):
    """A class of the program, external ones included."""


class ModuleName(_Name):
    """A module, whether its source is translated or not."""


class BuiltinName(_Name):
    """A name that Python predefines."""


class ExternalName(_Name):
    """Something in a module that is not translated, by its dotted name."""


class UndefinedName(_Name):
    """Nothing defines the name."""


Named = ClassName | ModuleName | BuiltinName | ExternalName | UndefinedName
Denotation = LocalName | FunctionName | StaticName | ConstantName | Named

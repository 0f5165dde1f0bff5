"""What a plain constructor or setter does: it stores parameters and constants in fields, and nothing else.

Tests build objects through such methods, because the fields that result are known without running them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from everypath.languages.java.classfile.constants import (
    DoubleConstant,
    FloatConstant,
    IntConstant,
    LongConstant,
    MemberConstant,
    StringConstant,
)
from everypath.languages.java.classfile.descriptors import slots
from everypath.languages.java.classfile.model import Code, Operand
from everypath.languages.java.classfile.opcodes import NAMES
from everypath.records import dataclass

Plain = int | float | str | None
PLAIN = (IntConstant, LongConstant, FloatConstant, DoubleConstant, StringConstant)
"""constants whose value is a plain one"""
_EMPTY = ("java/lang/Object", "java/lang/Record")
"""classes whose constructors do nothing"""


@dataclass(frozen=True, slots=True)
class Assignments:
    """What a plain constructor or setter does."""

    parameters: Mapping[int, str]
    """number of a parameter -> the field (IR name) that gets it, unchanged"""
    constants: Mapping[str, Plain]
    """field -> the constant that it gets"""


@dataclass(frozen=True, slots=True)
class _This:
    """The object itself."""


@dataclass(frozen=True, slots=True)
class _Parameter:
    number: int


@dataclass(frozen=True, slots=True)
class _Constant:
    value: Plain


_Pushed = _This | _Parameter | _Constant
_THIS = _This()


class _Unplain(Exception):
    """The method does something else."""


def read_assignments(
    code: Code, parameters: Sequence[str], field: Callable[[MemberConstant], str | None]
) -> Assignments | None:
    """Follows straight code that loads the object, a parameter or a constant, and stores it; anything else is None."""
    try:
        return _Reading(parameters, field).read(code)
    except _Unplain:
        return None


class _Reading:
    def __init__(self, parameters: Sequence[str], field: Callable[[MemberConstant], str | None]) -> None:
        self.field = field
        self.slots: dict[int, int] = {}
        slot = 1
        for number, type_ in enumerate(parameters):
            self.slots[slot] = number
            slot += slots(type_)
        self.stack: list[_Pushed] = []
        self.content: dict[str, _Parameter | _Constant] = {}

    def read(self, code: Code) -> Assignments:
        for instruction in code.instructions:
            self._instruction(NAMES[instruction.opcode], instruction.operand)
        return Assignments(
            {value.number: name for name, value in self.content.items() if isinstance(value, _Parameter)},
            {name: value.value for name, value in self.content.items() if isinstance(value, _Constant)},
        )

    def _instruction(self, name: str, operand: Operand) -> None:
        if name == "putfield":
            assert isinstance(operand, MemberConstant)
            to = self.field(operand)
            if to is None or len(self.stack) != 2 or self.stack[0] != _THIS or isinstance(self.stack[1], _This):
                raise _Unplain
            self.content[to] = self.stack[1]
            self.stack.clear()
        elif name == "invokespecial":
            assert isinstance(operand, MemberConstant)
            if self.stack != [_THIS] or operand.name != "<init>" or operand.owner not in _EMPTY:
                raise _Unplain
            self.stack.clear()
        elif name != "return":
            self.stack.append(self._pushed(name, operand))

    def _pushed(self, name: str, operand: Operand) -> _Pushed:
        kind, _, number = name.partition("load")
        if name == "aload_0":
            return _THIS
        if kind in ("i", "l", "f", "d", "a"):
            slot = int(number[1:]) if number else operand
            if isinstance(slot, int) and slot in self.slots:
                return _Parameter(self.slots[slot])
        elif "const_" in name:
            text = name.partition("const_")[2]
            value = None if text == "null" else -1 if text == "m1" else int(text)
            return _Constant(float(text) if name[0] in "fd" else value)
        elif name in ("bipush", "sipush") and isinstance(operand, int):
            return _Constant(operand)
        elif name in ("ldc", "ldc_w", "ldc2_w") and isinstance(operand, PLAIN):
            return _Constant(operand.value)
        raise _Unplain

"""The numbers and texts that the code of a class mentions: what a search tries beside small ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from everypath.languages.java.classfile.constants import (
    DoubleConstant,
    FloatConstant,
    IntConstant,
    LongConstant,
    StringConstant,
)
from everypath.languages.java.classfile.model import Code, Switch
from everypath.languages.java.classfile.opcodes import NAMES
from everypath.languages.java.frontend.hierarchy import JavaClass
from everypath.records import dataclass, field

_MOST = 200
_LONGEST = 200
_LARGEST = 1 << 31


@dataclass(slots=True)
class Constants:
    """What a search may find worth a try; each once, in the order of the code."""

    integers: dict[int, None] = field(default_factory=dict)
    numbers: dict[float, None] = field(default_factory=dict)
    texts: dict[str, None] = field(default_factory=dict)


def constants_of(classes: Iterable[JavaClass]) -> Constants:
    """The constants in the code of some classes."""
    found = Constants()
    for cls in classes:
        for method in cls.methods.values():
            code = cls.file.code(method.info)
            for value in _values(code) if code is not None else ():
                _note(found, value)
    return found


def _values(code: Code) -> Iterator[object]:
    for instruction in code.instructions:
        operand = instruction.operand
        match operand:
            case IntConstant(value) | LongConstant(value) | FloatConstant(value) | DoubleConstant(value):
                yield value
            case StringConstant(value):
                yield value
            case Switch():
                yield from (key for key, _ in operand.cases)
            case int() if NAMES[instruction.opcode] in ("bipush", "sipush"):
                yield operand


def _note(found: Constants, value: object) -> None:
    if isinstance(value, str):
        if 0 < len(value) <= _LONGEST and len(found.texts) < _MOST:
            found.texts[value] = None
    elif isinstance(value, float):
        if math.isfinite(value) and len(found.numbers) < _MOST:
            found.numbers[value] = None
    elif isinstance(value, int) and -_LARGEST <= value < _LARGEST and len(found.integers) < _MOST:
        found.integers[value] = None

"""Reads the body of a method: instructions, exception table, lines, names of local variables.

Section numbers are those of "The Java Virtual Machine Specification"; code is in 4.7.3.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from everypath.languages.java.classfile.constants import ConstantPool
from everypath.languages.java.classfile.errors import BadClassFile
from everypath.languages.java.classfile.model import (
    Catch,
    Code,
    Dimensions,
    Instruction,
    LocalVariable,
    Operand,
    Switch,
)
from everypath.languages.java.classfile.opcodes import NAMES, OPERANDS

_U2 = struct.Struct(">H").unpack_from
_S2 = struct.Struct(">h").unpack_from
_U4 = struct.Struct(">I").unpack_from
_S4 = struct.Struct(">i").unpack_from
_IINC = 132


def read_code(data: bytes, at: int, pool: ConstantPool) -> Code:
    """The body that begins at an offset of the file."""
    stack, slots, length = struct.unpack_from(">HHI", data, at)
    start = at + 8
    instructions = tuple(_instructions(data, start, length, pool))
    at = start + length
    count = _U2(data, at)[0]
    rows = (struct.unpack_from(">HHHH", data, at + 2 + 8 * number) for number in range(count))
    catches = tuple(Catch(first, end, handler, pool.optional_class(kind)) for first, end, handler, kind in rows)
    at += 2 + 8 * count
    lines: list[tuple[int, int]] = []
    variables: list[LocalVariable] = []
    count = _U2(data, at)[0]
    at += 2
    for _ in range(count):
        name, size = pool.text(_U2(data, at)[0]), _U4(data, at + 2)[0]
        at += 6
        if name == "LineNumberTable":
            lines.extend(struct.unpack_from(">HH", data, at + 2 + 4 * n) for n in range(_U2(data, at)[0]))
        elif name == "LocalVariableTable":
            variables.extend(_variables(data, at, pool))
        at += size
    return Code(stack, slots, instructions, catches, tuple(sorted(lines)), tuple(variables))


def _variables(data: bytes, at: int, pool: ConstantPool) -> Iterator[LocalVariable]:
    """4.7.13"""
    for number in range(_U2(data, at)[0]):
        start, length, name, descriptor, slot = struct.unpack_from(">HHHHH", data, at + 2 + 10 * number)
        yield LocalVariable(start, start + length, pool.text(name), pool.text(descriptor), slot)


def _instructions(data: bytes, start: int, length: int, pool: ConstantPool) -> Iterator[Instruction]:
    at, end = start, start + length
    while at < end:
        offset, opcode = at - start, data[at]
        kind = OPERANDS.get(opcode)
        if kind is None:
            if opcode >= len(NAMES):
                raise BadClassFile(f"there is no instruction {opcode}, at offset {offset} of a method")
            yield Instruction(offset, opcode, None)
            at += 1
            continue
        if kind == "wide":
            opcode = data[at + 1]
            slot = _U2(data, at + 2)[0]
            wide = opcode == _IINC
            yield Instruction(offset, opcode, (slot, _S2(data, at + 4)[0]) if wide else slot)
            at += 6 if wide else 4
            continue
        operand, size = _operand(data, at, kind, offset, pool)
        yield Instruction(offset, opcode, operand)
        at += size


def _operand(data: bytes, at: int, kind: str, offset: int, pool: ConstantPool) -> tuple[Operand, int]:
    """The operands of the instruction at `at`, and the length of the instruction."""
    operand: Operand
    match kind:
        case "byte":
            return int.from_bytes(data[at + 1 : at + 2], "big", signed=True), 2
        case "local" | "kind":
            return data[at + 1], 2
        case "constant":
            return pool[data[at + 1]], 2
        case "wide constant":
            return pool[_U2(data, at + 1)[0]], 3
        case "short":
            return _S2(data, at + 1)[0], 3
        case "jump":
            return offset + _S2(data, at + 1)[0], 3
        case "wide jump":
            return offset + _S4(data, at + 1)[0], 5
        case "increment":
            return (data[at + 1], int.from_bytes(data[at + 2 : at + 3], "big", signed=True)), 3
        case "interface":
            return pool[_U2(data, at + 1)[0]], 5
        case "dimensions":
            return Dimensions(pool.class_name(_U2(data, at + 1)[0]), data[at + 3]), 4
    padded = at + 4 - offset % 4
    default = offset + _S4(data, padded)[0]
    if kind == "table":
        low, high = struct.unpack_from(">ii", data, padded + 4)
        count = high - low + 1
        if not 0 <= count <= len(data):
            raise BadClassFile(f"the switch at offset {offset} of a method has impossible bounds")
        targets = struct.unpack_from(f">{count}i", data, padded + 12)
        operand = Switch(default, tuple((low + n, offset + target) for n, target in enumerate(targets)))
        return operand, padded + 12 + 4 * count - at
    count = _U4(data, padded + 4)[0]
    pairs = (struct.unpack_from(">ii", data, padded + 8 + 8 * number) for number in range(count))
    return Switch(default, tuple((value, offset + target) for value, target in pairs)), padded + 8 + 8 * count - at

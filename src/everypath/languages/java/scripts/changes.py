"""What the code of a call could change: the fields that it, or what it calls in the program, assigns."""

from __future__ import annotations

from everypath.languages.java.classfile.constants import MemberConstant
from everypath.languages.java.classfile.opcodes import NAMES
from everypath.languages.java.frontend.hierarchy import Hierarchy, JavaMethod, dotted
from everypath.languages.java.scripts.subject import is_library

ELEMENTS = "[]"
"""Stands for the elements of arrays."""
_MOST = 400
"""Methods that are looked at; code that calls more could change anything."""


def changes_of(method: JavaMethod, hierarchy: Hierarchy) -> frozenset[str] | None:
    """The names of the fields that a call could assign, `[]` for elements of arrays; None if that is not known."""
    found: set[str] = set()
    seen: set[tuple[str, str]] = set()
    waiting = [(method.owner, method.ir_name)]
    while waiting:
        owner, name = waiting.pop()
        if (owner, name) in seen:
            continue
        seen.add((owner, name))
        if len(seen) > _MOST:
            return None
        for each in _bodies(owner, name, hierarchy):
            cls = hierarchy.find(each.owner)
            code = cls.file.code(each.info) if cls is not None else None
            for instruction in code.instructions if code is not None else ():
                text, operand = NAMES[instruction.opcode], instruction.operand
                if text.endswith("astore") and len(text) == len("iastore"):
                    found.add(ELEMENTS)
                elif isinstance(operand, MemberConstant) and text == "putfield":
                    found.add(operand.name)
                elif isinstance(operand, MemberConstant) and text.startswith("invoke"):
                    waiting.append((dotted(operand.owner), operand.name + operand.descriptor))
    return frozenset(found)


def _bodies(owner: str, name: str, hierarchy: Hierarchy) -> list[JavaMethod]:
    """The method of this name that a class has or inherits, if it is one of the program."""
    for each in hierarchy.supertypes(owner):
        cls = hierarchy.find(each)
        if cls is not None and name in cls.methods and not is_library(cls):
            return [cls.methods[name]]
    return []

"""Lines and branches as the JVM names them, and as cases do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from everypath.languages.java.classfile.model import Code, Switch
from everypath.languages.java.classfile.opcodes import NAMES
from everypath.languages.java.frontend.hierarchy import JavaClass


class Places:
    """What can be reached in the code of some classes."""

    def __init__(self, classes: Iterable[JavaClass], file_of: Callable[[JavaClass], str]) -> None:
        self._lines: dict[str, tuple[str, int]] = {}
        self._branches: dict[str, str] = {}
        for cls in classes:
            file = file_of(cls)
            for method in cls.methods.values():
                code = cls.file.code(method.info)
                if code is None or method.name == "<clinit>":
                    continue
                for _, line in code.lines:
                    self._lines[f"{cls.name}:{line}"] = file, line
                for offset, to in branches_of(code):
                    place = f"{cls.name}#{method.name}{method.descriptor}@{offset}>{to}"
                    self._branches[place] = f"{file}:{line_at(code, offset)}->{line_at(code, to)}"

    def missing(self, reached: frozenset[str]) -> list[str]:
        """The lines and branches that are not among those that were reached."""
        return [place for place in (*self._lines, *self._branches) if place not in reached]

    def lines(self, reached: Iterable[str], file: str) -> list[int]:
        """The lines of a file among what was reached."""
        known = (self._lines.get(place, ("", 0)) for place in reached)
        return sorted({line for name, line in known if name == file})

    def branches(self, reached: Iterable[str]) -> Iterator[str]:
        """The branches among what was reached, as cases name them."""
        return iter(dict.fromkeys(self._branches[place] for place in reached if place in self._branches))


def branches_of(code: Code) -> Iterator[tuple[int, int]]:
    """Where each conditional jump and switch stands, and where it may go."""
    for number, instruction in enumerate(code.instructions):
        if isinstance(instruction.operand, Switch):
            switch = instruction.operand
            for target in {switch.default, *(place for _, place in switch.cases)}:
                yield instruction.offset, target
        elif NAMES[instruction.opcode].startswith("if"):
            yield instruction.offset, code.instructions[number + 1].offset
            if instruction.operand != code.instructions[number + 1].offset:
                assert isinstance(instruction.operand, int)
                yield instruction.offset, instruction.operand


def line_at(code: Code, offset: int) -> int:
    """The line that the instruction at an offset belongs to; 0 if the class file does not tell."""
    return max(((start, line) for start, line in code.lines if start <= offset), default=(0, 0))[1]

"""What a run on the interpreter executes, as the symbolic machine tells it: lines, and branches by its names.

Branches are those of the lowered program, and a run takes one where the line that it leads to follows the line that it
stands on in the same call. Both ends of a branch may lead to one line, such as where a library function checks its
argument: whichever is taken, the line was executed.
"""

from __future__ import annotations

from everypath.cases.model import Step
from everypath.explore.traces import branches_of, leads_to
from everypath.ir.instructions import Branch
from everypath.languages.abs.frontend.program import MAIN, Program
from everypath.languages.abs.lower import lower
from everypath.languages.abs.runtime.tracing import Lines


class Ways:
    """The branches of a program."""

    def __init__(self, program: Program) -> None:
        self._known: set[str] = set()
        self._certain: dict[str, set[str]] = {}
        """place -> the branches there that are taken whenever it is executed"""
        self._program = lower(program)
        for method in self._program.methods():
            for block in method.blocks.values():
                branch = block.terminator
                if not isinstance(branch, Branch) or branch.span.file.startswith("<"):
                    continue
                place = f"{branch.span.file}:{branch.span.line}"
                ends = {leads_to(method, branch.span, label)[1] for label in (branch.if_true, branch.if_false)}
                names = {f"{place}->{end}" for end in ends}
                self._known |= names
                if len(names) == 1:
                    self._certain.setdefault(place, set()).update(names)

    def of_main(self) -> tuple[str, ...]:
        """Those of the main block itself."""
        main = self._program.find_method(*MAIN)
        return tuple(sorted(branches_of(self._program, main))) if main is not None else ()

    def taken(self, lines: Lines) -> tuple[str, ...]:
        """The branches that a run has taken, in order."""
        found: dict[str, None] = {}
        for (file, line), (_, after) in lines.arcs:
            name = f"{file}:{line}->{after}"
            if name in self._known:
                found[name] = None
        for file, line in lines.places:
            found |= dict.fromkeys(sorted(self._certain.get(f"{file}:{line}", ())))
        return tuple(found)


def is_inner(branch: str) -> bool:
    """Whether a branch leads to its own line (`a || b`, or a check that fails), of which lines do not tell enough."""
    start, _, end = branch.rpartition(":")[2].partition("->")
    return start == end


def trace_of(lines: Lines) -> tuple[Step, ...]:
    """The lines that a run has executed, as cases have them."""
    return tuple(Step(file, line) for file, line in lines.places)

"""The branches of a method's own body, and those that a path takes, by the names that cases give them."""

from __future__ import annotations

from everypath.explore import traces
from everypath.explore.state import State
from everypath.ir.instructions import Branch
from everypath.ir.names import resumable_body
from everypath.ir.program import Method, Program


def branches_taken(state: State) -> list[str]:
    """The branches on a path, those of other methods included."""
    return [f"{span.file}:{span.line}->{place[1]}" for span, place in traces.branches(state)]


def branches_of(program: Program, method: Method) -> set[str]:
    """All branches of the method's own body."""
    body = program.find_method(method.cls, resumable_body(method.name))
    found: set[str] = set()
    for part in (method, body):
        if part is None:
            continue
        for block in part.blocks.values():
            if isinstance(block.terminator, Branch):
                span = block.terminator.span
                for label in (block.terminator.if_true, block.terminator.if_false):
                    found.add(f"{span.file}:{span.line}->{traces.leads_to(part, span, label)[1]}")
    return found

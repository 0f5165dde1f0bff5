"""The branches of an entry's own body, and those that paths take, by the names that cases give them."""

from __future__ import annotations

from everypath.explore import traces
from everypath.explore.state import State
from everypath.generate.exploring import method_of
from everypath.ir.instructions import Branch
from everypath.languages.python.frontend import EntryPoint, Loaded


def branches_taken(state: State) -> list[str]:
    """The branches on a path, those of other functions included."""
    return [f"{span.file}:{span.line}->{place[1]}" for span, place in traces.branches(state)]


def branches_of(source: Loaded, entry: EntryPoint) -> set[str]:
    """All branches of the entry's own body."""
    method = method_of(source, entry)
    body = source.program.find_method(method.cls, f"{method.name}.<body>")
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

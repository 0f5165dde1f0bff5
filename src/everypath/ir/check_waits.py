"""Checks waiting: what a task executes anew to see whether it may go on must lead to the same wait."""

from __future__ import annotations

from collections.abc import Iterator

from everypath.ir.faults import Fault
from everypath.ir.instructions import Await, Get, Label, Return, Suspend
from everypath.ir.operands import targets
from everypath.ir.program import Method


def wait_faults(method: Method) -> Iterator[Fault]:
    """Faults of waits: from its block `again` on, every path ends at the wait itself or in an exception."""
    for label, block in method.blocks.items():
        wait = block.terminator
        if not isinstance(wait, Await):
            continue
        index = len(block.instructions)
        if wait.again not in method.blocks:
            yield Fault(method.qualified, label, f"undefined block {wait.again}", wait.span, index)
            continue
        reached = _reached(method, wait.again, label)
        if label not in reached:
            message = f"block {wait.again}, executed again for a wait, does not lead to it"
            yield Fault(method.qualified, label, message, wait.span, index)
        for other in sorted(reached - {label}):
            if isinstance(method.blocks[other].terminator, (Await, Get, Suspend, Return)):
                message = f"block {other}, executed again for a wait, leads elsewhere"
                yield Fault(method.qualified, label, message, wait.span, index)


def _reached(method: Method, start: Label, wait: Label) -> set[Label]:
    """The blocks from the start up to the wait."""
    seen = {start}
    pending = [start]
    while pending:
        label = pending.pop()
        if label == wait:
            continue
        for target in targets(method.blocks[label].terminator):
            if target in method.blocks and target not in seen:
                seen.add(target)
                pending.append(target)
    return seen

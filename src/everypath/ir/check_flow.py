"""Checks loops and waits: a cycle must count its iterations, and what a wait executes anew must lead back to it.

Without loop markers the loop bound would not stop the exploration of a cycle.
In every natural loop, each way round from the header must pass an `iterate` of a loop that was entered outside;
a forward analysis then shows that each loop is entered before it iterates, on every path. Cycles without a header
(irreducible graphs) must pass some `iterate` at all.
"""

from __future__ import annotations

from collections.abc import Iterator

from everypath.ir.cfg import Graph, Loop, cyclic_part
from everypath.ir.instructions import Await, Block, EnterLoop, Get, Iterate, Label, Return, Suspend
from everypath.ir.operands import may_raise, targets
from everypath.ir.program import Fault, Method


def loop_faults(method: Method) -> Iterator[Fault]:
    """Faults of loop markers in the reachable blocks; a caught exception can close a cycle, too."""
    graph = Graph(method, exceptional=True)
    markers = _Markers(method, graph)
    for header, loop in graph.loops.items():
        if _unmarked_cycle(graph, markers, loop):
            message = f"a cycle through {header} begins no iteration of a loop entered outside it"
            yield Fault(method.qualified, header, message, method.blocks[header].terminator.span)
    if not graph.reducible:
        # Such cycles have no header, so no single block can be asked: with all blocks that iterate taken out, none may
        # be left.
        marked = {label for label in graph.reachable if markers.iterated[label]}
        left = cyclic_part({label: set(graph.successors[label]) - marked for label in graph.reachable - marked})
        if left:
            message = f"a cycle through {', '.join(sorted(left))} begins no iteration of any loop"
            yield Fault(method.qualified, min(left), message, method.blocks[min(left)].terminator.span)
    yield from _entry_faults(method, graph)
    for number, headers in _homes(graph, markers).items():
        if len(headers) > 1:
            message = f"loop {number} is two loops, with headers {' and '.join(headers)}"
            yield Fault(method.qualified, headers[-1], message, method.blocks[headers[-1]].terminator.span)


class _Markers:
    """Which loops each reachable block enters and iterates."""

    def __init__(self, method: Method, graph: Graph) -> None:
        blocks = {label: block for label, block in method.blocks.items() if label in graph.reachable}
        self.entered = {label: _loops(block, EnterLoop) for label, block in blocks.items()}
        self.iterated = {label: _loops(block, Iterate) for label, block in blocks.items()}
        self.escapes = {label: _raises_before_iterating(block) for label, block in blocks.items()}


def _loops(block: Block, marker: type[EnterLoop] | type[Iterate]) -> set[int]:
    return {i.loop for i in block.instructions if isinstance(i, (EnterLoop, Iterate)) and isinstance(i, marker)}


def _raises_before_iterating(block: Block) -> bool:
    """Whether an exception can leave the block before its first iteration marker."""
    for instruction in block.instructions:
        if isinstance(instruction, Iterate):
            return False
        if may_raise(instruction):
            return True
    return False


def _unmarked_cycle(graph: Graph, markers: _Markers, loop: Loop) -> bool:
    """Whether the header reaches itself inside the loop without an iteration that the bound counts.

    A loop entered inside this one starts counting anew each time round, so its markers do not help.
    """
    inner = set().union(*(markers.entered[label] for label in loop.body))
    seen: set[Label] = set()
    pending = [loop.header]
    while pending:
        label = pending.pop()
        following = graph.successors[label]
        if markers.iterated[label] - inner:
            following = graph.exceptional[label] if markers.escapes[label] else ()
        for target in following:
            if target == loop.header:
                return True
            if target in loop.body and target not in seen:
                seen.add(target)
                pending.append(target)
    return False


def _entry_faults(method: Method, graph: Graph) -> Iterator[Fault]:
    """Faults of iterations that are not preceded by the entry of their loop on every path."""
    everything = set().union(*(_loops(block, EnterLoop) for block in method.blocks.values()))
    # Starts with everything and shrinks: only what is entered on all ways to a block remains.
    entered = {label: set(everything) for label in graph.reachable}
    if graph.entry in entered:
        entered[graph.entry] = set()
    changed = True
    while changed:
        changed = False
        for label in graph.reverse_postorder:
            normal = entered[label] | _loops(method.blocks[label], EnterLoop)
            for target in graph.successors[label]:
                # An exception can leave the block before it enters a loop.
                known = entered[label] if target in graph.exceptional[label] else normal
                if not entered[target] <= known:
                    entered[target] &= known
                    changed = True
    for label in graph.reverse_postorder:
        known = set(entered[label])
        for index, instruction in enumerate(method.blocks[label].instructions):
            if isinstance(instruction, EnterLoop):
                known.add(instruction.loop)
            elif isinstance(instruction, Iterate) and instruction.loop not in known:
                message = f"loop {instruction.loop} iterates before it is entered"
                yield Fault(method.qualified, label, message, instruction.span, index)


def _homes(graph: Graph, markers: _Markers) -> dict[int, list[Label]]:
    """The innermost natural loops in which each loop number iterates."""
    homes: dict[int, list[Label]] = {}
    for label, numbers in markers.iterated.items():
        loop = graph.innermost_loop(label)
        for number in numbers:
            if loop is not None and loop.header not in homes.setdefault(number, []):
                homes[number].append(loop.header)
    return homes


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

"""The blocks between the blocks of the bytecode: where loops are entered and iterate, and who handles an exception."""

from __future__ import annotations

from everypath.errors import Span
from everypath.ir import instructions as ins
from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import Label, Reg
from everypath.languages.java.classfile.model import Catch, Code
from everypath.languages.java.frontend.blocks import Flow
from everypath.languages.java.frontend.hierarchy import JavaMethod
from everypath.languages.java.frontend.stack import OperandStack
from everypath.languages.java.frontend.types import exact_type


class Control:
    """The part of the translation that is about loops and handlers."""

    method: JavaMethod
    build: MethodBuilder
    stack: OperandStack
    code: Code
    flow: Flow
    file: str
    labels: dict[int, Label]
    """the blocks that are translated, with their labels"""

    def __init__(self) -> None:
        self._edges: dict[tuple[int, int], Label] = {}
        self._entered: dict[int, Label] = {}

    def edge(self, source: int, target: int) -> Label:
        """The label for going from one block to another: a block with markers in between, where loops need it."""
        flow = self.flow
        label = f"at{target}"
        loop = flow.loops.get(target)
        if loop is not None and source not in loop.body:
            label = self._entered.setdefault(target, f"enter{target}")
        marked = (source, target) in flow.irregular
        marked |= any(loop.edge == (source, target) for loop in flow.loops.values())
        if marked:
            label = self._edges.setdefault((source, target), f"from{source}to{target}")
        return label

    def write_markers(self) -> None:
        """The blocks that only say that a loop is entered or that an iteration begins."""
        build = self.build
        for (source, target), label in self._edges.items():
            build.start(label)
            if (source, target) in self.flow.irregular:
                build.emit(ins.Iterate(self.flow.irregular[source, target], span=self.span_at(target)))
            for loop in self.flow.loops.values():
                if loop.edge == (source, target):
                    build.emit(ins.Iterate(loop.number, loop.counted, span=self.span_at(target)))
            inner = self.flow.loops.get(target)
            entered = inner is not None and source not in inner.body
            if entered:
                self._entered.setdefault(target, f"enter{target}")
            build.end(ins.Jump(f"enter{target}" if entered else f"at{target}", span=self.span_at(target)))
        for target, label in self._entered.items():
            build.start(label)
            build.emit(ins.EnterLoop(self.flow.loops[target].number, span=self.span_at(target)))
            build.end(ins.Jump(f"at{target}", span=self.span_at(target)))

    def span_at(self, offset: int) -> Span:
        line = max((row for row in self.code.lines if row[0] <= offset), default=(0, self.method.line))[1]
        return Span(self.file, line)

    def write_handlers(self) -> None:
        """For each list of handlers a chain of tests: the first that fits gets the exception, else it goes on."""
        groups: dict[tuple[Catch, ...], list[int]] = {}
        for start, block in self.flow.blocks.items():
            if block.catches:
                groups.setdefault(block.catches, []).append(start)
        for number, (rows, starts) in enumerate(groups.items()):
            raised = self.build.register()
            target = f"caught{number}"
            labels = frozenset(self.labels[start] for start in starts if start in self.labels)
            self.build.start(target)
            for row in rows:
                if not self._catch(row, raised, starts):
                    break
            else:
                self.build.end(ins.Throw(raised, span=self.span_at(rows[0].handler)))
            if labels:
                self.build.handle(labels, target, raised)

    def _catch(self, row: Catch, raised: Reg, starts: list[int]) -> bool:
        """Go to a handler if the exception is of its class; whether the search goes on otherwise."""
        build = self.build
        loop = self.flow.loops.get(row.handler)
        back = loop is not None and any(start in loop.body for start in starts)
        label = f"at{row.handler}" if loop is None or back else self._entered.setdefault(row.handler, "")
        inside, after = build.label("handler"), build.label("other")
        if row.type is not None:
            tested = build.register()
            cls = exact_type(f"L{row.type};")
            build.emit(ins.TypeTest(tested, raised, (cls,), span=self.span_at(row.handler)))
            build.branch(tested, inside, after, self.span_at(row.handler))
            build.start(inside)
        build.emit(ins.Move(self.stack.place(0), raised, span=self.span_at(row.handler)))
        build.end(ins.Jump(label or f"enter{row.handler}", span=self.span_at(row.handler)))
        if row.type is None:
            return False
        build.start(after)
        return True

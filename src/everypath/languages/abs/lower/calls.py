"""Expressions with a side effect at their top: objects, calls, futures."""

from __future__ import annotations

from everypath.errors import Span
from everypath.ir import instructions as ins
from everypath.ir.instructions import Reg
from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend.program import INIT
from everypath.languages.abs.lower.expressions import Expressions
from everypath.languages.abs.lower.names import FIELDS, RUN, THIS


class Calls(Expressions):
    """Adds effects to a body."""

    def into(self, node: t.Expression, dst: Reg) -> None:
        """Evaluate an expression; the register is written last, when nothing can fail any more."""
        span = node.span
        match node:
            case t.New():
                self._new(node, dst)
            case t.AsyncCall(_, _, target, method, arguments):
                receiver = self.value(target)
                self.emit(ins.Spawn(dst, receiver, method, self.values(arguments), span=span))
            case t.SyncCall():
                self._call_and_wait(node, dst)
            case t.AwaitCall(_, _, call):
                self.get(self.await_call(call, span), dst, span)
            case t.Get(_, _, future):
                self.get(self.value(future), dst, span)
            case _:
                super().into(node, dst)

    def await_call(self, call: t.AsyncCall, span: Span) -> Reg:
        """`await o!m(e)`: the call, and releasing the cog until its result is there; the register of the future."""
        future = self.value(call)
        again, after = self.labels("await", "awaited")
        self.start(again)
        self.builder.end(ins.Await((future,), after, again, span=span))
        self.start(after)
        return future

    def get(self, future: Reg, dst: Reg, span: Span) -> None:
        """Block the cog until the future has its result."""
        after = self.builder.label("got")
        self.builder.end(ins.Get(dst, future, after, span=span))
        self.start(after)

    def _new(self, node: t.New, dst: Reg) -> None:
        """A new object: its fields, its init block, its `run`."""
        span, name = node.span, node.class_name
        arguments = self.values(node.arguments)
        if node.local and self.cls is None:
            self.unsupported("`new local` in the main block, which has no object", span)
        made = self.fresh()
        self.emit(ins.NewActor(made, name, THIS if node.local and self.cls is not None else None, span=span))
        if self.around.suspending.init(name):
            self.emit(ins.CallStatic(self.fresh(), name, FIELDS, (made, *arguments), span=span))
            if node.local:
                self.emit(ins.CallStatic(self.fresh(), name, INIT, (made,), span=span))
            else:
                future = self.fresh()
                self.emit(ins.Spawn(future, made, INIT, (), span=span))
                self.get(future, self.fresh(), span)
        else:
            self.emit(ins.CallStatic(self.fresh(), name, INIT, (made, *arguments), span=span))
            self.start_running(name, made, span)
        self.emit(ins.Move(dst, made, span=span))

    def start_running(self, class_name: str, made: Reg, span: Span) -> None:
        """Let the `run` of a new object begin, if its class has one."""
        run = self.around.program.classes[class_name].method(RUN)
        if run is not None and not run.parameters:
            self.emit(ins.Spawn(self.fresh(), made, RUN, (), span=span))

    def _call_and_wait(self, node: t.SyncCall, dst: Reg) -> None:
        """A synchronous call: direct within a cog, else a message and a blocking `get`."""
        span, method = node.span, node.method
        receiver = self.value(node.target)
        arguments = self.values(node.arguments)
        if isinstance(node.target, t.This):
            assert self.cls is not None
            self.emit(ins.CallStatic(dst, self.cls.name, method, (receiver, *arguments), span=span))
            return
        if self.cls is None:
            self._ask(receiver, method, arguments, dst, span)
            return
        here, there, done = self.labels("here", "there", "called")
        same = self.native("same_processor", (THIS, receiver), span)
        self.builder.branch(same, here, there, span)
        self.start(here)
        self.emit(ins.CallVirtual(dst, receiver, method, arguments, span=span))
        self.jump(done, span)
        self.start(there)
        self._ask(receiver, method, arguments, dst, span)
        self.start(done)

    def _ask(self, receiver: Reg, method: str, arguments: tuple[Reg, ...], dst: Reg, span: Span) -> None:
        future = self.fresh()
        self.emit(ins.Spawn(future, receiver, method, arguments, span=span))
        self.get(future, dst, span)

"""Statements to blocks, except those that wait or catch."""

from __future__ import annotations

from abc import abstractmethod

from everypath.errors import Span
from everypath.ir import instructions as ins
from everypath.ir.instructions import Label, Reg
from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend import tree_blocks as b
from everypath.languages.abs.frontend.profile import ASSERTION_FAILED, NO_MATCH
from everypath.languages.abs.lower.calls import Calls
from everypath.languages.abs.lower.names import CONS, THIS
from everypath.languages.abs.lower.patterns import constructors_among


class Statements(Calls):
    """Adds statements to a body."""

    def statement(self, node: b.Statement) -> None:
        """One statement; nothing where control never gets."""
        if not self.builder.open:
            return
        span = node.span
        match node:
            case b.Declare(_, variable, value):
                self.into(value, self.variable(variable.name))
            case b.Assign(_, t.Local(_, _, name), value):
                self.into(value, self.variable(name))
            case b.Assign(_, t.Field(_, _, name), value):
                self.emit(ins.SetField(THIS, name, self.value(value), span=span))
            case b.Evaluate(_, t.AwaitCall(_, _, call)):
                self.await_call(call, span)
            case b.Evaluate(_, value):
                self.value(value)
            case b.Return(_, value):
                self.leave(self.value(value), span)
            case b.Assert(_, condition):
                self._assert(condition, span)
            case b.Block(_, body):
                for inner in body:
                    self.statement(inner)
            case b.If(_, condition, then, otherwise):
                self._if(condition, then, otherwise)
            case b.Switch():
                self._switch(node)
            case b.While(_, condition, body):
                self._while(condition, body, span)
            case b.Foreach():
                self._foreach(node)
            case b.Suspend():
                after = self.builder.label("resumed")
                self.builder.end(ins.Suspend(after, span=span))
                self.start(after)
            case b.Throw(_, value):
                self.builder.end(ins.Throw(self.value(value), span=span))
            case b.Die(_, value):
                self._die(value, span)
            case b.Try():
                self.catch(node)
            case b.Await():
                self.wait(node)
            case _:
                raise AssertionError(node)

    def _assert(self, condition: t.Expression, span: Span) -> None:
        holds, fails = self.labels("holds", "fails")
        self.test(condition, holds, fails)
        self.start(fails)
        self.throw(ASSERTION_FAILED, span)
        self.start(holds)

    def _switch(self, node: b.Switch) -> None:
        done = self.builder.label("switched")
        among = constructors_among([branch.pattern for branch in node.branches])
        reached = self.branches(node.branches, self.value(node.subject), done, among)
        if self.builder.open:
            self.throw(NO_MATCH, node.span)
        if reached:
            self.start(done)

    @abstractmethod
    def leave(self, value: Reg, span: Span) -> None:
        """`return`"""

    @abstractmethod
    def catch(self, node: b.Try) -> None:
        """`try`"""

    @abstractmethod
    def wait(self, node: b.Await) -> None:
        """`await`"""

    def branches(self, branches: tuple[b.Branch, ...], subject: Reg, done: Label, among: tuple[str, ...] = ()) -> bool:
        """The first branch that matches, then a label; what follows is for a value that no branch matches.

        Whether anything reaches the label.
        """
        reached = False
        patterns = [branch.pattern for branch in branches]
        for branch, (pattern, known, certain) in zip(branches, self.tests(patterns)):
            other = self.builder.label("case")
            self.match(pattern, subject, other, among, known)
            self.statement(branch.body)
            reached = self.jump(done, branch.body.span) or reached
            if not certain:
                self.start(other)
        return reached

    def _if(self, condition: t.Expression, then: b.Statement, otherwise: b.Statement) -> None:
        empty = isinstance(otherwise, b.Block) and not otherwise.body
        yes, no, done = self.labels("then", "else", "fi")
        self.test(condition, yes, done if empty else no)
        self.start(yes)
        self.statement(then)
        reached = self.jump(done, then.span) or empty
        if not empty:
            self.start(no)
            self.statement(otherwise)
            reached = self.jump(done, otherwise.span) or reached
        if reached:
            self.start(done)

    def _while(self, condition: t.Expression, body: b.Statement, span: Span) -> None:
        loop = self.builder.loop()
        header, inside, after = self.labels("while", "loop", "after")
        self.emit(ins.EnterLoop(loop, span=span))
        self.start(header)
        self.test(condition, inside, after)
        self.start(inside)
        self.emit(ins.Iterate(loop, span=span))
        self.statement(body)
        self.jump(header, span)
        self.start(after)

    def _foreach(self, node: b.Foreach) -> None:
        """The list is evaluated once and taken apart, an element for each round."""
        span, loop = node.span, self.builder.loop()
        header, inside, after = self.labels("foreach", "loop", "after")
        rest, more = self.fresh(), self.fresh()
        self.into(node.elements, rest)
        if node.index is not None:
            self.emit(ins.Const(self.variable(node.index.name), -1, span=span))
        self.emit(ins.EnterLoop(loop, span=span))
        self.start(header)
        self.emit(ins.Matches(more, rest, CONS, span=span))
        self.builder.branch(more, inside, after, span)
        self.start(inside)
        self.emit(ins.Iterate(loop, counted=True, span=span))
        self.emit(ins.Argument(self.variable(node.variable.name), rest, CONS, 0, span=span))
        self.emit(ins.Argument(rest, rest, CONS, 1, span=span))
        if node.index is not None:
            index = self.variable(node.index.name)
            self.emit(ins.Binary(index, "+", index, self.builder.constant(1, span), span=span))
        self.statement(node.body)
        self.jump(header, span)
        self.start(after)

    def _die(self, value: t.Expression, span: Span) -> None:
        """The engine ends the task whatever handlers there are, so that nothing gets past the call."""
        exception = self.value(value)
        this = THIS if self.cls is not None else self.builder.constant(None, span)
        self.emit(ins.CallNative(self.fresh(), "die", (this, exception), span=span))
        self.builder.end(ins.Throw(exception, span=span))

"""Translates statements to blocks.

The guards of `await` are computed each time they are looked at, and `finally` is written out on every way that leaves
its `try`.
"""

from __future__ import annotations

from everypath.errors import NOWHERE, Span
from everypath.ir import instructions as ins
from everypath.ir.instructions import Label, Reg
from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend import tree_blocks as b
from everypath.languages.abs.frontend.profile import ASSERTION_FAILED, NO_MATCH
from everypath.languages.abs.frontend.types import BOOL, NUMBERS
from everypath.languages.abs.lower.bodies import OpenTry
from everypath.languages.abs.lower.expressions import Expressions, constructors_among
from everypath.languages.abs.lower.names import CONS, THIS


class Statements(Expressions):
    """Adds statements to a body; with them it is complete."""

    def statement(self, node: b.Statement) -> None:
        """One statement; nothing is written if control never gets there."""
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
                self._leave(self.value(value), span)
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
                self._try(node)
            case b.Await():
                self._await(node)
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
        among = constructors_among(node.branches)
        reached = self.branches(node.branches, self.branch, self.value(node.subject), done, among)
        if self.builder.open:
            self.throw(NO_MATCH, node.span)
        if reached:
            self.start(done)

    def branch(self, branch: b.Branch) -> Span:
        """What a branch does, and where that is."""
        self.statement(branch.body)
        return branch.body.span

    def _if(self, condition: t.Expression, then: b.Statement, otherwise: b.Statement) -> None:
        empty = isinstance(otherwise, b.Block) and not otherwise.body
        yes, no, done = self.labels("then", "else", "fi")
        self.test(condition, yes, done if empty else no)
        self.start(yes)
        self.statement(then)
        # Where two ways meet again is no line of its own: whoever asks where a branch leads looks further.
        reached = self.jump(done, NOWHERE) or empty
        if not empty:
            self.start(no)
            self.statement(otherwise)
            reached = self.jump(done, NOWHERE) or reached
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
        """`die`: the engine ends the task whatever handlers there are, so that nothing gets past this call."""
        exception = self.value(value)
        this = THIS if self.cls is not None else self.builder.constant(None, span)
        self.emit(ins.CallNative(self.fresh(), "die", (this, exception), span=span))
        self.builder.end(ins.Throw(exception, span=span))

    def _try(self, node: b.Try) -> None:
        """`try` with `catch`, `finally` or both."""
        final = node.final
        if final is None:
            self._with_branches(node)
            return
        raised, after = self.labels("raised", "after")
        with self.handled(raised, OpenTry(final)) as exception:
            self._with_branches(node)
        completes = self.builder.open
        if completes:
            self.start(self.builder.label("finally"))
            self.statement(final)
            completes = self.jump(after, final.span)
        self.start(raised)
        self.statement(final)
        self._throw_again(exception, node.span)
        if completes:
            self.start(after)

    def _with_branches(self, node: b.Try) -> None:
        if not node.branches:
            self.statement(node.body)
            return
        dispatch, after = self.labels("catch", "after")
        with self.handled(dispatch, OpenTry(None)) as exception:
            self.statement(node.body)
        reached = self.jump(after, node.body.span)
        self.start(dispatch)
        reached = self.branches(node.branches, self.branch, exception, after) or reached
        self._throw_again(exception, node.span)
        if reached:
            self.start(after)

    def _throw_again(self, exception: Reg, span: Span) -> None:
        if self.builder.open:
            self.builder.end(ins.Throw(exception, span=span))

    def _leave(self, value: Reg, span: Span) -> None:
        """`return`: the `finally` parts of the statements around it run first, from the inside out.

        They lie inside those statements, but the handlers of these must not catch what they raise.
        """
        around = self.tries
        # Computed before any `finally` runs, which may change what the value depends on.
        if any(frame.final is not None for frame in around):
            kept = self.fresh()
            self.emit(ins.Move(kept, value, span=span))
            value = kept
        for number in range(len(around) - 1, -1, -1):
            final = around[number].final
            if final is not None and self.builder.open:
                self.tries = around[:number]
                self.start(self.builder.label("finally"))
                mark = self.builder.mark()
                self.statement(final)
                for left in around[number:]:
                    left.excluded |= self.builder.labels_since(mark)
        self.tries = around
        if self.builder.open:
            self.builder.end(ins.Return(value, span=span))

    def _await(self, node: b.Await) -> None:
        """`await`: simple conditions and the first one are guards of their own; others are computed when those hold.

        A condition that fails must not do so while the task still waits for a future, or while the step of another task
        looks whether this one may go on. It lets the task go on, and is then computed once more, to fail.
        """
        span = node.span
        again, after = self.labels("await", "awaited")
        self.start(again)
        futures = self.values(node.futures)
        conditions = [part for condition in node.conditions for part in _conjuncts(condition)]
        fails = not all(map(_is_simple, conditions)) and any(map(self.around.failures.expression, conditions))
        if all(map(_is_simple, conditions[1:])) and not fails:
            guards = (*futures, *map(self.value, conditions))
            self.builder.end(ins.Await(guards, after, again, span=span))
            self.start(after)
            return
        holds, waiting = self.fresh(), self.builder.label("wait")
        if not fails:
            self._decide(conditions, holds, waiting)
            self.start(waiting)
            self.builder.end(ins.Await((*futures, holds), after, again, span=span))
        else:
            broken, passed = self.labels("broken", "passed")
            with self.handled(broken):
                self._decide(conditions, holds, waiting)
            self.start(broken)
            self.emit(ins.Const(holds, True, span=span))
            self.start(waiting)
            self.builder.end(ins.Await((*futures, holds), passed, again, span=span))
            self.start(passed)
            for condition in conditions:
                self.value(condition)
        self.start(after)

    def _decide(self, conditions: list[t.Expression], holds: Reg, done: Label) -> None:
        """Compute whether all conditions hold; after the first that does not, no other is computed."""
        unmet = self.builder.label("unmet")
        for condition in conditions:
            met = self.builder.label("met")
            self.test(condition, met, unmet)
            self.start(met)
        span = conditions[-1].span
        self.emit(ins.Const(holds, True, span=span))
        self.jump(done, span)
        self.start(unmet)
        self.emit(ins.Const(holds, False, span=span))
        self.jump(done, span)


def _conjuncts(node: t.Expression) -> list[t.Expression]:
    if isinstance(node, t.Binary) and node.operator == "&&":
        return [*_conjuncts(node.left), *_conjuncts(node.right)]
    return [node]


def _is_simple(node: t.Expression) -> bool:
    """Whether computing the expression neither fails nor decides anything: plain numbers and truth values."""
    match node:
        case t.Literal() | t.Local() | t.Field():
            return node.type == BOOL or node.type in NUMBERS
        case t.Construct(_, type, _, ()):
            return type == BOOL
        case t.Unary(_, _, _, operand):
            return _is_simple(operand)
        case t.Binary(_, _, operator, left, right):
            return operator not in ("/", "%", "&&", "||") and _is_simple(left) and _is_simple(right)
    return False

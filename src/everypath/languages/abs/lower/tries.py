"""`try` statements, and leaving them: handlers, branches on the exception, `finally` on every way out."""

from __future__ import annotations

from everypath.errors import Span
from everypath.ir.instructions import Move, Reg, Return, Throw
from everypath.languages.abs.frontend import tree_blocks as b
from everypath.languages.abs.lower.bodies import OpenTry
from everypath.languages.abs.lower.waiting import Waiting


class Tries(Waiting):
    """Adds `try` and `return` to a body; with them it is complete."""

    def catch(self, node: b.Try) -> None:
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
        reached = self.branches(node.branches, exception, after) or reached
        self._throw_again(exception, node.span)
        if reached:
            self.start(after)

    def _throw_again(self, exception: Reg, span: Span) -> None:
        if self.builder.open:
            self.builder.end(Throw(exception, span=span))

    def leave(self, value: Reg, span: Span) -> None:
        """`return`: the `finally` parts of the statements around it run first, the innermost before the others.

        They lie inside those statements, but the handlers of these no longer hold.
        """
        around = self.tries
        if any(frame.final is not None for frame in around):
            kept = self.fresh()
            self.emit(Move(kept, value, span=span))
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
            self.builder.end(Return(value, span=span))

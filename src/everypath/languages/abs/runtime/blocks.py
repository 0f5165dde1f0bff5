"""Cuts the body of a method that may release or block its cog into pieces between which a task can rest.

Each piece is a Python function of the frame's slots. It returns the number of the piece that comes next, or a negative
number that says why the task has to stop here. A state of execution is then plain data (a piece and some slots), which
a search can copy; a Python generator could not be copied. Slot 0 holds the open handlers, as nested pairs of a piece
and the handlers around it; slot 1 the exception that a handler is about; slot 2 what was waited for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from everypath.errors import Span
from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend import tree_blocks as b
from everypath.languages.abs.frontend.program import INIT, Class
from everypath.languages.abs.frontend.rewrite import nodes
from everypath.languages.abs.frontend.suspension import Suspension, fields_read, has_return
from everypath.languages.abs.frontend.tree import Variable
from everypath.languages.abs.runtime.expressions import Globals, Text
from everypath.languages.abs.runtime.statements import RETURNED, Statements
from everypath.records import dataclass

CALL, AWAIT, GET, SUSPEND = -2, -3, -4, -5
"""Why a piece ends: a synchronous call, a guard, a blocking `get`, or `suspend`; `X.next` is the piece after that."""
HANDLERS, EXCEPTION, WAITED, FIRST_SLOT = 0, 1, 2, 3


@dataclass(frozen=True, slots=True)
class Cleanup:
    """A `try` around the statement being translated: how many handlers it has open, and what runs at its end."""

    handlers: int
    final: b.Statement | None


def slots_of(parameters: tuple[Variable, ...], body: b.Statement) -> dict[str, int]:
    """A slot for every variable that statements declare."""
    names = [v.name for v in parameters]
    for node in nodes(body):
        match node:
            case b.Declare(_, variable, _):
                names.append(variable.name)
            case b.Foreach(_, variable, index):
                names += [variable.name, *([index.name] if index is not None else [])]
            case b.Branch(pattern):
                names += [inner.name for inner in nodes(pattern) if isinstance(inner, t.BindPattern)]
    return {name: FIRST_SLOT + number for number, name in enumerate(dict.fromkeys(names))}


class Blocks(Statements):
    """Translates one body to pieces."""

    def __init__(
        self, known: Globals, suspension: Suspension, cls: Class | None, prefix: str, slots: dict[str, int]
    ) -> None:
        super().__init__(known, suspension, cls, Text(), slots)
        self.prefix = prefix
        self.pieces: list[Text] = []
        self.guards: dict[int, tuple[int, Span]] = {}
        """pieces before which the task waits -> the fields that the guard looks at, as bits, and the place in the
        source
        """
        self.gets: dict[int, Span] = {}
        """pieces before which the task may block its cog -> the place in the source"""
        self.extra = Text()
        """the functions of the guards"""
        self._slots = slots
        self._hidden = 0
        self._cleanups: tuple[Cleanup, ...] = ()
        self._open(self._label())

    def _label(self) -> int:
        self.pieces.append(Text())
        return len(self.pieces) - 1

    def _open(self, piece: int) -> None:
        """Continue writing in this piece."""
        self.text = self.pieces[piece]

    def _slot(self) -> str:
        """A slot for a value that has no name in the program."""
        self._hidden += 1
        name = f"~hidden{self._hidden}"
        self._slots[name] = FIRST_SLOT + len(self._slots)
        return f"L[{self._slots[name]}]"

    def body(self, node: b.Block, last: str, span: Span, starts: bool) -> None:
        """The whole body; at its end it has this result, after starting the object's `run` method if `starts`."""
        self.statement(node)
        if starts:
            self.text.add("X.start(I.reference)")
        self.result(last, span)

    def result(self, value: str, span: Span) -> None:
        """End the method with a value."""
        self.text.add(f"X.result = {value}", span)
        self.text.add(f"return {RETURNED}")

    def _splits(self, node: b.Statement) -> bool:
        if self.suspension.statement(node, self.cls):
            return True
        # A `return` inside a `try` with `finally` has to run that first, which may rest.
        return any(c.final is not None for c in self._cleanups) and has_return(node)

    def statement(self, node: b.Statement) -> None:
        """One statement; only statements inside which the task may rest are cut."""
        if not self._splits(node):
            super().statement(node)
            return
        match node:
            case b.Block(_, body):
                for inner in body:
                    self.statement(inner)
            case b.Evaluate(span, t.AwaitCall(_, _, call)):
                self._await_call(call, span)
            case b.Return(span, value):
                self._return(self.value(value, span), span)
            case b.If(span, condition, then, otherwise):
                self._if(condition, then, otherwise, span)
            case b.While(span, condition, body):
                head, end = self._label(), self._label()
                self._jump(head)
                self._open(head)
                self.text.add(f"if not {self.value(condition, span)}: return {end}", span)
                self.text.add("X.turn()", span)
                self.statement(body)
                self._jump(head)
                self._open(end)
            case b.Foreach():
                rest, head, end = self._slot(), self._label(), self._label()
                self.before_elements(node, rest)
                self._jump(head)
                self._open(head)
                self.text.add(f"if not {rest}.arguments: return {end}", node.span)
                self.for_element(node, rest)
                self._jump(head)
                self._open(end)
            case b.Switch(span, subject, branches):
                variable = self.variables.fresh()
                self.text.add(f"{variable} = {self.value(subject, span)}", span)
                end = self._label()
                self._split_branches(branches, variable, end)
                self.text.add("raise failure('PatternMatchFailException')", span)
                self._open(end)
            case b.Try():
                self._split_try(node)
            case b.Await():
                self._await(node)
            case b.Suspend(span):
                after = self._label()
                self._stop(SUSPEND, after, span)
                self._open(after)
            case _:
                super().statement(node)

    def _jump(self, piece: int) -> None:
        self.text.add(f"return {piece}")

    def _stop(self, why: int, after: int, span: Span) -> None:
        if why in (GET, CALL):
            self.gets[after] = span
        self.text.add(f"X.next = {after}", span)
        self.text.add(f"return {why}", span)

    def value(self, node: t.Expression, span: Span) -> str:
        """Evaluate an expression that may wait; returns the text of its value, valid in the piece that is then open."""
        if not self.suspension.expression(node, self.cls):
            return super().value(node, span)
        e = self.expressions
        self.mark(node)
        after = self._label()
        match node:
            case t.Get(_, _, future):
                self.text.add(f"L[{WAITED}] = {e.text(future)}", span)
                self._stop(GET, after, span)
                self._open(after)
                return f"L[{WAITED}]"
            case t.AwaitCall(_, _, call):
                # Waiting for the call makes a piece of its own, so the one made above is not needed.
                self.pieces.pop()
                self._await_call(call, span)
                return f"X.take(L[{WAITED}])"
            case t.SyncCall(_, _, target, method, arguments):
                self._call(e.text(target), method, e.tuple(arguments), after, span)
                return f"L[{WAITED}]"
            case t.New(_, _, name, arguments, local):
                kept = self._slot()
                self.text.add(
                    f"{kept} = X.allocate({name!r}, {e.tuple(arguments)}, {'X.cog' if local else None})", span
                )
                self._call(kept, INIT, "()", after, span)
                return kept
        raise AssertionError(node)

    def _call(self, target: str, method: str, arguments: str, after: int, span: Span) -> None:
        self.text.add(f"X.callee, X.method, X.arguments = {target}, {method!r}, {arguments}", span)
        self._stop(CALL, after, span)
        self._open(after)

    def _await_call(self, call: t.AsyncCall, span: Span) -> None:
        self.text.add(f"L[{WAITED}] = {self.value(call, span)}", span)
        after = self._label()
        self._guard(after, f"(L[{WAITED}],)", None, 0, span)
        self._stop(AWAIT, after, span)
        self._open(after)

    def _await(self, node: b.Await) -> None:
        after = self._label()
        e = self.expressions
        futures = e.tuple(node.futures) if node.futures else None
        condition = " and ".join(map(e.text, node.conditions)) or None
        read = self.mask(fields_read(*node.futures, *node.conditions))
        self._guard(after, futures, condition, read, node.span)
        self._stop(AWAIT, after, node.span)
        self._open(after)

    def _guard(self, piece: int, futures: str | None, condition: str | None, fields: int, span: Span) -> None:
        for kind, expression in (("futures", futures), ("condition", condition)):
            if expression is not None:
                self.extra.add(f"def {self.prefix}_{kind}{piece}(L, I, F): return {expression}", span)
        self.guards[piece] = fields, span

    def _if(self, condition: t.Expression, then: b.Statement, otherwise: b.Statement, span: Span) -> None:
        yes, no, end = self._label(), self._label(), self._label()
        self.text.add(f"return {yes} if {self.value(condition, span)} else {no}", span)
        for piece, body in ((yes, then), (no, otherwise)):
            self._open(piece)
            self.statement(body)
            self._jump(end)
        self._open(end)

    def _split_branches(self, branches: tuple[b.Branch, ...], variable: str, end: int) -> None:
        """Go to the first branch that matches and from there to the end; if none does, go on in the open piece."""
        here = self.text
        for branch in branches:
            piece = self._label()
            self.mark(branch.pattern)
            self.text.add(f"if {self.expressions.test(branch.pattern, variable)}:", branch.pattern.span)
            with self.text.deeper():
                self.keep(branch.pattern)
                self._jump(piece)
            self._open(piece)
            self.statement(branch.body)
            self._jump(end)
            self.text = here

    @contextmanager
    def _inside(self, cleanup: Cleanup) -> Iterator[None]:
        before = self._cleanups
        self._cleanups = (*before, cleanup)
        try:
            yield
        finally:
            self._cleanups = before

    def _push(self, piece: int) -> None:
        self.text.add(f"L[{HANDLERS}] = ({piece}, L[{HANDLERS}])")

    def _pop(self) -> None:
        self.text.add(f"L[{HANDLERS}] = L[{HANDLERS}][1]")

    def _split_try(self, node: b.Try) -> None:
        """A `try` as two nested handlers: the inner one for the branches, the outer one for `finally`."""
        handler, done, final_handler, end = (self._label() for _ in range(4))
        final = node.final
        # The `finally` block is written twice: once for the way out with an exception, once for the normal way.
        if final is not None:
            self._push(final_handler)
        self._push(handler)
        with self._inside(Cleanup(1 + (final is not None), final)):
            self.statement(node.body)
        self._pop()
        self._jump(done)
        self._open(handler)
        variable = self.variables.fresh()
        self.text.add(f"{variable} = L[{EXCEPTION}].value")
        with self._inside(Cleanup(int(final is not None), final)):
            self._split_branches(node.branches, variable, done)
        self.text.add(f"raise L[{EXCEPTION}]")
        self._open(final_handler)
        if final is not None:
            kept = self._slot()
            self.text.add(f"{kept} = L[{EXCEPTION}]")
            self.statement(final)
            self.text.add(f"raise {kept}")
        self._open(done)
        if final is not None:
            self._pop()
            self.statement(final)
        self._jump(end)
        self._open(end)

    def _return(self, value: str, span: Span) -> None:
        """Leave every enclosing `try`, the innermost first, and return the value."""
        if not any(c.final is not None for c in self._cleanups):
            self.result(value, span)
            return
        kept = self._slot()
        # Computed before any `finally` runs, which may change what the expression looks at.
        self.text.add(f"{kept} = {value}", span)
        before = self._cleanups
        for number in range(len(before) - 1, -1, -1):
            for _ in range(before[number].handlers):
                self._pop()
            self._cleanups = before[:number]
            final = before[number].final
            if final is not None:
                self.statement(final)
        self._cleanups = before
        self.result(kept, span)

"""Translates statements that neither release nor block their cog to Python statements.

Translated code uses these names: `I` the object that `this` is, `F` its fields, `L` the slots of a frame that
outlives a step, `X` the running step.
"""

from __future__ import annotations

from everypath.errors import Span
from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend import tree_blocks as b
from everypath.languages.abs.frontend.program import Class
from everypath.languages.abs.frontend.rewrite import nodes
from everypath.languages.abs.frontend.suspension import Suspension, fields_read
from everypath.languages.abs.runtime.expressions import Expressions, Globals, Text, Variables

RETURNED = -1
"""What a piece of a method returns when the method has ended; its result is in `X.result`."""


class Statements:
    """Translates one body to a plain Python function."""

    def __init__(
        self, known: Globals, suspension: Suspension, cls: Class | None, text: Text, slots: dict[str, int] | None = None
    ) -> None:
        self.suspension = suspension
        self.cls = cls
        self.text = text
        self.variables = Variables(slots)
        names = [] if cls is None else [*(v.name for v in cls.parameters), *(f.variable.name for f in cls.fields)]
        self.expressions = Expressions(known, self.variables, names)

    def statement(self, node: b.Statement) -> None:
        """One statement, as Python statements."""
        add, deeper, span = self.text.add, self.text.deeper, node.span
        match node:
            case b.Declare(_, variable, value):
                found = self.value(value, span)
                self.text.add(f"{self.variables.read(variable.name)} = {found}", span)
            case b.Assign(_, target, value):
                self._assign(target, self.value(value, span), span)
            case b.Evaluate(_, value):
                text = self.value(value, span)
                if isinstance(value, t.AsyncCall):
                    text = text.replace("X.send(", "X.drop(", 1)
                self.text.add(text, span)
            case b.Return(_, value):
                self.result(self.value(value, span), span)
            case b.Assert(_, condition):
                found = self.value(condition, span)
                self.text.add(f"if not {found}: raise failure('AssertionFailException')", span)
            case b.Block(_, body):
                for inner in body:
                    self.statement(inner)
            case b.If(_, condition, then, otherwise):
                add(f"if {self.value(condition, span)}:", span)
                with deeper():
                    self.statement(then)
                if not _empty(otherwise):
                    add("else:")
                    with deeper():
                        self.statement(otherwise)
            case b.While(_, condition, body):
                self._while(condition, body, span)
            case b.Foreach():
                rest = self.variables.fresh()
                self.before_elements(node, rest)
                add(f"while {rest}.arguments:", span)
                with deeper():
                    self.for_element(node, rest)
            case b.Switch(_, subject, branches):
                matched = self.variables.fresh()
                add(f"{matched} = {self.value(subject, span)}", span)
                self.mark(*(branch.pattern for branch in branches))
                self._branches(branches, matched)
                add("else: raise failure('PatternMatchFailException')" if branches else "no_match()", span)
            case b.Try():
                self._try(node)
            case b.Throw(_, value):
                add(f"raise Raised({self.value(value, span)})", span)
            case b.Die(_, value):
                add(f"raise Died({self.value(value, span)})", span)
            case _:
                raise AssertionError(f"{type(node).__name__} releases the cog")

    def mark(self, *found: t.Expression | t.Pattern) -> None:
        """Record which fields expressions or patterns look at."""
        mask = self.mask(fields_read(*found))
        if mask:
            self.text.add(f"I.read |= {mask}")

    def mask(self, names: frozenset[str]) -> int:
        """Fields as bits."""
        return sum(1 << self.expressions.fields[name] for name in names)

    def _assign(self, target: t.Local | t.Field, value: str, span: Span) -> None:
        self.text.add(f"{self.expressions.text(target)} = {value}", span)
        if isinstance(target, t.Field):
            self.text.add(f"I.written |= {self.mask(frozenset((target.name,)))}")

    def result(self, value: str, span: Span) -> None:
        """The method ends."""
        self.text.add(f"return {value}", span)

    def value(self, node: t.Expression, span: Span) -> str:
        """A Python expression for one that may have a side effect at its top; what it reads is noted before."""
        self.mark(node)
        return self.effect(node)

    def effect(self, node: t.Expression) -> str:
        """The same without the note."""
        e = self.expressions
        match node:
            case t.New(_, _, class_name, arguments, local):
                cog = "X.cog" if local else "None"
                return f"X.create({class_name!r}, {e.tuple(arguments)}, {cog})"
            case t.AsyncCall(_, _, target, method, arguments):
                return f"X.send({e.text(target)}, {method!r}, {e.tuple(arguments)})"
            case t.SyncCall(_, _, _, method, arguments):
                assert self.cls is not None
                return f"{native_name(self.cls.name, method)}(I, F, {e.all(arguments)})"
        return e.text(node)

    def _while(self, condition: t.Expression, body: b.Statement, span: Span) -> None:
        looks = bool(fields_read(condition))
        self.text.add("while True:" if looks else f"while {self.expressions.text(condition)}:", span)
        with self.text.deeper():
            if looks:
                self.text.add(f"if not {self.value(condition, span)}: break", span)
            self.text.add("X.turn()", span)
            self.statement(body)

    def before_elements(self, node: b.Foreach, rest: str) -> None:
        """What a `foreach` does first; `rest` holds the elements that are left."""
        self.text.add(f"{rest} = {self.value(node.elements, node.span)}", node.span)
        if node.index is not None:
            self.text.add(f"{self.variables.read(node.index.name)} = -1", node.span)

    def for_element(self, node: b.Foreach, rest: str) -> None:
        """What it does for each element."""
        self.text.add(f"{self.variables.read(node.variable.name)}, {rest} = {rest}.arguments")
        if node.index is not None:
            self.text.add(f"{self.variables.read(node.index.name)} += 1")
        self.statement(node.body)

    def _branches(self, branches: tuple[b.Branch, ...], variable: str) -> None:
        for number, branch in enumerate(branches):
            self.text.add(
                f"{'elif' if number else 'if'} {self.expressions.test(branch.pattern, variable)}:", branch.pattern.span
            )
            with self.text.deeper():
                self.keep(branch.pattern)
                self.statement(branch.body)

    def keep(self, pattern: t.Pattern) -> None:
        """Move what a pattern has bound to where the statements look for it."""
        for node in nodes(pattern):
            if isinstance(node, t.BindPattern):
                here, there = self.variables.bound(node.name), self.variables.read(node.name)
                if here != there:
                    self.text.add(f"{there} = {here}")

    def _try(self, node: b.Try) -> None:
        add, deeper = self.text.add, self.text.deeper
        add("try:")
        with deeper():
            self.statement(node.body)
        if node.branches or node.final is None:
            # A failure of the machine that a program may handle, such as a stack overflow, comes as Python's own.
            add("except MACHINE as raised:")
            with deeper():
                variable = self.variables.fresh()
                add(f"{variable} = raised_value(raised)")
                self.mark(*(branch.pattern for branch in node.branches))
                self._branches(node.branches, variable)
                add("else: raise" if node.branches else "raise")
        if node.final is not None:
            add("finally:")
            with deeper():
                self.statement(node.final)


def native_name(class_name: str, method: str) -> str:
    """The Python function of a method that neither releases nor blocks its cog."""
    return f"m_{class_name}_{method}".replace(".", "_").replace("<", "").replace(">", "")


def _empty(node: b.Statement) -> bool:
    return isinstance(node, b.Block) and not node.body

"""Expressions without side effects."""

from __future__ import annotations

from everypath.errors import Span
from everypath.ir import instructions as ins
from everypath.ir.instructions import Label, Reg
from everypath.ir.types import ClassType
from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend.profile import NO_MATCH
from everypath.languages.abs.lower.names import CONS, FALSE, NIL, THIS, TRUE, interface_class
from everypath.languages.abs.lower.patterns import Patterns, constructors_among

_TRUTH = {TRUE: True, FALSE: False}
_UNARY = {"!": "not", "-": "-"}


class Expressions(Patterns):
    """Adds expressions to a body."""

    def value(self, node: t.Expression) -> Reg:
        """A register that holds the value of an expression; a variable's own where it is one."""
        if isinstance(node, t.Local):
            return self.variable(node.name)
        if isinstance(node, t.This):
            return THIS
        dst = self.fresh()
        self.into(node, dst)
        return dst

    def values(self, nodes: tuple[t.Expression, ...]) -> tuple[Reg, ...]:
        """Registers of several expressions, evaluated in order."""
        return tuple(map(self.value, nodes))

    def into(self, node: t.Expression, dst: Reg) -> None:
        """Evaluate an expression; the register is written last, when nothing can fail any more."""
        span = node.span
        match node:
            case t.Literal(_, _, value):
                self.emit(ins.Const(dst, value, span=span))
            case t.Local() | t.This():
                self.emit(ins.Move(dst, self.value(node), span=span))
            case t.Field(_, _, name):
                self.emit(ins.GetField(dst, THIS, name, span=span))
            case t.Destiny():
                self.emit(ins.CallNative(dst, "destiny", (), span=span))
            case t.Unary(_, _, operator, operand):
                self.emit(ins.Unary(dst, _UNARY[operator], self.value(operand), span=span))
            case t.Binary():
                self._binary(node, dst)
            case t.Construct(_, _, constructor, arguments):
                if constructor in _TRUTH:
                    self.emit(ins.Const(dst, _TRUTH[constructor], span=span))
                else:
                    self.emit(ins.Construct(dst, constructor, self.values(arguments), span=span))
            case t.ListOf(_, _, elements):
                self._list(self.values(elements), dst, span)
            case t.Access(_, _, accessor, subject):
                self._access(accessor, self.value(subject), dst, span)
            case t.Call(_, _, function, arguments):
                self._call(function, self.values(arguments), dst, span)
            case t.When(_, _, condition, then, otherwise):
                self._when(condition, then, otherwise, dst)
            case t.Case():
                self._case(node, dst)
            case t.Let(_, _, name, value, body):
                self.into(value, self.variable(name))
                self.into(body, dst)
            case t.Implements(_, _, operand, interface):
                self.emit(ins.TypeTest(dst, self.value(operand), (ClassType(interface_class(interface)),), span=span))
            case t.Cast(_, _, operand, interface):
                self._cast(operand, interface, dst, span)
            case _:
                raise AssertionError(f"{type(node).__name__} is not an expression without side effects")

    def test(self, node: t.Expression, yes: Label, no: Label) -> None:
        """Evaluate a condition and go to one of two labels; `&&` and `||` look at the right side only when needed."""
        match node:
            case t.Binary(_, _, "&&", left, right):
                both = self.builder.label("and")
                self.test(left, both, no)
                self.start(both)
                self.test(right, yes, no)
            case t.Binary(_, _, "||", left, right):
                neither = self.builder.label("or")
                self.test(left, yes, neither)
                self.start(neither)
                self.test(right, yes, no)
            case t.Unary(_, _, "!", operand):
                self.test(operand, no, yes)
            case _:
                self.builder.branch(self.value(node), yes, no, node.span)

    def _binary(self, node: t.Binary, dst: Reg) -> None:
        operator, span = node.operator, node.span
        if operator in ("&&", "||"):
            decided, more, done = self.labels("decided", "more", "joined")
            self.test(node.left, *((more, decided) if operator == "&&" else (decided, more)))
            self.start(decided)
            self.emit(ins.Const(dst, operator == "||", span=span))
            self.jump(done, span)
            self.start(more)
            self.into(node.right, dst)
            self.start(done)
        elif operator in ("==", "!="):
            self.equality(dst, operator, node.left, node.right, span)
        else:
            left, right = self.value(node.left), self.value(node.right)
            made = ins.Compare if operator in ("<", "<=", ">", ">=") else ins.Binary
            self.emit(made(dst, operator, left, right, span=span))

    def _list(self, elements: tuple[Reg, ...], dst: Reg, span: Span) -> None:
        rest = dst if not elements else self.fresh()
        self.emit(ins.Construct(rest, NIL, (), span=span))
        for number, element in enumerate(reversed(elements), 1):
            longer = dst if number == len(elements) else self.fresh()
            self.emit(ins.Construct(longer, CONS, (element, rest), span=span))
            rest = longer

    def _access(self, accessor: str, subject: Reg, dst: Reg, span: Span) -> None:
        program = self.around.program
        positions = program.accessors[accessor].positions
        total = len(positions) == len(program.data[program.accessors[accessor].data].constructors)
        among = tuple(constructor for constructor, _ in positions)
        done = self.builder.label("accessed")
        for number, (constructor, index) in enumerate(positions, 1):
            if total and number == len(positions):
                self.emit(ins.Argument(dst, subject, constructor, index, span=span))
                self.start(done)
                return
            found, other = self.labels("access", "other")
            same = self.fresh()
            self.emit(ins.Matches(same, subject, constructor, among, span=span))
            self.builder.branch(same, found, other, span)
            self.start(found)
            self.emit(ins.Argument(dst, subject, constructor, index, span=span))
            self.jump(done, span)
            self.start(other)
        self.throw(NO_MATCH, span)
        self.start(done)

    def _call(self, function: str, arguments: tuple[Reg, ...], dst: Reg, span: Span) -> None:
        if self.around.program.functions[function].body is None:
            self.emit(ins.CallNative(dst, f"abs.{function.rpartition('.')[2]}", arguments, span=span))
        else:
            self.emit(ins.CallStatic(dst, *self.around.function(function), arguments, span=span))

    def _when(self, condition: t.Expression, then: t.Expression, otherwise: t.Expression, dst: Reg) -> None:
        yes, no, done = self.labels("then", "else", "joined")
        self.test(condition, yes, no)
        self.start(yes)
        self.into(then, dst)
        self.jump(done, then.span)
        self.start(no)
        self.into(otherwise, dst)
        self.start(done)

    def _case(self, node: t.Case, dst: Reg) -> None:
        subject = self.value(node.subject)
        patterns = [branch.pattern for branch in node.branches]
        among = constructors_among(patterns)
        done, certain = self.builder.label("joined"), False
        for branch, (pattern, known, certain) in zip(node.branches, self.tests(patterns)):
            other = self.builder.label("case")
            self.match(pattern, subject, other, among, known)
            self.into(branch.value, dst)
            self.jump(done, branch.value.span)
            if not certain:
                self.start(other)
        if not certain:
            self.throw(NO_MATCH, node.span)
        self.start(done)

    def _cast(self, operand: t.Expression, interface: str, dst: Reg, span: Span) -> None:
        value, fits = self.value(operand), self.fresh()
        yes, no, done = self.labels("cast", "null", "joined")
        self.emit(ins.TypeTest(fits, value, (ClassType(interface_class(interface)),), span=span))
        self.builder.branch(fits, yes, no, span)
        self.start(yes)
        self.emit(ins.Move(dst, value, span=span))
        self.jump(done, span)
        self.start(no)
        self.emit(ins.Const(dst, None, span=span))
        self.start(done)

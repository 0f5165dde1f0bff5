"""Patterns and expressions, those with a side effect at their top included."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from everypath.errors import Span
from everypath.ir import instructions as ins
from everypath.ir.instructions import Label, Reg
from everypath.ir.types import ClassType
from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend import tree_blocks as b
from everypath.languages.abs.frontend import types as abs_types
from everypath.languages.abs.frontend.profile import NO_MATCH
from everypath.languages.abs.frontend.program import INIT, RUN
from everypath.languages.abs.lower.bodies import Body
from everypath.languages.abs.lower.names import CONS, FALSE, FIELDS, NIL, THIS, TRUE, interface_class

B = TypeVar("B", t.CaseBranch, b.Branch)
_TRUTH = {TRUE: True, FALSE: False}
_UNARY = {"!": "not", "-": "-"}


def irrefutable(pattern: t.Pattern) -> bool:
    """Whether the pattern matches everything."""
    return isinstance(pattern, (t.AnyPattern, t.BindPattern))


def constructors_among(branches: Sequence[t.CaseBranch | b.Branch]) -> tuple[str, ...]:
    """The constructors for which there is a branch; none when a branch is for others too, or for a comparison."""
    found: dict[str, None] = {}
    for branch in branches:
        if not isinstance(branch.pattern, t.ConstructorPattern):
            return ()
        found[branch.pattern.constructor] = None
    return tuple(found)


class Expressions(Body):
    """Adds patterns and expressions to a body."""

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
                self._pure(node, dst)

    def _pure(self, node: t.Expression, dst: Reg) -> None:
        """An expression without side effects."""
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
        def run(branch: t.CaseBranch) -> Span:
            self.into(branch.value, dst)
            return branch.value.span

        subject = self.value(node.subject)
        done = self.builder.label("joined")
        self.branches(node.branches, run, subject, done, constructors_among(node.branches))
        if self.builder.open:
            self.throw(NO_MATCH, node.span)
        self.start(done)

    def branches(
        self, branches: Sequence[B], run: Callable[[B], Span], subject: Reg, done: Label, among: tuple[str, ...] = ()
    ) -> bool:
        """Run the first branch that matches, then go to a label; what follows is for a value that no branch matches.

        Whether anything reaches the label.
        """
        reached = False
        for branch, (pattern, known, certain) in zip(branches, self.tests([branch.pattern for branch in branches])):
            other = self.builder.label("case")
            self.match(pattern, subject, other, among, known)
            reached = self.jump(done, run(branch)) or reached
            if not certain:
                self.start(other)
        return reached

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

    def tests(self, patterns: Sequence[t.Pattern]) -> Iterator[tuple[t.Pattern, bool, bool]]:
        """The patterns of a case that may be reached: whether the constructor is certain by then, whether all is."""
        left: set[str] | None = None
        for pattern in patterns:
            known = certain = irrefutable(pattern)
            if isinstance(pattern, t.ConstructorPattern):
                if left is None:
                    data = self.around.program.constructors[pattern.constructor].data
                    left = set(self.around.program.data[data].constructors)
                plain = all(map(irrefutable, pattern.arguments))
                known = left == {pattern.constructor}
                certain = known and plain
                if plain:
                    left.discard(pattern.constructor)
            yield pattern, known, certain
            if certain:
                return

    def match(
        self, pattern: t.Pattern, value: Reg, fails: Label, among: tuple[str, ...] = (), known: bool = False
    ) -> None:
        """Go on where the value matches, with the variables bound, and to a label where it does not."""
        span = pattern.span
        match pattern:
            case t.BindPattern(_, _, name):
                self.emit(ins.Move(self.variable(name), value, span=span))
            case t.EqualPattern(_, _, expected):
                equal = self.fresh()
                self.equality(equal, "==", t.Expression(span, pattern.type), expected, span, value)
                self._or_else(equal, fails, span)
            case t.ConstructorPattern(_, _, constructor, arguments):
                if not known:
                    self._constructor(constructor, value, fails, among, span)
                self._arguments(constructor, arguments, value, fails)

    def _constructor(self, constructor: str, value: Reg, fails: Label, among: tuple[str, ...], span: Span) -> None:
        if constructor in (TRUE, FALSE):
            self._or_else(value, fails, span, constructor == TRUE)
            return
        same = self.fresh()
        self.emit(ins.Matches(same, value, constructor, among, span=span))
        self._or_else(same, fails, span)

    def _arguments(self, constructor: str, arguments: tuple[t.Pattern, ...], value: Reg, fails: Label) -> None:
        for index, argument in enumerate(arguments):
            if isinstance(argument, t.AnyPattern):
                continue
            if isinstance(argument, t.BindPattern):
                self.emit(ins.Argument(self.variable(argument.name), value, constructor, index, span=argument.span))
                continue
            part = self.fresh()
            self.emit(ins.Argument(part, value, constructor, index, span=argument.span))
            self.match(argument, part, fails)

    def _or_else(self, condition: Reg, fails: Label, span: Span, wanted: bool = True) -> None:
        matched = self.builder.label("matched")
        yes, no = (matched, fails) if wanted else (fails, matched)
        self.builder.branch(condition, yes, no, span)
        self.start(matched)

    def equality(
        self, dst: Reg, operator: str, left: t.Expression, right: t.Expression, span: Span, known: Reg | None = None
    ) -> None:
        """`==` or `!=`: the same object for references, the same value for everything else.

        `known` is the left value where it was computed before. A null comes last, right before the comparison.
        """
        if known is None and _is_null(left):
            left, right = right, left
        first = self.value(left) if known is None else known
        second = self.value(right)
        if _is_reference(left) or _is_reference(right) or _is_null(right):
            operator = "is" if operator == "==" else "is not"
        self.emit(ins.Compare(dst, operator, first, second, span=span))

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


def _is_null(node: t.Expression) -> bool:
    return isinstance(node, t.Literal) and node.value is None


def _is_reference(node: t.Expression) -> bool:
    return isinstance(node.type, (abs_types.InterfaceType, abs_types.ClassType, abs_types.NullType))

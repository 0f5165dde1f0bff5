"""Checks statements."""

from __future__ import annotations

from everypath.errors import Span
from everypath.languages.abs.frontend import syntax as s
from everypath.languages.abs.frontend import syntax_blocks as b
from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend import tree_blocks as tb
from everypath.languages.abs.frontend.check_expressions import Expressions, marked
from everypath.languages.abs.frontend.problems import SYNTAX, TYPE
from everypath.languages.abs.frontend.subtyping import is_reference, settled
from everypath.languages.abs.frontend.types import (
    BOOL,
    EXCEPTION,
    FUT,
    INT,
    LIST,
    STDLIB,
    UNIT,
    WRONG,
    DataType,
    Meta,
    Type,
    Wrong,
)

TIMED = {"Deadline": "deadlines (`[Deadline: ...]`)"}


class Statements(Expressions):
    """Adds statements to a body."""

    result: Type | None = None
    """what `return` must give; None where there is nothing to return from"""
    place = "a method"
    atomic = ""
    """the block that must not give up its cog, such as `the init block`"""
    read_only = False
    """whether fields may not be assigned"""

    def statements(self, node: b.Block) -> tb.Block:
        """A block with its own scope."""
        with self.block():
            return tb.Block(node.span, tuple(self.statement(inner) for inner in node.body))

    def inner(self, node: b.Statement) -> tb.Statement:
        """A statement below another one."""
        with self.block():
            return self.statement(node)

    def statement(self, node: b.Statement) -> tb.Statement:
        """One statement."""
        span = node.span
        match node:
            case b.Declare():
                return self._declare(node)
            case b.Assign():
                return self._assign(node)
            case b.Evaluate():
                return tb.Evaluate(span, self.settle(self._effect(node.value)))
            case b.Return():
                return self._return(node)
            case b.Assert():
                claim = self._effect(node.condition)
                self.require(claim, BOOL, "the assertion")
                return tb.Assert(span, self.settle(claim))
            case b.Block():
                return self.statements(node)
            case b.If():
                return self._if(node)
            case b.Switch():
                subject = self.settle(self.expression(node.subject))
                return tb.Switch(span, subject, self.branches(node.branches, subject.type))
            case b.While():
                test = self.settle(self.condition(node.condition))
                return tb.While(span, test, self.inner(node.body))
            case b.Foreach():
                return self._foreach(node)
            case b.Try():
                return self._try(node)
            case b.Await():
                return self._await(node)
            case b.Suspend():
                self._check_atomic(span, "`suspend`")
                return tb.Suspend(span)
            case b.Throw():
                return tb.Throw(span, self._exception(node.value, "`throw`"))
            case b.Die():
                return tb.Die(span, self._exception(node.value, "`die`"))
            case b.Lacking(_, what):
                self.unsupported(span, what)
                return tb.Block(span, ())
            case b.Annotated(_, annotations, inner):
                self.annotations(annotations)
                return self.statement(inner)
        raise AssertionError(node)

    def _if(self, node: b.If) -> tb.If:
        test = self.settle(self.condition(node.condition))
        then = self.inner(node.then)
        otherwise = tb.Block(node.span, ()) if node.otherwise is None else self.inner(node.otherwise)
        return tb.If(node.span, test, then, otherwise)

    def annotations(self, annotations: s.Annotations) -> None:
        """Annotations say nothing about the behaviour, except those about time."""
        for annotation in annotations:
            if annotation.tag in TIMED:
                self.unsupported(annotation.span, f"timed ABS: {TIMED[annotation.tag]} are")

    def branches(self, branches: tuple[b.Branch, ...], subject: Type) -> tuple[tb.Branch, ...]:
        """The branches of a switch or catch."""
        found = []
        for branch in branches:
            with self.block():
                pattern = self.settle(self.pattern(branch.pattern, subject))
                found.append(tb.Branch(pattern, self.statement(branch.body)))
        return tuple(found)

    def _effect(self, node: s.Expression) -> t.Expression:
        if isinstance(node, s.Get):
            self._check_atomic(node.span, "`.get`")
        elif isinstance(node, s.AwaitCall):
            self._check_atomic(node.span, "`await`")
        return self.right_side(node)

    def _check_atomic(self, span: Span, what: str) -> None:
        if self.atomic:
            self.problem(TYPE, span, f"{what} may not be used in {self.atomic}")

    def _declare(self, node: b.Declare) -> tb.Statement:
        self.annotations(node.annotations)
        type = self.type_of(node.type)
        if node.value is None:
            value: t.Expression = t.Literal(node.span, type, None)
            if not is_reference(type):
                message = f"variable `{node.name}` needs a first value: `{type} {node.name} = ...;`"
                self.problem(TYPE, node.span, message)
        else:
            value = self._effect(node.value)
            self.require(value, type, f"variable `{node.name}`")
        variable = self.declare(node.span, node.name, type, final=marked(node.annotations, "Final"))
        return tb.Declare(node.span, variable, self.settle(value))

    def _assign(self, node: b.Assign) -> tb.Statement:
        value = self._effect(node.value)
        local = None if node.own_field else self.local(node.name)
        target = self.own_field(node.span, node.name) if node.own_field else self.variable(node.span, node.name)
        self.require(value, target.type, f"`{node.name}`")
        if (local.final if local else self._final_field(node.name)) and not isinstance(target.type, Wrong):
            self.problem(TYPE, node.span, f"`{node.name}` is declared `[Final]` and cannot be assigned")
        if self.read_only and isinstance(target, t.Field):
            self.problem(TYPE, node.span, f"field `{node.name}` cannot be assigned in a `[Readonly]` method")
        assert isinstance(target, (t.Local, t.Field))
        return tb.Assign(node.span, target, self.settle(value))

    def _final_field(self, name: str) -> bool:
        if self.owner is None or self.atomic == "the init block":
            return False
        node = self.owner.node
        declared = [(q.name, q.annotations) for q in node.parameters] + [(f.name, f.annotations) for f in node.fields]
        return any(own == name and marked(annotations, "Final") for own, annotations in declared)

    def _return(self, node: b.Return) -> tb.Statement:
        if node.value is None:
            value: t.Expression = t.Construct(node.span, UNIT, f"{STDLIB}.Unit", ())
        else:
            value = self._effect(node.value)
        if self.result is None:
            self.problem(SYNTAX, node.span, f"`return` may only stand in a method, not in {self.place}")
        elif node.value is None and self.result not in (UNIT, WRONG):
            self.problem(TYPE, node.span, f"`return` needs a value of type `{self.result}`")
        else:
            self.require(value, self.result, "the returned value")
        return tb.Return(node.span, self.settle(value))

    def _foreach(self, node: b.Foreach) -> tb.Statement:
        element = Meta()
        elements = self.expression(node.elements)
        if not self.world.subtyping.fits(elements.type, DataType(LIST, (element,))):
            found = settled(elements.type)
            name = found.name.rpartition(".")[2] if isinstance(found, DataType) else ""
            hint = {"Set": "; use `elements(...)`", "Map": "; use `entries(...)`"}.get(name, "")
            self.problem(TYPE, elements.span, f"`foreach` goes through a list, not a `{found}`{hint}")
            element.lower = WRONG
        with self.block():
            variable = self.declare(node.span, node.name, settled(element))
            index = self.declare(node.span, node.index, INT) if node.index else None
            body = self.statement(node.body)
        return tb.Foreach(node.span, variable, index, self.settle(elements), body)

    def _try(self, node: b.Try) -> tb.Statement:
        body = self.inner(node.body)
        branches = self.branches(node.branches, EXCEPTION)
        final = None
        if node.final is not None:
            before, self.atomic = self.atomic, self.atomic or "a `finally` block"
            final = self.inner(node.final)
            self.atomic = before
        return tb.Try(node.span, body, branches, final)

    def _exception(self, node: s.Expression, what: str) -> t.Expression:
        value = self.expression(node)
        self.require(value, EXCEPTION, f"what {what} raises")
        return self.settle(value)

    def _await(self, node: b.Await) -> tb.Statement:
        self._check_atomic(node.span, "`await`")
        futures: list[t.Expression] = []
        conditions: list[t.Expression] = []
        for guard in node.guards:
            match guard:
                case b.DurationGuard(span):
                    self.unsupported(span, "timed ABS (`await duration`) is")
                case b.Claim(span, future) if isinstance(future, s.AsyncCall):
                    self.problem(SYNTAX, span, "write `await o!m();` or wait for a variable: `await f?;`")
                    self.right_side(future)
                case b.Claim(_, future):
                    value = self.expression(future)
                    self._future(value, "`await ...?`")
                    futures.append(self.settle(value))
                case b.Condition(span, inner) if isinstance(inner, s.AsyncCall):
                    call = self.settle(self.right_side(s.AwaitCall(span, inner)))
                    if len(node.guards) == 1:
                        return tb.Evaluate(node.span, call)
                    self.problem(SYNTAX, span, "a call may not be joined with `&`: wait for its future, `f?`")
                case b.Condition(_, inner):
                    conditions.append(self._await_condition(inner))
        return tb.Await(node.span, tuple(futures), tuple(conditions))

    def _await_condition(self, node: s.Expression) -> t.Expression:
        value = self.expression(node)
        type = settled(value.type)
        if isinstance(type, DataType) and type.name == FUT:
            self.problem(TYPE, value.span, "`await` of a future needs a question mark: `await f?;`")
        else:
            self.require(value, BOOL, "the condition of `await`")
        return self.settle(value)


def ends(node: tb.Statement) -> bool:
    """Whether control never gets past a statement."""
    match node:
        case tb.Return() | tb.Throw() | tb.Die():
            return True
        case tb.Block(_, body):
            return any(map(ends, body))
        case tb.If(_, _, then, otherwise):
            return ends(then) and ends(otherwise)
        case tb.Switch(_, _, branches):
            return bool(branches) and all(ends(branch.body) for branch in branches)
        case tb.Try(_, body, branches, final):
            return (final is not None and ends(final)) or (ends(body) and all(ends(x.body) for x in branches))
        case tb.While(_, condition, _):
            return isinstance(condition, t.Construct) and condition.constructor == f"{STDLIB}.True"
    return False

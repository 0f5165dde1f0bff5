"""Checks statements."""

from __future__ import annotations

from everypath.errors import Span
from everypath.languages.abs.frontend import syntax as s
from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend import tree_blocks as b
from everypath.languages.abs.frontend import types as ty
from everypath.languages.abs.frontend.check_expressions import Expressions, marked
from everypath.languages.abs.frontend.problems import SYNTAX, TYPE
from everypath.languages.abs.frontend.subtyping import is_reference, settled

TIMED = {"Deadline": "deadlines (`[Deadline: ...]`)"}


class Statements(Expressions):
    """Adds statements to a body."""

    result: ty.Type | None = None
    """what `return` must give; None where there is nothing to return from"""
    place = "a method"
    atomic = ""
    """the block that must not give up its cog, such as `the init block`"""
    read_only = False
    """whether fields may not be assigned"""

    def statements(self, node: b.Block) -> b.Block:
        """A block with its own scope."""
        with self.block():
            return b.Block(node.span, tuple(self.statement(inner) for inner in node.body))

    def inner(self, node: b.Statement) -> b.Statement:
        """A statement below another one."""
        with self.block():
            return self.statement(node)

    def statement(self, node: b.Statement) -> b.Statement:
        """One statement."""
        span = node.span
        match node:
            case s.Declare():
                return self._declare(node)
            case b.Assign():
                return self._assign(node)
            case b.Evaluate():
                return b.Evaluate(span, self.settle(self._effect(node.value)))
            case b.Return():
                return self._return(node, node.value)
            case s.BareReturn():
                return self._return(node, None)
            case b.Assert():
                claim = self._effect(node.condition)
                self.require(claim, ty.BOOL, "the assertion")
                return b.Assert(span, self.settle(claim))
            case b.Block():
                return self.statements(node)
            case b.If():
                test = self.settle(self.condition(node.condition))
                return b.If(span, test, self.inner(node.then), self.inner(node.otherwise))
            case b.Switch():
                subject = self.settle(self.expression(node.subject))
                return b.Switch(span, subject, self.branches(node.branches, subject.type))
            case b.While():
                test = self.settle(self.condition(node.condition))
                return b.While(span, test, self.inner(node.body))
            case b.Foreach():
                return self._foreach(node)
            case b.Try():
                return self._try(node)
            case s.Await():
                return self._await(node)
            case b.Suspend():
                self._check_atomic(span, "`suspend`")
                return b.Suspend(span)
            case b.Throw():
                return b.Throw(span, self._exception(node.value, "`throw`"))
            case b.Die():
                return b.Die(span, self._exception(node.value, "`die`"))
            case s.Lacking(_, what):
                self.unsupported(span, what)
                return b.Block(span, ())
            case s.Annotated(_, annotations, inner):
                self.annotations(annotations)
                return self.statement(inner)
        raise AssertionError(node)

    def annotations(self, annotations: s.Annotations) -> None:
        """Annotations say nothing about the behaviour, except those about time."""
        for annotation in annotations:
            if annotation.tag in TIMED:
                self.unsupported(annotation.span, f"timed ABS: {TIMED[annotation.tag]} are")

    def branches(self, branches: tuple[b.Branch, ...], subject: ty.Type) -> tuple[b.Branch, ...]:
        """The branches of a switch or catch."""
        found = []
        for branch in branches:
            with self.block():
                pattern = self.settle(self.pattern(branch.pattern, subject))
                found.append(b.Branch(pattern, self.statement(branch.body)))
        return tuple(found)

    def _effect(self, node: t.Expression) -> t.Expression:
        if isinstance(node, t.Get):
            self._check_atomic(node.span, "`.get`")
        elif isinstance(node, t.AwaitCall):
            self._check_atomic(node.span, "`await`")
        return self.right_side(node)

    def _check_atomic(self, span: Span, what: str) -> None:
        if self.atomic:
            self.problem(TYPE, span, f"{what} may not be used in {self.atomic}")

    def _declare(self, node: s.Declare) -> b.Statement:
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
        return b.Declare(node.span, variable, self.settle(value))

    def _assign(self, node: b.Assign) -> b.Statement:
        value = self._effect(node.value)
        span, name = node.span, node.target.name
        own_field = isinstance(node.target, t.Field)
        local = None if own_field else self.local(name)
        target = self.own_field(span, name) if own_field else self.variable(span, name)
        self.require(value, target.type, f"`{name}`")
        if (local.final if local else self._final_field(name)) and not isinstance(target.type, ty.Wrong):
            self.problem(TYPE, span, f"`{name}` is declared `[Final]` and cannot be assigned")
        if self.read_only and isinstance(target, t.Field):
            self.problem(TYPE, span, f"field `{name}` cannot be assigned in a `[Readonly]` method")
        return b.Assign(span, target, self.settle(value))

    def _final_field(self, name: str) -> bool:
        if self.owner is None or self.atomic == "the init block":
            return False
        node = self.owner.node
        declared = [(q.name, q.annotations) for q in node.parameters] + [(f.name, f.annotations) for f in node.fields]
        return any(own == name and marked(annotations, "Final") for own, annotations in declared)

    def _return(self, node: b.Statement, given: t.Expression | None) -> b.Statement:
        value = t.Construct(node.span, ty.UNIT, f"{ty.STDLIB}.Unit", ()) if given is None else self._effect(given)
        if self.result is None:
            self.problem(SYNTAX, node.span, f"`return` may only stand in a method, not in {self.place}")
        elif given is None and self.result not in (ty.UNIT, ty.WRONG):
            self.problem(TYPE, node.span, f"`return` needs a value of type `{self.result}`")
        else:
            self.require(value, self.result, "the returned value")
        return b.Return(node.span, self.settle(value))

    def _foreach(self, node: b.Foreach) -> b.Statement:
        element = ty.Meta()
        elements = self.expression(node.elements)
        if not self.world.subtyping.fits(elements.type, ty.DataType(ty.LIST, (element,))):
            found = settled(elements.type)
            name = found.name.rpartition(".")[2] if isinstance(found, ty.DataType) else ""
            hint = {"Set": "; use `elements(...)`", "Map": "; use `entries(...)`"}.get(name, "")
            self.problem(TYPE, elements.span, f"`foreach` goes through a list, not a `{found}`{hint}")
            element.lower = ty.WRONG
        with self.block():
            variable = self.declare(node.span, node.variable.name, settled(element))
            index = self.declare(node.span, node.index.name, ty.INT) if node.index else None
            body = self.statement(node.body)
        return b.Foreach(node.span, variable, index, self.settle(elements), body)

    def _try(self, node: b.Try) -> b.Statement:
        body = self.inner(node.body)
        branches = self.branches(node.branches, ty.EXCEPTION)
        final = None
        if node.final is not None:
            before, self.atomic = self.atomic, self.atomic or "a `finally` block"
            final = self.inner(node.final)
            self.atomic = before
        return b.Try(node.span, body, branches, final)

    def _exception(self, node: t.Expression, what: str) -> t.Expression:
        value = self.expression(node)
        self.require(value, ty.EXCEPTION, f"what {what} raises")
        return self.settle(value)

    def _await(self, node: s.Await) -> b.Statement:
        self._check_atomic(node.span, "`await`")
        futures: list[t.Expression] = []
        conditions: list[t.Expression] = []
        for guard in node.guards:
            match guard:
                case s.DurationGuard(span):
                    self.unsupported(span, "timed ABS (`await duration`) is")
                case s.Claim(span, _, t.AsyncCall() as call):
                    self.problem(SYNTAX, span, "write `await o!m();` or wait for a variable: `await f?;`")
                    self.right_side(call)
                case s.Claim(_, _, future):
                    value = self.expression(future)
                    self._future(value, "`await ...?`")
                    futures.append(self.settle(value))
                case t.AsyncCall(span):
                    waiting = self.settle(self.right_side(t.AwaitCall(span, ty.UNCHECKED, guard)))
                    if len(node.guards) == 1:
                        return b.Evaluate(node.span, waiting)
                    self.problem(SYNTAX, span, "a call may not be joined with `&`: wait for its future, `f?`")
                case _:
                    conditions.append(self._await_condition(guard))
        return b.Await(node.span, tuple(futures), tuple(conditions))

    def _await_condition(self, node: t.Expression) -> t.Expression:
        value = self.expression(node)
        type = settled(value.type)
        if isinstance(type, ty.DataType) and type.name == ty.FUT:
            self.problem(TYPE, value.span, "`await` of a future needs a question mark: `await f?;`")
        else:
            self.require(value, ty.BOOL, "the condition of `await`")
        return self.settle(value)


def ends(node: b.Statement) -> bool:
    """Whether control never gets past a statement."""
    match node:
        case b.Return() | b.Throw() | b.Die():
            return True
        case b.Block(_, body):
            return any(map(ends, body))
        case b.If(_, _, then, otherwise):
            return ends(then) and ends(otherwise)
        case b.Switch(_, _, branches):
            return bool(branches) and all(ends(branch.body) for branch in branches)
        case b.Try(_, body, branches, final):
            return (final is not None and ends(final)) or (ends(body) and all(ends(x.body) for x in branches))
        case b.While(_, condition, _):
            return isinstance(condition, t.Construct) and condition.constructor == f"{ty.STDLIB}.True"
    return False

"""Checks expressions: literals, operators, conditions, objects and futures."""

from __future__ import annotations

from everypath.errors import Span
from everypath.languages.abs.frontend import program as p
from everypath.languages.abs.frontend import syntax as s
from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend import types as ty
from everypath.languages.abs.frontend.check_calls import Calls
from everypath.languages.abs.frontend.headers import FunctionHeader
from everypath.languages.abs.frontend.names import CLASS
from everypath.languages.abs.frontend.names import TYPE as TYPE_NAME
from everypath.languages.abs.frontend.problems import NAME, SYNTAX, TYPE, did_you_mean
from everypath.languages.abs.frontend.subtyping import settled

_EFFECT: dict[type, str] = {
    s.New: "`new`",
    t.SyncCall: "a method call",
    t.AsyncCall: "an asynchronous call",
    t.AwaitCall: "`await`",
    t.Get: "`.get`",
}
"""Expressions that must stand alone: as a statement, or right of `=` or `return`."""
_LITERAL: dict[type, ty.Type] = {int: ty.INT, float: ty.FLOAT, str: ty.STRING, type(None): ty.NULL}


def marked(annotations: s.Annotations, mark: str) -> bool:
    """Whether an annotation such as `[Final]` is there."""
    return any(isinstance(a.value, t.Construct) and a.value.constructor == mark for a in annotations)


class Expressions(Calls):
    """Adds expressions to a body."""

    def expression(self, node: t.Expression) -> t.Expression:
        """An expression without side effects."""
        what = _EFFECT.get(type(node))
        if what is not None:
            message = f"{what} may not be part of another expression: assign its result to a variable first"
            self.problem(SYNTAX, node.span, message)
            return self.right_side(node)
        return self._pure(node)

    def _pure(self, node: t.Expression) -> t.Expression:
        span = node.span
        match node:
            case t.Literal(_, _, value):
                return t.Literal(span, _LITERAL[type(value)], value)
            case t.Local(_, _, name):
                return self.variable(span, name)
            case t.Field(_, _, name):
                return self.own_field(span, name)
            case t.This():
                return self.this(span)
            case t.Destiny():
                return t.Destiny(span, ty.DESTINY)
            case t.Unary():
                return self._unary(node)
            case t.Binary():
                return self._binary(node)
            case s.Template(_, _, parts):
                return self._template(span, parts)
            case t.Call():
                return self.call(node)
            case s.PartialCall():
                return self.partial_call(node)
            case s.VariadicCall():
                return self.variadic(node)
            case t.Construct():
                return self.construct(node)
            case t.When():
                return self._when(node)
            case t.Case():
                return self._case(node)
            case s.Let():
                return self._let(node, 0)
            case s.ImplementsTest() | s.Cast():
                return self._interface_use(node)
        raise AssertionError(node)

    def _when(self, node: t.When) -> t.Expression:
        condition = self.condition(node.condition)
        then, otherwise = self.expression(node.then), self.expression(node.otherwise)
        type = self._joined(node.span, "`then` and `else`", [then.type, otherwise.type])
        return t.When(node.span, type, condition, then, otherwise)

    def _interface_use(self, node: s.ImplementsTest | s.Cast) -> t.Expression:
        if isinstance(node, s.ImplementsTest):
            operand = self._object(node.operand)
            return t.Implements(node.span, ty.BOOL, operand, self._interface(node.interface) or node.interface.text)
        found = self._interface(node.interface)
        type = ty.InterfaceType(found) if found else ty.WRONG
        return t.Cast(node.span, type, self._object(node.operand), found or node.interface.text)

    def condition(self, node: t.Expression, what: str = "the condition") -> t.Expression:
        """An expression that must be a Bool."""
        value = self.expression(node)
        self.require(value, ty.BOOL, what)
        return value

    def this(self, span: Span) -> t.Expression:
        """`this`"""
        if self.owner is None:
            self.problem(NAME, span, "there is no `this` here: only methods and blocks of a class have one")
            return t.This(span, ty.WRONG)
        return t.This(span, ty.ClassType(self.owner.name))

    def _joined(self, span: Span, what: str, types: list[ty.Type]) -> ty.Type:
        found = self.world.subtyping.join_all(types)
        if found is None:
            listed = " and ".join(f"`{x}`" for x in dict.fromkeys(str(settled(x)) for x in types))
            self.problem(TYPE, span, f"{what} have types that do not fit together: {listed}")
            return ty.WRONG
        return found

    def _unary(self, node: t.Unary) -> t.Expression:
        operand = self.expression(node.operand)
        if node.operator == "!":
            self.require(operand, ty.BOOL, "the operand of `!`")
            return t.Unary(node.span, ty.BOOL, "!", operand)
        type = settled(operand.type)
        if type not in ty.NUMBERS and not isinstance(type, (ty.Wrong, ty.NoValue)):
            self.problem(TYPE, operand.span, f"the operand of `-` must be a number, not `{type}`")
            type = ty.WRONG
        if isinstance(operand, t.Literal) and isinstance(operand.value, (int, float)):
            return t.Literal(node.span, type, -operand.value)
        return t.Unary(node.span, type, "-", operand)

    def _binary(self, node: t.Binary) -> t.Expression:
        left, right = self.expression(node.left), self.expression(node.right)
        operator = node.operator
        if operator in ("&&", "||"):
            self.require(left, ty.BOOL, f"the left side of `{operator}`")
            self.require(right, ty.BOOL, f"the right side of `{operator}`")
            return t.Binary(node.span, ty.BOOL, operator, left, right)
        one, other = settled(left.type), settled(right.type)
        if operator in ("==", "!=", "<", "<=", ">", ">="):
            if not self.world.subtyping.comparable(left.type, right.type):
                message = f"`{operator}` compares a `{one}` with a `{other}`: the two never have the same type"
                self.problem(TYPE, node.span, message)
            return t.Binary(node.span, ty.BOOL, operator, left, right)
        return t.Binary(node.span, self._arithmetic(node, one, other), operator, left, right)

    def _arithmetic(self, node: t.Binary, one: ty.Type, other: ty.Type) -> ty.Type:
        operator = node.operator
        if isinstance(one, ty.Wrong) or isinstance(other, ty.Wrong):
            return ty.WRONG
        known = [x for x in (one, other) if not isinstance(x, ty.NoValue)]
        if operator == "+" and known and all(x == ty.STRING for x in known):
            return ty.STRING
        if any(x not in ty.NUMBERS for x in known):
            self.problem(TYPE, node.span, self._no_operator(operator, one, other))
            return ty.WRONG
        joined = self.world.subtyping.join_all(known)
        if joined is None:
            message = f"`{operator}` cannot mix `{one}` and `{other}`: convert with `float(...)` or `rat(...)`"
            self.problem(TYPE, node.span, message)
            return ty.WRONG
        return ty.RAT if operator == "/" and joined == ty.INT else joined

    @staticmethod
    def _no_operator(operator: str, one: ty.Type, other: ty.Type) -> str:
        if operator == "+" and ty.STRING in (one, other):
            which = other if one == ty.STRING else one
            return f"`+` cannot join a `String` and a `{which}`: use `toString(...)`"
        wanted = "numbers or strings" if operator == "+" else "numbers"
        return f"`{operator}` needs {wanted}, not `{one}` and `{other}`"

    def _template(self, span: Span, parts: tuple[t.Expression, ...]) -> t.Expression:
        """Pieces of text and `toString` of what stands between them, joined with `+`."""
        whole: t.Expression | None = None
        for part in parts:
            value = self.expression(part)
            if not (isinstance(part, t.Literal) and isinstance(part.value, str)):
                value = t.Call(part.span, ty.STRING, f"{ty.STDLIB}.toString", (value,))
            whole = value if whole is None else t.Binary(span, ty.STRING, "+", whole, value)
        return whole or t.Literal(span, ty.STRING, "")

    def _case(self, node: t.Case) -> t.Expression:
        subject = self.expression(node.subject)
        branches = []
        for branch in node.branches:
            with self.block():
                pattern = self.pattern(branch.pattern, subject.type)
                branches.append(t.CaseBranch(pattern, self.expression(branch.value)))
        type = self._joined(node.span, "the branches", [branch.value.type for branch in branches])
        return t.Case(node.span, type, subject, tuple(branches))

    def _let(self, node: s.Let, i: int) -> t.Expression:
        if i == len(node.bindings):
            return self.expression(node.body)
        binding = node.bindings[i]
        type = self.type_of(binding.type)
        value = self.expression(binding.value)
        self.require(value, type, f"`{binding.name}`")
        with self.block():
            variable = self.declare(binding.span, binding.name, type, shadow=True)
            body = self._let(node, i + 1)
        return t.Let(binding.span, body.type, variable.name, value, body)

    def _object(self, node: t.Expression) -> t.Expression:
        value = self.expression(node)
        self.methods_of(value)
        return value

    def _interface(self, name: s.Name) -> str | None:
        found = self.world.headers.interface_names(self.scope, (name,))
        return found[0] if found else None

    def right_side(self, node: t.Expression) -> t.Expression:
        """An expression that may have one side effect, at its top."""
        span = node.span
        match node:
            case s.New():
                return self._new(node)
            case t.SyncCall() | t.AsyncCall():
                return self._method_call(node)
            case t.AwaitCall(_, _, call):
                inner = self.right_side(call)
                if not isinstance(inner, t.AsyncCall):
                    self.problem(TYPE, span, "`await` needs an asynchronous call here: `await o!m()`")
                    return t.Get(span, ty.WRONG, inner)
                result = inner.type.arguments[0] if isinstance(inner.type, ty.DataType) else ty.WRONG
                return t.AwaitCall(span, result, inner)
            case t.Get(_, _, future):
                value = self.expression(future)
                return t.Get(span, self._future(value, "`.get`"), value)
        return self._pure(node)

    def _future(self, value: t.Expression, what: str) -> ty.Type:
        type = settled(value.type)
        if isinstance(type, ty.DataType) and type.name == ty.FUT:
            return type.arguments[0]
        if type == ty.DESTINY:
            return ty.NO_VALUE
        if not isinstance(type, (ty.Wrong, ty.NoValue)):
            self.problem(TYPE, value.span, f"{what} needs a future (`Fut<...>`), not a `{type}`")
        return ty.WRONG

    def _new(self, node: s.New) -> t.Expression:
        name = node.class_name
        hint = ""
        if self.world.names.known(self.scope, TYPE_NAME, name.text):
            interface = self.scope.visible[TYPE_NAME, name.text][0].name
            makers = [f"`{c.node.name}`" for c in self.world.headers.classes.values() if interface in c.supers]
            hint = f"; it is an interface, implemented by {', '.join(makers)}" if makers else "; it is a type"
        entity = self.world.names.find(self.scope, CLASS, name.text, name.span, hint)
        header = self.world.headers.classes.get(entity.name) if entity else None
        if header is None:
            return t.New(node.span, ty.WRONG, name.text, tuple(map(self.expression, node.arguments)), False)
        local = node.place == "local" or (self.world.older and not node.place)
        if marked(header.node.annotations, "Plain" if not local else "COG"):
            where = "`new local`, because it is `[Plain]`" if not local else "`new`, because it is `[COG]`"
            self.problem(TYPE, node.span, f"objects of class `{name.text}` are made with {where}")
        types = tuple(v.type for v in header.parameters)
        arguments = self.arguments(f"class `{name.text}`", node.span, node.arguments, types)
        return t.New(node.span, ty.ClassType(header.name), header.name, arguments, local)

    def methods_of(self, target: t.Expression) -> dict[str, p.Signature] | None:
        """The methods that may be called on a value; None after a report."""
        type = settled(target.type)
        if isinstance(type, ty.ClassType):
            return self.world.headers.classes[type.name].methods
        if isinstance(type, ty.InterfaceType):
            interface = self.world.headers.interface(type.name)
            return {m.name: m for m in interface.methods} if interface else None
        if type == ty.NULL:
            self.problem(TYPE, target.span, "`null` is no object")
            return None
        if not isinstance(type, (ty.Wrong, ty.NoValue)):
            hint = "; wait for its value first: `.get`" if isinstance(type, ty.DataType) and type.name == ty.FUT else ""
            self.problem(TYPE, target.span, f"this must be a reference to an object, not a `{type}`{hint}")
        return None

    def _method_call(self, node: t.SyncCall | t.AsyncCall) -> t.Expression:
        target = self.expression(node.target)
        methods = self.methods_of(target)
        found = methods.get(node.method) if methods is not None else None
        result: ty.Type = ty.WRONG
        if found is None:
            arguments = tuple(map(self.expression, node.arguments))
            if methods is not None:
                self._no_method(node, target, methods)
        else:
            types = tuple(v.type for v in found.parameters)
            arguments = self.arguments(f"method `{node.method}`", node.span, node.arguments, types)
            result = found.result
        if isinstance(node, t.SyncCall):
            return t.SyncCall(node.span, result, target, node.method, arguments)
        return t.AsyncCall(node.span, ty.DataType(ty.FUT, (result,)), target, node.method, arguments)

    def _no_method(self, node: t.SyncCall | t.AsyncCall, target: t.Expression, methods: dict[str, p.Signature]) -> None:
        type = settled(target.type)
        kind = "class" if isinstance(type, ty.ClassType) else "interface"
        owners = [c.node.name for c in self.world.headers.classes.values() if node.method in c.methods]
        hint = did_you_mean(node.method, methods) or (f"; class `{owners[0]}` has it" if owners else "")
        self.problem(NAME, node.span, f"{kind} `{type}` has no method `{node.method}`{hint}")

    def function_body(self, header: FunctionHeader) -> t.Expression:
        """The body of a function, checked against its result type."""
        for v in header.parameters:
            self.declare(v.span, v.name, v.type)
        assert header.node.body is not None
        value = self.expression(header.node.body)
        self.require(value, header.result, f"the result of `{header.node.name}`")
        return self.settle(value)

"""Checks patterns, and calls of constructors, functions and partially defined functions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable

from everypath.errors import Span
from everypath.languages.abs.frontend import syntax as s
from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend import types as ty
from everypath.languages.abs.frontend.bodies import Body, FunctionParameter, PartialFunction
from everypath.languages.abs.frontend.headers import FunctionHeader, instantiated
from everypath.languages.abs.frontend.names import CONSTRUCTOR, FUNCTION, PARTIAL
from everypath.languages.abs.frontend.names import TYPE as TYPE_NAME
from everypath.languages.abs.frontend.problems import TYPE
from everypath.languages.abs.frontend.program import Constructor
from everypath.languages.abs.frontend.subtyping import settled
from everypath.records import dataclass

IDENTITY = f"{ty.STDLIB}.list"


@dataclass(frozen=True, slots=True)
class _Callee:
    """A function at one place where it is used: its type parameters are to be found out."""

    kind: str
    """function, accessor, parameter or anonymous"""
    name: str
    parameters: tuple[ty.Type, ...]
    result: ty.Type


def _metas(type_parameters: Iterable[str]) -> dict[str, ty.Type]:
    return {name: ty.Meta() for name in type_parameters}


class Calls(Body):
    """Adds patterns and calls of functions to a body."""

    def pattern(self, node: t.Pattern, subject: ty.Type) -> t.Pattern:
        """A pattern for values of a type; the variables it binds are added to the scope."""
        match node:
            case t.AnyPattern(span):
                return t.AnyPattern(span, subject)
            case t.EqualPattern(span, _, t.Literal(_, _, literal)):
                own = ty.INT if isinstance(literal, int) else ty.STRING
                if not isinstance(subject, ty.TypeParameter) and not self.world.subtyping.comparable(own, subject):
                    self._mismatch(span, f"`{literal}`", own, subject)
                return t.EqualPattern(span, subject, t.Literal(span, own, literal))
            case t.BindPattern(span, _, name):
                value = self.bound(span, name)
                if value is None:
                    return t.BindPattern(span, subject, self.declare(span, name, subject).name)
                if not self.world.subtyping.comparable(value.type, subject):
                    self._mismatch(span, f"`{name}` is already a variable here, so it", value.type, subject)
                return t.EqualPattern(span, subject, value)
            case t.ConstructorPattern():
                return self._constructor_pattern(node, subject)
        raise AssertionError(node)

    def _mismatch(self, span: Span, what: str, own: ty.Type, subject: ty.Type) -> None:
        self.problem(TYPE, span, f"{what} has type `{own}` and never matches a value of type `{settled(subject)}`")

    def _constructor(self, name: str, span: Span, hint: str = "") -> tuple[Constructor, dict[str, ty.Type]] | None:
        """A constructor, and the type arguments of its data type, which are to be found out."""
        entity = self.world.names.find(self.scope, CONSTRUCTOR, name, span, hint)
        found = self.world.headers.constructors.get(entity.name) if entity else None
        return None if found is None else (found, self._metas_of(found.data))

    def _metas_of(self, name: str) -> dict[str, ty.Type]:
        data = self.world.headers.data.get(name)
        return _metas(data.parameters if data else ())

    def _constructor_pattern(self, node: t.ConstructorPattern, subject: ty.Type) -> t.Pattern:
        instance = self._constructor(node.constructor, node.span)
        if instance is None:
            arguments = tuple(self.pattern(a, ty.WRONG) for a in node.arguments)
            return t.ConstructorPattern(node.span, subject, node.constructor, arguments)
        found, metas = instance
        own = ty.DataType(found.data, tuple(metas.values()))
        wanted = settled(subject) if isinstance(subject, ty.Meta) else subject
        types = instantiated(found.arguments, metas)
        if isinstance(wanted, ty.DataType) and wanted.name == own.name:
            types = instantiated(found.arguments, dict(zip(metas, wanted.arguments)))
        elif not isinstance(wanted, (ty.Wrong, ty.TypeParameter)) and not self.world.subtyping.fits(subject, own):
            shown = f"`{found.name.rpartition('.')[2]}` of `{found.data.rpartition('.')[2]}`"
            self.problem(TYPE, node.span, f"constructor {shown} never matches a value of type `{wanted}`")
        if len(types) != len(node.arguments):
            count = f"{len(types)} argument{'s'[: len(types) != 1]}"
            self.problem(TYPE, node.span, f"constructor `{node.constructor}` has {count}, not {len(node.arguments)}")
            types = (ty.WRONG,) * len(node.arguments)
        return t.ConstructorPattern(
            node.span, subject, found.name, tuple(self.pattern(a, q) for a, q in zip(node.arguments, types))
        )

    def arguments(
        self, what: str, span: Span, given: tuple[t.Expression, ...], wanted: tuple[ty.Type, ...]
    ) -> tuple[t.Expression, ...]:
        """The arguments of a call, checked against its parameters."""
        found = tuple(self.expression(argument) for argument in given)
        if len(found) != len(wanted):
            count = f"{len(wanted)} argument{'s'[: len(wanted) != 1]}"
            types = f" ({', '.join(str(settled(w)) for w in wanted)})" if wanted else ""
            self.problem(TYPE, span, f"{what} takes {count}{types}, not {len(found)}")
            return found
        for i, (argument, place) in enumerate(zip(found, wanted), 1):
            self.require(argument, place, f"argument {i} of {what}")
        return found

    def construct(self, node: t.Construct) -> t.Expression:
        """A value of a data type."""
        name = node.constructor
        hint = f"; `{name}` is a type" if self.world.names.known(self.scope, TYPE_NAME, name) else ""
        instance = self._constructor(name, node.span, hint)
        if instance is None:
            return t.Construct(node.span, ty.WRONG, name, tuple(map(self.expression, node.arguments)))
        found, metas = instance
        types = instantiated(found.arguments, metas)
        arguments = self.arguments(f"constructor `{name}`", node.span, node.arguments, types)
        return t.Construct(node.span, ty.DataType(found.data, tuple(metas.values())), found.name, arguments)

    def _callee(self, name: str, span: Span, hint: str = "") -> _Callee | None:
        """The function or accessor that a name means."""
        entity = self.world.names.find(self.scope, FUNCTION, name, span, hint)
        if entity is None:
            return None
        accessor = self.world.headers.accessors.get(entity.name)
        if accessor is not None:
            metas = self._metas_of(accessor.data)
            place = ty.DataType(accessor.data, tuple(metas.values()))
            return _Callee("accessor", accessor.name, (place,), ty.substituted(accessor.result, metas))
        function = self.world.headers.functions[entity.name]
        if function.unsupported:
            self.unsupported(span, f"`{name}` ({function.unsupported}) is")
        metas = _metas(function.type_parameters)
        types = instantiated((v.type for v in function.parameters), metas)
        return _Callee("function", function.name, types, ty.substituted(function.result, metas))

    def variadic(self, node: s.VariadicCall) -> t.Expression:
        """`f[a, b]` is `f` of the list of `a` and `b`."""
        element = ty.Meta()
        values = []
        for argument in node.arguments:
            value = self.expression(argument)
            self.require(value, element, f"every element of `{node.function}[...]`")
            values.append(value)
        elements = t.ListOf(node.span, ty.DataType(ty.LIST, (element,)), tuple(values))
        callee = self._callee(node.function, node.span)
        if callee is None or callee.name == IDENTITY:
            return elements
        if callee.kind == "accessor":
            self.problem(TYPE, node.span, f"`{node.function}` takes no list")
            return elements
        simple = callee.name.rpartition(".")[2]
        if len(callee.parameters) != 1:
            self.problem(TYPE, node.span, f"`{simple}` does not take one list")
        for place in callee.parameters[:1]:
            self.require(elements, place, f"the list for `{simple}`")
        return t.Call(node.span, callee.result, callee.name, (elements,))

    def call(self, node: t.Call) -> t.Expression:
        """A call of a function."""
        text, span = node.function, node.span
        if text in self.functions:
            return self._apply(node, self.functions[text])
        if self.partial and text in (self.partial, self.partial.rpartition(".")[2]):
            return self._recursion(node)
        known = self.world.names.known
        if not known(self.scope, FUNCTION, text) and known(self.scope, PARTIAL, text):
            header = self.world.headers.partials[self.scope.visible[PARTIAL, text][0].name]
            shown = ", ".join(n.text for n in header.node.functions or ())
            self.problem(TYPE, span, f"`{text}` is partially defined: give its functions first, `{text}({shown})(...)`")
            return self._wrong(node)
        if text == "original":
            self.unsupported(span, "`original` is")
            return self._wrong(node)
        hint = f"; call a method with `this.{text}(...)`" if self.owner and text in self.owner.methods else ""
        callee = self._callee(text, span, hint)
        if callee is None:
            return self._wrong(node)
        arguments = self.arguments(f"`{text}`", span, node.arguments, callee.parameters)
        if callee.kind == "function":
            return t.Call(span, callee.result, callee.name, arguments)
        return t.Access(span, callee.result, callee.name, arguments[0]) if arguments else t.Local(span, ty.WRONG, text)

    def _wrong(self, node: t.Call | s.PartialCall) -> t.Expression:
        """A call of what there is not: its arguments may have problems of their own."""
        return t.Call(node.span, ty.WRONG, node.function, tuple(map(self.expression, node.arguments)))

    def _apply(self, node: t.Call, function: FunctionParameter) -> t.Expression:
        """A call of a function parameter: its types are learnt from the arguments."""
        if function.parameters is None:
            function.parameters = [ty.Meta() for _ in node.arguments]
        what = f"`{function.name}`, as called before,"
        arguments = self.arguments(what, node.span, node.arguments, tuple(function.parameters))
        return t.Apply(node.span, function.result, function.name, arguments)

    def _recursion(self, node: t.Call) -> t.Expression:
        """Inside a partially defined function a call of itself keeps its functions."""
        header = self.world.headers.partials[self.partial]
        types = tuple(v.type for v in header.parameters)
        arguments = self.arguments(f"`{node.function}`", node.span, node.arguments, types)
        functions = tuple(t.NamedFunction(node.span, "parameter", f.name, f.result) for f in self.functions.values())
        own = tuple(ty.TypeParameter(q) for q in header.type_parameters)
        return t.PartialCall(node.span, header.result, self.partial, functions, arguments, own)

    def partial_call(self, node: s.PartialCall) -> t.Expression:
        """A call of a partially defined function with its functions."""
        text, span, functions = node.function, node.span, node.functions
        entity = self.world.names.find(self.scope, PARTIAL, text, span)
        if entity is None:
            return self._wrong(node)
        header = self.world.headers.partials[entity.name]
        wanted = self.partial_parameters(entity.name)
        metas = _metas(header.type_parameters)
        types = instantiated((v.type for v in header.parameters), metas)
        arguments = self.arguments(f"`{text}`", span, node.arguments, types)
        if len(functions) != len(wanted):
            count = f"{len(wanted)} function{'s'[: len(wanted) != 1]}"
            self.problem(TYPE, span, f"`{text}` takes {count}, not {len(functions)}")
        given = tuple(self._function_argument(f, w, metas) for f, w in zip(functions, wanted))
        result = ty.substituted(header.result, metas)
        return t.PartialCall(span, result, header.name, given, arguments, tuple(metas.values()))

    def partial_parameters(self, name: str) -> tuple[FunctionParameter, ...]:
        """The function parameters of a partially defined function, with the types that its body gives them."""
        if name in self.world.open_partials:
            return self.world.open_partials[name]
        if name not in self.world.partials:
            header = self.world.headers.partials[name]
            names = header.node.functions or ()
            functions = tuple(FunctionParameter(n.text) for n in names)
            self.world.open_partials[name] = functions
            body = type(self)(self.world, header.scope, None, header.type_parameters, functions)
            body.partial = name
            value = body.function_body(header)
            del self.world.open_partials[name]
            for function in functions:
                if function.parameters is not None:
                    function.parameters = [settled(q) for q in function.parameters]
                if isinstance(function.result, ty.Meta):
                    upper = function.result.upper
                    function.result = settled(function.result if upper is None else upper)
            self.world.partials[name] = PartialFunction(header, functions, value)
        return self.world.partials[name].functions

    @abstractmethod
    def function_body(self, header: FunctionHeader) -> t.Expression:
        """The body of a function, checked against its result type."""

    def _function_argument(
        self, node: t.Expression, wanted: FunctionParameter, metas: dict[str, ty.Type]
    ) -> t.FunctionArgument:
        places = None if wanted.parameters is None else instantiated(wanted.parameters, metas)
        result = ty.substituted(wanted.result, metas)
        if isinstance(node, s.Anonymous):
            parameters = self.world.headers.variables(self.scope, node.parameters, self.type_parameters)
            with self.block():
                made = tuple(self.declare(v.span, v.name, v.type, shadow=True) for v in parameters)
                value = self.expression(node.body)
            given = _Callee("anonymous", "", tuple(v.type for v in made), value.type)
            self._check_function(node.span, wanted.name, places, result, given)
            return t.AnonymousFunction(node.span, made, value)
        assert isinstance(node, t.Local)
        if node.name in self.functions:
            own = self.functions[node.name]
            if own.parameters is None and places is not None:
                own.parameters = [ty.Meta() for _ in places]
            callee: _Callee | None = _Callee("parameter", node.name, tuple(own.parameters or ()), own.result)
        else:
            callee = self._callee(node.name, node.span)
        if callee is None:
            return t.NamedFunction(node.span, "function", node.name, ty.WRONG)
        self._check_function(node.span, wanted.name, places, result, callee)
        return t.NamedFunction(node.span, callee.kind, callee.name, callee.result)

    def _check_function(
        self, span: Span, name: str, places: tuple[ty.Type, ...] | None, result: ty.Type, given: _Callee
    ) -> None:
        fits = self.world.subtyping.fits
        if places is not None:
            if len(places) != len(given.parameters):
                count = f"{len(places)} argument{'s'[: len(places) != 1]}, but this takes {len(given.parameters)}"
                self.problem(TYPE, span, f"function `{name}` is called with {count}")
                return
            for i, (place, parameter) in enumerate(zip(places, given.parameters), 1):
                if not fits(place, parameter):
                    message = f"parameter {i} of this function gets a `{settled(place)}`, not a `{settled(parameter)}`"
                    self.problem(TYPE, span, message)
        if not isinstance(result, (ty.NoValue, ty.Wrong)) and not fits(given.result, result):
            self.problem(
                TYPE, span, f"this function must return a `{settled(result)}`, not a `{settled(given.result)}`"
            )

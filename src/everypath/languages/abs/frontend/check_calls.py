"""Checks calls: constructors, functions, partially defined functions."""

from __future__ import annotations

from abc import abstractmethod

from everypath.errors import Span
from everypath.languages.abs.frontend import syntax as s
from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend.bodies import FunctionParameter, PartialFunction
from everypath.languages.abs.frontend.check_patterns import Patterns
from everypath.languages.abs.frontend.headers import FunctionHeader, instantiated
from everypath.languages.abs.frontend.names import CONSTRUCTOR, FUNCTION, PARTIAL
from everypath.languages.abs.frontend.names import TYPE as TYPE_NAME
from everypath.languages.abs.frontend.problems import TYPE
from everypath.languages.abs.frontend.program import Accessor
from everypath.languages.abs.frontend.subtyping import settled
from everypath.languages.abs.frontend.types import (
    LIST,
    STDLIB,
    WRONG,
    DataType,
    Meta,
    NoValue,
    Type,
    TypeParameter,
    Wrong,
    substituted,
)

IDENTITY = f"{STDLIB}.list"


class Calls(Patterns):
    """Adds calls of functions to a body."""

    def arguments(
        self, what: str, span: Span, given: tuple[s.Expression, ...], wanted: tuple[Type, ...]
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

    def construct(self, node: s.Construct) -> t.Expression:
        """A value of a data type."""
        name = node.constructor
        hint = ""
        if self.world.names.known(self.scope, TYPE_NAME, name.text):
            hint = f"; `{name.text}` is a type"
        entity = self.world.names.find(self.scope, CONSTRUCTOR, name.text, name.span, hint)
        found = self.world.headers.constructors.get(entity.name) if entity else None
        if found is None:
            return t.Construct(node.span, WRONG, name.text, tuple(map(self.expression, node.arguments)))
        data = self.world.headers.data.get(found.data)
        metas: dict[str, Type] = {q: Meta() for q in (data.parameters if data else ())}
        types = instantiated(found.arguments, metas)
        arguments = self.arguments(f"constructor `{name.text}`", node.span, node.arguments, types)
        return t.Construct(node.span, DataType(found.data, tuple(metas.values())), found.name, arguments)

    def variadic(self, node: s.VariadicCall) -> t.Expression:
        """`f[a, b]` is `f` of the list of `a` and `b`."""
        element = Meta()
        type = DataType(LIST, (element,))
        values = []
        for argument in node.arguments:
            value = self.expression(argument)
            self.require(value, element, f"every element of `{node.function.text}[...]`")
            values.append(value)
        elements = t.ListOf(node.span, type, tuple(values))
        entity = self.world.names.find(self.scope, FUNCTION, node.function.text, node.function.span)
        if entity is None or entity.name == IDENTITY:
            return elements
        header = self.world.headers.functions.get(entity.name)
        if header is None:
            self.problem(TYPE, node.span, f"`{node.function.text}` takes no list")
            return elements
        return self._generic(node.span, header, (elements,))

    def call(self, node: s.Call) -> t.Expression:
        """A call of a function."""
        text, span = node.function.text, node.function.span
        if node.functions is not None:
            return self._partial(node, node.functions)
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
        entity = self.world.names.find(self.scope, FUNCTION, text, span, hint)
        accessor = self.world.headers.accessors.get(entity.name) if entity else None
        function = self.world.headers.functions.get(entity.name) if entity else None
        if accessor is not None:
            return self._access(node, accessor)
        if function is None:
            return self._wrong(node)
        if function.unsupported:
            self.unsupported(span, f"`{text}` ({function.unsupported}) is")
        metas: dict[str, Type] = {q: Meta() for q in function.type_parameters}
        types = instantiated((v.type for v in function.parameters), metas)
        arguments = self.arguments(f"`{text}`", span, node.arguments, types)
        return t.Call(span, substituted(function.result, metas), function.name, arguments)

    def _wrong(self, node: s.Call) -> t.Expression:
        """A call of what there is not: its arguments may have problems of their own."""
        arguments = tuple(map(self.expression, node.arguments))
        return t.Call(node.function.span, WRONG, node.function.text, arguments)

    def _access(self, node: s.Call, accessor: Accessor) -> t.Expression:
        text, span = node.function.text, node.function.span
        data = self.world.headers.data.get(accessor.data)
        metas: dict[str, Type] = {q: Meta() for q in (data.parameters if data else ())}
        place = DataType(accessor.data, tuple(metas.values()))
        found = self.arguments(f"`{text}`", span, node.arguments, (place,))
        result = substituted(accessor.result, metas)
        return t.Access(span, result, accessor.name, found[0]) if found else t.Local(span, WRONG, text)

    def _generic(self, span: Span, header: FunctionHeader, arguments: tuple[t.Expression, ...]) -> t.Expression:
        metas: dict[str, Type] = {q: Meta() for q in header.type_parameters}
        types = instantiated((v.type for v in header.parameters), metas)
        if len(types) != len(arguments):
            self.problem(TYPE, span, f"`{header.node.name}` does not take one list")
        for argument, place in zip(arguments, types):
            self.require(argument, place, f"the list for `{header.node.name}`")
        return t.Call(span, substituted(header.result, metas), header.name, arguments)

    def _apply(self, node: s.Call, function: FunctionParameter) -> t.Expression:
        """A call of a function parameter: its types are learnt from the arguments."""
        if function.parameters is None:
            function.parameters = [Meta() for _ in node.arguments]
        what = f"`{function.name}`, as called before,"
        arguments = self.arguments(what, node.span, node.arguments, tuple(function.parameters))
        return t.Apply(node.span, function.result, function.name, arguments)

    def _recursion(self, node: s.Call) -> t.Expression:
        """Inside a partially defined function a call of itself keeps its functions."""
        header = self.world.headers.partials[self.partial]
        types = tuple(v.type for v in header.parameters)
        arguments = self.arguments(f"`{node.function.text}`", node.span, node.arguments, types)
        functions = tuple(t.NamedFunction(node.span, "parameter", f.name, f.result) for f in self.functions.values())
        own = tuple(TypeParameter(q) for q in header.type_parameters)
        return t.PartialCall(node.span, header.result, self.partial, functions, arguments, own)

    def _partial(self, node: s.Call, functions: tuple[s.Expression, ...]) -> t.Expression:
        text, span = node.function.text, node.function.span
        entity = self.world.names.find(self.scope, PARTIAL, text, span)
        if entity is None:
            return self._wrong(node)
        header = self.world.headers.partials[entity.name]
        wanted = self.partial_parameters(entity.name)
        metas: dict[str, Type] = {q: Meta() for q in header.type_parameters}
        types = instantiated((v.type for v in header.parameters), metas)
        arguments = self.arguments(f"`{text}`", span, node.arguments, types)
        if len(functions) != len(wanted):
            count = f"{len(wanted)} function{'s'[: len(wanted) != 1]}"
            self.problem(TYPE, span, f"`{text}` takes {count}, not {len(functions)}")
        given = tuple(self._function_argument(f, w, metas) for f, w in zip(functions, wanted))
        result = substituted(header.result, metas)
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
                if isinstance(function.result, Meta):
                    upper = function.result.upper
                    function.result = settled(function.result if upper is None else upper)
            self.world.partials[name] = PartialFunction(header, functions, value)
        return self.world.partials[name].functions

    @abstractmethod
    def function_body(self, header: FunctionHeader) -> t.Expression:
        """The body of a function, checked against its result type."""

    def _function_argument(
        self, node: s.Expression, wanted: FunctionParameter, metas: dict[str, Type]
    ) -> t.FunctionArgument:
        places = None if wanted.parameters is None else instantiated(wanted.parameters, metas)
        result = substituted(wanted.result, metas)
        if isinstance(node, s.Anonymous):
            parameters = self.world.headers.variables(self.scope, node.parameters, self.type_parameters)
            with self.block():
                made = tuple(self.declare(v.span, v.name, v.type, shadow=True) for v in parameters)
                value = self.expression(node.body)
            self._check_function(node.span, wanted.name, places, result, [v.type for v in made], value.type)
            return t.AnonymousFunction(node.span, made, value)
        assert isinstance(node, s.Variable)
        if node.name in self.functions:
            own = self.functions[node.name]
            if own.parameters is None and places is not None:
                own.parameters = [Meta() for _ in places]
            self._check_function(node.span, wanted.name, places, result, own.parameters or [], own.result)
            return t.NamedFunction(node.span, "parameter", node.name, own.result)
        entity = self.world.names.find(self.scope, FUNCTION, node.name, node.span)
        accessor = self.world.headers.accessors.get(entity.name) if entity else None
        function = self.world.headers.functions.get(entity.name) if entity else None
        if accessor is not None:
            data = self.world.headers.data.get(accessor.data)
            own_metas: dict[str, Type] = {q: Meta() for q in (data.parameters if data else ())}
            place = DataType(accessor.data, tuple(own_metas.values()))
            value_type = substituted(accessor.result, own_metas)
            self._check_function(node.span, wanted.name, places, result, [place], value_type)
            return t.NamedFunction(node.span, "accessor", accessor.name, value_type)
        if function is None:
            return t.NamedFunction(node.span, "function", node.name, WRONG)
        if function.unsupported:
            self.unsupported(node.span, f"`{node.name}` ({function.unsupported}) is")
        own_metas = {q: Meta() for q in function.type_parameters}
        types = instantiated((v.type for v in function.parameters), own_metas)
        value_type = substituted(function.result, own_metas)
        self._check_function(node.span, wanted.name, places, result, types, value_type)
        return t.NamedFunction(node.span, "function", function.name, value_type)

    def _check_function(
        self,
        span: Span,
        name: str,
        places: tuple[Type, ...] | None,
        result: Type,
        parameters: list[Type] | tuple[Type, ...],
        value: Type,
    ) -> None:
        fits = self.world.subtyping.fits
        if places is not None:
            if len(places) != len(parameters):
                count = f"{len(places)} argument{'s'[: len(places) != 1]}"
                self.problem(TYPE, span, f"function `{name}` is called with {count}, but this takes {len(parameters)}")
                return
            for i, (place, parameter) in enumerate(zip(places, parameters), 1):
                if not fits(place, parameter):
                    message = f"parameter {i} of this function gets a `{settled(place)}`, not a `{settled(parameter)}`"
                    self.problem(TYPE, span, message)
        if not isinstance(result, (NoValue, Wrong)) and not fits(value, result):
            self.problem(TYPE, span, f"this function must return a `{settled(result)}`, not a `{settled(value)}`")

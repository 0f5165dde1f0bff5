"""What every declaration looks like from outside: types of constructors, functions, methods and fields."""

from __future__ import annotations

from collections.abc import Iterable

from everypath.errors import Span
from everypath.languages.abs.frontend import program as p
from everypath.languages.abs.frontend import syntax as s
from everypath.languages.abs.frontend import types as ty
from everypath.languages.abs.frontend.names import CLASS, TRAIT, TYPE, Names, Scope
from everypath.languages.abs.frontend.problems import NAME, UNSUPPORTED, Problems
from everypath.languages.abs.frontend.problems import TYPE as TYPE_PROBLEM
from everypath.languages.abs.frontend.tree import Construct, Literal, Variable
from everypath.records import dataclass

_CHANGED_BY = {"Scheduler": "user-defined schedulers", "Foreign": "foreign classes"}
"""Annotations of a class that give it another behaviour than its text."""


@dataclass(frozen=True, slots=True)
class FunctionHeader:
    """A function before its body is checked."""

    scope: Scope
    node: s.Function
    name: str
    type_parameters: tuple[str, ...]
    parameters: tuple[Variable, ...]
    result: ty.Type
    unsupported: str
    """what the standard library says when the function is not supported"""


@dataclass(frozen=True, slots=True)
class ClassHeader:
    """A class before its bodies are checked."""

    scope: Scope
    node: s.Class
    name: str
    parameters: tuple[Variable, ...]
    implements: tuple[str, ...]
    supers: tuple[str, ...]
    fields: dict[str, Variable]
    """parameters and fields"""
    methods: dict[str, p.Signature]
    bodies: dict[str, s.Method]


class Headers:
    """The headers of all modules; problems in them are reported while they are made."""

    def __init__(self, names: Names, problems: Problems) -> None:
        self.names = names
        self.problems = problems
        self.data: dict[str, p.Data] = {}
        self.constructors: dict[str, p.Constructor] = {}
        self.accessors: dict[str, p.Accessor] = {}
        self.functions: dict[str, FunctionHeader] = {}
        self.partials: dict[str, FunctionHeader] = {}
        self.interfaces: dict[str, p.Interface] = {}
        self.classes: dict[str, ClassHeader] = {}
        self._expanding: list[str] = []
        self._inheriting: list[str] = []
        for scope in names.scopes.values():
            for entity in scope.own.values():
                match entity.node:
                    case s.Data():
                        self._data(scope, entity.name, entity.node)
                    case s.Synonym():
                        self.type(scope, entity.node.type)
                    case s.Interface():
                        self.interface(entity.name)
                    case s.Function():
                        self._function(scope, entity.name, entity.node)
                    case s.Exception_():
                        self._constructor(scope, entity.node.constructor, ty.EXCEPTION.name, ())
        for scope in names.scopes.values():
            for entity in scope.own.values():
                if isinstance(entity.node, s.Class):
                    self._class(scope, entity.name, entity.node)

    def type(self, scope: Scope, use: s.TypeUse, parameters: Iterable[str] = ()) -> ty.Type:
        """The type that is written; WRONG after a report."""
        arguments = tuple(self.type(scope, argument, parameters) for argument in use.arguments)
        if use.name in parameters:
            if arguments:
                self.problems.add(TYPE_PROBLEM, use.span, f"type parameter `{use.name}` takes no arguments")
            return ty.TypeParameter(use.name)
        if not self.names.known(scope, TYPE, use.name) and self.names.known(scope, CLASS, use.name):
            self._class_as_type(scope, use)
            return ty.WRONG
        entity = self.names.find(scope, TYPE, use.name, use.span)
        if entity is None:
            return ty.WRONG
        if isinstance(entity.node, s.Synonym):
            if entity.name in self._expanding:
                self.problems.add(TYPE_PROBLEM, use.span, f"type synonym `{use.name}` is defined by itself")
                return ty.WRONG
            self._expanding.append(entity.name)
            meant = self.type(self.names.scopes[entity.module], entity.node.type)
            self._expanding.pop()
            self._arity(use, 0)
            return meant
        if isinstance(entity.node, (s.Interface, s.Exception_)):
            self._arity(use, 0)
            return ty.InterfaceType(entity.name) if isinstance(entity.node, s.Interface) else ty.EXCEPTION
        assert isinstance(entity.node, s.Data)
        return ty.DataType(entity.name, arguments) if self._arity(use, len(entity.node.parameters)) else ty.WRONG

    def _arity(self, use: s.TypeUse, wanted: int) -> bool:
        if len(use.arguments) == wanted:
            return True
        many = "no type arguments" if not wanted else f"{wanted} type argument{'s'[: wanted > 1]}"
        self.problems.add(TYPE_PROBLEM, use.span, f"`{use.name}` takes {many}, not {len(use.arguments)}")
        return False

    def _class_as_type(self, scope: Scope, use: s.TypeUse) -> None:
        entity = scope.visible[CLASS, use.name][0]
        assert isinstance(entity.node, s.Class)
        own = [n.text for n in entity.node.implements]
        hint = f": use {' or '.join(f'`{n}`' for n in own)}" if own else ", and it implements none: use `Object`"
        self.problems.add(
            TYPE_PROBLEM, use.span, f"class `{use.name}` is not a type; objects are typed by their interfaces{hint}"
        )

    def variables(
        self, scope: Scope, parameters: tuple[s.Parameter, ...], types: Iterable[str] = ()
    ) -> tuple[Variable, ...]:
        """Parameters with their types; a name given twice is reported."""
        seen: set[str] = set()
        for parameter in parameters:
            if parameter.name in seen:
                self.problems.add(NAME, parameter.span, f"there are two parameters `{parameter.name}`")
            seen.add(parameter.name)
        return tuple(Variable(q.span, q.name, self.type(scope, q.type, types)) for q in parameters)

    def _type_parameters(self, names: tuple[s.Name, ...]) -> tuple[str, ...]:
        for i, name in enumerate(names):
            if name.text in [n.text for n in names[:i]]:
                self.problems.add(NAME, name.span, f"there are two type parameters `{name.text}`")
        return tuple(name.text for name in names)

    def _data(self, scope: Scope, name: str, node: s.Data) -> None:
        parameters = self._type_parameters(node.parameters)
        constructors = tuple(self._constructor(scope, c, name, parameters) for c in node.constructors)
        self.data[name] = p.Data(node.span, name, parameters, constructors)

    def _constructor(self, scope: Scope, node: s.Constructor, data: str, parameters: tuple[str, ...]) -> str:
        module = scope.module.name
        name = f"{module}.{node.name}"
        types = tuple(self.type(scope, argument.type, parameters) for argument in node.arguments)
        self.constructors[name] = p.Constructor(node.span, name, data, types)
        for i, argument in enumerate(node.arguments):
            if not argument.accessor:
                continue
            accessor = f"{module}.{argument.accessor}"
            before = self.accessors.get(accessor)
            if before is not None and (before.data, before.result) != (data, types[i]):
                message = f"accessor `{argument.accessor}` is already declared at {before.span} with another type"
                self.problems.add(TYPE_PROBLEM, argument.span, message)
                continue
            positions = (*(before.positions if before else ()), (name, i))
            self.accessors[accessor] = p.Accessor(argument.span, accessor, data, types[i], positions)
        return name

    def _function(self, scope: Scope, name: str, node: s.Function) -> None:
        types = self._type_parameters(node.type_parameters)
        parameters = self.variables(scope, node.parameters, types)
        result = self.type(scope, node.result, types)
        values = [a.value.value for a in node.annotations if a.tag == "Unsupported" and isinstance(a.value, Literal)]
        unsupported = next((value for value in values if isinstance(value, str)), "")
        header = FunctionHeader(scope, node, name, types, parameters, result, unsupported)
        (self.functions if node.functions is None else self.partials)[name] = header

    def interface(self, name: str) -> p.Interface | None:
        """An interface with everything it inherits; None when it inherits itself."""
        if name in self.interfaces:
            return self.interfaces[name]
        module, _, simple = name.rpartition(".")
        scope = self.names.scopes[module]
        node = scope.own[TYPE, simple].node
        assert isinstance(node, s.Interface)
        if name in self._inheriting:
            self.problems.add(TYPE_PROBLEM, node.span, f"interface `{simple}` extends itself")
            return None
        self._inheriting.append(name)
        extends = self.interface_names(scope, node.extends)
        methods: dict[str, p.Signature] = {}
        supers: dict[str, None] = {name: None}
        for base in extends:
            found = self.interface(base)
            if found is not None:
                supers.update(dict.fromkeys(found.supers))
                for signature in found.methods:
                    self._inherit(methods, signature, node.span, simple)
        for own in node.signatures:
            signature = self.signature(scope, own, name)
            before = methods.get(own.name)
            if before is not None:
                where = f"interface `{before.interface.rpartition('.')[2]}` already declares it"
                self.problems.add(TYPE_PROBLEM, own.span, f"method `{own.name}` is declared twice: {where}")
            methods[own.name] = signature
        self._inheriting.pop()
        supers[ty.OBJECT.name] = None
        made = p.Interface(node.span, name, extends, tuple(supers), tuple(methods.values()))
        self.interfaces[name] = made
        return made

    def _inherit(self, methods: dict[str, p.Signature], new: p.Signature, span: Span, who: str) -> None:
        before = methods.setdefault(new.name, new)
        if not same(before, new):
            first, second = (x.interface.rpartition(".")[2] for x in (before, new))
            self.problems.add(
                TYPE_PROBLEM, span, f"`{who}` gets two different methods `{new.name}`, from `{first}` and `{second}`"
            )

    def interface_names(self, scope: Scope, names: tuple[s.Name, ...]) -> tuple[str, ...]:
        """The interfaces after `extends` or `implements`."""
        found: dict[str, None] = {}
        for name in names:
            meant = self.type(scope, s.TypeUse(name.span, name.text))
            if isinstance(meant, ty.InterfaceType):
                found[meant.name] = None
            elif meant != ty.WRONG:
                self.problems.add(TYPE_PROBLEM, name.span, f"`{name.text}` is not an interface")
        return tuple(found)

    def signature(self, scope: Scope, node: s.Signature, interface: str) -> p.Signature:
        """The types of a method."""
        parameters = self.variables(scope, node.parameters)
        result = self.type(scope, node.result)
        if node.name == "run" and (parameters or result not in (ty.UNIT, ty.WRONG)):
            self.problems.add(TYPE_PROBLEM, node.span, "method `run` starts by itself: it must be `Unit run()`")
        return p.Signature(node.span, node.name, parameters, result, interface)

    def _class(self, scope: Scope, name: str, node: s.Class) -> None:
        parameters = self.variables(scope, node.parameters)
        fields = {v.name: v for v in parameters}
        for own in node.fields:
            if own.name in fields:
                message = f"field `{own.name}` is already declared at {fields[own.name].span}"
                self.problems.add(NAME, own.span, message)
            fields[own.name] = Variable(own.span, own.name, self.type(scope, own.type))
        implements = self.interface_names(scope, node.implements)
        supers: dict[str, None] = {}
        for interface in implements:
            found = self.interface(interface)
            supers.update(dict.fromkeys(found.supers if found else ()))
        supers[ty.OBJECT.name] = None
        bodies: dict[str, s.Method] = {}
        for method in _methods_of(node, scope, self.names, self.problems):
            before = bodies.setdefault(method.signature.name, method)
            if before is not method:
                message = f"method `{method.signature.name}` is already declared at {before.signature.span}"
                self.problems.add(NAME, method.signature.span, message)
        methods = {own: self.signature(scope, method.signature, "") for own, method in bodies.items()}
        header = ClassHeader(scope, node, name, parameters, implements, tuple(supers), fields, methods, bodies)
        self.classes[name] = header
        for annotation in node.annotations:
            named = annotation.value.constructor if isinstance(annotation.value, Construct) else ""
            what = _CHANGED_BY.get(annotation.tag or named)
            if what is not None:
                self.problems.add(UNSUPPORTED, annotation.span, f"{what} are not supported")
        self._check_implements(header)

    def _check_implements(self, header: ClassHeader) -> None:
        node = header.node
        wanted: dict[str, p.Signature] = {}
        for interface in header.implements:
            found = self.interface(interface)
            for signature in found.methods if found else ():
                self._inherit(wanted, signature, node.span, node.name)
        for name, signature in wanted.items():
            own = header.methods.get(name)
            where = signature.interface.rpartition(".")[2]
            if own is None:
                message = f"class `{node.name}` lacks method `{shown(signature)}` of interface `{where}`"
                self.problems.add(TYPE_PROBLEM, node.span, message)
            elif not same(own, signature):
                message = f"method `{shown(own)}` does not fit interface `{where}`, which has `{shown(signature)}`"
                self.problems.add(TYPE_PROBLEM, own.span, message)


def same(one: p.Signature, other: p.Signature) -> bool:
    """Whether two signatures have the same types; what was already reported fits everything."""
    ones = [*(v.type for v in one.parameters), one.result]
    others = [*(v.type for v in other.parameters), other.result]
    return len(ones) == len(others) and all(a == b or ty.WRONG in (a, b) for a, b in zip(ones, others))


def shown(signature: p.Signature) -> str:
    """A signature as it is written."""
    return f"{signature.result} {signature.name}({', '.join(f'{v.type} {v.name}' for v in signature.parameters)})"


def instantiated(types: Iterable[ty.Type], values: dict[str, ty.Type]) -> tuple[ty.Type, ...]:
    """The types with type parameters replaced."""
    return tuple(ty.substituted(t, values) for t in types)


def _methods_of(node: s.Class, scope: Scope, names: Names, problems: Problems) -> tuple[s.Method, ...]:
    """The methods of a class, its own first, then those of its traits."""
    methods = list(node.methods)
    for expression in node.uses:
        methods += _evaluated(expression, scope, names, problems, ()).values()
    return tuple(methods)


def _evaluated(
    expression: s.TraitExpression, scope: Scope, names: Names, problems: Problems, inside: tuple[str, ...]
) -> dict[str, s.Method]:
    found: dict[str, s.Method] = {}
    for operation in expression.operations:
        if operation.kind == "removes":
            for signature in operation.signatures:
                if found.pop(signature.name, None) is None:
                    problems.add(NAME, signature.span, f"there is no method `{signature.name}` to remove")
            continue
        methods = {m.signature.name: m for m in operation.methods}
        if operation.trait is not None:
            entity = names.find(scope, TRAIT, operation.trait.text, operation.trait.span)
            if entity is None:
                continue
            if entity.name in inside:
                problems.add(NAME, operation.span, f"trait `{operation.trait.text}` uses itself")
                continue
            assert isinstance(entity.node, s.Trait)
            other = names.scopes[entity.module]
            methods = _evaluated(entity.node.value, other, names, problems, (*inside, entity.name))
        for name, method in methods.items():
            if operation.kind == "adds" and name in found:
                problems.add(NAME, method.signature.span, f"method `{name}` is already in the trait; use `modifies`")
            found[name] = method
    return found

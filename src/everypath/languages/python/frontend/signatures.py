"""Parameters of functions: their types, from annotations or the command line, and their defaults.

Only parameters that get arbitrary values need a type: those of the functions under test and of constructors, from which
objects are made. Where nothing declares one, it is assumed: from the examples in the docstring and from how the code
uses the parameter, else from its default, at last from its name. What was assumed is reported.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from everypath.ir.instructions import (
    NO_DEFAULT,
    ClassRef,
    ConstValue,
    FunctionRef,
    NativeRef,
    NoDefault,
    Param,
    StaticDefault,
)
from everypath.ir.names import argument_default
from everypath.ir.types import (
    ANY,
    FLOAT,
    FUNCTION,
    INT,
    NONE,
    STR,
    ClassType,
    DictType,
    TupleType,
    Type,
    UnionType,
    optional,
    options_of,
    union,
)
from everypath.languages.python.frontend.annotations import AnnotationReader
from everypath.languages.python.frontend.documented import shown_types
from everypath.languages.python.frontend.hierarchy import builtin_value
from everypath.languages.python.frontend.inference import Inference, by_name
from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.literals import scalar_type
from everypath.languages.python.frontend.modules import (
    Function,
    FunctionNode,
    ModuleSource,
    defaults_of,
    dotted,
    positional,
)
from everypath.languages.python.frontend.names import BuiltinName, ClassName, ConstantName, ExternalName, FunctionName
from everypath.languages.python.frontend.userclass import UserClass
from everypath.records import dataclass, field

Place = tuple[ModuleSource, "UserClass | None", Function]
DefaultOf = Callable[[str, ast.expr], "ConstValue | StaticDefault"]


@dataclass(slots=True)
class GivenTypes:
    """Annotations from the command line."""

    params: dict[str, ast.expr] = field(default_factory=dict)
    fields: dict[str, ast.expr] = field(default_factory=dict)
    """`Class.field` -> annotation"""


class Signatures:
    """Reads parameter lists."""

    def __init__(self, linker: Linker, given: GivenTypes) -> None:
        self.linker = linker
        self.given = given
        self.entries: set[tuple[str, str]] = set()
        """the functions whose parameters take the types given on the command line"""
        self.unreadable: dict[tuple[str, str, str], str] = {}
        """class, method, parameter -> the annotation that is not understood"""
        self.only_none: set[tuple[str, str, str]] = set()
        """class, method, parameter of which only the default None is known"""
        self.inference = Inference()
        self.assumed: dict[tuple[str, str], dict[str, Type]] = {}
        """class, method -> the types that were read off the uses of its parameters"""
        self._shown: dict[ast.AST, dict[str, Type]] = {}
        """function -> the types of arguments that its docstring shows"""
        self.initialise: Callable[[ModuleSource, UserClass | None, str, ast.expr], None]

    def read(
        self,
        module: ModuleSource,
        owner: UserClass | None,
        name: str,
        node: Function,
        kind: str,
        default_of: DefaultOf | None = None,
    ) -> tuple[Param, ...]:
        """The parameters of a function; `default_of` turns the default of a parameter into a value."""
        args = node.args
        key = (owner.name if owner else module.name, name)
        evaluate = default_of or (lambda param, value: self._default(module, owner, name, param, value))
        reader = self.linker.annotations(module, owner, node)
        defaults = defaults_of(node)
        params: list[Param] = []
        for position, arg in enumerate(positional(node)):
            value = evaluate(arg.arg, defaults[arg.arg]) if arg.arg in defaults else NO_DEFAULT
            if position == 0 and owner is not None and kind != "static":
                type_: Type = ClassType(owner.name) if kind != "class" else ANY
            else:
                type_ = self._type(reader, arg, key, value, (module, owner, node))
            params.append(Param(arg.arg, type_, "positional" if arg in args.posonlyargs else "normal", value))
        if args.vararg is not None:
            element = self._type(reader, args.vararg, key, NO_DEFAULT, (module, owner, node))
            params.append(Param(args.vararg.arg, TupleType((), element), "star"))
        for arg in args.kwonlyargs:
            value = evaluate(arg.arg, defaults[arg.arg]) if arg.arg in defaults else NO_DEFAULT
            params.append(Param(arg.arg, self._type(reader, arg, key, value, (module, owner, node)), "keyword", value))
        if args.kwarg is not None:
            element = self._type(reader, args.kwarg, key, NO_DEFAULT, (module, owner, node))
            params.append(Param(args.kwarg.arg, DictType(STR, element), "doublestar"))
        return tuple(params)

    def annotation(self, arg: ast.arg, key: tuple[str, str]) -> ast.expr | None:
        """The annotation that counts: that of `--types` for entries, and for constructors without one of their own."""
        given = self.given.params.get(arg.arg)
        if given is not None and (key in self.entries or (arg.annotation is None and key[1] == "__init__")):
            return given
        return arg.annotation

    def _type(
        self,
        reader: AnnotationReader,
        arg: ast.arg,
        key: tuple[str, str],
        default: ConstValue | StaticDefault | NoDefault,
        place: Place,
    ) -> Type:
        reader.unknown.clear()
        annotated = reader.read(self.annotation(arg, key))
        if reader.unknown:
            self.unreadable[*key, arg.arg] = reader.unknown[0]
        if annotated != ANY:
            return annotated
        scalar = scalar_type(default) or ANY
        if reader.unknown and (key in self.entries or key[1] == "__init__"):
            used = self.inference.of(place[0]).parameter(place[2], arg.arg)
            if used is not None and used not in (ANY, NONE, FUNCTION):
                found = self.inference.bring(self.linker, place[0], used)
                if found != ANY:
                    self.assumed.setdefault(key, {})[arg.arg] = found
                    return optional(found) if default is None else found
        if reader.unknown and default is None:
            self.only_none.add((*key, arg.arg))
            return NONE
        if reader.unknown or (key not in self.entries and key[1] != "__init__"):
            # Called by other code, which gives it values; what they are is seen on the path.
            return scalar
        return self._assumed(arg, key, default, scalar, place)

    def _assumed(
        self,
        arg: ast.arg,
        key: tuple[str, str],
        default: ConstValue | StaticDefault | NoDefault,
        scalar: Type,
        place: Place,
    ) -> Type:
        """The type that the uses of a parameter suggest; ANY when none explains them."""
        module, owner, node = place
        used = self.inference.of(module).parameter(node, arg.arg)
        found = self._as_shown(arg, place, used)
        kind = NONE if default is None else scalar
        if found is not None and found != used and kind != ANY:
            # The default is one of the values as well.
            found = FLOAT if (kind, found) == (FLOAT, INT) else union((kind, found))
        if found == NONE or (found is None and default is None):
            # Only passed on or compared with None: there is more than that, or nobody would ask.
            found = optional(FUNCTION if arg.arg == "key" else by_name(arg.arg))
        if found is None and scalar != ANY:
            return scalar
        found = self.inference.bring(self.linker, module, found or _guess(arg, place))
        if found == ANY and default is None:
            self.only_none.add((*key, arg.arg))
            return NONE
        if found != scalar and found != ANY:
            self.assumed.setdefault(key, {})[arg.arg] = found
        return scalar if found == ANY else found

    def _as_shown(self, arg: ast.arg, place: Place, found: Type | None) -> Type | None:
        """The type in the docstring's examples, joined with what the code says; only the latter if it names a class."""
        if isinstance(place[2], ast.Lambda) or (found is not None and _has_class(found)):
            return found
        shown = self._shown_in_examples(place[1], place[2]).get(arg.arg)
        if shown is None or shown == NONE:
            return found
        options = [o for o in found.options if o != NONE] if isinstance(found, UnionType) else []
        if found is not None and len(options) > 1:
            # The code asks for the type, so that it is worth trying all that it asks for.
            return found if any(type(o) is type(shown) for o in options) else union((found, shown))
        only = options[0] if options else found
        if only is not None and only not in (ANY, NONE) and type(only) is not type(shown):
            shown = union((shown, only))
        return union((NONE, shown)) if isinstance(found, UnionType) or found == NONE else shown

    def _shown_in_examples(self, owner: UserClass | None, node: FunctionNode) -> dict[str, Type]:
        """The types of the arguments in a function's docstring; the examples of a constructor call the class."""
        if node not in self._shown:
            own = owner is not None and not any(dotted(d) == "staticmethod" for d in node.decorator_list)
            called = owner.node.name if owner is not None and node.name == "__init__" else node.name
            self._shown[node] = shown_types(node, called, own)
        return self._shown[node]

    def _default(
        self, module: ModuleSource, owner: UserClass | None, function: str, param: str, node: ast.expr
    ) -> ConstValue | StaticDefault:
        constant = self.constant(module, owner, node)
        if not isinstance(constant, NoDefault):
            return constant
        # Computed once, when the function is defined: a list as default is the same list in every call.
        name = argument_default(param, function)
        self.initialise(module, owner, name, node)
        return StaticDefault(owner.name if owner else module.name, name)

    def constant(self, module: ModuleSource, owner: UserClass | None, node: ast.expr) -> ConstValue | NoDefault:
        """The value of an expression that is known now."""
        match node:
            case ast.Constant(value=complex()):
                return NO_DEFAULT
            case ast.Constant(value=value) if value is not Ellipsis:
                constant: ConstValue = value
                return constant
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
                return -number
            case ast.Name() | ast.Attribute():
                return self._named(module, owner, node)
        return NO_DEFAULT

    def _named(self, module: ModuleSource, owner: UserClass | None, node: ast.expr) -> ConstValue | NoDefault:
        match self.linker.expression(module, node, owner):
            case ClassName(name):
                return ClassRef(name)
            case FunctionName(cls, name) if owner is None:
                return FunctionRef(cls, name)
            case ConstantName(value):
                return value
            case BuiltinName(name):
                return builtin_value(name)
            case ExternalName(name):
                return NativeRef(name)
        return NO_DEFAULT


def _guess(arg: ast.arg, place: Place) -> Type:
    """A type for a parameter that is only passed on."""
    _, owner, node = place
    if owner is not None and arg.arg == "other":
        return ClassType(owner.name)
    return INT if arg in (node.args.vararg, node.args.kwarg) else by_name(arg.arg)


def _has_class(type_: Type) -> bool:
    """Whether a type is, or may be, that of a class of the program or of a function."""
    return any(isinstance(option, ClassType) or option == FUNCTION for option in options_of(type_))

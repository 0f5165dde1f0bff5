"""Parameters of functions: their types, from annotations or the command line, and their defaults.

Only parameters that get arbitrary values need a type: those of the functions under test and of constructors, from which
objects are made. Where nothing declares one, it is assumed: from the examples in the docstring and from how the code
uses the parameter, else from its default, at last from its name. What was assumed is reported.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from everypath.ir import instructions as ins
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
    FunctionType,
    Scalar,
    TupleType,
    Type,
    UnionType,
    optional,
    options_of,
    union,
)
from everypath.languages.python.frontend.annotations import AnnotationReader, scalar_type
from everypath.languages.python.frontend.guards import guarded
from everypath.languages.python.frontend.hierarchy import builtin_value
from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.modules import (
    Function,
    FunctionNode,
    ModuleSource,
    defaults_of,
    dotted,
    is_overload,
    positional,
)
from everypath.languages.python.frontend.names import BuiltinName, ClassName, ConstantName, ExternalName, FunctionName
from everypath.languages.python.frontend.userclass import UserClass
from everypath.records import dataclass, field

if TYPE_CHECKING:
    from everypath.languages.python.frontend.inference import Inference

Place = tuple[ModuleSource, "UserClass | None", Function]
DefaultOf = Callable[[str, ast.expr], ins.ConstValue | ins.StaticDefault]


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
        self.widened: dict[tuple[str, str, str], Type] = {}
        """class, method, parameter -> its declared type, where the code asks for more than that"""
        self._inference: Inference | None = None
        self.assumed: dict[tuple[str, str], dict[str, Type]] = {}
        """class, method -> the types that were read off the uses of its parameters"""
        self._shown: dict[ast.AST, dict[str, Type]] = {}
        """function -> the types of arguments that its docstring shows"""
        self.initialise: Callable[[ModuleSource, UserClass | None, str, ast.expr], None]

    @property
    def inference(self) -> Inference:
        """What the uses of parameters and fields say; loaded when something is not declared."""
        if self._inference is None:
            from everypath.languages.python.frontend.inference import Inference

            self._inference = Inference()
        return self._inference

    def read(
        self,
        module: ModuleSource,
        owner: UserClass | None,
        name: str,
        node: Function,
        kind: str,
        default_of: DefaultOf | None = None,
    ) -> tuple[ins.Param, ...]:
        """The parameters of a function; `default_of` turns the default of a parameter into a value."""
        args = node.args
        key = (owner.name if owner else module.name, name)
        evaluate = default_of or (lambda param, value: self._default(module, owner, name, param, value))
        reader = self.linker.annotations(module, owner, node)
        defaults = defaults_of(node)
        sorts: dict[str, Sequence[ast.arg | None]] = {
            "positional": args.posonlyargs, "normal": args.args, "star": [args.vararg], "keyword": args.kwonlyargs,
            "doublestar": [args.kwarg],
        }  # fmt: skip
        receiver = positional(node)[:1] if owner is not None and kind != "static" else []
        params: list[ins.Param] = []
        for sort, arg in ((sort, arg) for sort, given in sorts.items() for arg in given if arg is not None):
            value = evaluate(arg.arg, defaults[arg.arg]) if arg.arg in defaults else ins.NO_DEFAULT
            guessed = wide = filled = False
            if owner is not None and arg in receiver:
                type_: Type = ClassType(owner.name) if kind != "class" else ANY
            else:
                type_ = self._declared(reader, arg, key)
                wide = bool(reader.wide)
                if guessed := type_ == ANY:
                    type_ = self._undeclared(reader, arg, key, value, (module, owner, node))
                elif value is None:
                    # `x: int = None` means that None is a value, too.
                    type_ = optional(type_)
                type_, filled = self._with_keys(type_, arg, module, node)
                wide |= filled
                if not guessed and key in self.entries and "star" not in sort:
                    type_, guessed = self._guarded(reader, arg, key, type_, node)
            if sort in ("star", "doublestar"):
                type_ = TupleType((), type_) if sort == "star" else DictType(STR, type_)
            params.append(ins.Param(arg.arg, type_, sort, value, guessed, wide, filled))
        return tuple(params)

    def overloads(
        self, module: ModuleSource, owner: UserClass | None, node: FunctionNode
    ) -> tuple[dict[str, Type], ...]:
        """What each overload of a function takes; none where one of them takes any arguments."""
        body = module.tree.body if owner is None else owner.node.body
        declared = [each for each in body if isinstance(each, FunctionNode) and each.name == node.name]
        found = []
        for each in declared:
            if not is_overload(each):
                continue
            if each.args.vararg or each.args.kwarg:
                return ()
            reader, defaults = self.linker.annotations(module, owner, each), defaults_of(each)
            taken = [*positional(each), *each.args.kwonlyargs]
            types = {arg.arg: reader.read(arg.annotation) for arg in taken}
            found.append({name: optional(type_) if name in defaults else type_ for name, type_ in types.items()})
        return tuple(found)

    def annotation(self, arg: ast.arg, key: tuple[str, str]) -> ast.expr | None:
        """The annotation that counts: that of `--types` for entries, and for constructors without one of their own."""
        given = self.given.params.get(arg.arg)
        if given is not None and (key in self.entries or (arg.annotation is None and key[1] == "__init__")):
            return given
        return arg.annotation

    def _declared(self, reader: AnnotationReader, arg: ast.arg, key: tuple[str, str]) -> Type:
        """The type that an annotation gives; ANY where there is none, or none that is understood."""
        reader.unknown.clear()
        reader.wide.clear()
        annotated = reader.read(self.annotation(arg, key))
        if reader.unknown:
            self.unreadable[*key, arg.arg] = reader.unknown[0]
        return annotated

    def _with_keys(self, declared: Type, arg: ast.arg, module: ModuleSource, node: Function) -> tuple[Type, bool]:
        """A declared type with what uses say about the keys that it leaves open, and whether they do."""
        if declared == ANY or isinstance(declared, Scalar):
            return declared, False
        from everypath.languages.python.frontend.collected_types import vague, with_keys

        if not vague(declared):
            return declared, False
        filled = with_keys(declared, self.inference.of(module).parameter(node, arg.arg))
        return self.inference.bring(self.linker, module, filled), filled != declared

    def _guarded(
        self, reader: AnnotationReader, arg: ast.arg, key: tuple[str, str], declared: Type, node: Function
    ) -> tuple[Type, bool]:
        """The type of a parameter with what guards ask for, and whether that is more than was declared."""
        found = guarded(node, arg.arg, declared, reader.read)
        reader.unknown.clear()
        if found != declared:
            self.widened[*key, arg.arg] = declared
        return found, found != declared

    def _undeclared(
        self,
        reader: AnnotationReader,
        arg: ast.arg,
        key: tuple[str, str],
        default: ins.ConstValue | ins.StaticDefault | ins.NoDefault,
        place: Place,
    ) -> Type:
        """The type of a parameter that no annotation tells, as far as the code hints at one."""
        scalar = scalar_type(default) or ANY
        if reader.unknown and (key in self.entries or key[1] == "__init__"):
            used = self.inference.of(place[0]).parameter(place[2], arg.arg)
            if used is not None and used not in (ANY, NONE) and not isinstance(used, FunctionType):
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
        default: ins.ConstValue | ins.StaticDefault | ins.NoDefault,
        scalar: Type,
        place: Place,
    ) -> Type:
        """The type that the uses of a parameter suggest; ANY when none explains them."""
        module, owner, node = place
        used = self.inference.of(module).parameter(node, arg.arg)
        described = self._as_described(arg, place)
        found = self._as_shown(arg, place, used) if described is None else described
        kind = NONE if default is None else scalar
        if found is not None and found != used and kind != ANY:
            # The default is one of the values as well.
            found = FLOAT if (kind, found) == (FLOAT, INT) else union((kind, found))
        if found == NONE or (found is None and default is None):
            # Only passed on or compared with None: there is more than that, or nobody would ask.
            found = optional(FUNCTION if arg.arg == "key" else self.inference.by_name(arg.arg))
        if found is None and scalar != ANY:
            return scalar
        found = self.inference.bring(self.linker, module, found or self._guess(arg, place))
        if found == ANY and default is None:
            self.only_none.add((*key, arg.arg))
            return NONE
        if found != scalar and found != ANY:
            self.assumed.setdefault(key, {})[arg.arg] = found
        return scalar if found == ANY else found

    def _guess(self, arg: ast.arg, place: Place) -> Type:
        """A type for a parameter that is only passed on."""
        _, owner, node = place
        if owner is not None and arg.arg == "other":
            return ClassType(owner.name)
        return INT if arg in (node.args.vararg, node.args.kwarg) else self.inference.by_name(arg.arg)

    def _as_described(self, arg: ast.arg, place: Place) -> Type | None:
        """The type that the docstring gives in words; None where it gives none that is understood."""
        # Most parameters have annotations.
        from everypath.languages.python.parameters.described import described_types

        module, owner, node = place
        annotation = None if isinstance(node, ast.Lambda) else described_types(node).get(arg.arg)
        if annotation is None and owner is not None and not isinstance(node, ast.Lambda) and node.name == "__init__":
            annotation = described_types(owner.node).get(arg.arg)
        reader = self.linker.annotations(module, owner, node)
        found = reader.read(annotation)
        return None if found in (ANY, NONE) or reader.unknown else found

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
            from everypath.languages.python.frontend.documented import shown_types

            self._shown[node] = shown_types(node, called, own)
        return self._shown[node]

    def _default(
        self, module: ModuleSource, owner: UserClass | None, function: str, param: str, node: ast.expr
    ) -> ins.ConstValue | ins.StaticDefault:
        constant = self.constant(module, owner, node)
        if not isinstance(constant, ins.NoDefault):
            return constant
        # Computed once, when the function is defined: a list as default is the same list in every call.
        name = argument_default(param, function)
        self.initialise(module, owner, name, node)
        return ins.StaticDefault(owner.name if owner else module.name, name)

    def constant(self, module: ModuleSource, owner: UserClass | None, node: ast.expr) -> ins.ConstValue | ins.NoDefault:
        """The value of an expression that is known now."""
        match node:
            case ast.Constant(value=complex()):
                return ins.NO_DEFAULT
            case ast.Constant(value=value) if value is not Ellipsis:
                constant: ins.ConstValue = value
                return constant
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
                return -number
            case ast.Name() | ast.Attribute():
                return self._named(module, owner, node)
        return ins.NO_DEFAULT

    def _named(self, module: ModuleSource, owner: UserClass | None, node: ast.expr) -> ins.ConstValue | ins.NoDefault:
        match self.linker.expression(module, node, owner):
            case ClassName(name):
                return ins.ClassRef(name)
            case FunctionName(cls, name) if owner is None:
                return ins.FunctionRef(cls, name)
            case ConstantName(value):
                return value
            case BuiltinName(name):
                return builtin_value(name)
            case ExternalName(name):
                return ins.NativeRef(name)
        return ins.NO_DEFAULT


def _has_class(type_: Type) -> bool:
    """Whether a type is, or may be, that of a class of the program or of a function."""
    return any(isinstance(option, (ClassType, FunctionType)) for option in options_of(type_))

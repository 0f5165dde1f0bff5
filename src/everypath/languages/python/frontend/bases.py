"""What a class extends: classes of the program, models of the library's, and bases that change what the class is."""

from __future__ import annotations

import ast

from everypath.ir.instructions import NativeRef
from everypath.ir.program import Class
from everypath.languages.python.frontend.functional import MADE_FROM
from everypath.languages.python.frontend.hierarchy import BUILTIN_BASES
from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.modules import ClassBinding, place_at
from everypath.languages.python.frontend.names import BuiltinName, ClassName, Denotation, ExternalName, UndefinedName
from everypath.languages.python.frontend.nodes import walk
from everypath.languages.python.frontend.userclass import UserClass

HARMLESS_BASES = frozenset(
    "abc.ABC typing.Generic typing.Protocol typing_extensions.Protocol typing_extensions.Generic".split()
)
"""Bases outside the program that add nothing to what its objects do."""

ENUMS = {
    "enum.Enum": "Enum", "enum.IntEnum": "IntEnum", "enum.StrEnum": "StrEnum", "enum.ReprEnum": "Enum",
    "enum.Flag": "Flag", "enum.IntFlag": "IntFlag", "int": "int", "str": "str",
}  # fmt: skip
"""What an enumeration may extend outside the program, and what that makes of it."""

MODEL = "pydantic.BaseModel"
SIMPLE_ENUM = ExternalName("enum._simple_enum")
HARMLESS_METACLASSES = frozenset("ABCMeta EnumMeta EnumType".split())

_COLLECTIONS = frozenset(
    "Mapping MutableMapping Sequence MutableSequence Set MutableSet Collection Container Hashable Sized Iterable "
    "Iterator Generator Reversible Callable MappingView KeysView ItemsView ValuesView".split()
)


class Bases:
    """Finds the bases of classes, and learns from them whether a class is an enumeration, a tuple or a record."""

    def __init__(self, linker: Linker) -> None:
        self._linker = linker

    def of(self, info: UserClass) -> list[str]:
        """The names of the bases that the class has in the program; other bases only say what kind of class it is."""
        info.enum = self._enum_kind(info)
        info.named_tuple = "amed" in getattr(info.node, MADE_FROM, "")
        _note_additions(info)
        found = dict.fromkeys(self._inherited(info, base) for base in info.node.bases)
        # A module may bind the name of the class to something else first, and extend that.
        return [*(name for name in found if name is not None and name != info.name), *self._metaclasses(info)]

    def _inherited(self, info: UserClass, base: ast.expr) -> str | None:
        """The class of the program that one base is; None for a base that only says what kind of class this is."""
        linker, module = self._linker, info.module
        if isinstance(base, ast.Starred):
            linker.problem(module, module.span(base), "`*` among the bases of a class is not supported")
            return None
        if isinstance(base, ast.Call) and self._named_tuple_base(info, base):
            return None
        match self._base(info, base):
            case ClassName(name):
                known = linker.classes.get(name)
                if name == MODEL or (known is not None and known.by_pydantic):
                    return self._model(info, base, name)
                info.typed_dict = info.typed_dict or (known is not None and known.typed_dict)
                return name
            case ExternalName(name) | BuiltinName(name) if info.enum and name in ENUMS:
                return None
            case BuiltinName(name) if name == "object" or name in BUILTIN_BASES:
                return self._predefined(info, name)
            case ExternalName(name) if self._describes(info, name):
                return None
            case ExternalName(name) if (mixin := abstract_collection(linker, name)) is not None:
                return mixin
            case ExternalName(name) | BuiltinName(name) | UndefinedName(name):
                shown = name or ast.unparse(base)
                message = f"class {info.qualname} extends {shown}, whose behaviour is not modelled"
                linker.problem(module, module.span(base), message)
                if shown == "type":
                    _leave_open(info)
                return self._unmodelled(info, shown, shown.rpartition(".")[0])
            case _:
                shown = ast.unparse(base)
                linker.problem(module, module.span(base), f"base {shown} is not a class known statically")
                return self._unmodelled(info, shown, module.name)

    def _model(self, info: UserClass, base: ast.expr, name: str) -> str:
        """A model of pydantic, unless there is more to it than fields."""
        # Few programs have models.
        from everypath.languages.python.frontend.pydantic_models import obstacle

        reason = obstacle(info)
        info.by_pydantic = not reason
        if not reason:
            return name
        message = f"class {info.qualname} extends pydantic.BaseModel and has {reason}, which is not modelled"
        self._linker.problem(info.module, info.module.span(base), message)
        return self._unmodelled(info, "pydantic.Model", "pydantic")

    def _predefined(self, info: UserClass, name: str) -> str | None:
        """A class of the language is replaced by a model of ours, which has its content in a field."""
        if name == "object":
            return None
        ours = self._linker.module_attribute("builtin_bases", BUILTIN_BASES[name])
        assert isinstance(ours, ClassName)
        if name not in ("dict", "list"):
            self._linker.unmakeable.add(info.name)
        return ours.name

    def _describes(self, info: UserClass, name: str) -> bool:
        """Whether a base outside the program says what the class is instead of giving it methods."""
        info.abc = info.abc or name == "abc.ABC"
        info.protocol = info.protocol or name.endswith(".Protocol")
        info.named_tuple = info.named_tuple or name == "typing.NamedTuple"
        typed_dict = name in ("typing.TypedDict", "typing_extensions.TypedDict")
        info.typed_dict = info.typed_dict or typed_dict
        return name in HARMLESS_BASES or name == "typing.NamedTuple" or typed_dict

    def _unmodelled(self, info: UserClass, name: str, module: str) -> str:
        """A base of which nothing is known: an empty class that keeps objects from being made up."""
        self._linker.opaque.add(info.name)
        self._linker.program.classes.setdefault(name, Class(name, external=True, module=module))
        return name

    def _metaclasses(self, info: UserClass) -> list[str]:
        """Unknown bases, for what a metaclass other than `ABCMeta` or `vars()` in the body may do to the class."""
        named = [ast.unparse(k.value) for k in info.node.keywords if k.arg == "metaclass"]
        own = {name for name in named if isinstance(info.module.bindings.get(name), ClassBinding)}
        harmless = {name for name in named if name.rpartition(".")[2] in HARMLESS_METACLASSES} - own
        found = [f"metaclass {name}" for name in named if name not in harmless]
        if any(_fills_namespace(statement) for statement in info.node.body):
            found.append("what its body makes")
        return [self._unmodelled(info, name, info.module.name) for name in found]

    def _base(self, info: UserClass, base: ast.expr) -> Denotation:
        name = base.value if isinstance(base, ast.Subscript) else base
        if isinstance(name, ast.Name) and name.id in info.enclosing:
            return info.enclosing[name.id]
        # The bases of a class inside another one are looked up in the body of that one.
        outer = self._linker.classes.get(f"{info.module.name}.{info.qualname.rpartition('.')[0]}")
        if isinstance(name, ast.Name) and outer is not None and name.id in outer.nested:
            qualname = f"{outer.qualname}.{name.id}"
            return ClassName(self._linker.user_class(info.module, qualname, outer.nested[name.id]).name)
        return self._linker.expression(info.module, base, None)

    def _named_tuple_base(self, info: UserClass, base: ast.Call) -> bool:
        """Take over the fields of `class P(namedtuple("P", "x y"))`."""
        made = self._linker.made_class(info.module, info.qualname, base)
        if made is None or info.enum:
            return False
        info.named_tuple = True
        fields = {s.target.id: s for s in made.body if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)}
        info.annotated = {**fields, **info.annotated}
        return True

    def _enum_kind(self, info: UserClass) -> str:
        """What an enumeration is made from, empty for any other class."""
        found = [self._base(info, base) for base in [*info.node.bases, *self._decorated_into(info)]]
        if hasattr(info.node, MADE_FROM):
            found.append(ExternalName(getattr(info.node, MADE_FROM)))
        kinds = [ENUMS.get(d.name, "") for d in found if isinstance(d, (ExternalName, BuiltinName))]
        classes = self._linker.classes
        inherited = [classes[d.name].enum for d in found if isinstance(d, ClassName) and d.name in classes]
        kinds += filter(None, inherited)
        # `int` and `str` alone do not make an enumeration.
        if not any(inherited) and not any(kind[:1].isupper() for kind in kinds):
            return ""
        return next((kind for kind in kinds if kind != "Enum"), "Enum")

    def _decorated_into(self, info: UserClass) -> list[ast.expr]:
        """The base that the standard library gives to a class with `@_simple_enum(IntEnum)`."""
        calls = [decorator for decorator in info.node.decorator_list if isinstance(decorator, ast.Call)]
        return [call.args[0] for call in calls if call.args and self._base(info, call.func) == SIMPLE_ENUM]


def _fills_namespace(statement: ast.stmt) -> bool:
    """Whether a statement of a class body may define names that do not appear in it, as `vars()[name] = ...` does."""
    match statement:
        case ast.Assign(targets=[ast.Subscript() as part]) | ast.Expr(value=ast.Call() as part):
            inside = walk(part)
        case ast.For() | ast.While() | ast.If():
            inside = walk(statement)
        case _:
            return False
    return any(isinstance(node, ast.Name) and node.id in ("vars", "locals", "exec") for node in inside)


def abstract_collection(linker: Linker, name: str) -> str | None:
    """The class whose methods a class inherits when it extends an abstract collection such as `Mapping`."""
    module, _, member = name.rpartition(".")
    member = "Set" if member == "AbstractSet" else member
    if module not in ("collections.abc", "typing") or member not in _COLLECTIONS:
        return None
    found = linker.module_attribute("_collections_abc", member)
    return found.name if isinstance(found, ClassName) else None


def _leave_open(info: UserClass) -> None:
    """Treat the attributes of a metaclass as unknown: every class that it makes may change them."""
    if any(name in info.functions for name in ("__new__", "__init__", "__call__", "__prepare__")):
        for name, writers in info.statics.items():
            message = f"the attribute {name} of the metaclass {info.qualname}, which the classes it makes may change"
            info.statics[name] = [_unknown(message, writers[0])]


def _note_additions(info: UserClass) -> None:
    """`define(C, "name")` in the module may give the class an attribute of that name, of which nothing is known."""
    for statement in info.module.tree.body:
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Name(id=called), args=[ast.Name(id=cls), *rest])) if (
                cls == info.qualname and called != "setattr"
            ):
                for argument in rest:
                    name = argument.value if isinstance(argument, ast.Constant) else None
                    if isinstance(name, str) and name.isidentifier() and name not in info.functions:
                        message = f"the attribute {name} of {info.qualname}, which {called}() may add"
                        info.statics.setdefault(name, [_unknown(message, statement)])


def _unknown(message: str, place: ast.AST) -> ast.stmt:
    """A definition that ends a path with this message when its value is needed."""
    refusal = ast.Call(ast.Constant(NativeRef("unsupported")), [ast.Constant(message)], [])
    return place_at(ast.Assign([], refusal), place)

"""What the source says about one class, before anything in it is translated."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from copy import copy

from everypath.ir.instructions import NativeRef
from everypath.ir.names import deleted
from everypath.ir.types import Type
from everypath.languages.python.frontend.conditions import TYPING_ONLY
from everypath.languages.python.frontend.modules import (
    FunctionNode,
    ModuleSource,
    bound_names,
    dotted,
    flatten,
    place_at,
    written_names,
)
from everypath.languages.python.frontend.names import Denotation
from everypath.languages.python.frontend.nodes import walk
from everypath.languages.python.frontend.syntax import mangled
from everypath.records import dataclass, field, replace

TRANSPARENT_DECORATORS = frozenset(
    "abstractmethod abc.abstractmethod override typing.override final typing.final typing_extensions.override "
    "typing_extensions.final typing.no_type_check no_type_check".split()
)


@dataclass(slots=True)
class UserFunction:
    """A function or method with what its decorators make of it."""

    node: FunctionNode
    kind: str
    """instance, static, class or property"""
    abstract: bool = False
    unknown_decorators: tuple[ast.expr, ...] = ()
    made: str = ""
    """the class of the object that decorators make of a method, if it is known to be one and no function"""


@dataclass(slots=True)
class DataField:
    """A field of a dataclass."""

    name: str
    annotation: ast.expr | None
    default: ast.expr | None = None
    factory: ast.expr | None = None
    factory_takes_self: bool = False
    """whether the factory is given the object, with the fields before this one"""
    init: bool = True
    repr: bool = True
    compare: bool = True
    hash: bool | None = None
    """whether it counts for the hash; None as for comparison"""
    kw_only: bool = False
    init_only: bool = False
    """an `InitVar`: a parameter of the constructor, no field"""
    parameter: str = ""
    """the parameter of the constructor, where it has another name than the field"""
    converter: ast.expr | None = None
    """what makes the value of the field out of the argument"""
    copied: bool = False
    """whether the field receives a new list with the elements of the argument"""
    said: ast.expr | None = None
    """the call with which a model of pydantic declares the field"""

    @property
    def given_as(self) -> str:
        """The parameter of the constructor."""
        return self.parameter or self.name


@dataclass(slots=True)
class UserClass:
    """A class definition taken apart."""

    name: str
    """its name in the IR"""
    qualname: str
    module: ModuleSource
    node: ast.ClassDef
    functions: dict[str, UserFunction] = field(default_factory=dict)
    setters: dict[str, UserFunction] = field(default_factory=dict)
    deleters: dict[str, UserFunction] = field(default_factory=dict)
    nested: dict[str, ast.ClassDef] = field(default_factory=dict)
    statics: dict[str, list[ast.stmt]] = field(default_factory=dict)
    """class attribute -> the statements that bind it"""
    annotated: dict[str, ast.AnnAssign] = field(default_factory=dict)
    """annotated names of the class body, in order"""
    slots: tuple[str, ...] = ()
    slotted: bool = False
    """whether its objects can have no attributes besides the slots, as far as the class itself decides it"""
    enclosing: Mapping[str, Denotation] = field(default_factory=dict)
    """what names mean in the function around the class"""
    generated_setters: dict[str, FunctionNode] = field(default_factory=dict)
    """methods that assign an attribute which is a descriptor"""
    generated: dict[str, FunctionNode] = field(default_factory=dict)
    """methods that a class decorator adds"""
    frozen: bool = False
    """a dataclass whose fields may not be assigned"""
    by_pydantic: bool = False
    """a model of pydantic"""
    by_attrs: bool = False
    """a class whose methods attrs writes, much as a dataclass"""
    generated_kinds: dict[str, str] = field(default_factory=dict)
    """those of the generated methods that are no plain ones: property or class"""
    enum: str = ""
    """for an enumeration, what it is made from: Enum, IntEnum, StrEnum, int or str"""
    members: dict[str, ast.expr] = field(default_factory=dict)
    """the members of an enumeration with their values, aliases not included"""
    flags: dict[str, int] = field(default_factory=dict)
    """the named members of a flag with their bits"""
    abc: bool = False
    """whether its abstract methods forbid making objects"""
    protocol: bool = False
    declared: dict[str, tuple[Type, str]] = field(default_factory=dict)
    """for a class of the library that only stubs describe: what its methods give, and their kind"""
    answers: dict[str, Type] = field(default_factory=dict)
    """for the class of stand-ins, what each of its methods and attributes gives"""
    arguments: dict[str, Type] = field(default_factory=dict)
    """for an interface with types filled in: what its type parameters stand for"""
    typed_dict: bool = False
    """calling it gives a plain dict"""
    named_tuple: bool = False
    data_fields: dict[str, DataField] | None = None
    """fields of a dataclass, inherited ones first; None for other classes"""
    ignored: list[ast.stmt] = field(default_factory=list)
    """statements of the class body that mean nothing to us and must be reported"""

    @property
    def is_generic(self) -> bool:
        """Whether the class may have type parameters."""
        return bool(getattr(self.node, "type_params", ())) or any(isinstance(b, ast.Subscript) for b in self.node.bases)

    @property
    def is_written_protocol(self) -> bool:
        """Whether it is a protocol of the user's, with or without types filled in."""
        return self.protocol and self.module.user and not self.declared

    def __post_init__(self) -> None:
        for statement, conditional in class_statements(self.node.body):
            self._member(statement, conditional)

    def _member(self, statement: ast.stmt, conditional: bool) -> None:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._function(statement, conditional)
            case ast.ClassDef():
                self.nested[statement.name] = statement
            case ast.AnnAssign(target=ast.Name(id=name)):
                name = self.mangle(name)
                self.annotated.setdefault(name, statement)
                if statement.value is not None:
                    self.statics[name] = [statement]
            case ast.Assign():
                self._assignment(statement, conditional)
            case ast.AugAssign(target=ast.Name(id=name)) if name in self.statics:
                self.statics[name].append(statement)
            case ast.If() | ast.For() | ast.While():
                names = sorted(written_names(statement))
                for name in names:
                    self.statics.setdefault(self.mangle(name), []).append(statement)
                if not names:
                    self.ignored.append(statement)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))) if name in self.statics:
                self.statics[name].append(statement)
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case ast.Delete(targets=targets) if not conditional and all(map(self._delete, targets)):
                pass
            case _:
                self.ignored.append(statement)

    def _assignment(self, statement: ast.Assign, conditional: bool) -> None:
        """An assignment of the class body: of a method, a property, or any other attribute."""
        match statement:
            case ast.Assign(targets=[_, _, *_] as targets, value=value) if self._is_accessor(value) and all(
                isinstance(target, ast.Name) for target in targets
            ):
                for target in targets:
                    self._assignment(ast.copy_location(ast.Assign([target], value), statement), conditional)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as made):
                node = ast.FunctionDef(name, made.args, [ast.copy_location(ast.Return(made.body), made)], [], None)
                self.functions[self.mangle(name)] = UserFunction(ast.copy_location(node, made), "instance")
            case ast.Assign(
                targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id="property"), args=accessors, keywords=[])
            ) if self._accessors(name, accessors):
                pass
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=other)) if other in self.functions:
                self.functions[self.mangle(name)] = self.functions[other]
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))]) if name in self.statics:
                self.statics[name].append(statement)
            case _:
                names = [name for target in statement.targets for name in bound_names(target)]
                for name in names:
                    self.statics[self.mangle(name)] = [statement]
                if "__slots__" in names:
                    value = statement.value
                    elements = value.elts if isinstance(value, (ast.Tuple, ast.List, ast.Set)) else [value]
                    slots = [getattr(element, "value", None) for element in elements]
                    self.slots = tuple(self.mangle(slot) for slot in slots if isinstance(slot, str))
                    self.slotted = len(self.slots) == len(slots) and "__dict__" not in self.slots
                if not names:
                    self.ignored.append(statement)

    def _is_accessor(self, value: ast.expr) -> bool:
        """Whether what is assigned becomes a method or property of the class."""
        match value:
            case ast.Call(func=ast.Name(id="property"), keywords=[]) | ast.Lambda():
                return True
            case ast.Name(id=name):
                return name in self.functions
        return False

    def _accessors(self, name: str, accessors: list[ast.expr]) -> bool:
        """`name = property(getter, setter)` where both are methods of the class."""
        named = [self.mangle(a.id) for a in accessors[:2] if isinstance(a, ast.Name)]
        if not named or len(named) < min(2, len(accessors)) or any(n not in self.functions for n in named):
            return False
        key = self.mangle(name)
        for table, method in zip((self.functions, self.setters), named):
            node = copy(self.functions[method].node)
            node.name = name
            table[key] = UserFunction(node, "property" if table is self.functions else "instance")
        return True

    def _delete(self, target: ast.expr) -> bool:
        """`del name`: only the class body itself can use the name, which is kept under another one."""
        name = self.mangle(target.id) if isinstance(target, ast.Name) else ""
        if name in self.functions:
            node = copy(self.functions[name].node)
            node.name = deleted(name)
            self.functions[deleted(name)] = replace(self.functions.pop(name), node=node)
        elif name in self.statics:
            self.statics[deleted(name)] = self.statics.pop(name)
        else:
            return False
        return True

    def add_outside(self, module: ModuleSource) -> None:
        """Attributes that the module assigns to the class after its body."""
        for statement in module.tree.body:
            match statement:
                case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=cls), attr=name) as target], value=value) if (
                    cls == self.qualname
                ):
                    if name == "__eq__" and not {"__eq__", "__hash__"} & (self.functions.keys() | self.statics.keys()):
                        # Only in a class body does `__eq__` take the hash away.
                        self.generate("__hash__(self)", "return super().__hash__()")
                    self.functions.pop(name, None)
                    plain = ast.Assign([ast.copy_location(ast.Name(name, ast.Store()), target)], value)
                    self.statics[name] = [ast.copy_location(plain, statement)]

    def _function(self, node: FunctionNode, conditional: bool) -> None:
        names = [dotted(d) for d in node.decorator_list]
        if any(n.rpartition(".")[2] == "overload" for n in names):
            # In an interface nothing else follows.
            declared = written_method(f"{node.name}(self, *args, **kwargs)", "...")
            self.functions.setdefault(self.mangle(node.name), user_function(place_at(declared, node)))
            return
        function = user_function(node)
        name = self.mangle(node.name)
        if f"{node.name}.setter" in names:
            self.setters[name] = function
        elif f"{node.name}.getter" in names:
            function.kind = "property"
            self.functions[name] = function
        elif f"{node.name}.deleter" in names:
            self.deleters[name] = function
        elif not (conditional and name in self.functions):
            self.functions[name] = function

    def generate(self, signature: str, body: str, kind: str = "instance", *, waits: bool = False) -> None:
        """Add a method, given as text, unless the class defines one of that name."""
        name = signature.partition("(")[0]
        self.generated_kinds[name] = kind
        if name not in self.functions:
            self.generated[name] = place_at(written_method(signature, body, waits=waits), self.node)

    def generate_results(self, results: Mapping[str, str]) -> None:
        """Add methods that only return something, given by their signatures."""
        for signature, result in results.items():
            self.generate(signature, f"return {result}")

    def mangle(self, name: str) -> str:
        """An attribute name as Python stores it."""
        return mangled(name, self.mangle_prefix)

    @property
    def mangle_prefix(self) -> str:
        """What a private name of this class starts with at run time."""
        return "_" + self.node.name.lstrip("_")


def written_method(signature: str, body: str, *, waits: bool = False) -> FunctionNode:
    """A method from its text, in which `native_x` is the operation `x` of the engine; it has no place yet."""
    name, _, parameters = signature.partition("(")
    # Some names are none that a source could write.
    node = ast.parse(f"{'async ' * waits}def method({parameters}:\n {body}").body[0]
    assert isinstance(node, FunctionNode)
    node.name = name
    _Natives().visit(node)
    for part in walk(node):
        if hasattr(part, "lineno"):
            part.lineno = 0
    return node


class _Natives(ast.NodeTransformer):
    """Puts operations of the engine in the place of names that begin with `native_`."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id.startswith("native_"):
            return ast.copy_location(ast.Constant(NativeRef(node.id.removeprefix("native_"))), node)
        return node


def user_function(node: FunctionNode) -> UserFunction:
    """Read the decorators of a function."""
    kind, abstract = "instance", False
    unknown: list[ast.expr] = []
    for decorator in node.decorator_list:
        name = dotted(decorator)
        if name in ("staticmethod", "classmethod", "property", "abc.abstractproperty"):
            kind = {"staticmethod": "static", "classmethod": "class"}.get(name, "property")
        elif name in TRANSPARENT_DECORATORS:
            abstract = abstract or name.endswith("abstractmethod")
        # `wraps` copies the name and docstring, which nothing here depends on.
        elif not is_wraps(decorator) and name.partition(".")[2] not in ("setter", "getter", "deleter"):
            unknown.append(decorator)
    if node.name in ("__init_subclass__", "__class_getitem__"):
        kind = "class"
    elif node.name == "__new__":
        kind = "static"
    return UserFunction(node, kind, abstract or _is_unwritten(node), tuple(unknown))


def _is_unwritten(node: FunctionNode) -> bool:
    """Whether a method declares a result and leaves it to subclasses: `def size(self) -> int: ...`."""
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    match body:
        case [ast.Expr(ast.Constant(value=value))] if value is ...:
            return node.returns is not None and ast.unparse(node.returns) not in ("None", "'None'")
    return False


def is_wraps(decorator: ast.expr) -> bool:
    """Whether a decorator only makes a function look like another one."""
    return isinstance(decorator, ast.Call) and dotted(decorator.func) in ("functools.wraps", "wraps")


def class_statements(body: list[ast.stmt]) -> Iterator[tuple[ast.stmt, bool]]:
    """The statements of a class body; of those under `if TYPE_CHECKING`, only the declarations of types."""
    for statement in body:
        if isinstance(statement, ast.If) and dotted(statement.test) in TYPING_ONLY:
            yield from flatten(statement.orelse)
            for inner, _ in flatten(statement.body):
                if isinstance(inner, ast.ClassDef) or (isinstance(inner, ast.AnnAssign) and inner.value is None):
                    yield inner, True
        else:
            yield from flatten([statement])

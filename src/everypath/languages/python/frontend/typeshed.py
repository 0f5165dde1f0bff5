"""What is known about the library: signatures, members and results, from the stubs of typeshed.

Everything is asked by dotted names, as a program would write them: `sqlite3.Connection.execute`, `heapq.nlargest`,
`builtins.str.split`. A stub is read when the first question about its module comes; programs that call nothing but
builtins never load any.
"""

from __future__ import annotations

import ast
import sys
from functools import cache

from everypath.ir.types import ANY, Type, union
from everypath.languages.python.cards.index import MODELLED
from everypath.languages.python.frontend.annotations import PREDEFINED, AnnotationReader, library_type
from everypath.languages.python.frontend.modules import FunctionNode, defaults_of, dotted, positional
from everypath.languages.python.frontend.names import BuiltinName, ClassName, Denotation, ExternalName, UndefinedName
from everypath.records import dataclass


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a library function, with its annotation as it stands in the stub."""

    name: str
    annotation: ast.expr | None
    kind: str
    """normal, positional, keyword, star or doublestar"""
    required: bool


@dataclass(frozen=True, slots=True)
class Signature:
    """One way to call a library function; its annotations mean what they mean in the stub `module`."""

    module: str
    owner: str
    """dotted name of the class whose objects have it, or that it makes; empty for a function of a module"""
    name: str
    kind: str
    """function, method, classmethod, staticmethod, property or constructor"""
    params: tuple[Parameter, ...]
    """without the object or class that a method is called on"""
    result: ast.expr | None
    """None for a constructor, which gives an object of `owner`"""
    is_async: bool = False

    def param_type(self, param: Parameter) -> Type:
        """What may be given for a parameter; ANY where that cannot be told."""
        return annotated_type(self.module, param.annotation, self.owner)

    def result_type(self) -> Type:
        """What the call gives; ANY where that cannot be told."""
        if self.kind == "constructor":
            return class_type(self.owner)
        return annotated_type(self.module, self.result, self.owner)

    def never_returns(self) -> bool:
        """Whether a call of it always raises or ends the program."""
        return self.result is not None and denoted(self.module, self.result).endswith((".NoReturn", ".Never"))


@dataclass(frozen=True, slots=True)
class Definition:
    """What a stub says about a dotted name: the statements that define it, overloads one by one."""

    module: str
    owner: str
    """dotted name of the class around it; empty at the top of a module"""
    name: str
    nodes: tuple[ast.AST, ...]
    inner: dict[str, Definition]
    """the members of a class, without inherited ones"""

    @property
    def path(self) -> str:
        """The dotted name under which the stub defines it."""
        return f"{self.owner or self.module}.{self.name}"


def signature(path: str) -> Signature | None:
    """The first way to call a library function, method or class; None for anything that typeshed does not know."""
    return next(iter(signatures(path)), None)


@cache
def signatures(path: str) -> tuple[Signature, ...]:
    """All ways to call a library function, method or class, overload by overload; a property takes nothing."""
    found = _renamed(lookup(path))
    if found is None:
        return ()
    if isinstance(found.nodes[0], ast.ClassDef):
        makers = [maker for name in ("__init__", "__new__") for maker in signatures(f"{found.path}.{name}")]
        # Every class inherits one of `object`, which says nothing if there is another one.
        own = [maker for maker in makers if maker.owner != "builtins.object"] or makers[:1]
        return tuple(Signature(m.module, path, found.name, "constructor", m.params, None) for m in own)
    return tuple(_signature(found, node) for node in found.nodes if isinstance(node, FunctionNode))


def result_type(path: str) -> Type:
    """What a library function, method, property or attribute gives: the union over its overloads, ANY if unknown."""
    results = [found.result_type() for found in signatures(path)]
    found = lookup(path)
    if found is not None and isinstance(node := found.nodes[0], ast.AnnAssign):
        results = [annotated_type(found.module, node.annotation, found.owner)]
    return union(results) if results and ANY not in results else ANY


@cache
def members(path: str) -> dict[str, Definition]:
    """The attributes of the objects of a library class, inherited ones included, by name; empty if it is unknown."""
    return {name: inner for cls in reversed(line(path)) for name, inner in cls.inner.items()}


@cache
def line(path: str) -> tuple[Definition, ...]:
    """A library class and its bases, in the order in which attributes are looked up."""
    found = _renamed(lookup(path))
    above = [cls for base in _bases(path) for cls in line(base)]
    # What several bases share comes after all of them.
    return () if found is None else (found, *(cls for at, cls in enumerate(above) if cls not in above[at + 1 :]))


def is_protocol(path: str) -> bool:
    """Whether a library class only describes what objects can do."""
    return any(base.endswith(".Protocol") for base in _bases(path))


def class_type(path: str) -> Type:
    """The type of the objects of a library class; ANY where no values can be made of it."""
    if path in MODELLED:
        return MODELLED[path].type
    return PREDEFINED.get(path.removeprefix("builtins.")) or library_type(ExternalName(path)) or ANY


@cache
def lookup(path: str) -> Definition | None:
    """What a dotted name stands for, found through imports and bases of classes."""
    parts = path.split(".")
    for size in range(len(parts) - 1, 0, -1):
        found = _in_module(".".join(parts[:size]), parts[size])
        for name in parts[size + 1 :]:
            if found is not None:
                found = members(_class_of(found)).get(name)
        if found is not None:
            return found
    return None


def _class_of(found: Definition) -> str:
    """The class in which attributes of something are looked up: itself, or that of a variable."""
    node = found.nodes[0]
    return denoted(found.module, node.annotation) if isinstance(node, ast.AnnAssign) else found.path


def _renamed(found: Definition | None) -> Definition | None:
    """What a definition such as `Lock = _thread.lock` is about; else the definition itself."""
    node = found.nodes[0] if found is not None else None
    if found is not None and isinstance(node, ast.Assign) and dotted(node.value):
        return lookup(denoted(found.module, node.value))
    return found


def annotated_type(module: str, annotation: ast.expr | None, owner: str = "") -> Type:
    """The type that an annotation in a stub describes; ANY unless all of it is understood."""
    reader = stub_reader(module, class_type(owner) if owner else ANY)
    found = reader.read(annotation)
    return ANY if reader.unknown else found


def stub_reader(module: str, self_type: Type = ANY) -> AnnotationReader:
    """A reader of the annotations in a stub."""

    def resolve(node: ast.expr) -> Denotation:
        name = denoted(module, node)
        if name.startswith("builtins."):
            return BuiltinName(name.removeprefix("builtins."))
        if name in MODELLED:
            return ClassName(name)
        return ExternalName(name) if name else UndefinedName(dotted(node))

    def alias(node: ast.expr) -> tuple[ast.expr, AnnotationReader] | None:
        if (found := lookup(denoted(module, node))) is not None:
            match found.nodes[0]:
                case ast.Assign(value=ast.Call(args=[_], keywords=[])):
                    # A type variable without bounds, about which the caller has to know more.
                    return ast.Name("object"), stub_reader("builtins")
                case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                    return value, stub_reader(found.module, self_type)
        return None

    return AnnotationReader(resolve, alias, lambda module, name: None, self_type)


def denoted(module: str, node: ast.expr) -> str:
    """The dotted name of what an expression in a stub names, as the stub imports it; empty if it names nothing."""
    if isinstance(node, ast.Subscript):
        return denoted(module, node.value)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return denoted(module, ast.parse(node.value, mode="eval").body)
    head, *rest = dotted(node).split(".")
    if not head:
        return ""
    imported = _imports(module).get(head)
    if imported is None:
        imported = f"{module}.{head}" if _in_module(module, head) is not None else f"builtins.{head}"
    return ".".join((imported, *rest))


def _bases(path: str) -> list[str]:
    found = _renamed(lookup(path))
    if found is None or not isinstance(node := found.nodes[0], ast.ClassDef):
        return []
    named = [denoted(found.module, base) for base in node.bases]
    return named if named or found.path == "builtins.object" else ["builtins.object"]


def _signature(found: Definition, node: FunctionNode) -> Signature:
    decorators = [dotted(d).rpartition(".")[2] for d in node.decorator_list]
    kind = next((d for d in decorators if d in ("classmethod", "staticmethod", "property")), "")
    kind = "property" if "cached_property" in decorators else kind or ("method" if found.owner else "function")
    args, defaults = node.args, defaults_of(node)
    sorts: dict[str, list[ast.arg]] = {
        "positional": args.posonlyargs, "normal": args.args, "star": [args.vararg] if args.vararg else [],
        "keyword": args.kwonlyargs, "doublestar": [args.kwarg] if args.kwarg else [],
    }  # fmt: skip
    receiver = positional(node)[:1] if kind not in ("function", "staticmethod") else []
    params = tuple(
        Parameter(arg.arg, arg.annotation, sort, arg.arg not in defaults and "star" not in sort)
        for sort, given in sorts.items()
        for arg in given
        if arg not in receiver
    )
    is_async = isinstance(node, ast.AsyncFunctionDef)
    return Signature(found.module, found.owner, found.name, kind, params, node.returns, is_async)


@cache
def _in_module(module: str, name: str) -> Definition | None:
    """The definition of a name of a stub, possibly in another one from which it is imported."""
    if (imported := _imports(module).get(name)) is not None:
        source, _, original = imported.rpartition(".")
        return _in_module(source, original) if source and imported != f"{module}.{name}" else None
    return _defined(module).get(name)


@cache
def _imports(module: str) -> dict[str, str]:
    return _read(module)[0]


@cache
def _defined(module: str) -> dict[str, Definition]:
    return _read(module)[1]


@cache
def _read(module: str) -> tuple[dict[str, str], dict[str, Definition]]:
    """What a stub imports, by name, and what it defines."""
    # It takes longer to load than most programs take to be explored.
    import typeshed_client as client

    context = client.get_search_context(search_path=[], version=sys.version_info[:2])
    names = client.get_stub_names(module, search_context=context) or {}
    imports: dict[str, str] = {}
    defined: dict[str, Definition] = {}

    def add(info: client.NameInfo, owner: str, into: dict[str, Definition]) -> None:
        given = info.ast.definitions if isinstance(info.ast, client.OverloadedName) else [info.ast]
        nodes = tuple(node for node in given if isinstance(node, ast.AST))
        if nodes:
            made = into[info.name] = Definition(module, owner, info.name, nodes, {})
            for child in (info.child_nodes or {}).values():
                add(child, made.path, made.inner)
        elif not owner and isinstance(source := given[-1], client.ImportedName):
            imports[info.name] = ".".join((*source.module_name, *([source.name] if source.name else [])))

    for info in names.values():
        add(info, "", defined)
    return imports, defined

"""The things in a module that types are inferred for, each with its slot: classes, functions, variables.

A slot (`evidence.py`) stands for one value. Here it is decided which values are the same one: an attribute of a class
is that of its bases as well, a variable is that of the innermost function around which binds it, and each function has
one slot for each parameter and one for its result, which all of its calls share.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from everypath.ir.types import ANY, STR, ClassType, DictType, ListType, TupleType, Type
from everypath.languages.python.frontend.evidence import Slot, annotated, constant
from everypath.languages.python.frontend.modules import (
    Function,
    FunctionNode,
    ModuleSource,
    arguments,
    defaults_of,
    dotted,
    flatten,
    positional,
)
from everypath.languages.python.frontend.nodes import children, walk

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_OWN_SCOPE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, *_COMPREHENSIONS)
CONTENT: dict[str, tuple[str, Type]] = {"dict": ("_entries", DictType(ANY, ANY)), "list": ("_items", ListType(ANY))}
"""The field that stands for what an object holds whose class extends a class of the language."""


class ClassShape:
    """A class of the module: its methods, and a slot for each attribute of its objects."""

    def __init__(self, qualname: str, node: ast.ClassDef) -> None:
        self.qualname = qualname
        self.node = node
        self.bases: list[ClassShape] = []
        self.attributes: dict[str, Slot] = {}
        self.methods = {inner.name: inner for inner, _ in flatten(node.body) if isinstance(inner, FunctionNode)}

    def line(self) -> Iterator[ClassShape]:
        """The class and what it inherits from, inside the module."""
        yield self
        for base in self.bases:
            yield from base.line()

    def method(self, name: str) -> FunctionNode | None:
        """The method that objects of the class have under this name."""
        return next((shape.methods[name] for shape in self.line() if name in shape.methods), None)

    def slot(self, name: str) -> Slot:
        """The slot of an attribute; a class shares those of its bases."""
        return self.known_slot(name) or self.attributes.setdefault(name, Slot())

    def known_slot(self, name: str) -> Slot | None:
        """The slot of an attribute that something was said about."""
        return next((shape.attributes[name] for shape in self.line() if name in shape.attributes), None)

    def content(self) -> Slot | None:
        """The slot of what objects hold whose class extends a dict or list."""
        for shape in self.line():
            for base in shape.node.bases:
                name = dotted(base.value if isinstance(base, ast.Subscript) else base)
                if name in CONTENT:
                    field, type_ = CONTENT[name]
                    slot = shape.slot(field)
                    slot.find().types.setdefault(type_)
                    return slot
        return None

    def names(self) -> set[str]:
        """All attributes that its objects are known to have."""
        return {name for shape in self.line() for name in (*shape.attributes, *shape.methods)}


class Scope:
    """The names of one function, and of those around it."""

    def __init__(
        self, names: dict[str, Slot], outer: Scope | None, owner: ClassShape | None, first: str | None
    ) -> None:
        self.names = names
        self.outer = outer
        self.owner = owner
        self.first = first
        """the parameter that receives the object"""
        self.params: frozenset[str] = frozenset()
        self.once: frozenset[str] = frozenset()
        """the variables that are assigned in one place only"""
        self.returned = Slot()

    def inside(self, names: dict[str, Slot]) -> Scope:
        """The scope of a comprehension."""
        return Scope(names, self, self.owner, None)

    def lookup(self, name: str) -> Slot | None:
        """The slot of a variable that is visible here."""
        if name in self.names:
            return self.names[name]
        return self.outer.lookup(name) if self.outer is not None else None


class ModuleShape:
    """The classes and functions of one module, and the slots of their parameters and results."""

    def __init__(self, module: ModuleSource) -> None:
        self.module = module
        self.classes: dict[str, ClassShape] = {}
        """qualified name -> class, classes inside others included"""
        self.functions: dict[str, FunctionNode] = {}
        self.objects: list[Slot] = []
        """values whose attributes are looked at"""
        self.params: dict[ast.AST, dict[str, Slot]] = {}
        self.returned: dict[ast.AST, Slot] = {}
        self._declare(module.tree.body, "")
        for shape in self.classes.values():
            named = (self.classes.get(dotted(base)) for base in shape.node.bases)
            shape.bases = [base for base in named if base is not None and base is not shape]

    def _declare(self, body: list[ast.stmt], prefix: str) -> None:
        for statement, _ in flatten(body):
            if isinstance(statement, ast.ClassDef):
                qualname = f"{prefix}{statement.name}"
                self.classes[qualname] = ClassShape(qualname, statement)
                self._declare(statement.body, f"{qualname}.")
            elif isinstance(statement, FunctionNode) and not prefix:
                self.functions[statement.name] = statement

    def type_of(self, shape: ClassShape) -> ClassType:
        """The type of the objects of a class of the module."""
        return ClassType(f"{self.module.name}.{shape.qualname}")

    def shape_of(self, name: str) -> ClassShape | None:
        """The class of the module that has this name in the program."""
        return self.classes.get(name.removeprefix(f"{self.module.name}."))

    def classes_with(self, names: frozenset[str]) -> tuple[Type, ...]:
        """The types of the classes whose objects have all these attributes."""
        fitting = [shape for shape in self.classes.values() if names <= shape.names()]
        # An object of a class is also one of its bases, and the most general class says it all.
        general = [s for s in fitting if not any(base in fitting for base in s.line() if base is not s)]
        return tuple(map(self.type_of, general))

    def function_scope(self, node: Function, outer: Scope, owner: ClassShape | None) -> Scope:
        """The scope of a function with a slot for each of its names."""
        params = self.slots(node)
        names = params | self._collected(node, params)
        body: list[ast.stmt] = [ast.Expr(node.body)] if isinstance(node, ast.Lambda) else node.body
        times = Counter(name for statement in body for name in stored(statement))
        taken = names.keys() | _declared_outside(body)
        names.update({name: Slot() for name in times if name not in taken})
        received = positional(node)
        static = any(dotted(d) in ("staticmethod", "classmethod") for d in getattr(node, "decorator_list", ()))
        first = received[0].arg if owner is not None and received and not static else None
        scope = Scope(names, outer, owner or outer.owner, first)
        scope.returned = self.returned[node]
        scope.once = frozenset(name for name, count in times.items() if count == 1 and name not in params)
        scope.params = frozenset(arg.arg for arg in (*received, *node.args.kwonlyargs))
        return scope

    def _collected(self, node: Function, params: dict[str, Slot]) -> dict[str, Slot]:
        """The slots of the tuple and the dict in which a function finds the arguments of `*args` and `**named`."""
        found: dict[str, Slot] = {}
        for variadic, type_ in ((node.args.vararg, TupleType((), ANY)), (node.args.kwarg, DictType(STR, ANY))):
            if variadic is not None:
                whole = found[variadic.arg] = Slot()
                whole.iterated = True
                whole.types[type_] = None
                whole.element = params[variadic.arg]
        return found

    def slots(self, node: Function) -> dict[str, Slot]:
        """The slots of a function's parameters; of `*args` and `**named` those of the elements."""
        if node in self.params:
            return self.params[node]
        found = self.params[node] = {arg.arg: Slot() for arg in arguments(node)}
        result = self.returned[node] = Slot()
        declared = [(found[arg.arg], arg.annotation) for arg in arguments(node)]
        for slot, annotation in [*declared, (result, getattr(node, "returns", None))]:
            if (type_ := annotated(annotation)) is not None:
                slot.types[type_] = None
        for name, default in defaults_of(node).items():
            if isinstance(default, ast.Constant):
                found[name].merge(constant(default.value))
        return found


def _declared_outside(body: list[ast.stmt]) -> set[str]:
    """The variables of other scopes that a function assigns."""
    parts = (part for statement in body for part in walk(statement))
    return {name for part in parts if isinstance(part, (ast.Global, ast.Nonlocal)) for name in part.names}


def stored(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement binds in its own scope."""
    agenda: list[ast.AST] = [statement]
    while agenda:
        node = agenda.pop()
        if isinstance(node, _OWN_SCOPE):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        agenda.extend(children(node))

"""Types of parameters and fields that nothing declares, from how the functions of a module use them.

All functions of the module are read once. Every variable, parameter and field has a slot (`evidence.py`); statements
say which slots are the same value, and operations what a value must be able to do. A call lends what is known about a
parameter to the argument, and the other way round.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from everypath.ir.types import ANY, INT, NONE, STR, ClassType, DictType, ListType, TupleType, Type
from everypath.languages.python.frontend import uses
from everypath.languages.python.frontend.evidence import Judge, Slot, classes_in
from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.modules import FunctionNode, ModuleSource, dotted, flatten
from everypath.languages.python.frontend.reading import Reader, stored

CONTENT: dict[str, tuple[str, Type]] = {
    "dict": ("_entries", DictType(ANY, ANY)),
    "list": ("_items", ListType(ANY)),
}
"""The field that stands for what an object holds whose class extends a class of the language."""


class ClassShape:
    """A class of the module: its methods, and a slot for each attribute of its objects."""

    def __init__(self, qualname: str, node: ast.ClassDef) -> None:
        self.qualname = qualname
        self.node = node
        self.bases: list[ClassShape] = []
        self.methods: dict[str, FunctionNode] = {}
        self.attributes: dict[str, Slot] = {}
        for statement, _ in flatten(node.body):
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.methods[statement.name] = statement

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
        for shape in self.line():
            if name in shape.attributes:
                return shape.attributes[name]
        return self.attributes.setdefault(name, Slot())

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
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return None


class ModuleUses:
    """What the code of one module says about its parameters and fields."""

    def __init__(self, module: ModuleSource) -> None:
        self.module = module
        self.classes: dict[str, ClassShape] = {}
        self.functions: dict[str, FunctionNode] = {}
        self.params: dict[ast.AST, dict[str, Slot]] = {}
        self.returned: dict[ast.AST, Slot] = {}
        self._objects: list[Slot] = []
        self._globals: dict[str, Slot] = {}
        self.judge = Judge(self._classes_with)
        self._declare(module.tree.body, "")
        for shape in self.classes.values():
            named = (self.classes.get(dotted(base)) for base in shape.node.bases)
            shape.bases = [base for base in named if base is not None and base is not shape]
        top = Scope(self._globals, None, None, None)
        for statement in module.tree.body:
            for name in stored(statement):
                self._globals.setdefault(name, Slot())
        for name in (*self.functions, *self.classes):
            self._globals.pop(name, None)
        reader = Reader(self, top)
        reader.body([s for s in module.tree.body if not isinstance(s, (ast.If, ast.Try))])
        for shape in self.classes.values():
            self._read_class(shape, top)
        self._connect_objects()

    def parameter(self, function: ast.AST, name: str) -> Type | None:
        """The type of a parameter; None without any use, ANY when no type explains how it is used."""
        slot = self.params.get(function, {}).get(name)
        return None if slot is None else self.judge.argument_of(slot)

    def field(self, cls: str, name: str) -> Type | None:
        """The type of an attribute of a class, given by its qualified name."""
        shape = self.classes.get(cls)
        if shape is None:
            return None
        slot = next((s.attributes[name] for s in shape.line() if name in s.attributes), None)
        return None if slot is None else self.judge.type_of(slot)

    def _declare(self, body: list[ast.stmt], prefix: str) -> None:
        for statement, _ in flatten(body):
            if isinstance(statement, ast.ClassDef):
                qualname = f"{prefix}{statement.name}"
                self.classes[qualname] = ClassShape(qualname, statement)
                self._declare(statement.body, f"{qualname}.")
            elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)) and not prefix:
                self.functions[statement.name] = statement

    def _read_class(self, shape: ClassShape, top: Scope) -> None:
        reader = Reader(self, Scope({}, top, shape, None))
        for statement, _ in flatten(shape.node.body):
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                reader.function(statement, shape)
            elif isinstance(statement, ast.Assign):
                for target in statement.targets:
                    if isinstance(target, ast.Name):
                        shape.slot(target.id).lend(reader.value(statement.value))

    def start(self, node: FunctionNode | ast.Lambda, outer: Scope, owner: ClassShape | None) -> Scope:
        """The scope of a function with a slot for each of its names."""
        params = self.slots(node)
        names = dict(params)
        args = node.args
        for variadic in (args.vararg, args.kwarg):
            if variadic is not None:
                whole = names[variadic.arg] = Slot()
                whole.iterated = True
                if variadic is args.vararg:
                    whole.types[TupleType((), ANY)] = None
                else:
                    whole.types[DictType(STR, ANY)] = None
                whole.element = params[variadic.arg]
        body: list[ast.stmt] = [ast.Expr(node.body)] if isinstance(node, ast.Lambda) else node.body
        outside = {
            n for s in body for part in ast.walk(s) if isinstance(part, (ast.Global, ast.Nonlocal)) for n in part.names
        }
        times = Counter(name for statement in body for name in stored(statement))
        for name in times:
            if name not in names and name not in outside:
                names[name] = Slot()
        positional = [*args.posonlyargs, *args.args]
        static = any(dotted(d) in ("staticmethod", "classmethod") for d in getattr(node, "decorator_list", ()))
        first = positional[0].arg if owner is not None and positional and not static else None
        scope = Scope(names, outer, owner or outer.owner, first)
        scope.returned = self.returned[node]
        scope.once = frozenset(name for name, count in times.items() if count == 1 and name not in params)
        scope.params = frozenset(arg.arg for arg in (*positional, *args.kwonlyargs))
        return scope

    def slots(self, node: FunctionNode | ast.Lambda) -> dict[str, Slot]:
        """The slots of a function's parameters; of `*args` and `**named` those of the elements."""
        if node not in self.params:
            args = node.args
            every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
            found = self.params[node] = {arg.arg: Slot() for arg in every if arg is not None}
            for arg in every:
                declared = uses.annotated(arg.annotation) if arg is not None else None
                if arg is not None and declared is not None:
                    found[arg.arg].types[declared] = None
            positional = [*args.posonlyargs, *args.args]
            defaults = list(zip(positional[::-1], args.defaults[::-1]))
            for arg, default in [*defaults, *zip(args.kwonlyargs, args.kw_defaults)]:
                if isinstance(default, ast.Constant):
                    found[arg.arg].merge(uses.constant(default.value))
            self.returned[node] = Slot()
            declared = uses.annotated(getattr(node, "returns", None))
            if declared is not None:
                self.returned[node].types[declared] = None
        return self.params[node]

    def used_as_object(self, slot: Slot) -> None:
        """Remember a value whose attributes are looked at."""
        self._objects.append(slot)

    def _classes_with(self, names: frozenset[str]) -> tuple[Type, ...]:
        fitting = [shape for shape in self.classes.values() if names <= shape.names()]
        # An object of a class is also one of its bases, and the most general class says it all.
        general = [s for s in fitting if not any(base in fitting for base in s.line() if base is not s)]
        return tuple(ClassType(f"{self.module.name}.{shape.qualname}") for shape in general)

    def _connect_objects(self) -> None:
        """Fields that are read through other variables are those of the class that has them all."""
        for slot in self._objects:
            root = slot.find()
            for type_ in self._classes_with(frozenset(root.attributes))[:1]:
                assert isinstance(type_, ClassType)
                shape = self.classes[type_.name.removeprefix(f"{self.module.name}.")]
                for name, part in list(root.fields.items()):
                    if shape.method(name) is None:
                        shape.slot(name).lend(part)


class Inference:
    """The uses of every module that was asked about, each read once."""

    def __init__(self) -> None:
        self._modules: dict[str, ModuleUses] = {}

    def bring(self, linker: Linker, module: ModuleSource, type_: Type) -> Type:
        """The type with the classes that it names made part of the program; ANY if one cannot be."""
        for name in classes_in(type_):
            shape = self.of(module).classes.get(name.removeprefix(f"{module.name}."))
            if shape is not None:
                info = linker.user_class(module, shape.qualname, shape.node)
                if any(base in linker.opaque for base in linker.program.mro(info.name)):
                    return ANY
            elif name not in linker.program.classes:
                linker.module_attribute(*name.rsplit(".", 1))
        return type_

    def of(self, module: ModuleSource) -> ModuleUses:
        """What the code of a module says."""
        found = self._modules.get(module.name)
        if found is None:
            found = self._modules[module.name] = ModuleUses(module)
        return found


def by_name(name: str) -> Type:
    """A guess for a parameter that is only passed on: by what such names usually mean, else an integer."""
    return uses.NAMES.get(name.strip("_").lower(), INT)


__all__ = ["NONE", "Inference", "ModuleUses", "by_name"]

"""Types of parameters and fields that nothing declares, from how the functions of a module use them.

1. Every variable, parameter and field of the module gets a slot (`shapes.py`).
2. All functions of the module are read once (`reading.py`, calls in `uses.py`). Statements say which slots are the same
   value, and operations what a value must be able to do. A call lends what is known about a parameter to the argument,
   and the other way round.
3. Values whose attributes were looked at are connected with the class that has all of them.
4. When somebody asks for the type of a slot, its evidence is weighed (`evidence.py`).

This is unification in the style of Hindley and Milner, except that contradictions are no errors: evidence is what the
code hints at, and the best explanation is taken.
"""

from __future__ import annotations

import ast

from everypath.ir.types import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    NONE,
    STR,
    ClassType,
    DictType,
    ListType,
    TupleType,
    Type,
    classes_in,
)
from everypath.languages.python.frontend import uses
from everypath.languages.python.frontend.evidence import Judge, Slot
from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.modules import FunctionNode, ModuleSource, flatten
from everypath.languages.python.frontend.reading import Reader
from everypath.languages.python.frontend.shapes import ClassShape, ModuleShape, Scope, stored

_USUAL: tuple[Type, ...] = (
    STR, INT, ListType(INT), ListType(STR), DictType(STR, INT), FLOAT, ListType(TupleType((INT, INT))), BOOL,
)  # fmt: skip
"""What parameters are most often, where the code says nothing, or nothing that it keeps to."""


class ModuleUses:
    """What the code of one module says about its parameters and fields."""

    def __init__(self, module: ModuleSource) -> None:
        self.shape = shape = ModuleShape(module)
        self._judge = Judge(shape.classes_with)
        bound = dict.fromkeys(name for statement in module.tree.body for name in stored(statement))
        variables = {name: Slot() for name in bound if name not in shape.functions and name not in shape.classes}
        top = Scope(variables, None, None, None)
        # What stands under a condition or in a `try` may well be an alternative to what is used.
        Reader(shape, top).body([s for s in module.tree.body if not isinstance(s, (ast.If, ast.Try))])
        for cls in shape.classes.values():
            self._read_class(cls, top)
        self._connect_objects()

    def parameter(self, function: ast.AST, name: str) -> Type | None:
        """The type of a parameter; None without any use, ANY when no type explains how it is used."""
        slot = self.shape.params.get(function, {}).get(name)
        return None if slot is None else self._judge.argument_of(slot)

    def alternatives(self, function: ast.AST, name: str) -> tuple[Type, ...]:
        """Other types for a parameter, first those that the code hints at."""
        slot = self.shape.params.get(function, {}).get(name)
        hints = () if slot is None else self._judge.alternatives(slot)
        return tuple(type_ for type_ in dict.fromkeys((*hints, *_USUAL)) if type_ not in (ANY, NONE))

    def result(self, function: ast.AST) -> Type | None:
        """The type of what a function gives, by what is done with it."""
        slot = self.shape.returned.get(function)
        return None if slot is None else self._judge.type_of(slot)

    def field(self, cls: str, name: str) -> Type | None:
        """The type of an attribute of a class, given by its qualified name."""
        shape = self.shape.classes.get(cls)
        slot = None if shape is None else shape.known_slot(name)
        return None if slot is None else self._judge.type_of(slot)

    def _read_class(self, shape: ClassShape, top: Scope) -> None:
        reader = Reader(self.shape, Scope({}, top, shape, None))
        for statement, _ in flatten(shape.node.body):
            if isinstance(statement, FunctionNode):
                reader.function(statement, shape)
            elif isinstance(statement, ast.Assign):
                for target in statement.targets:
                    if isinstance(target, ast.Name):
                        shape.slot(target.id).lend(reader.value(statement.value))

    def _connect_objects(self) -> None:
        """Fields that are read through other variables are those of the class that has them all."""
        for slot in self.shape.objects:
            root = slot.find()
            for type_ in self.shape.classes_with(frozenset(root.attributes))[:1]:
                shape = self.shape.shape_of(type_.name) if isinstance(type_, ClassType) else None
                assert shape is not None
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
            if (shape := self.of(module).shape.shape_of(name)) is not None:
                info = linker.user_class(module, shape.qualname, shape.node)
                if any(base in linker.opaque for base in linker.program.mro(info.name)):
                    return ANY
            elif name not in linker.program.classes:
                linker.module_attribute(*name.rsplit(".", 1))
        return type_

    def of(self, module: ModuleSource) -> ModuleUses:
        """What the code of a module says."""
        if module.name not in self._modules:
            self._modules[module.name] = ModuleUses(module)
        return self._modules[module.name]

    def by_name(self, name: str) -> Type:
        """A guess for a parameter that is only passed on: by what such names usually mean, else an integer."""
        return uses.NAMES.get(name.strip("_").lower(), INT)

"""What the fields of models and dataclasses promise about objects that are handed in.

A field `price: Annotated[int, Gt(0)]`, or `price: int = Field(gt=0)` of a model of pydantic, is a precondition of every
function that takes such an object, also inside of a list or of another object.
"""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Iterator

from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.modules import FunctionNode, ModuleSource, arguments, dotted
from everypath.languages.python.frontend.names import ClassName
from everypath.languages.python.frontend.pydantic_models import conditions_on
from everypath.languages.python.frontend.syntax import PROMISED
from everypath.languages.python.frontend.types_said import EACH, element_of, for_each, option_of, or_none, unquoted

_DEEP = 3
"""Objects inside of objects, so many levels of them."""


class _About(ast.NodeTransformer):
    """Puts another object in the place of `self`."""

    def __init__(self, value: ast.expr) -> None:
        self._value = value

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A variable."""
        return copy.deepcopy(self._value) if node.id == "self" else node


class PromisedModels:
    """The promises that classes make, for the functions of one module."""

    def __init__(self, linker: Linker, module: ModuleSource) -> None:
        self._linker = linker
        self._module = module

    def about(self, node: FunctionNode, receiver: str) -> Iterator[ast.expr]:
        """What holds for the arguments of a function, and for the object of a method if its class is named."""
        params = arguments(node)
        if receiver and params:
            yield from self._of_class(receiver, ast.Name(params[0].arg, ast.Load()), _DEEP)
            params = params[1:]
        for param in params:
            yield from self._of(self._module, param.annotation, ast.Name(param.arg, ast.Load()), _DEEP)

    def _of(self, module: ModuleSource, annotation: ast.expr | None, value: ast.expr, deep: int) -> Iterator[ast.expr]:
        annotation = unquoted(annotation)
        option, element = option_of(annotation), element_of(annotation)
        if annotation is None or not deep:
            return
        if option is not None:
            for condition in self._of(module, option, value, deep):
                yield or_none(value, condition)
        elif element is not None:
            yield from for_each(value, self._of(module, element, ast.Name(EACH, ast.Load()), deep))
        elif isinstance(annotation, ast.Subscript):
            if dotted(annotation.value).rpartition(".")[2] == "Annotated" and isinstance(annotation.slice, ast.Tuple):
                yield from self._of(module, annotation.slice.elts[0], value, deep)
        elif (
            isinstance(annotation, (ast.Name, ast.Attribute))
            and dotted(annotation).partition(".")[0] in module.bindings
        ):
            denoted = self._linker.expression(module, annotation)
            if isinstance(denoted, ClassName):
                yield from self._of_class(denoted.name, value, deep)

    def _of_class(self, name: str, value: ast.expr, deep: int) -> Iterator[ast.expr]:
        info = self._linker.classes.get(name)
        if info is None or not info.module.user:
            return
        for base in self._linker.line(name):
            for condition in getattr(base.node, PROMISED, ()):
                if self._is_known(condition, ast.Name("self", ast.Load()), base.module):
                    yield _About(value).visit(copy.deepcopy(condition))
        for made in (info.data_fields or {}).values():
            field = ast.Attribute(copy.deepcopy(value), made.name, ast.Load())
            for condition in conditions_on(made, field):
                if self._is_known(condition, value, info.module):
                    yield condition
                else:
                    span = info.module.span(made.annotation or info.node)
                    said = f"the constraint on {made.name} of {info.qualname} names something of its own module"
                    self._linker.problems.add("note", span, f"{said}; it is left out")
            yield from self._of(info.module, made.annotation, field, deep - 1)

    def _is_known(self, condition: ast.expr, value: ast.expr, module: ModuleSource) -> bool:
        """Whether all names in a condition mean the same here as where the class is."""
        if module is self._module:
            return True
        own = {part.id for part in ast.walk(value) if isinstance(part, ast.Name)} | {EACH}
        names = {part.id for part in ast.walk(condition) if isinstance(part, ast.Name)}
        return all(name in own or hasattr(builtins, name) for name in names)

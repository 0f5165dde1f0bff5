"""Interfaces: protocols and classes with abstract methods. Each gets a class of objects that stand in for any other.

Its methods are generated: each hands the call on to an operation of the engine, which answers it. The test uses a mock
of the interface in its place, which answers all methods, also those that the interface itself defines.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from everypath.ir import names
from everypath.ir.types import ANY, ClassType, FutureType, ListType, Type
from everypath.languages.python.frontend.annotations import scalar_type
from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.modules import FunctionNode, place_at
from everypath.languages.python.frontend.names import ClassName
from everypath.languages.python.frontend.userclass import UserClass

_ANSWERED = frozenset(
    "__len__ __bool__ __contains__ __iter__ __next__ __reversed__ __getitem__ __setitem__ __delitem__ __call__ "
    "__enter__ __exit__ __aenter__ __aexit__ __aiter__ __anext__ __eq__ __ne__ __hash__ __lt__ __le__ __gt__ __ge__ "
    "__int__ __float__ __index__ __str__ __repr__ __add__ __sub__ __mul__".split()
)
"""Special methods that mocks answer as well."""
_ITERATORS = frozenset(("__iter__", "__reversed__"))
INTERFACE = "<interface>"

ArgumentsOf = Callable[[UserClass], Mapping[str, Mapping[str, Type]]]
"""What the type parameters of a class and of those that it inherits from stand for."""
ResultOf = Callable[[UserClass, FunctionNode], Type]
"""What the uses of a method say about its result, where no annotation does."""


def is_interface(linker: Linker, info: UserClass) -> bool:
    """Whether objects of the class are only known by what they can be asked."""
    if (
        info.declared
        or info.module.model
        or names.interface_of(info.name) is not None
        or info.module.name == "_collections_abc"
    ):
        return False
    return info.protocol or linker.has_abstract_methods(info.name)


def is_declaration(node: FunctionNode) -> bool:
    """Whether a function has no body but `...`, `pass` or its docstring."""
    return all(
        isinstance(statement, ast.Pass)
        or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        for statement in node.body
    )


def add_stand_in(linker: Linker, info: UserClass, result_of: ResultOf, arguments_of: ArgumentsOf) -> None:
    """Put the class of what stands in for objects of an interface into the program."""
    if names.stand_in(info.name) in linker.classes:
        return
    base: ast.expr = ast.Name(INTERFACE, ast.Load())
    node = ast.ClassDef("<stand-in>", [base], [], [ast.Pass()], [])
    qualname = names.stand_in(info.qualname)
    made = linker.user_class(info.module, qualname, place_at(node, info.node), {INTERFACE: ClassName(info.name)})
    for name, (type_, kind) in info.declared.items():
        made.answers[name] = type_
        answer_method(made, name, kind)
    arguments = arguments_of(info)
    for owner in linker.line(info.name):
        reader = linker.annotations(owner.module, owner)
        reader.bound = arguments.get(owner.name, {})
        for name, function in owner.functions.items():
            if is_answered(name) and name not in made.answers:
                returns = function.node.returns
                found = reader.result(returns) if returns else result_of(owner, function.node)
                if name == "__call__" and isinstance(function.node, ast.AsyncFunctionDef):
                    # A mock reads off its class which of its methods are awaited, but not that it is itself.
                    found = FutureType(found)
                made.answers[name] = found
                waits = isinstance(function.node, ast.AsyncFunctionDef) or isinstance(found, FutureType)
                answer_method(made, name, "async" if waits else function.kind)
        for name, statements in owner.statics.items():
            if name not in made.answers and not name.startswith("__"):
                made.answers[name] = _attribute_type(linker, owner, name, statements[0])
                answer_method(made, name, "property")
    _iterated(made, info.name)


def _iterated(made: UserClass, interface: str) -> None:
    """An iterator gives itself when it is iterated over: what is seen of that are its elements."""
    own = (ClassType(interface), ANY)
    if "__next__" in made.answers and made.answers.get("__iter__") in own:
        made.answers["__iter__"] = ListType(made.answers["__next__"])


def is_answered(name: str) -> bool:
    """Whether a stand-in answers calls of a method of this name."""
    special = name.startswith("__") and name.endswith("__")
    return name in _ANSWERED if special else not names.is_hidden(name)


def answer_method(made: UserClass, name: str, kind: str) -> None:
    """Add a method to the class of stand-ins that hands each call on to the engine."""
    if kind == "property":
        made.generate(f"{name}(self)", _answer(name, "()", "{}"), "property")
        return
    answer = _answer(name, "args", "named")
    if name in _ITERATORS:
        answer = answer.replace("return ", "return iter(") + ")"
    made.generate(f"{name}(self, *args, **named)", answer, waits=kind == "async")


def _answer(name: str, args: str, named: str) -> str:
    return f"return native_answer(self, {name!r}, {args}, {named})"


def _attribute_type(linker: Linker, owner: UserClass, name: str, statement: ast.stmt) -> Type:
    """The type of an attribute of the class, which a mock has to be given."""
    if name in owner.annotated:
        return linker.annotations(owner.module, owner).read(owner.annotated[name].annotation)
    value = getattr(statement, "value", None)
    return (scalar_type(value.value) if isinstance(value, ast.Constant) else None) or ANY

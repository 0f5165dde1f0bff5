"""What only the source of a class tells: parameters behind a decorator, how they are used, use of class state."""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from everypath.cases.races import ParameterUse

Function = ast.FunctionDef | ast.AsyncFunctionDef


def defining(cls: type[Any], method: str) -> type[Any] | None:
    """The class from which the objects of a class have a method."""
    return next((base for base in cls.__mro__ if method in vars(base)), None)


def declared_parameters(cls: type[Any], method: str) -> tuple[inspect.Parameter, ...] | None:
    """What the source declares, without `self`, for methods that a decorator hides behind `*args, **kwargs`."""
    function = _method_of(cls, method)
    if function is None:
        return None
    arguments = function.args
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + list(arguments.defaults)
    by_name = list(zip(arguments.kwonlyargs, arguments.kw_defaults))
    return (
        *(_declared(a, d, inspect.Parameter.POSITIONAL_OR_KEYWORD) for a, d in zip(plain[1:], defaults[1:])),
        *(_declared(a, d, inspect.Parameter.KEYWORD_ONLY) for a, d in by_name),
    )


def _declared(argument: ast.arg, default: ast.expr | None, kind: Any) -> inspect.Parameter:
    return inspect.Parameter(argument.arg, kind, default=_default(default))


def _default(node: ast.expr | None) -> Any:
    if node is None:
        return inspect.Parameter.empty
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def touches_shared_state(cls: type[Any], method: str) -> bool:
    """Whether a class method or static method looks at attributes of the class or changes global names."""
    function = _method_of(cls, method)
    if function is None:
        return False
    arguments = [*function.args.posonlyargs, *function.args.args]
    owners = {cls.__name__, *(a.arg for a in arguments[:1] if a.arg in ("cls", "klass", "owner", "mcs"))}
    for node in ast.walk(function):
        if isinstance(node, ast.Global):
            return True
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in owners:
            member = inspect.getattr_static(cls, node.attr, None)
            if not (callable(member) or isinstance(member, (classmethod, staticmethod))):
                return True
    return False


def _method_of(cls: type[Any], method: str) -> Function | None:
    """The definition of a method, in whichever class of the line it stands."""
    owner = defining(cls, method)
    body = (_class_body(owner) if owner is not None else None) or ()
    return next((node for node in body if isinstance(node, Function) and node.name == method), None)


def _class_body(cls: type[Any]) -> list[ast.stmt] | None:
    try:
        file = inspect.getsourcefile(cls)
    except TypeError:
        return None
    tree = _parsed(file) if file else None
    if tree is None:
        return None
    body = tree.body
    for part in cls.__qualname__.split("."):
        if part == "<locals>":
            continue
        found = next((n for n in _definitions(body) if n.name == part), None)
        if found is None:
            return None
        body = found.body
    return body


def _definitions(body: list[ast.stmt]) -> Iterator[ast.ClassDef | Function]:
    """Classes and functions of a block, also those inside conditions and try statements."""
    for node in body:
        if isinstance(node, (ast.ClassDef, Function)):
            yield node
        else:
            for part in ("body", "orelse", "handlers", "finalbody"):
                for inner in getattr(node, part, None) or ():
                    yield from _definitions(inner.body if isinstance(inner, ast.ExceptHandler) else [inner])


@lru_cache(maxsize=64)
def _parsed(file: str) -> ast.Module | None:
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, RecursionError):
        return None


UNUSED = ParameterUse("", "", "")
"""Of a parameter about which the source says nothing."""
Uses = dict[str, ParameterUse]
"""Parameter -> what is done with it."""


class ParameterUses:
    """The evidence that came with the request; about other classes nothing is known."""

    def __init__(self, told: Iterable[ParameterUse] = ()) -> None:
        self._by_method: dict[tuple[str, str], Uses] = {}
        for use in told:
            self._by_method.setdefault((use.cls, use.method), {})[use.parameter] = use

    def of(self, cls: type[Any], method: str) -> Uses:
        """The uses of the parameters of a method, in the class that defines it."""
        owner = defining(cls, method)
        key = f"{owner.__module__}:{owner.__qualname__}" if owner is not None else ""
        return self._by_method.get((key, method), {})

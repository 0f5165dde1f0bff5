"""What only the source of a class tells: parameters behind a decorator, how they are used, use of class state."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterable
from typing import Any

from everypath.cases.races import ParameterUse
from everypath.records import dataclass, field

Function = ast.FunctionDef | ast.AsyncFunctionDef
_BODIES: dict[type[Any], list[ast.stmt]] = {}
"""The classes that were read already: finding one means parsing the whole file."""


def defining(cls: type[Any], method: str) -> type[Any] | None:
    """The class, itself or one of its bases, that defines a method; None if none does."""
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
    """The definition of a method in the source of the class that has it; None if it is not found there."""
    owner = defining(cls, method)
    if owner is None:
        return None
    if owner not in _BODIES:
        _BODIES[owner] = _class_body(owner)
    body = _BODIES[owner]
    return next((node for node in body if isinstance(node, Function) and node.name == method), None)


def _class_body(cls: type[Any]) -> list[ast.stmt]:
    try:
        node = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
    except (OSError, TypeError, SyntaxError, ValueError, RecursionError):
        return []
    return node.body if isinstance(node, ast.ClassDef) else []


UNUSED = ParameterUse("", "", "")
"""The use of a parameter about which the source says nothing."""
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


@dataclass(frozen=True, slots=True)
class Known:
    """What is known about parameters before anything is tried."""

    fixed: dict[str, list[str]] = field(default_factory=dict)
    """values that the user gives, by `parameter` or `method.parameter`"""
    solved: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """values that were found to matter, by method and parameter"""
    uses: ParameterUses = field(default_factory=ParameterUses)

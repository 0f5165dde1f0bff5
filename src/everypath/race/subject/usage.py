"""What the source of a class does with its parameters: how they are used and with which constants they are compared."""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from everypath.records import dataclass, field

CALLED, ITERATED, NUMBER, TEXT, MAPPING, LIST, LOCK, SET, OBJECT, CLAMPING = (
    "called",
    "iterated",
    "number",
    "text",
    "mapping",
    "list",
    "lock",
    "set",
    "object",
    "clamping",
)
"""Ways of being used that say what a value is."""

_MEMBERS = {
    MAPPING: {"items", "keys", "values", "get", "setdefault", "popitem"},
    LIST: {"append", "sort", "extend", "insert", "reverse"},
    TEXT: {"lower", "upper", "split", "strip", "startswith", "endswith", "encode", "format", "join", "replace"},
    LOCK: {"acquire", "release"},
    SET: {"add", "discard", "union", "issubset"},
}
_FUNCTIONS = {
    "iter": ITERATED,
    "list": ITERATED,
    "tuple": ITERATED,
    "set": ITERATED,
    "sorted": ITERATED,
    "sum": ITERATED,
    "enumerate": ITERATED,
    "map": ITERATED,
    "len": ITERATED,
    "range": NUMBER,
    "int": NUMBER,
    "float": NUMBER,
    "abs": NUMBER,
    "callable": CALLED,
    "dict": MAPPING,
}
_CLASSES = {"str": TEXT, "int": NUMBER, "float": NUMBER, "dict": MAPPING, "list": LIST, "Mapping": MAPPING}
_ARITHMETIC = (ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(slots=True)
class Use:
    """What is known about one parameter."""

    ways: list[str] = field(default_factory=list)
    """ways of being used, in the order of the source"""
    constants: list[str] = field(default_factory=list)
    """literals that it is compared with"""


def parameter_uses(cls: type[Any], method: str) -> dict[str, Use]:
    """Parameter -> its uses in the method and, where it is kept in an attribute, in the whole class."""
    found = _method_of(cls, method)
    if found is None:
        return {}
    function, body = found
    names = [a.arg for a in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
    uses = {name: Use() for name in names}
    for node in ast.walk(function):
        _look(node, uses, _plain_name)
    kept = _kept(function, set(names))
    if kept:
        by_attribute = {attribute: uses[name] for attribute, name in kept.items()}
        for other in body:
            for node in ast.walk(other):
                _look(node, by_attribute, _own_attribute)
    return uses


def declared_parameters(cls: type[Any], method: str) -> tuple[inspect.Parameter, ...] | None:
    """What the source declares, without `self`, for methods that a decorator hides behind `*args, **kwargs`."""
    found = _method_of(cls, method)
    if found is None:
        return None
    arguments = found[0].args
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
    found = _method_of(cls, method)
    if found is None:
        return False
    function, _ = found
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


def _kept(function: Function, names: set[str]) -> dict[str, str]:
    """Attribute -> the parameter that is assigned to it."""
    kept: dict[str, str] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            targets, value = [node.target], node.value
        else:
            continue
        if isinstance(value, (ast.BoolOp, ast.IfExp)):
            value = value.values[0] if isinstance(value, ast.BoolOp) else value.body
        if isinstance(value, ast.Name) and value.id in names:
            for attribute in filter(None, map(_own_attribute, targets)):
                kept[attribute] = value.id
    return kept


def _plain_name(node: ast.expr) -> str | None:
    return node.id if isinstance(node, ast.Name) else None


def _own_attribute(node: ast.expr) -> str | None:
    """The name of an attribute of `self`."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
        return node.attr
    return None


def _look(node: ast.AST, uses: dict[str, Use], name_of: Any) -> None:
    for operand, way in _ways(node):
        use = uses.get(name_of(operand) or "")
        if use is not None and way not in use.ways:
            use.ways.append(way)
    for operand, constant in _comparisons(node):
        use = uses.get(name_of(operand) or "")
        if use is not None and constant not in use.constants:
            use.constants.append(constant)


def _ways(node: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    match node:
        case ast.Call(func=called, args=arguments):
            yield called, CALLED
            if isinstance(called, ast.Name) and called.id in ("min", "max") and len(arguments) > 1:
                yield from ((argument, CLAMPING) for argument in arguments)
            if isinstance(called, ast.Name) and called.id in _FUNCTIONS and arguments:
                yield arguments[0], _FUNCTIONS[called.id]
            if isinstance(called, ast.Name) and called.id == "isinstance" and len(arguments) == 2:
                for kind in ast.walk(arguments[1]):
                    if isinstance(kind, ast.Name) and kind.id in _CLASSES:
                        yield arguments[0], _CLASSES[kind.id]
        case ast.For(iter=iterated) | ast.comprehension(iter=iterated):
            yield iterated, ITERATED
        case ast.Attribute(value=owner, attr=member) if not member.startswith("__"):
            yield owner, next((way for way, members in _MEMBERS.items() if member in members), OBJECT)
        case ast.withitem(context_expr=manager):
            yield manager, LOCK
        case ast.BinOp(left=left, op=operator, right=right):
            textual = isinstance(left, ast.Constant) and isinstance(left.value, str)
            if isinstance(operator, _ARITHMETIC) and not textual:
                yield left, NUMBER
                yield right, NUMBER
            for side, beside in ((left, right), (right, left)):
                if isinstance(operator, ast.Add) and isinstance(beside, ast.Constant):
                    yield side, TEXT if isinstance(beside.value, str) else NUMBER
        case ast.AugAssign(op=ast.Sub() | ast.Mult() | ast.Div(), value=value):
            yield value, NUMBER
        case ast.Compare(left=left, ops=operators, comparators=others):
            for comparison, first, second in zip(operators, [left, *others], others):
                if isinstance(comparison, _ORDER):
                    for side, beside in ((first, second), (second, first)):
                        if _is_numeric(beside):
                            yield side, NUMBER


def _is_numeric(node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id == "len"
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, float))


def _comparisons(node: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    if isinstance(node, ast.Compare):
        for operator, first, second in zip(node.ops, [node.left, *node.comparators], node.comparators):
            for side, beside in ((first, second), (second, first)):
                for constant in _literals(beside):
                    yield side, constant
                    # At a boundary the interesting value is the first one beyond it.
                    if isinstance(operator, (ast.Gt, ast.LtE)) and constant.isdigit():
                        yield side, str(int(constant) + 1)
    elif isinstance(node, ast.Match):
        for case in node.cases:
            for pattern in ast.walk(case.pattern):
                if isinstance(pattern, ast.MatchValue):
                    for constant in _literals(pattern.value):
                        yield node.subject, constant


def _literals(node: ast.expr) -> Iterator[str]:
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        for element in node.elts:
            yield from _literals(element)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield from (f"-{constant}" for constant in _literals(node.operand))
    elif isinstance(node, ast.Constant) and isinstance(node.value, (int, str, bytes, float)):
        big = isinstance(node.value, (int, float)) and abs(node.value) > 1000
        long = isinstance(node.value, (str, bytes)) and len(node.value) > 40
        if not (big or long or isinstance(node.value, bool)):
            yield repr(node.value)


def _method_of(cls: type[Any], method: str) -> tuple[Function, list[ast.stmt]] | None:
    """The definition of a method and the body of the class that has it."""
    for base in cls.__mro__:
        if method in vars(base):
            body = _class_body(base)
            for node in body or ():
                if isinstance(node, Function) and node.name == method:
                    return node, body or []
            return None
    return None


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

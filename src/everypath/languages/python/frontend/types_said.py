"""What annotations say about values beyond their types: `Annotated[int, Gt(0)]`, alone or inside of another type."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator

from everypath.languages.python.frontend.modules import dotted

_COMPARED: dict[str, type[ast.cmpop]] = {
    "Gt": ast.Gt, "Ge": ast.GtE, "Lt": ast.Lt, "Le": ast.LtE,
    "gt": ast.Gt, "ge": ast.GtE, "lt": ast.Lt, "le": ast.LtE,
}  # fmt: skip
_SIZES: dict[str, type[ast.cmpop]] = {
    "MinLen": ast.GtE, "MaxLen": ast.LtE, "min_length": ast.GtE, "max_length": ast.LtE,
}  # fmt: skip
EACH = "each"
"""What an element is called in conditions."""
_ROWS = frozenset("list List Sequence tuple set Set frozenset Iterable Collection".split())


def unquoted(annotation: ast.expr | None) -> ast.expr | None:
    """The annotation, which may be written as a text."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            return ast.parse(annotation.value, mode="eval").body
        except SyntaxError:
            return None
    return annotation


def option_of(annotation: ast.expr | None) -> ast.expr | None:
    """The only type besides None that an annotation allows; None for one that does not allow None."""
    match unquoted(annotation):
        case ast.BinOp(left, ast.BitOr(), ast.Constant(None)) | ast.BinOp(ast.Constant(None), ast.BitOr(), left):
            return left
        case ast.Subscript(value=head, slice=inner) if _last(head) == "Optional":
            return inner
    return None


def element_of(annotation: ast.expr | None) -> ast.expr | None:
    """The type of the elements of a list, or of another row whose elements are all of one type."""
    match unquoted(annotation):
        case ast.Subscript(value=head, slice=ast.Tuple(elts=[inner, ast.Constant(value)])) if value is Ellipsis:
            return inner if _last(head) in _ROWS else None
        case ast.Subscript(value=head, slice=inner) if _last(head) in _ROWS and not isinstance(inner, ast.Tuple):
            return inner
    return None


def said_by(annotation: ast.expr | None, value: ast.expr) -> Iterator[ast.expr]:
    """The conditions that `Annotated[...]` sets for a value, and for what is in it."""
    annotation = unquoted(annotation)
    option, element = option_of(annotation), element_of(annotation)
    if option is not None:
        for condition in said_by(option, value):
            yield or_none(value, condition)
    elif element is not None:
        yield from for_each(value, said_by(element, ast.Name(EACH, ast.Load())))
    elif isinstance(annotation, ast.Subscript) and _last(annotation.value) == "Annotated":
        parts = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
        yield from said_by(parts[0], value)
        for part in parts[1:]:
            if isinstance(part, ast.Call):
                yield from constraints(part, value)


def or_none(value: ast.expr, condition: ast.expr) -> ast.expr:
    """The condition, for a value that may be None as well."""
    nothing = ast.Compare(copy.deepcopy(value), [ast.Is()], [ast.Constant(None)])
    return ast.BoolOp(ast.Or(), [nothing, condition])


def for_each(values: ast.expr, conditions: Iterable[ast.expr]) -> Iterator[ast.expr]:
    """Conditions on `EACH` that must hold for every element."""
    for condition in conditions:
        loop = ast.comprehension(ast.Name(EACH, ast.Store()), copy.deepcopy(values), [], 0)
        yield ast.Call(ast.Name("all", ast.Load()), [ast.GeneratorExp(condition, [loop])], [])


def constraints(said: ast.Call, value: ast.expr) -> Iterator[ast.expr]:
    """The conditions that a constraint of annotated-types, or a field of pydantic, sets for a value."""
    name = _last(said.func)
    if name in _COMPARED and len(said.args) == 1:
        yield _compare(value, _COMPARED[name], said.args[0])
    elif name in _SIZES and len(said.args) == 1:
        yield _compare(_length(value), _SIZES[name], said.args[0])
    elif name == "MultipleOf" and len(said.args) == 1:
        yield _multiple(value, said.args[0])
    elif name == "Len":
        for bound, operator in zip(said.args, (ast.GtE, ast.LtE)):
            yield _compare(_length(value), operator, bound)
    elif name == "Predicate" and len(said.args) == 1:
        yield ast.Call(copy.deepcopy(said.args[0]), [copy.deepcopy(value)], [])
    for keyword in said.keywords if name in ("Interval", "Field", "Len") else ():
        if keyword.arg in _COMPARED:
            yield _compare(value, _COMPARED[keyword.arg], keyword.value)
        elif keyword.arg in _SIZES:
            yield _compare(_length(value), _SIZES[keyword.arg], keyword.value)
        elif keyword.arg == "multiple_of":
            yield _multiple(value, keyword.value)


def _compare(left: ast.expr, operator: type[ast.cmpop], right: ast.expr) -> ast.expr:
    return ast.Compare(copy.deepcopy(left), [operator()], [copy.deepcopy(right)])


def _length(value: ast.expr) -> ast.expr:
    return ast.Call(ast.Name("len", ast.Load()), [copy.deepcopy(value)], [])


def _multiple(value: ast.expr, of: ast.expr) -> ast.expr:
    rest = ast.BinOp(copy.deepcopy(value), ast.Mod(), copy.deepcopy(of))
    return _compare(rest, ast.Eq, ast.Constant(0))


def _last(node: ast.expr) -> str:
    return dotted(node).rpartition(".")[2]

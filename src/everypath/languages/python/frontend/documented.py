"""What docstrings say about arguments: types in words, and, after `>>>`, inputs for which the code was written."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from everypath.ir.instructions import Param
from everypath.ir.types import FLOAT, FUNCTION, INT, NONE, STR, DictType, ListType, SetType, TupleType, Type, union
from everypath.languages.base import Example
from everypath.languages.python.frontend.annotations import scalar_type
from everypath.languages.python.frontend.modules import FunctionNode, positional
from everypath.languages.python.frontend.nodes import walk

_PROMPT, _MORE = ">>> ", "... "
_MOST = 12


def examples(docstrings: Iterable[str | None], name: str, params: tuple[Param, ...]) -> tuple[Example, ...]:
    """The arguments of the calls of a function or class in the examples of docstrings, each once."""
    found: dict[Example, None] = {}
    for text in docstrings:
        for call in _calls(text or "", name):
            if values := tuple(_values(call, params)):
                found[values] = None
    return tuple(found)[:_MOST]


def shown_types(node: FunctionNode, called: str, method: bool) -> dict[str, Type]:
    """The types of the arguments, by parameter, with which the examples in the docstring of a function call it."""
    text = ast.get_docstring(node) or ""
    if _PROMPT not in text:
        return {}
    received = [arg.arg for arg in positional(node)][1 if method else 0 :]
    args = node.args
    found: dict[str, list[Type]] = {}
    for call in _calls(text, called):
        if any(isinstance(argument, ast.Starred) for argument in call.args):
            continue
        rest = [args.vararg.arg] * len(call.args) if args.vararg is not None else []
        pairs = [*zip([*received, *rest], call.args), *((k.arg, k.value) for k in call.keywords if k.arg is not None)]
        for name, value in pairs:
            if (type_ := _type(value)) is not None:
                found.setdefault(name, []).append(type_)
    return {name: _joined(types) for name, types in found.items()}


def _type(node: ast.expr) -> Type | None:
    """The type of a literal, a display or a simple call such as `range(3)`; None for anything else."""
    match node:
        case ast.Constant(value=value):
            return NONE if value is None else scalar_type(value)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _type(operand)
        case ast.Lambda():
            return FUNCTION
        case ast.Call(func=ast.Name(id="range")):
            return ListType(INT)
        case ast.Call(func=ast.Name(id="iter" | "list" | "sorted"), args=[inner], keywords=[]):
            found = _type(inner)
            return found if isinstance(found, ListType) else ListType(STR) if found == STR else None
        case ast.List(elts=elements) | ast.Set(elts=elements):
            held = _types(elements)
            return (ListType if isinstance(node, ast.List) else SetType)(_joined(held)) if held else None
        case ast.Tuple(elts=elements):
            types = _types(elements)
            return None if types is None else TupleType(tuple(types))
        case ast.Dict(keys=keys, values=values):
            sides = _types(keys), _types(values)
            return DictType(_joined(sides[0]), _joined(sides[1])) if sides[0] and sides[1] else None
    return None


def _types(nodes: Sequence[ast.expr | None]) -> list[Type] | None:
    """The types of several things that are written out; None unless all of them are known."""
    types = [_type(node) if node is not None else None for node in nodes]
    known = [type_ for type_ in types if type_ is not None]
    return known if len(known) == len(types) else None


def _joined(types: list[Type]) -> Type:
    """One type for several; lists, and tuples of different lengths, become one with the union of their elements."""
    if all(isinstance(type_, ListType) for type_ in types):
        return ListType(_joined([type_.element for type_ in types if isinstance(type_, ListType)]))
    tuples = [type_ for type_ in types if isinstance(type_, TupleType)]
    if len(tuples) == len(types) and len({len(type_.elements) for type_ in tuples}) > 1:
        return TupleType((), _joined([element for type_ in tuples for element in type_.elements] or [INT]))
    kinds = list(dict.fromkeys(types))
    if FLOAT in kinds and INT in kinds:
        kinds.remove(INT)
    return union(tuple(kinds))


def _calls(text: str, name: str) -> Iterator[ast.Call]:
    for source in _statements(text):
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError):
            continue
        for node in walk(tree):
            match node:
                case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called)) if called == name:
                    yield node


def _statements(text: str) -> Iterator[str]:
    """The statements after the prompts of the interpreter."""
    lines: list[str] = []
    for line in (line.strip() for line in [*text.splitlines(), ""]):
        if line.startswith(_MORE) and lines:
            lines.append(line.removeprefix(_MORE))
            continue
        if lines:
            yield "\n".join(lines)
        lines = [line.removeprefix(_PROMPT)] if line.startswith(_PROMPT) else []


def _values(call: ast.Call, params: tuple[Param, ...]) -> Iterator[tuple[str, int | float | str | bool]]:
    received = [param.name for param in params if param.kind in ("normal", "positional")]
    star = next((param.name for param in params if param.kind == "star"), None)
    for place, argument in enumerate(call.args):
        if isinstance(argument, ast.Starred):
            return
        if place < len(received):
            yield from _literals(received[place], argument)
        elif star is not None:
            yield from _literals(f"{star}[{place - len(received)}]", argument)
    for keyword in call.keywords:
        if keyword.arg is not None:
            yield from _literals(keyword.arg, keyword.value)


def _literals(name: str, node: ast.expr) -> Iterator[tuple[str, int | float | str | bool]]:
    match node:
        case ast.Constant(value=bool() | int() | float() | str() as value):
            yield name, value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            yield name, -number
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            for at, element in enumerate(elements):
                yield from _literals(f"{name}[{at}]", element)
        case ast.Call(func=ast.Name(id="iter" | "list" | "tuple"), args=[inner], keywords=[]):
            yield from _literals(name, inner)


_ERROR = re.compile(r"\b[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Iteration)\b")
_RAISES = re.compile(r"\b(?i:raises?|throws?)\b")


def documented_errors(node: FunctionNode) -> frozenset[str]:
    """The errors that the docstring says are raised, in a section (Sphinx, Google, numpy) or in a sentence."""
    text = ast.get_docstring(node) or ""
    if _RAISES.search(text) is None:
        return frozenset()
    found: set[str] = set()
    section = ""
    for line in text.splitlines():
        if _RAISES.search(line) is not None:
            found.update(_ERROR.findall(line))
            section = line if line.strip(" :").lower() == "raises" else ""
        elif section and line.strip():
            # Of a section, only what stands in front tells the error; its reason may name others.
            found.update(_ERROR.findall(line.partition(":")[0]))
            if len(line) - len(line.lstrip()) < len(section) - len(section.lstrip()):
                section = ""
    return frozenset(found)

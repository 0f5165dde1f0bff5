"""What the source of a class does with the parameters of its methods, for whoever is to call them for real.

The evidence is the front end's own (`frontend/inference.py`), the one that gives undeclared parameters their types.
A type is one answer, so the front end weighs the evidence and borrows from other places where there is none. Whoever
can try values needs no verdict: here all kinds are listed for which a parameter itself speaks, or the attribute that
keeps it, or an example in the docstring. The literals that it is compared with are added, because at them a branch
decides otherwise.

Besides the class under test, its bases and the classes that parameters are annotated with have methods or
constructors to call, so the modules that define those are read as well. Nothing is imported.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from everypath.cases.races import (
    CALLED,
    CLAMPING,
    CLASS,
    ERROR_CLASS,
    ITERATED,
    LIST,
    LOCK,
    MAPPING,
    NUMBER,
    OBJECT,
    SET,
    TEXT,
    ParameterUse,
)
from everypath.errors import BadInput
from everypath.ir.types import FLOAT, INT, STR, DictType, FunctionType, ListType, SetType, TupleType, Type, UnionType
from everypath.languages.python.classes_under_test import RaceTarget
from everypath.languages.python.frontend.documented import shown_types
from everypath.languages.python.frontend.evidence import Slot, likely_kind
from everypath.languages.python.frontend.finder import Finder, shown, with_stub
from everypath.languages.python.frontend.inference import ModuleUses
from everypath.languages.python.frontend.modules import (
    FunctionNode,
    ImportBinding,
    ModuleSource,
    dotted,
    parse_module,
    positional,
)
from everypath.languages.python.frontend.nodes import walk
from everypath.languages.python.frontend.shapes import ClassShape

_MOST_MODULES = 12
_LARGEST_SOURCE = 200_000
_NO_CODE = frozenset(("__future__", "abc", "collections.abc", "types", "typing", "typing_extensions"))
"""Modules that annotations and bases name all the time, and whose classes take nothing that needs evidence."""
_SCALARS: dict[Type, str] = {INT: NUMBER, FLOAT: NUMBER, STR: TEXT}
_KINDS_OF_TYPES: dict[type[Type], str] = {
    DictType: MAPPING, ListType: LIST, TupleType: LIST, SetType: SET, FunctionType: CALLED,
}  # fmt: skip
_KINDS = {"str": TEXT, "bytes": TEXT, "list": LIST, "dict": MAPPING, "set": SET, "int": NUMBER, "float": NUMBER}
_MATCHING = frozenset(("re.match", "re.fullmatch", "re.search"))
_LOCKING = frozenset(("acquire", "release", "locked"))

NameOf = Callable[[ast.expr], "str | None"]


def parameter_uses(target: RaceTarget) -> tuple[ParameterUse, ...]:
    """The uses of all parameters of the target's module and of the modules that its classes build upon."""
    found: list[ParameterUse] = []
    for module in _modules(target):
        try:
            found += uses_in(module)
        except RecursionError:
            continue  # so deep an expression is data; the class can be called without it
    return tuple(found)


def uses_in(module: ModuleSource) -> Iterator[ParameterUse]:
    """The uses of the parameters of every method in a module, except where there is nothing to say."""
    read = ModuleUses(module).shape
    for shape in read.classes.values():
        for method in shape.methods.values():
            yield from _of_method(f"{module.name}:{shape.qualname}", shape, method, read.params.get(method, {}))


def _of_method(cls: str, shape: ClassShape, method: FunctionNode, slots: dict[str, Slot]) -> Iterator[ParameterUse]:
    names = [arg.arg for arg in (*positional(method), *method.args.kwonlyargs)]
    kept = _kept(method, set(names))
    compared = list(_compared(method, _plain_name))
    if kept:
        compared += [(kept[name], what) for name, what in _compared(shape.node, _own_attribute) if name in kept]
    called = shape.node.name if method.name == "__init__" else method.name
    static = any(dotted(decorator) == "staticmethod" for decorator in method.decorator_list)
    shown = shown_types(method, called, method=not static)
    classes = {name: (way,) for name, way in _classes(method)}
    for name in names:
        own = [slots[name]] if name in slots else []
        own += [shape.slot(each) for each, parameter in kept.items() if parameter == name]
        found = dict.fromkeys(what for other, what in compared if other == name)
        found_slots = [slot.find() for slot in own]
        ways = {**dict.fromkeys(classes.get(name, ())), **_all_ways(found_slots, shown.get(name))}
        members = _members(found_slots)
        if CLAMPING in found:
            ways[CLAMPING] = found.pop(CLAMPING)
        if ways or found or members:
            yield ParameterUse(cls, method.name, name, tuple(ways), tuple(found), tuple(sorted(members)))


def _members(slots: list[Slot]) -> set[str]:
    """The attributes that slots are asked for."""
    return {each for slot in slots for each in slot.attributes if not each.startswith("__")}


def _classes(function: FunctionNode) -> Iterator[tuple[str, str]]:
    """Names that stand where only a class can: what `isinstance` asks about, what `except` catches."""
    for node in walk(function):
        match node:
            case ast.Call(func=ast.Name(id="isinstance"), args=[_, ast.Name(id=name)]):
                yield name, CLASS
            case ast.Call(func=ast.Name(id="issubclass"), args=[*given]):
                yield from ((each.id, CLASS) for each in given if isinstance(each, ast.Name))
            case ast.Attribute(value=ast.Name(id=name), attr="__mro__" | "__bases__" | "__subclasses__" | "mro"):
                yield name, CLASS
            case ast.ExceptHandler(type=ast.Name(id=name)):
                yield name, ERROR_CLASS


def _all_ways(slots: list[Slot], shown: Type | None) -> dict[str, None]:
    """The kinds of values that slots and the examples of a docstring speak for, else those that they hint at."""
    ways = dict.fromkeys(way for slot in slots for way in _ways(slot))
    ways.update(dict.fromkeys(_of_type(shown) if shown is not None else ()))
    return ways or dict.fromkeys(way for slot in slots for way in _beside(slot))


def _ways(slot: Slot) -> Iterator[str]:
    """The kinds of values that a slot's own evidence speaks for, the surest first."""
    if slot.called:
        yield CALLED
    for type_ in (*slot.types, *slot.tested):
        yield from _of_type(type_)
    if slot.text:
        yield TEXT
    yield from _by_members({name for name in slot.attributes if not name.startswith("__")})
    if slot.iterated or slot.sized:
        yield ITERATED
    if slot.number:
        yield NUMBER
    if slot.entered:
        yield LOCK


def _of_type(type_: Type) -> Iterator[str]:
    for option in type_.options if isinstance(type_, UnionType) else (type_,):
        way = _SCALARS.get(option) or _KINDS_OF_TYPES.get(type(option))
        if way is not None:
            yield way


def _beside(slot: Slot) -> Iterator[str]:
    """NUMBER if the slot's value is compared with a number or added to one."""
    # A text or None beside it would say less: keys and values are compared with anything.
    if any(type_ in (INT, FLOAT) for lender in slot.lenders for type_ in lender.find().types):
        yield NUMBER


def _by_members(names: set[str]) -> Iterator[str]:
    kind = likely_kind(names) if names else None
    if kind is not None:
        yield _KINDS[kind]
    elif names:
        yield LOCK if names <= _LOCKING else OBJECT


def _kept(function: FunctionNode, names: set[str]) -> dict[str, str]:
    """Attribute of the object -> the parameter that is assigned to it, if need be with something instead of None."""
    kept: dict[str, str] = {}
    for target, value in _assignments(function):
        if isinstance(value, (ast.BoolOp, ast.IfExp)):
            value = value.values[0] if isinstance(value, ast.BoolOp) else value.body
        attribute = _own_attribute(target)
        if isinstance(value, ast.Name) and value.id in names and attribute is not None:
            kept[attribute] = value.id
    return kept


def _assignments(function: FunctionNode) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Every place that is assigned to, and what; of `a, b = x, y` the parts."""
    for node in walk(function):
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                        yield from zip(target.elts, value.elts)
                    else:
                        yield target, value
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                yield target, value


def _plain_name(node: ast.expr) -> str | None:
    return node.id if isinstance(node, ast.Name) else None


def _own_attribute(node: ast.expr) -> str | None:
    """The name of an attribute of `self`."""
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return name
    return None


def _compared(where: ast.AST, name_of: NameOf) -> Iterator[tuple[str, str]]:
    """Names and the literals that they are compared with; CLAMPING for what `min` or `max` compares."""
    for node in walk(where):
        for operand, what in _comparisons(node):
            name = name_of(operand)
            if name is not None:
                yield name, what


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
            for pattern in walk(case.pattern):
                if isinstance(pattern, ast.MatchValue):
                    for constant in _literals(pattern.value):
                        yield node.subject, constant
    elif isinstance(node, ast.Call) and len(node.args) > 1:
        yield from _comparing_calls(dotted(node.func), node.args)


def _comparing_calls(function: str, arguments: list[ast.expr]) -> Iterator[tuple[ast.expr, str]]:
    """What a call compares: with each other, or with a regular expression."""
    if function in ("min", "max"):
        yield from ((argument, CLAMPING) for argument in arguments)
    elif function in _MATCHING:
        pattern, text, *_ = arguments
        if isinstance(pattern, ast.Constant) and isinstance(pattern.value, str):
            yield from ((text, matched) for matched in _matched(pattern.value))


def _matched(pattern: str) -> Iterator[str]:
    """A text, as a literal, that the regular expression matches."""
    import re

    from everypath.languages.python.probing.patterns import matching

    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return
    yield from (repr(text) for text in islice(matching(compiled), 1))


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


def _modules(target: RaceTarget) -> Iterator[ModuleSource]:
    """The target's module, then those that define bases and annotated classes, also through packages that re-export."""
    finder = Finder(target.root, Path.cwd())
    agenda: list[tuple[str, str | None]] = [(target.module, None)]
    seen: dict[str, ModuleSource | None] = {}
    for name, wanted in agenda:
        names = [] if wanted is None else [wanted]
        if name not in seen:
            if len(seen) >= _MOST_MODULES:
                return
            module = seen[name] = _parsed(finder, name, target)
            if module is not None:
                yield module
                names += _built_upon(module)
        module = seen[name]
        for binding in (module.bindings.get(each) for each in names) if module is not None else ():
            if isinstance(binding, ImportBinding) and binding.module not in _NO_CODE:
                place = (binding.module, binding.attribute)
                # The loop goes on with what is appended here.
                if place not in agenda:
                    agenda.append(place)


def _parsed(finder: Finder, name: str, target: RaceTarget) -> ModuleSource | None:
    path = finder.locate(name)
    if path is None or path.suffix != ".py" or path.stat().st_size > _LARGEST_SOURCE:
        return None
    try:
        user = path.is_relative_to(target.root)
        return with_stub(parse_module(name, path, shown(path), path.read_bytes(), user=user))
    except (BadInput, OSError):
        return None


def _built_upon(module: ModuleSource) -> Iterator[str]:
    """The names at the head of bases, and in the annotations of parameters where the user's own code has them."""
    for node in walk(module.tree):
        if isinstance(node, ast.ClassDef):
            yield from (dotted(base).partition(".")[0] for base in node.bases)
        elif isinstance(node, ast.arg) and node.annotation is not None and module.user:
            yield from (part.id for part in walk(node.annotation) if isinstance(part, ast.Name))

"""What a call that came close says about its inputs.

While a call runs, the values that a condition compares are looked at wherever one of its sides was never taken; and
after a call that failed, the values that the failing line works on. A value that is an input, or a part of one, or
that a mock among the inputs gave, is traced back to the expression that made it. What is noticed is a wish: this
expression should make something else, such as the other side of the comparison, an object of the class that is asked
for, or a dict with the missing key. (The correspondence of inputs and compared values is an idea of REDQUEEN,
Aschermann et al. 2019; here objects are followed by identity, so it is exact for them.)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FrameType, TracebackType
from typing import Any

from everypath.languages.python.probing.expressions import Expr, children
from everypath.languages.python.probing.inputs import place_of
from everypath.records import dataclass, field

Wish = tuple[Any, ...]
"""Line, where in the candidate, path below it (for mocks), what is wished, and its details; plain data."""
_ATOMS = (str, bytes, int, float, bool, type(None))
_MOST_WISHES = 12
_HERE: tuple[str, ...] = ()
_LONGEST = 200
_PURE = frozenset(
    "strip lstrip rstrip lower upper split rsplit partition rpartition splitlines get keys values items casefold title"
    " replace encode decode removeprefix removesuffix count find index".split()
)
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


@dataclass(slots=True)
class Test:
    """One thing that a condition asks for."""

    kind: str
    operands: tuple[CodeType, ...]
    """what it is about, to be evaluated where the condition stands"""


@dataclass(slots=True)
class Tests:
    """What the conditions of a file ask for, by line, and what each of its lines works on."""

    by_line: dict[int, list[Test]] = field(default_factory=dict)
    operands: dict[int, list[ast.expr]] = field(default_factory=dict)
    subscripts: dict[int, list[ast.expr]] = field(default_factory=dict)


def tests_in(tree: ast.Module) -> Tests:
    """Everything that is asked in a file."""
    found = Tests()
    for node in ast.walk(tree):
        match node:
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
                _note(test, found)
            case ast.comprehension(ifs=tests):
                for test in tests:
                    _note(test, found)
            case ast.For(iter=iterated):
                _add(found, iterated.lineno, "truth", iterated)
            case ast.Match(subject=subject, cases=cases):
                for each in cases:
                    _note_pattern(subject, each.pattern, found)
            case ast.Name() | ast.Attribute():
                if isinstance(node.ctx, ast.Load):
                    found.operands.setdefault(node.lineno, []).append(node)
            case ast.Subscript(value=value):
                found.subscripts.setdefault(node.lineno, []).append(value)
    return found


def _note(test: ast.expr, found: Tests) -> None:
    match test:
        case ast.BoolOp(values=values):
            for each in values:
                _note(each, found)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            _note(operand, found)
        case ast.NamedExpr(value=value):
            _note(value, found)
        case ast.Compare(left=left, ops=ops, comparators=others):
            for one, operation, other in zip([left, *others], ops, others):
                kind = _kind(operation)
                if isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id == "len":
                    _add(found, test.lineno, "length", *one.args[:1], other)
                _add(found, test.lineno, kind, one, other)
        case ast.Call(func=ast.Name(id="isinstance" | "hasattr" | "issubclass" as name), args=[one, other]):
            _add(found, test.lineno, name, one, other)
        case ast.Call(func=ast.Name(id="callable"), args=[one]):
            _add(found, test.lineno, "callable", one)
        case ast.Call(func=ast.Name(id="any" | "all"), args=[ast.GeneratorExp(elt=inner, generators=[only, *_])]):
            _add(found, test.lineno, "truth", only.iter)
            _note(inner, found)
        case ast.Call(func=ast.Attribute(value=one, attr="startswith" | "endswith" as name), args=[other, *_]):
            _add(found, test.lineno, name, one, other)
        case ast.Call(func=ast.Attribute(value=one, attr="match" | "search" | "fullmatch"), args=[other, *more]):
            _add(found, test.lineno, "pattern", one, other, *more[:1])
        case ast.Call(args=arguments):
            _add(found, test.lineno, "truth", test)
            for each in arguments:
                _add(found, test.lineno, "given", each)
        case _:
            _add(found, test.lineno, "truth", test)


def _note_pattern(subject: ast.expr, pattern: ast.pattern, found: Tests) -> None:
    for part in ast.walk(pattern):
        match part:
            case ast.MatchValue(value=value):
                _add(found, pattern.lineno, "equal", subject, value)
            case ast.MatchClass(cls=cls):
                _add(found, pattern.lineno, "isinstance", subject, cls)


def _kind(operation: ast.cmpop) -> str:
    if isinstance(operation, (ast.In, ast.NotIn)):
        return "in"
    return "order" if isinstance(operation, _ORDERS) else "equal"


def _add(found: Tests, line: int, kind: str, *operands: ast.expr) -> None:
    codes = [_compiled(each) for each in operands]
    if codes and all(code is not None for code in codes):
        found.by_line.setdefault(line, []).append(Test(kind, tuple(code for code in codes if code is not None)))


def _compiled(node: ast.expr) -> CodeType | None:
    """The code of an expression that can be evaluated a second time without doing anything."""
    return compile(ast.Expression(node), "<looked at>", "eval") if _is_harmless(node) else None


def _is_harmless(node: ast.expr) -> bool:
    match node:
        case ast.Constant() | ast.Name():
            return True
        case ast.Attribute(value=value):
            return _is_harmless(value)
        case ast.Subscript(value=value, slice=index):
            return _is_harmless(value) and _is_harmless(index)
        case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items):
            return all(map(_is_harmless, items))
        case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=operand):
            return _is_harmless(operand)
        case ast.BinOp(op=ast.Add() | ast.Sub(), left=one, right=other):
            return _is_harmless(one) and _is_harmless(other)
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=arguments, keywords=[]):
            return name in _PURE and _is_harmless(value) and all(map(_is_harmless, arguments))
        case ast.Call(func=ast.Name(id="len" | "type" | "str" | "int"), args=[only], keywords=[]):
            return _is_harmless(only)
    return False


class Noticed:
    """What one run shows; lives in the fork, for one candidate."""

    def __init__(self, tests: Tests, candidate: Expr, made: list[tuple[Expr, Any]]) -> None:
        self._tests = tests
        self._places = {id(expr): number for number, expr in enumerate(_in_order(candidate))}
        self._made = made
        """expressions with what they made, filled while the inputs are made"""
        self._seen = set[int]()
        self.wishes: dict[Wish, None] = {}

    def condition(self, frame: FrameType, line: int) -> None:
        """A condition is about to be evaluated of which one side was never taken."""
        if line in self._seen or len(self.wishes) >= _MOST_WISHES:
            return
        self._seen.add(line)
        for test in self._tests.by_line.get(line, ()):
            try:
                values = [eval(code, frame.f_globals, frame.f_locals) for code in test.operands]
                for wish in _WISHES[test.kind](self, *values):
                    if wish is not None:
                        self.wishes[(line, *wish)] = None
            except Exception:
                continue

    def failure(self, error: BaseException, is_own: Callable[[CodeType], bool]) -> None:
        """The call has failed: look at what the innermost line of the file works on."""
        frame, line = _innermost(error.__traceback__, is_own)
        if frame is None:
            return
        wished: list[Wish | None] = []
        if isinstance(error, AttributeError) and error.obj is not None:
            wished += [(*place, "attribute", error.name) for place in self._origins(error.obj)]
        for node in self._tests.subscripts.get(line, ()) if isinstance(error, LookupError) else ():
            for place in self._origins(_value(node, frame)):
                key = error.args[0] if isinstance(error, KeyError) and error.args else None
                wished.append((*place, "entry", repr(key)) if isinstance(key, _ATOMS) else (*place, "longer"))
        if isinstance(error, (TypeError, ValueError, AttributeError)) and not wished:
            for node in self._tests.operands.get(line, ()):
                wished += [(*place, "other") for place in self._origins(_value(node, frame))]
        for wish in wished[:_MOST_WISHES]:
            if wish is not None:
                self.wishes[(line, *wish)] = None

    # Where values come from

    def _origins(self, value: Any) -> list[tuple[int, tuple[str, ...]]]:
        """The expressions that made a value, each with the path from there."""
        found: list[tuple[int, tuple[str, ...]]] = []
        path: tuple[str, ...] = ()
        while "_mock_new_parent" in getattr(value, "__dict__", ()):
            found += [(place, path) for place in self._made_by(_is(value))]
            if found:
                return found[:2]
            name, value = value.__dict__["_mock_new_name"], value.__dict__["_mock_new_parent"]
            path = (name or "", *path)
        if value is None or isinstance(value, (bool, *_ATOMS)):
            same = self._made_by(lambda made: type(made) is type(value) and made == value)
        else:
            same = self._made_by(_is(value))
        return [(place, _HERE) for place in same][:3]

    def _made_by(self, fits: Callable[[Any], bool]) -> list[int]:
        places = [self._places[id(expr)] for expr, made in self._made if id(expr) in self._places and fits(made)]
        return [place for place in places if place > 0]

    def _parts(self, text: Any) -> list[tuple[int, tuple[str, ...]]]:
        """Texts among the inputs that a text is a part of."""
        if not isinstance(text, (str, bytes)) or not text:
            return []
        kind = type(text)
        return [(place, _HERE) for place in self._made_by(lambda made: type(made) is kind and text in made)][:3]

    def _set(self, value: Any, wanted: Any) -> Iterator[Wish | None]:
        """That an input be such that this value is another one."""
        told = _told(wanted)
        if told is None:
            return
        origins = self._origins(value)
        for place in origins:
            yield (*place, *told)
        if not origins and isinstance(wanted, (str, bytes)) and type(value) is type(wanted):
            parts = self._parts(value)
            for place in parts:
                yield (*place, "replace", repr(value), repr(wanted))
            if not value:
                yield (-1, (), "word", repr(wanted))
        if not origins:
            yield (-1, (), "word", repr(wanted)) if isinstance(wanted, _ATOMS) else None

    def _otherwise(self, value: Any) -> Iterator[Wish | None]:
        for place in self._origins(value) or self._parts(value):
            yield (*place, "other")

    # What is asked for

    def equal(self, one: Any, other: Any) -> Iterator[Wish | None]:
        if one is other or _safely(lambda: one == other):
            yield from self._otherwise(one)
            yield from self._otherwise(other)
        else:
            yield from self._set(one, other)
            yield from self._set(other, one)

    def order(self, one: Any, other: Any) -> Iterator[Wish | None]:
        for value, bound in ((one, other), (other, one)):
            if isinstance(bound, (int, float)):
                for wanted in (bound, bound + 1, bound - 1):
                    yield from self._set(value, wanted)

    def length(self, one: Any, bound: Any) -> Iterator[Wish | None]:
        if isinstance(bound, int):
            for place in self._origins(one):
                for wanted in (bound, bound + 1, bound - 1):
                    if 0 <= wanted < 200:
                        yield (*place, "length", wanted)

    def contained(self, one: Any, other: Any) -> Iterator[Wish | None]:
        if _safely(lambda: one in other):
            yield from self._otherwise(one)
            return
        members = [other] if isinstance(other, str) else _some(other)
        for member in members[:3]:
            yield from self._set(one, member)
        if isinstance(one, (str, bytes)) and type(other) is type(one):
            for place in self._origins(other):
                yield (*place, "with", repr(one))
            for place in self._parts(other):
                yield (*place, "replace", repr(other), repr(other + one))
        elif isinstance(one, _ATOMS):
            for place in self._origins(other):
                yield (*place, "entry", repr(one))

    def instance(self, one: Any, classes: Any) -> Iterator[Wish | None]:
        flat = [each for each in _flat(classes) if isinstance(each, type)]
        if _safely(lambda: isinstance(one, classes)):
            yield from self._otherwise(one)
            return
        for cls in flat[:4]:
            place = place_of(cls)
            if place is not None:
                yield from ((*origin, "instance", *place) for origin in self._origins(one))

    def subclass(self, one: Any, classes: Any) -> Iterator[Wish | None]:
        for cls in [each for each in _flat(classes) if isinstance(each, type)][:3]:
            yield from self._set(one, cls)

    def has(self, one: Any, name: Any) -> Iterator[Wish | None]:
        wished = "other" if _safely(lambda: hasattr(one, name)) else "attribute"
        for place in self._origins(one):
            yield (*place, wished, name) if wished == "attribute" else (*place, wished)

    def callable(self, one: Any) -> Iterator[Wish | None]:
        for place in self._origins(one):
            yield (*place, "other") if callable(one) else (*place, "function")

    def begins(self, one: Any, text: Any) -> Iterator[Wish | None]:
        yield from self._affix(one, text, lambda value, wanted: wanted + value)

    def ends(self, one: Any, text: Any) -> Iterator[Wish | None]:
        yield from self._affix(one, text, lambda value, wanted: value + wanted)

    def _affix(self, one: Any, text: Any, joined: Callable[[Any, Any], Any]) -> Iterator[Wish | None]:
        for wanted in (text if isinstance(text, tuple) else (text,))[:4]:
            if type(one) is type(wanted):
                yield from self._set(one, joined(one, wanted))
            else:
                yield from self._set(one, wanted)

    def pattern(self, one: Any, other: Any, more: Any = None) -> Iterator[Wish | None]:
        if isinstance(one, re.Pattern):
            pattern, text = one, other
        elif isinstance(other, (str, re.Pattern)) and more is not None:
            pattern, text = re.compile(other), more
        else:
            return
        from everypath.languages.python.probing.vocabulary import matching

        for sample in matching(pattern):
            yield from self._set(text, sample)

    def truth(self, one: Any) -> Iterator[Wish | None]:
        wished = "false" if _safely(lambda: bool(one)) else "true"
        for place in self._origins(one):
            yield (*place, wished)

    def given(self, one: Any) -> Iterator[Wish | None]:
        yield from self._otherwise(one)


_WISHES: dict[str, Callable[..., Iterable[Wish | None]]] = {
    "equal": Noticed.equal,
    "order": Noticed.order,
    "length": Noticed.length,
    "in": Noticed.contained,
    "isinstance": Noticed.instance,
    "issubclass": Noticed.subclass,
    "hasattr": Noticed.has,
    "callable": Noticed.callable,
    "startswith": Noticed.begins,
    "endswith": Noticed.ends,
    "pattern": Noticed.pattern,
    "truth": Noticed.truth,
    "given": Noticed.given,
}


def _in_order(expr: Expr) -> Iterator[Expr]:
    """The expression and all inside of it, in the order in which `rebuilt` counts them."""
    yield expr
    for each in children(expr):
        yield from _in_order(each)


def _told(value: Any) -> Wish | None:
    """A value as a wish, if it can be written."""
    if isinstance(value, _ATOMS):
        text = repr(value)
        return ("value", text) if len(text) <= _LONGEST else None
    if isinstance(value, type) or callable(value):
        place = place_of(value)
        return ("name", *place) if place is not None else None
    cls = type(value)
    name = getattr(value, "name", None)
    if isinstance(name, str) and getattr(cls, name, None) is value and place_of(cls) is not None:
        module, qualname = place_of(cls) or ("", "")
        return ("name", module, f"{qualname}.{name}")
    return None


def _some(values: Any) -> list[Any]:
    """A few members of a collection, chosen the same way in every process."""
    if not isinstance(values, (list, tuple, set, frozenset, dict)):
        return []
    members = sorted(values, key=repr) if isinstance(values, (set, frozenset)) else list(values)
    return members[:3]


def _flat(classes: Any) -> Iterator[Any]:
    if isinstance(classes, tuple):
        for each in classes:
            yield from _flat(each)
    else:
        yield from getattr(classes, "__args__", (classes,)) if not isinstance(classes, type) else (classes,)


def _is(value: Any) -> Callable[[Any], bool]:
    return lambda made: made is value


def _safely(test: Callable[[], Any]) -> bool:
    try:
        return bool(test())
    except Exception:
        return False


def _value(node: ast.expr, frame: FrameType) -> Any:
    code = _compiled(node)
    try:
        return eval(code, frame.f_globals, frame.f_locals) if code is not None else _NOWHERE
    except Exception:
        return _NOWHERE


_NOWHERE = object()


def _innermost(trace: TracebackType | None, is_own: Callable[[CodeType], bool]) -> tuple[FrameType | None, int]:
    found: tuple[FrameType | None, int] = (None, 0)
    while trace is not None:
        if is_own(trace.tb_frame.f_code):
            found = trace.tb_frame, trace.tb_lineno or 0
        trace = trace.tb_next
    return found

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
import sys
import types
from collections.abc import Callable, Collection, Iterable, Iterator
from types import CodeType, FrameType, TracebackType
from typing import Any

from everypath.languages.python.probing.asking import Tests, compiled
from everypath.languages.python.probing.complaints import complaints
from everypath.languages.python.probing.expressions import Expr, place_of
from everypath.languages.python.probing.handing import left_out, told_about
from everypath.languages.python.probing.outside import DEFINE, FIELD, Place, places
from everypath.languages.python.probing.patterns import matching
from everypath.languages.python.probing.pretending import Pretended, asked_often, handed
from everypath.languages.python.probing.tracing import Origins
from everypath.languages.python.probing.world import MODULE

Wish = tuple[Any, ...]
"""Line, where in the candidate, path below it (for mocks), what is wished, and its details; plain data."""
_ATOMS = (str, bytes, int, float, bool, type(None))
_COLLECTIONS = (list, tuple, set, dict)
_MOST_WRITTEN = 6
_MOST_WISHES = 20
_MOST_OTHERS = 8
"""Wishes, at most, after which only conditions are looked at of which a branch is missing itself."""
_LONGEST = 200


class Noticed:
    """What one run shows; lives in the fork, for one candidate."""

    def __init__(
        self,
        tests: Tests,
        candidate: Expr,
        made: list[tuple[Expr, Any]],
        wanted: Collection[Any] = (),
        undecided: Collection[int] = (),
    ) -> None:
        self._tests = tests
        self._wanted = wanted
        self._undecided = undecided
        self._frame: FrameType | None = None
        self._asked: list[tuple[Any, ast.expr]] = []
        """the operands of the condition that is looked at, with their values"""
        self._candidate = candidate
        known = Origins(candidate, made)
        self._origins, self._parts, self._exchanged = known.of, known.parts, known.exchanged
        self._seen = set[int]()
        self._failed = set[tuple[int, type]]()
        self.wishes: dict[Wish, None] = {}

    def condition(self, frame: FrameType, line: int) -> None:
        """A condition is about to be evaluated of which one side was never taken."""
        if line in self._seen:
            return
        own = line in self._undecided
        if len(self.wishes) >= (_MOST_WISHES if own else _MOST_OTHERS):
            return
        self._seen.add(line)
        self._frame = frame
        for test in self._tests.by_line.get(line, ()):
            if test.wanted and test.wanted not in self._wanted:
                continue
            try:
                values = [eval(code, frame.f_globals, frame.f_locals) for code in test.operands]
                self._asked = list(zip(values, test.nodes[len(test.nodes) - len(values) :]))
                given = (*test.nodes[:1], *values) if test.kind in _UNEVALUATED else values
                if test.kind == "looped":
                    given = (test.nodes[0], *(node.value for node in test.nodes[1:] if isinstance(node, ast.Constant)))
                for wish in _WISHES[test.kind](self, *given):
                    if wish is not None:
                        self.wishes[(line, *wish)] = None
            except Exception:
                continue

    def failure(self, error: BaseException, trace: TracebackType | None, is_own: Callable[[CodeType], bool]) -> None:
        """Something has failed: look at what the innermost line of the file works on."""
        trace = _innermost(trace, is_own)
        if trace is None or len(self.wishes) >= 2 * _MOST_WISHES:
            return
        frame, line = trace.tb_frame, trace.tb_lineno or 0
        if (line, type(error)) in self._failed:
            return
        self._failed.add((line, type(error)))
        wished = [*_of_systems(error), *self._missing(error, frame, line), *self._wrong(error, trace)]
        if isinstance(error, (TypeError, ValueError, AttributeError)) and not wished:
            for node in self._tests.operands.get(line, ()):
                wished += [(*place, "other") for place in self._origins(_value(node, frame))]
        for wish in [*wished[:_MOST_WISHES], *self._replaced(trace)]:
            self.wishes[(line, *wish)] = None

    def _missing(self, error: BaseException, frame: FrameType, line: int) -> Iterator[Wish]:
        """That there be the attribute, entry, element or name that was not found."""
        if isinstance(error, AttributeError) and error.obj is not None:
            for place in self._origins(error.obj):
                if hasattr(error.obj, "__dict__") and not isinstance(error.obj, (type, Pretended)):
                    yield (*place, FIELD, error.name, False, "None", "other")
                yield (*place, "attribute", error.name)
        for node in self._tests.subscripts.get(line, ()) if isinstance(error, LookupError) else ():
            key = error.args[0] if isinstance(error, KeyError) and error.args else None
            told = ("entry", repr(key)) if isinstance(key, _ATOMS) and key is not None else ("longer",)
            origins = self._origins(_value(node, frame))
            elsewhere = places(self._tests.assignments.source(node, frame), frame, self._origins)
            yield from ((*place, *told) for place in origins or elsewhere)
        if isinstance(error, ModuleNotFoundError) and isinstance(error.name, str):
            yield (-1, (), MODULE, error.name)
        if isinstance(error, NameError) and not isinstance(error, UnboundLocalError) and isinstance(error.name, str):
            # Perhaps it is imported where some other package is installed.
            yield (-1, (), DEFINE, f"{frame.f_globals.get('__name__')}.{error.name}")

    def _wrong(self, error: BaseException, trace: TracebackType) -> Iterator[Wish]:
        """That a value be such that the error does not complain about it."""
        frame, line = trace.tb_frame, trace.tb_lineno or 0
        for told in complaints(error):
            if told[0] != "async":
                yield from ((*place, *told) for call in self._given_on(trace) for place in self._answers(call, frame))
            if told[0] == "async":
                yield from (
                    (*place, *told)
                    for call in self._tests.awaited.get(line, ())
                    for place in self._callees(call, frame)
                )
            for node in self._tests.operands.get(line, ()):
                value = _value(node, frame)
                origins = self._origins(value)
                yield from ((*place, *told) for place in origins)
                if not origins and told[0] == "text" and isinstance(value, str):
                    yield from self._exchanged(value, ast.literal_eval(told[1]))

    def _given_on(self, trace: TracebackType) -> Iterator[ast.Call]:
        """The calls on a line that failed whose answers it works on: not the one that has failed."""
        positions = list(trace.tb_frame.f_code.co_positions())[trace.tb_lasti // 2]
        failed = self._tests.calls.get(positions)
        yield from (each for each in self._tests.calls_on.get(trace.tb_lineno or 0, ())[:4] if each is not failed)

    def _callees(self, call: ast.Call, frame: FrameType) -> Iterator[Place]:
        """Where what is called comes from."""
        called = _value(call.func, frame)
        origins = self._origins(called) if called is not _NOWHERE else []
        yield from origins
        if not origins:
            yield from places(call, frame, self._origins)

    def _replaced(self, trace: TracebackType) -> Iterator[Wish]:
        """That what the file has called elsewhere, and what has failed there, be replaced."""
        if trace.tb_next is None:
            return
        frame = trace.tb_frame
        positions = list(frame.f_code.co_positions())[trace.tb_lasti // 2]
        call = self._tests.calls.get(positions)
        if call is None:
            return
        found = list(places(call, frame, self._origins))
        if not found and isinstance(call.func, ast.Attribute):
            # It is a method of an object that the function has got from elsewhere itself.
            source = self._tests.assignments.source(call.func.value, frame)
            found += places(source, frame, self._origins) if isinstance(source, ast.Call) else []
        yield from ((*place, "mock") for place in found)

    def callbacks(self) -> None:
        """Mocks were handed functions, which are to be called, or were asked again and again, which is to end."""
        for mock, position, function in handed:
            told = told_about(function, position)
            if told is not None:
                for place in self._origins(mock)[:1]:
                    self.wishes[(0, *place, *told)] = None
        for mock in asked_often:
            for at, path in self._origins(mock)[:1]:
                self.wishes[(0, at, (*path, "()"), "false")] = None
                self.wishes[(0, at, path, "ending")] = None

    # Changes of inputs

    def _set(self, value: Any, wanted: Any) -> Iterator[Wish | None]:
        """That an input be such that this value is another one."""
        told = _told(wanted)
        if told is None:
            return
        origins = self._origins(value)
        for place in origins:
            yield (*place, *told)
        if not origins and isinstance(wanted, (str, bytes)) and type(value) is type(wanted):
            yield from self._exchanged(value, wanted)
            if not value and told[0] == "value":
                yield (-1, (), "word", told[1])
        if not origins and type(value) in (int, float) and isinstance(wanted, (int, float)):
            # Perhaps it was read from a text.
            for place in self._parts(str(value)):
                yield (*place, "replace", repr(str(value)), repr(str(wanted)))
            if type(wanted) is int and 0 <= value < 256 and 0 <= wanted < 256:
                one, other = bytes([int(value)]), bytes([wanted])
                yield from ((*place, "replace", repr(one), repr(other)) for place in self._parts(one))
        if not origins:
            yield from ((*place, *told) for place in self._elsewhere(value))
            yield (-1, (), "word", told[1]) if told[0] == "value" else None

    def _otherwise(self, value: Any) -> Iterator[Wish | None]:
        origins = self._origins(value) or self._parts(value)
        for place in origins:
            yield (*place, "other")
        if not origins:
            yield from ((*place, "other") for place in self._elsewhere(value))

    def _elsewhere(self, value: Any) -> Iterator[Place]:
        """Where else a test can decide what an operand is."""
        for known, node in self._asked:
            if known is value and self._frame is not None:
                for source in self._tests.assignments.sources(node, self._frame):
                    found = [
                        *places(source, self._frame, self._origins),
                        *left_out(self._candidate, source, self._frame),
                    ]
                    yield from found
                    if found:
                        # An assignment further up counts where the last one decides nothing.
                        break

    # What is asked for

    def _answers(self, call: ast.expr, frame: FrameType | None = None) -> Iterator[Place]:
        """Where what a call gives is decided: by a mock or function among the inputs, or outside of them."""
        frame = frame or self._frame
        if not isinstance(call, ast.Call) or frame is None:
            return
        called = _value(call.func, frame)
        origins = self._origins(called) if called is not _NOWHERE else []
        yield from ((place, (*path, "()")) for place, path in origins)
        if not origins:
            yield from places(call, frame, self._origins)

    def compared(self, call: ast.expr, other: Any) -> Iterator[Wish | None]:
        told = _told(other)
        if told is not None:
            yield from ((*place, *told) for place in self._answers(call))

    def answered(self, call: ast.expr) -> Iterator[Wish | None]:
        for place in self._answers(call):
            yield (*place, "true")
            yield (*place, "false")

    def sized(self, call: ast.expr, bound: Any) -> Iterator[Wish | None]:
        if isinstance(bound, int) and 0 <= bound < 20:
            for place in self._answers(call):
                yield (*place, "elements", bound + 1, 0)
                yield (*place, "elements", bound, 0)

    def looped(self, call: ast.expr, parts: Any) -> Iterator[Wish | None]:
        yield from ((*place, "elements", 2, parts) for place in self._answers(call))

    def fails(self, call: ast.Call, errors: Any = Exception) -> Iterator[Wish | None]:
        assert self._frame is not None
        kinds = [place_of(each) for each in _flat(errors) if isinstance(each, type)]
        for kind in [each for each in kinds if each is not None][:2]:
            yield from ((*place, "raising", *kind) for place in self._callees(call, self._frame))

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
            # What a call gives can be another thing; a variable that is there, such as a command line, is prepared.
            given = (place for place in self._elsewhere(one) if len(place) > 4 and place[4])
            for place in self._origins(one) or given:
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
            origins = self._origins(other)
            for place in origins:
                yield (*place, "with", repr(one))
            if not origins:
                yield from self._exchanged(other, other + one)
                yield from self._exchanged(other, one + other)
        elif type(one) in _ATOMS:
            for place in self._origins(other) or self._elsewhere(other):
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
            if wished == "attribute" and hasattr(one, "__dict__") and not isinstance(one, (type, Pretended)):
                yield (*place, FIELD, name, False, "None", "other")

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
        for sample in matching(pattern):
            yield from self._set(text, sample)

    def truth(self, one: Any) -> Iterator[Wish | None]:
        wished = "false" if _safely(lambda: bool(one)) else "true"
        origins = self._origins(one)
        for place in origins:
            yield (*place, wished)
        if not origins:
            yield from ((*place, wished) for place in self._elsewhere(one))

    def among(self, *values: Any) -> Iterator[Wish | None]:
        """A function of the program is asked about values and classes: perhaps whether they fit."""
        for cls in [each for each in values if isinstance(each, type)][:2]:
            for value in [each for each in values if each is not cls]:
                yield from self.subclass(value, cls) if isinstance(value, type) else self.instance(value, cls)

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
    "among": Noticed.among,
    "compared": Noticed.compared,
    "answered": Noticed.answered,
    "fails": Noticed.fails,
    "sized": Noticed.sized,
    "looped": Noticed.looped,
}
_UNEVALUATED = frozenset({"compared", "answered", "fails", "sized", "looped"})
"""Tests about a call that has not been made yet."""


def _of_systems(error: BaseException) -> Iterator[Wish]:
    """That there be what a module has on another system, perhaps."""
    if isinstance(error, AttributeError) and isinstance(error.obj, types.ModuleType):
        yield (-1, (), DEFINE, f"{error.obj.__name__}.{error.name}")


def _told(value: Any) -> Wish | None:
    """A value as a wish, if it can be written."""
    if type(value) in _ATOMS:
        # An object of a class below these may be written in any way.
        text = repr(value)
        written = not isinstance(value, float) or abs(value) < float("inf")
        return ("value", text) if written and len(text) <= _LONGEST and not _of_machine(text) else None
    if isinstance(value, type) or callable(value):
        place = place_of(value)
        return ("name", *place) if place is not None else None
    if type(value) in _COLLECTIONS:
        return _told_collection(value)
    cls = type(value)
    name = getattr(value, "name", None)
    if isinstance(name, str) and getattr(cls, name, None) is value and place_of(cls) is not None:
        module, qualname = place_of(cls) or ("", "")
        return ("name", module, f"{qualname}.{name}")
    return None


def _told_collection(value: Any) -> Wish | None:
    """A small collection of plain values, as far as it is written in the same way every time."""
    if not 0 < len(value) <= _MOST_WRITTEN or (isinstance(value, set) and len(value) > 1):
        return None
    items = [*value, *value.values()] if isinstance(value, dict) else value
    text = repr(value)
    plain = all(type(each) in _ATOMS and not isinstance(each, float) for each in items)
    return ("value", text) if plain and len(text) <= _LONGEST and not _of_machine(text) else None


def _of_machine(text: str) -> bool:
    """Whether a text names a folder of this machine that a test should not depend on."""
    return any(len(place) > 1 and place in text for place in (*sys.path, sys.prefix))


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


def _safely(test: Callable[[], Any]) -> bool:
    try:
        return bool(test())
    except Exception:
        return False


def _value(node: ast.expr, frame: FrameType) -> Any:
    code = compiled(node)
    try:
        return eval(code, frame.f_globals, frame.f_locals) if code is not None else _NOWHERE
    except Exception:
        return _NOWHERE


_NOWHERE = object()


def _innermost(trace: TracebackType | None, is_own: Callable[[CodeType], bool]) -> TracebackType | None:
    found: TracebackType | None = None
    while trace is not None:
        if is_own(trace.tb_frame.f_code):
            found = trace
        trace = trace.tb_next
    return found

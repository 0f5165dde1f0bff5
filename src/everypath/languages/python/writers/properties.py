"""Cases as examples of a property: one Hypothesis test for a function, on top of inputs that Hypothesis draws.

What holds for all inputs is that the call ends as some path ends: with a result, or with an error that a path ends
with. What a path gives exactly its example says, and `ANY` stands for that where inputs are drawn.

A case is an example if its inputs can be written in place and the call leaves them as they are. The others keep a test
of their own. A function is a property if there is a strategy for each of its parameters, and nothing around it has to
be set up for a call.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import cast

from everypath.cases.minimise import is_alone
from everypath.cases.model import (
    CallCase,
    CallSuite,
    Entry,
    Named,
    ObjectState,
    Pointer,
    Raised,
    Returned,
    TupleValue,
    Value,
    parts,
)
from everypath.errors import Unsupported
from everypath.ir.instructions import Param
from everypath.ir.program import Program
from everypath.languages.base import EntryPoint, Module
from everypath.languages.python.scripts.act import looked_at, mangled
from everypath.languages.python.scripts.graph import is_nan, pointers, reachable, targets
from everypath.languages.python.scripts.grouping import Property
from everypath.languages.python.scripts.imports import HYPOTHESIS, MOCK, Imports, exception_module
from everypath.languages.python.scripts.layout import INDENT, Expr, Item, Text, assertion, assignment, call, lay_out
from everypath.languages.python.scripts.strategies import Strategies
from everypath.languages.python.scripts.values import Plans, Writer
from everypath.languages.python.scripts.variables import Scope, roots_of, snake_case
from everypath.records import dataclass, field

_PASSED = ("normal", "positional", "keyword")
_CALLED = ("function", "static", "class", "method")
_LOOKED_AT = ("", "list", "start", "run")
_BROAD = ("Exception", "BaseException")
_SMALL = (-100, 100)
"""Integers where paths were cut: how long a call takes may depend on them."""
_STATE = "tests of this module change state that has to be put back"
_LEFT_BEHIND = "all its tests look at objects that the call changes or shares"


@dataclass(frozen=True, slots=True)
class Drawn:
    """A function whose inputs can be drawn."""

    point: EntryPoint
    program: Program
    integers: tuple[int, int] | None
    """the range of those that have none"""

    def strategies(self, imports: Imports) -> Strategies:
        """What writes the strategies of its parameters."""
        return Strategies(self.program, imports, self.integers)


@dataclass(slots=True)
class Properties:
    """Which functions of a module are properties, and which cases are their examples."""

    drawn: dict[str, Drawn] = field(default_factory=dict)
    """by qualified names"""
    examples: set[str] = field(default_factory=set)
    """ids of cases"""
    reasons: dict[str, str] = field(default_factory=dict)
    """qualified name -> why the function is no property"""

    def without(self, reasons: Mapping[str, str], cases: Iterable[CallCase]) -> Properties:
        """The same but for some functions."""
        left = {case.id for case in cases if case.entry.qualified in reasons}
        drawn = {name: each for name, each in self.drawn.items() if name not in reasons}
        return Properties(drawn, self.examples - left, {**self.reasons, **reasons})


def properties_of(module: Module, plans: Plans) -> Properties:
    """What of a module can be written as properties."""
    found = Properties()
    # Nothing of it is written yet.
    imports = Imports(cast("list[CallCase]", list(module.cases)), properties=True)
    points = {e.case_entry().qualified: (e, each.program) for each in module.programs for e in each.entries}
    for suite in cast("list[CallSuite]", module.suites):
        for name in dict.fromkeys(case.entry.qualified for case in suite.cases):
            cases = [case for case in suite.cases if case.entry.qualified == name]
            examples = [case.id for case in cases if _is_example(case, imports, plans)]
            integers = module.options.solver.int_range or (_SMALL if _may_take_long(suite) else None)
            drawn = Drawn(*points[name], integers) if name in points else None
            reason = _STATE if module.restore_state else _obstacle(cases, drawn, imports)
            reason = reason or (None if examples else _LEFT_BEHIND)
            if reason is None and drawn is not None:
                found.drawn[name] = drawn
                found.examples.update(examples)
            else:
                found.reasons[name] = reason or "it is no longer there"
    return found


def _may_take_long(suite: CallSuite) -> bool:
    stats = suite.stats
    return bool(sum(stats.cut.values()) or stats.unsupported or stats.concretised or stats.unknown)


def _obstacle(cases: Sequence[CallCase], drawn: Drawn | None, imports: Imports) -> str | None:
    """What keeps a function from being called with whatever is drawn."""
    kinds, looks = {case.entry.kind for case in cases}, {case.entry.observed for case in cases}
    if not kinds.issubset(_CALLED) or not looks.issubset(_LOOKED_AT):
        return "a test does more than call it"
    if any(is_alone(case) for case in cases):
        return "a test sets something up around the call"
    raised = {case.expected.outcome.cls for case in cases if isinstance(case.expected.outcome, Raised)}
    if raised.intersection(_BROAD):
        return "it may raise errors of any kind"
    return None if drawn is None else _undrawn(drawn, drawn.strategies(imports))


def _undrawn(drawn: Drawn, strategies: Strategies) -> str | None:
    """Why there are no strategies for what a function takes."""
    if drawn.point.requires:
        return "no strategy says what callers promise"
    for each in _parameters(drawn.point):
        if each.kind not in _PASSED:
            return f"{each.name} is any number of arguments"
        try:
            strategies.of(each.type)
        except Unsupported as problem:
            return f"{each.name}: {problem.message}"
    return None if _parameters(drawn.point) else "it takes nothing"


def _parameters(point: EntryPoint) -> tuple[Param, ...]:
    """What a test gives, the object of a method included, but not the class of a class method."""
    return point.params[1:] if point.kind == "class" else point.params


def _is_example(case: CallCase, imports: Imports, plans: Plans) -> bool:
    """Whether a line can tell everything about a case."""
    outcome, receiver = case.expected.outcome, case.inputs.receiver
    if case.inputs.steps or case.expected.asked or not _is_own(case.entry, receiver, case):
        return False
    before, after = case.inputs.heap, case.expected.heap
    roots = [value for _, value in roots_of(case)]
    there = reachable(roots, before)
    uses = Counter(target for value in roots for target in pointers(value))
    uses.update(target for each in there for target in targets(before[each]))
    if any(count > 1 for count in uses.values()) or any(repr(after.get(e)) != repr(before[e]) for e in there):
        return False
    try:
        given = Writer(before, {}, imports, plans)
        for value in roots:
            given.value(value)
        if isinstance(outcome, Returned):
            Writer(after, {}, imports, plans).value(outcome.value)
            made = reachable([outcome.value], after)
            held = [outcome.value, *(value for each in made for value in parts(after[each]))]
            return not any(map(_is_nan_inside, held)) and not any(each in before for each in made)
    except Unsupported:
        return False
    return True


def _is_nan_inside(value: Value) -> bool:
    return any(map(_is_nan_inside, value.items)) if isinstance(value, TupleValue) else is_nan(value)


def _is_own(entry: Entry, receiver: Value | None, case: CallCase) -> bool:
    """Whether a call on the receiver is sure to be one of the function under test."""
    if entry.kind == "class":
        return receiver is None or (isinstance(receiver, Named) and receiver.name == entry.cls)
    if not isinstance(receiver, Pointer):
        return receiver is None
    state = case.inputs.heap.get(receiver.id)
    return isinstance(state, ObjectState) and (state.module, state.cls) == (entry.module, entry.cls)


class PropertyTest:
    """Writes the test of one function."""

    def __init__(self, unit: Property, imports: Imports, plans: Plans, properties: Properties) -> None:
        self._unit, self._imports, self._plans = unit, imports, plans
        self._entry = unit.cases[0].entry
        drawn = properties.drawn[self._entry.qualified]
        point, self._strategies = drawn.point, drawn.strategies(imports)
        scope = Scope(imports.reserved)
        self._params = _parameters(point)
        self._bound = point.kind == "method"
        words = [each.name for each in self._params]
        if self._bound:
            words[0] = snake_case((self._entry.cls or "").rpartition(".")[2])
        self._names = list(map(scope.claim, words))
        self._expected = scope.claim("expected")

    def lines(self, comments: Mapping[str, Sequence[str]] = MappingProxyType({})) -> list[str]:
        """The test; `comments` are what is said about cases, by their ids."""
        lines: list[str] = []
        for case in self._unit.cases:
            lines += comments.get(case.id, ())
            lines += lay_out("@", call(self._imports.name(HYPOTHESIS, "example"), self._example(case)))
        drawn = [Item(self._strategies.of(each.type), f"{name}=") for name, each in zip(self._names, self._params)]
        anything = Text(self._imports.name(MOCK, "ANY"))
        just = call(f"{self._imports.name(HYPOTHESIS, 'strategies')}.just", [Item(anything)])
        lines += lay_out("@", call(self._imports.name(HYPOTHESIS, "given"), [*drawn, Item(just, f"{self._expected}=")]))
        names = [Item(Text(each)) for each in (*self._names, self._expected)]
        return [*lines, *lay_out("", call(f"def {self._unit.function}", names), ":"), *self._body()]

    def _raised(self) -> list[str]:
        outcomes = [(case, case.expected.outcome) for case in self._unit.known]
        names = [self._imports.name(exception_module(o, c.entry), o.cls) for c, o in outcomes if isinstance(o, Raised)]
        return list(dict.fromkeys(names))

    def _example(self, case: CallCase) -> list[Item]:
        given = Writer(case.inputs.heap, {}, self._imports, self._plans)
        values = [value for _, value, _ in case.inputs.arguments]
        if self._bound and case.inputs.receiver is not None:
            values = [case.inputs.receiver, *values]
        items = [Item(given.value(value), f"{name}=") for name, value in zip(self._names, values)]
        outcome = case.expected.outcome
        expected: Expr
        if isinstance(outcome, Raised):
            expected = Text(self._imports.name(exception_module(outcome, case.entry), outcome.cls))
        else:
            expected = Writer(case.expected.heap, {}, self._imports, self._plans).value(outcome.value)
        return [*items, Item(expected, f"{self._expected}=")]

    def _body(self) -> list[str]:
        called = looked_at(self._entry, self._called(), self._imports)
        raised = self._raised()
        if not raised:
            return assertion(called, "==", Text(self._expected), INDENT)
        errors = raised[0] if len(raised) == 1 else f"({', '.join(raised)})"
        return [
            f"{INDENT}try:",
            *assignment("result", called, INDENT * 2),
            f"{INDENT}except {errors} as error:",
            f"{INDENT * 2}result = type(error)",
            "",
            f"{INDENT}assert result == {self._expected}",
        ]

    def _called(self) -> Expr:
        entry = self._entry
        given = [
            Item(Text(name), f"{each.name}=" if each.kind == "keyword" else "")
            for name, each in zip(self._names, self._params)
        ]
        if self._bound:
            return call(f"{self._names[0]}.{mangled(entry)}", given[1:])
        if entry.cls is None:
            return call(self._imports.name(entry.module, entry.name), given)
        return call(f"{self._imports.name(entry.module, entry.cls)}.{mangled(entry)}", given)

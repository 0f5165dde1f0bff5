"""The body of one test: arrange, act, assert; also as a class that validation runs, with marks between the parts."""

from __future__ import annotations

import re
from collections.abc import Iterable

from everypath.cases.model import (
    CallCase,
    HeapState,
    ObjectState,
    Pointer,
    Returned,
    SequenceState,
    Value,
)
from everypath.errors import Unsupported
from everypath.languages.java.classfile.descriptors import Generic
from everypath.languages.java.frontend.hierarchy import Hierarchy
from everypath.languages.java.scripts.act import Action
from everypath.languages.java.scripts.arrange import LENIENT, TRUSTING, WAYS, Arrangement
from everypath.languages.java.scripts.asserts import Observer, Place
from everypath.languages.java.scripts.case_types import CaseTypes
from everypath.languages.java.scripts.changes import changes_of
from everypath.languages.java.scripts.graph import owners, reachable
from everypath.languages.java.scripts.imports import Imports
from everypath.languages.java.scripts.layout import WIDTH, indented
from everypath.languages.java.scripts.reflection import NAMES as HELPERS
from everypath.languages.java.scripts.reflection import Reflection
from everypath.languages.java.scripts.scope import Scope
from everypath.languages.java.scripts.steps import step_lines
from everypath.languages.java.scripts.subject import Subject, box_of, constant_of
from everypath.records import dataclass

RESULT = "result"
RAW_TYPES = len(WAYS)
"""Added to a way, types are written without arguments: the compiler does not take every combination of these."""
EVERY_WAY = tuple(range(2 * RAW_TYPES))


@dataclass(frozen=True, slots=True)
class Body:
    """The statements of a test in the order they run."""

    arrange: tuple[str, ...]
    arranged: tuple[str, ...]
    """assertions that the inputs are as intended; checked, but not emitted"""
    act: tuple[str, ...]
    observe: tuple[str, ...]
    """what is emitted"""
    exact: tuple[str, ...]
    """all that is predicted, for the check only"""
    throws: bool
    unchecked: bool

    def lines(self) -> list[str]:
        """The body as emitted: the three parts with an empty line between them."""
        act, observe = _folded(self.act, self.observe)
        lines: list[str] = []
        for part in (self.arrange, act, observe):
            if part:
                lines += ["", *part] if lines else list(part)
        return lines


def _folded(act: tuple[str, ...], observe: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The call inside the only assertion about its result, if both fit on one line; no variable that nobody reads."""
    found = re.fullmatch(rf"[^=]*\b{RESULT} = (.*);", act[-1]) if act else None
    if found is None or "\n" in act[-1]:
        return act, observe
    mentioned = re.compile(rf"\b{RESULT}\b")
    uses = [line for line in observe if mentioned.search(line)]
    if not uses:
        return (*act[:-1], f"{found[1]};"), observe
    if uses != list(observe[:1]) or len(mentioned.findall(uses[0])) != 1 or not uses[0].startswith("assert"):
        return act, observe
    whole = mentioned.sub(lambda _: found[1], uses[0])
    if f"{RESULT}." in uses[0] or f"{RESULT}[" in uses[0] or len(whole) + 8 > WIDTH:
        return act, observe
    return (*act[:-1], whole), observe[1:]


class TestClass:
    """What the bodies of one test class share: its imports and its helper."""

    __test__ = False

    def __init__(self, hierarchy: Hierarchy, package: str, name: str) -> None:
        self.hierarchy = hierarchy
        self.package = package
        self.name = name
        self.imports = Imports(hierarchy, package, name)
        self.reflection = Reflection()

    def text(self, members: list[str], *, head: Iterable[str] = (), modifiers: str = "") -> str:
        """The file, given the members of the class as lines."""
        imports = self.imports.lines()
        for name in self.reflection.imports():
            imports = _with_import(imports, name)
        lines = list(head)
        lines += [f"package {self.package};", ""] if self.package else []
        lines += [*imports, ""] if imports else []
        lines += [f"{modifiers}class {self.name} {{", *members]
        lines += indented(self.reflection.methods(), 1)
        return "\n".join([*lines, "}", ""])


def _with_import(lines: list[str], name: str) -> list[str]:
    line = f"import {name};"
    if line in lines:
        return lines
    static = [each for each in lines if each.startswith("import static")]
    plain = sorted([each for each in lines if each.startswith("import ") and each not in static] + [line])
    return [*static, *([""] if static else []), *plain]


def package_of(package: str) -> str:
    """The package of the tests of a class: its own, unless nobody may add to that."""
    return f"tests.{package}" if package.startswith(("java.", "javax.", "jdk.", "sun.")) else package


def write_body(case: CallCase, test: TestClass, way: int = TRUSTING, *, checked: bool = False) -> Body:
    """The statements of a case; with `checked` also those that only validation runs."""
    subject = Subject(case.entry, test.hierarchy)
    types = CaseTypes(case, subject, test.hierarchy)
    scope = Scope({RESULT, "thrown", *HELPERS})
    names = name_objects(case, subject, scope, checked=checked)
    raw = way >= RAW_TYPES
    imports, reflection = test.imports, test.reflection
    arrangement = Arrangement(case, names, types, imports, reflection, way=way % RAW_TYPES, raw=raw)
    roots = _roots(case)
    arrange = [*arrangement.lines(roots), *step_lines(case, names, types, arrangement.values, imports)]
    action = Action(case, subject, types, arrangement.values, imports, raw=raw)
    act = action.lines(exact=checked)
    lenient = way % RAW_TYPES == LENIENT
    observed = Observer(case.expected.heap, names, types, imports, reflection, scope, lenient=lenient)
    _observe(case, observed, types.result, names, frozenset())
    if not observed.lines and isinstance(case.expected.outcome, Returned):
        # A call that gives and changes nothing: what it could have changed is what there is to see.
        _observe(case, observed, types.result, names, changes_of(subject.method, test.hierarchy))
    arranged: list[str] = []
    exact: list[str] = []
    if checked:
        ready = case.inputs.ready or case.inputs.heap
        inputs = Observer(ready, names, types, imports, reflection, scope, exact=True, lenient=lenient)
        for target in names:
            inputs.input(target, ready.get(target), None)
        arranged = inputs.lines
        everything = Observer(case.expected.heap, names, types, imports, reflection, scope, exact=True, lenient=lenient)
        _observe(case, everything, types.result, names, None)
        exact = everything.lines
    unchecked = raw or arrangement.values.unchecked or observed.values.unchecked
    return Body(
        tuple(arrange), tuple(arranged), tuple(act), tuple(observed.lines), tuple(exact), action.throws, unchecked
    )


def _observe(
    case: CallCase, observer: Observer, result: Generic, names: dict[str, str], looked_at: frozenset[str] | None
) -> None:
    outcome = case.expected.outcome
    if isinstance(outcome, Returned) and not _is_void(result):
        observer.value(Place(RESULT, result), outcome.value, result)
    before = case.inputs.ready or case.inputs.heap
    for target in names:
        observer.input(target, before.get(target), looked_at)


def _is_void(type_: Generic) -> bool:
    return getattr(type_, "letter", "") == "V"


def render_case(case: CallCase, hierarchy: Hierarchy, name: str, way: int = TRUSTING) -> tuple[str, str]:
    """The name and source of a class with one method, `test`, that runs a case with marks between its parts."""
    subject = Subject(case.entry, hierarchy)
    test = TestClass(hierarchy, package_of(subject.cls.package), name)
    body = write_body(case, test, way, checked=True)
    lines = list(body.arrange)
    lines += [_phase("check"), *_block(body.arranged)]
    lines += [_phase("act"), *body.act]
    lines += [_phase("assert"), *_block(body.observe), *_block(body.exact)]
    members = ["    void test() throws Throwable {", *indented(lines, 2), "    }"]
    suppressed = '@SuppressWarnings({"unchecked", "rawtypes"})\n'
    full = f"{test.package}.{name}" if test.package else name
    return full, test.text(members, modifiers=suppressed)


def _phase(name: str) -> str:
    return f'everypath.driver.Phase.at("{name}");'


def _block(lines: Iterable[str]) -> list[str]:
    """Statements whose variables nobody else sees."""
    inside = list(lines)
    return ["{", *(f"    {line}" for line in inside), "}"] if inside else []


def _roots(case: CallCase) -> list[Value]:
    receiver = [case.inputs.receiver] if case.inputs.receiver is not None else []
    stepped = [value for step in case.inputs.steps for _, value, _ in step.arguments]
    return [*receiver, *(value for _, value, _ in case.inputs.arguments), *stepped]


def name_objects(case: CallCase, subject: Subject, scope: Scope, *, checked: bool = False) -> dict[str, str]:
    """A variable for every object that the test must be able to refer to; what is checked, it must look at again."""
    heap = {**case.inputs.ready, **case.inputs.heap}
    in_place = _written_in_place(case, subject.cls.hierarchy, passed_too=not checked)
    names: dict[str, str] = {}
    suggested: list[tuple[str, Value]] = []
    if case.inputs.receiver is not None:
        suggested.append((subject.cls.simple, case.inputs.receiver))
    parameters = subject.method.parameter_names
    for number, (name, value, _) in enumerate(case.inputs.arguments):
        suggested.append((parameters[number] if number < len(parameters) else name, value))
    made = {step.target for step in case.inputs.steps}
    order = reachable(_roots(case), heap)
    for suggestion, value in suggested:
        if isinstance(value, Pointer) and value.id in heap and value.id not in (*names, *in_place):
            names[value.id] = scope.claim(suggestion, _kind(heap[value.id]))
    hints = _hints(case)
    for target in (*order, *made):
        if target not in names and target not in in_place and target in {*case.inputs.heap, *made}:
            names[target] = scope.claim(hints.get(target, "value"), "value")
    return names


def _kind(state: HeapState) -> str:
    return "items" if isinstance(state, SequenceState) else getattr(state, "cls", "value")


def _hints(case: CallCase) -> dict[str, str]:
    """What each object would be called: its class, or for arrays the field that holds it."""
    hints: dict[str, str] = {}
    for heap in (case.inputs.heap, case.inputs.ready):
        for target, state in heap.items():
            if isinstance(state, ObjectState):
                for name, value in state.fields:
                    if isinstance(value, Pointer) and isinstance(heap.get(value.id), SequenceState):
                        hints.setdefault(value.id, name.partition("@")[0])
            if not isinstance(state, SequenceState):
                hints[target] = _kind(state)
    for step in case.inputs.steps:
        hints.setdefault(step.target, step.cls)
    return hints


def _written_in_place(case: CallCase, hierarchy: Hierarchy, passed_too: bool) -> set[str]:
    """Objects that need no name: boxes, what collections consist of, and arrays that one other object holds.

    With `passed_too`, also arrays that are arguments and stay as they are.
    """
    heap, after = case.inputs.heap, case.expected.heap
    held, held_after = owners(heap), owners(after)
    outcome = case.expected.outcome
    returned = outcome.value.id if isinstance(outcome, Returned) and isinstance(outcome.value, Pointer) else None
    passed = [value.id for _, value, _ in case.inputs.arguments if isinstance(value, Pointer)]
    found: set[str] = set()
    for target, state in heap.items():
        if box_of(Pointer(target), heap) is not None or constant_of(Pointer(target), heap, hierarchy) is not None:
            found.add(target)
        elif isinstance(state, SequenceState) and target != returned:
            simple = all(not isinstance(item, Pointer) or box_of(item, heap) is not None for item in state.items)
            uses, later = held[target] + passed.count(target), held_after[target] + passed.count(target)
            same = target not in passed or (passed_too and after.get(target, state) == state)
            if simple and uses == 1 and later == 1 and same:
                found.add(target)
    return found


def unwritable(case: CallCase, hierarchy: Hierarchy, way: int = TRUSTING) -> str | None:
    """Why a case cannot be written as a test, or None."""
    try:
        render_case(case, hierarchy, "Tried", way)
    except Unsupported as problem:
        return problem.message
    return None

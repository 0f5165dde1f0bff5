"""The body of one test: arrange, act, assert; also as a script that validation runs, with marks between the parts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from everypath.cases.model import CallCase, Heap, HeapState, Literal, Pointer, Raised, Returned, StandInState, Value
from everypath.languages.python.scripts.act import Action, call_arguments
from everypath.languages.python.scripts.arrange import CONSTRUCTOR, Arrangement
from everypath.languages.python.scripts.asserts import RESULT, Changes, Observer
from everypath.languages.python.scripts.graph import pointers, reachable
from everypath.languages.python.scripts.imports import Imports
from everypath.languages.python.scripts.layout import INDENT, assignment, call, fits, lay_out
from everypath.languages.python.scripts.literals import set_attribute
from everypath.languages.python.scripts.replacing import Replacing
from everypath.languages.python.scripts.standins import Calls
from everypath.languages.python.scripts.values import Plans, Writer
from everypath.languages.python.scripts.variables import Scope, name_objects, roots_of, snake_case
from everypath.records import dataclass, replace

VALIDATION_FUNCTION = "generated_test"
"""The function that a snippet for validation defines."""


@dataclass(frozen=True, slots=True)
class Body:
    """The statements of a test in the order they run."""

    arrange: tuple[str, ...]
    arranged: tuple[str, ...]
    """assertions that the inputs are as intended; they hold by construction, so they are checked but not emitted"""
    act: tuple[str, ...]
    observe: tuple[str, ...]
    """what is emitted"""
    exact: tuple[str, ...] = ()
    """all that is predicted, with the types of the values: what a check needs, and a reader does not"""

    def lines(self) -> list[str]:
        """The body as emitted: the three parts with an empty line between them."""
        lines: list[str] = []
        act, observe = _folded(self.act, self.observe)
        for part in (*_passed_directly(self.arrange, act, observe), observe):
            if part:
                lines += ["", *part] if lines else list(part)
        return lines


_KEPT = f"{INDENT}{RESULT} = "
_ASSERTED = f"{INDENT}assert {RESULT} "
_PRIMARY = re.compile(r"[\w.]+(\(.*\))?")
"""An expression that binds as closely as anything: a name, an attribute, or one call of it."""


def _folded(act: tuple[str, ...], observe: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The call inside the assertion about its result where that is the only one and both fit on one line."""
    if len(act) != 1 or not act[0].startswith(_KEPT):
        return act, observe
    called = act[0].removeprefix(_KEPT)
    if not _is_mentioned(observe):
        return (f"{INDENT}{called}",), observe
    compared = observe[0].removeprefix(_ASSERTED)
    written = called if _PRIMARY.fullmatch(called) else f"({called})"
    line = f"{INDENT}assert {written} {compared}"
    if len(observe) > 1 or compared == observe[0] or _is_mentioned((compared,)) or not fits(line):
        return act, observe
    return (line,), ()


_COLLECTION = re.compile(r" {4}(\w+) = ([\[{].*[\]}])")


def _passed_directly(
    arrange: tuple[str, ...], act: tuple[str, ...], observe: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The call with the collections in it that nothing else mentions, where that fits on its line."""
    kept = list(arrange)
    for line in arrange if len(act) == 1 else ():
        found = _COLLECTION.fullmatch(line)
        if found is None:
            continue
        name = re.compile(rf"\b{found[1]}\b")
        others = [each for each in (*kept, *observe) if each != line]
        if len(name.findall(act[0])) != 1 or any(map(name.search, others)):
            continue
        whole = found[2].join(name.split(act[0]))
        if fits(whole):
            act = (whole,)
            kept.remove(line)
    return tuple(kept), act


def _is_mentioned(lines: Iterable[str]) -> bool:
    return any(re.search(rf"\b{RESULT}\b", line) for line in lines)


def write_body(case: CallCase, imports: Imports, plans: Plans, variant: int, *, checked: bool = False) -> Body:
    """The body of the test of one case; where it is `checked`, with what only a check of the prediction needs."""
    return _body(case, imports, plans, variant, checked)


def write_unpinned(case: CallCase, imports: Imports, plans: Plans, variant: int) -> Body:
    """The body of a test that only calls: an error of the call is an error of the test."""
    body = _body(case, imports, plans, variant, checked=False, pinned=False)
    return replace(body, observe=())


def _body(case: CallCase, imports: Imports, plans: Plans, variant: int, checked: bool, pinned: bool = True) -> Body:
    scope = Scope(imports.reserved)
    if case.inputs.steps or case.observed:
        names = name_built(case, scope)
        arrange = [*Replacing(case, imports, scope).lines(), *build_lines(case, names, imports)]
        start = case.inputs.ready
    else:
        names = name_objects(case, scope)
        # Constructors that ask for the time as well must not use up the answers for the call.
        arrange = [*Arrangement(case, names, imports, plans, variant).lines(), *Replacing(case, imports, scope).lines()]
        start = case.inputs.heap
    action = Action(case, names, imports)
    outcome = case.expected.outcome
    act = action.raising(outcome) if pinned and isinstance(outcome, Raised) else action.returning()
    return Body(
        tuple(arrange),
        tuple(_arranged(start, names, imports)) if checked else (),
        tuple(act),
        (
            *_observed(case, start, names, imports, scope, plans),
            *Calls(case, names, imports, plans).lines(),
            *_files(case),
        ),
        tuple(_predicted(case, names, imports, scope)) if checked else (),
    )


def write_call(case: CallCase, imports: Imports) -> tuple[dict[str, str], Body]:
    """The variables that hold the inputs, and the body without any assertions; calls make the inputs."""
    scope = Scope(imports.reserved)
    names = name_built(case, scope)
    arrange = [*Replacing(case, imports, scope).lines(), *build_lines(case, names, imports)]
    return names, Body(tuple(arrange), (), tuple(Action(case, names, imports).returning()), ())


def _observed(
    case: CallCase, start: Heap, names: dict[str, str], imports: Imports, scope: Scope, plans: Plans
) -> list[str]:
    """What a reader wants to know: the result, what has changed, and shortly what could have."""
    outcome = case.expected.outcome
    # An object that a constructor gives is not compared with what the same constructor gives.
    compared = plans if case.entry.kind != "constructor" else None
    observer = Observer(case.expected.heap, names, imports, scope, compared)
    changes = Changes(start, case.entry.changes)
    given = _returned(case, outcome).value if isinstance(outcome, Returned) else None
    quiet = case.entry.kind == "setter" or (case.entry.procedure and given == Literal(None))
    if given is not None and not quiet:
        observer.result(given)
    for target in names:
        observer.input(target, start.get(target), changes)
    if given is not None and quiet and not observer.lines() and case.entry.kind != "setter":
        observer.result(given)
    return observer.lines()


def _files(case: CallCase) -> list[str]:
    """What the call has done to the folder of the test."""
    if not case.expected.files:
        return []
    # Few calls do anything to files.
    from everypath.languages.python.scripts.fixtures import file_lines

    return file_lines(case.expected.files)


def _predicted(case: CallCase, names: dict[str, str], imports: Imports, scope: Scope) -> list[str]:
    """Everything that is known about the state after the call."""
    outcome = case.expected.outcome
    observer = Observer(case.expected.heap, names, imports, scope, exact_types=True)
    if isinstance(outcome, Returned) and case.entry.kind != "setter":
        observer.result(_returned(case, outcome).value)
    for target in names:
        observer.input(target, None, Changes({}, None))
    return observer.lines()


def _arranged(heap: Heap, names: dict[str, str], imports: Imports) -> list[str]:
    scope = Scope(imports.reserved | set(names.values()))
    observer = Observer(heap, names, imports, scope, exact_types=True)
    for target in names:
        observer.input(target, None, Changes({}, None))
    return observer.lines()


def _returned(case: CallCase, outcome: Returned) -> Returned:
    """A constructor's call gives the object, although its `__init__` returns None."""
    receiver = case.inputs.receiver
    if case.entry.kind == "constructor" and outcome.value == Literal(None) and isinstance(receiver, Pointer):
        return replace(outcome, value=receiver)
    return outcome


def name_built(case: CallCase, scope: Scope) -> dict[str, str]:
    """A variable for every made object, stand-in that answers, and other object that more than one call gets."""
    names: dict[str, str] = {}
    for step in case.inputs.steps:
        if step.target and step.target not in names:
            names[step.target] = scope.claim(snake_case(step.cls.rpartition(".")[2]))
    arguments = [(name, value) for step in case.inputs.steps for name, value, _ in step.arguments]
    uses = Counter(target for _, value in arguments for target in pointers(value))
    under_test = {target for _, value in roots_of(case) for target in pointers(value)}
    for name, value in (*roots_of(case), *arguments):
        for target in pointers(value):
            needed = target in under_test or uses[target] > 1 or _answers(case.inputs.heap.get(target))
            if target in case.inputs.heap and target not in names and needed:
                names[target] = scope.claim(name)
    return names


def _answers(state: HeapState | None) -> bool:
    """Whether something is said about a stand-in after it is made."""
    return isinstance(state, StandInState) and bool(state.cls and (state.answers or state.fields))


def build_lines(case: CallCase, names: Mapping[str, str], imports: Imports) -> list[str]:
    """The statements that make the inputs, in the order of the calls."""
    heap = case.inputs.heap
    writer = Writer(heap, names, imports)
    done: set[str] = set()
    lines: list[str] = []

    def provide(values: Iterable[Value]) -> None:
        for target in reversed(reachable(values, heap)):
            if target in names and target not in done:
                done.add(target)
                state = heap[target]
                lines.extend(assignment(names[target], writer.container(state)))
                if isinstance(state, StandInState):
                    from everypath.languages.python.scripts.mocks import StandIns

                    lines.extend(StandIns(writer.value, imports).settings(names[target], state))

    for step in case.inputs.steps:
        provide(value for _, value, _ in step.arguments)
        arguments = call_arguments(step.arguments, writer)
        if not step.module:
            from everypath.languages.python.scripts.fixtures import fixture_lines

            lines += fixture_lines(step, arguments)
        elif step.on:
            called = names[step.on] if step.method == "__call__" else f"{names[step.on]}.{step.method}"
            lines += assignment(names[step.target], call(called, arguments))
        elif step.method == "__setattr__" and isinstance(step.arguments[0][1], Literal):
            lines += set_attribute(names[step.target], str(step.arguments[0][1].value), arguments[1].value)
        elif step.method:
            lines += lay_out("", call(f"{names[step.target]}.{step.method}", arguments), "", INDENT)
        else:
            lines += assignment(names[step.target], call(imports.name(step.module, step.cls), arguments))
    provide(value for _, value in roots_of(case))
    return lines


def render_case(case: CallCase, plans: Plans, variant: int = CONSTRUCTOR) -> str:
    """One case as a script for validation: the emitted statements, with marks between arranging, acting and asserting.

    The script defines `generated_test(phase)`, which calls `phase` with `check`, `act` and `assert`
    at those points, and expects a `pytest` with `raises` and a `monkeypatch` with `setattr` among its globals.
    """
    imports = Imports([case])
    body = write_body(case, imports, plans, variant, checked=True)
    lines = [*imports.lines(pytest=False), "", "", f"def {VALIDATION_FUNCTION}(phase):"]
    lines += body.arrange
    lines += [f'{INDENT}phase("check")', *body.arranged]
    lines += [f'{INDENT}phase("act")', *body.act]
    lines += [f'{INDENT}phase("assert")', *body.observe, *body.exact]
    return "\n".join(lines) + "\n"


def render_observation(case: CallCase) -> str:
    """The call of a case as a script that shows what there is to see, because nobody has predicted how it ends.

    Besides `phase` the script expects `observe_inputs` and `observe_result` among its globals.
    """
    imports = Imports([case])
    names, body = write_call(case, imports)
    shown = ", ".join(f"{target!r}: {name}" for target, name in names.items())
    lines = [*imports.lines(pytest=False), "", "", f"def {VALIDATION_FUNCTION}(phase):"]
    lines += [*body.arrange, f"{INDENT}observe_inputs({{{shown}}})"]
    lines += [f'{INDENT}phase("act")', *body.act]
    lines += [f'{INDENT}phase("assert")', *([] if case.entry.kind == "setter" else [f"{INDENT}observe_result(result)"])]
    return "\n".join(lines) + "\n"


def renamed_observation(script: str) -> str:
    """The same script as a function of another name and module, which the emitted test will have as well.

    What the two show differently, such as the name of a function that is passed in, is nothing that a test can expect.
    """
    renamed = script.replace(f"def {VALIDATION_FUNCTION}(", "def another_test(", 1)
    return f'{renamed}\n\n{VALIDATION_FUNCTION} = another_test\n__name__ = "another_module"\n'

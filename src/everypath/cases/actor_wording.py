"""Cases of actor programs in words: the input in a few lines, a finding in one, what differs between two cases, and
which inputs have outcomes that depend on the order of messages."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

from everypath.cases.accounts import OrderDependence, Stats
from everypath.cases.actors import (
    LIBRARY,
    ActorCase,
    ActorExpected,
    ActorSuite,
    DataValue,
    Deadlock,
    Failure,
    names_in,
    names_of,
    renamed,
    shown_value,
)
from everypath.cases.model import Entry, Finding, Problem
from everypath.options import BOUNDS
from everypath.records import replace

Names = Mapping[str, str]
Difference = tuple[str, str, str]
"""What differs, how it is in the first case, how it is in the second."""
_THE_END = "the end"
CONDITION = "a condition that stays false"
"""What a task waits for if nothing has made its `await` true."""
_LONGEST_VALUE = 60


def nothing_ended(entry: Entry, stats: Stats) -> Problem:
    """Why there are no outcomes at all: the bound that most executions hit, or that they run in circles."""
    cut = max(stats.cut, key=lambda kind: stats.cut[kind])
    if stats.cut[cut]:
        kind, reason = "cut", f"no execution ends within the bounds; most are cut by {BOUNDS.get(cut, cut)}"
    else:
        kind, reason = "endless", "no execution ends: each comes back to a state that it was in before"
    return Problem(kind, entry.file, entry.line, f"{entry.qualified}: {reason}")


def input_lines(case: ActorCase, names: Names) -> list[str]:
    """The input: the call, what else is in the queues, and each actor with its fields."""
    inputs = case.inputs
    lines = []
    for position, task in enumerate(inputs.tasks):
        arguments = ", ".join(f"{name} = {shown_value(value, names)}" for name, value in task.arguments)
        call = f"{names.get(task.actor, task.actor)}.{task.method}({arguments})"
        lines.append(call if position == 0 else f"queued: {call}")
    for state in inputs.actors:
        fields = ", ".join(f"{name} = {shown_value(value, names)}" for name, value in state.fields)
        lines.append(f"{names.get(state.name, state.name)}: {_simple(state.cls)}({fields})")
    lines += [f"the result of {names.get(name, name)} is {shown_value(v, names)}" for name, v in inputs.futures]
    for drawing, numbers in inputs.draws:
        lines.append(f"random numbers of {names.get(drawing, drawing)}: {', '.join(map(str, numbers))}")
    return lines


def differences(first: ActorCase, second: ActorCase, names: Names | None = None) -> list[Difference]:
    """What an observer sees differently at the end; empty if the two differ only inside waiting tasks."""
    names = names_in((first, second)) if names is None else names
    one, other = _observed(first.expected, names), _observed(second.expected, names)
    found = [
        (what, one.get(what) or _missing(what), other.get(what) or _missing(what))
        for what in dict.fromkeys([*one, *other])
        if one.get(what) != other.get(what)
    ]
    return sorted(found, key=lambda difference: not difference[0].startswith(_THE_END))


def _missing(what: str) -> str:
    return "normal" if what.startswith(_THE_END) else "nothing"


def dependence_message(first: ActorCase, second: ActorCase, names: Names | None = None) -> str:
    """The difference in one sentence, such as `this.r is 6 or 3`."""
    found = differences(first, second, names)
    if not found:
        return "the same fields and results, but other tasks are left waiting"
    (what, one, other), *rest = found
    more = f", and {len(rest)} more difference{'s' * (len(rest) > 1)}" if rest else ""
    return f"{what} is {_clipped(one)} or {_clipped(other)}{more}"


def observed_lines(expected: ActorExpected, names: Names) -> list[str]:
    """What can be observed at the end, one line each."""
    return [f"{what} is {how}" for what, how in _observed(expected, names).items()]


def _observed(expected: ActorExpected, names: Names) -> dict[str, str]:
    """What is observed -> its value, the most telling first."""
    found: dict[str, str] = {}
    if expected.deadlock is not None:
        found[_THE_END] = "a deadlock"
    for failure in expected.failures:
        how = "an assertion that fails" if failure.assertion else shown_value(failure.exception, names)
        found[f"{_THE_END} of {names.get(failure.task, failure.task)}"] = how
    if expected.result is not None:
        found["the result"] = shown_value(expected.result, names)
    if expected.output:
        found["the output"] = repr(expected.output)
    for state in expected.actors:
        for field, value in state.fields:
            found[f"{names.get(state.name, state.name)}.{field}"] = shown_value(value, names)
    return found


def finding_of(case: ActorCase, names: Names | None = None) -> Finding | None:
    """Why a person should look at the case: a deadlock, else a failed assertion, else an exception nobody handles.

    An exception that the call under test ends with, and that the program itself declares, is part of what the method
    does: its caller gets it.
    """
    names = names_in((case,)) if names is None else names
    expected = case.expected
    if expected.deadlock is not None and not _may_go_on(case, expected.deadlock):
        first = expected.deadlock.waits[0] if expected.deadlock.waits else None
        place = (first.file, first.line) if first is not None else (case.entry.file, case.entry.line)
        return Finding("deadlock", deadlock_message(expected.deadlock, names), *place)
    failures = [failure for failure in expected.failures if not _on_purpose(case, failure)]
    for failure in sorted(failures, key=lambda failure: not failure.assertion):
        kind = "assertion" if failure.assertion else "runtime-error"
        return Finding(kind, failure_message(failure, names), failure.file, failure.line)
    return None


def judge(suite: ActorSuite) -> None:
    """Give every case its finding, and every task the same name in all texts about the suite."""
    suite.cases = [replace(case, finding=finding_of(case)) for case in suite.cases]
    names = names_of(suite)
    suite.cases = [replace(case, finding=finding_of(case, names)) if case.finding else case for case in suite.cases]
    cases = {case.id: case for case in suite.cases}
    suite.dependences = [
        replace(each, message=dependence_message(cases[each.first], cases[each.second], names))
        if each.first in cases and each.second in cases
        else each
        for each in suite.dependences
    ]


def _may_go_on(case: ActorCase, deadlock: Deadlock) -> bool:
    """Whether some other call could still make true what is waited for: nothing else is the matter with a method that
    waits for its condition, and a main block has no other callers."""
    return (
        bool(case.inputs.tasks) and not deadlock.cycle and any(CONDITION in wait.waits_for for wait in deadlock.waits)
    )


def _on_purpose(case: ActorCase, failure: Failure) -> bool:
    exception = failure.exception
    of_the_library = not isinstance(exception, DataValue) or exception.constructor.startswith(LIBRARY)
    return bool(case.inputs.tasks) and failure.task == case.inputs.tasks[0].name and not of_the_library


def failure_message(failure: Failure, names: Names) -> str:
    """An unhandled exception, in one sentence."""
    task = names.get(failure.task, failure.task)
    if failure.assertion:
        return f"assertion fails in {task}"
    return f"uncaught {shown_value(failure.exception, names)} in {task}"


def deadlock_message(deadlock: Deadlock, names: Names) -> str:
    """A deadlock in one sentence: the cycle, or who waits in vain."""
    if deadlock.cycle:
        found = [names.get(name, name) for name in deadlock.cycle]
        first = found.index(min(found))
        cycle = [*found[first:], *found[:first]]
        return f"wait cycle {' -> '.join((*cycle, cycle[0]))}"
    if not deadlock.waits:
        return "tasks are left that can never go on"
    last = next((wait for wait in deadlock.waits if CONDITION in wait.waits_for), deadlock.waits[0])
    others = len(deadlock.waits) - 1
    more = f", and {others} more task{'s' * (others > 1)} can never go on" if others else ""
    return f"{names.get(last.task, last.task)} waits for {renamed(last.waits_for, names)}{more}"


def wait_lines(deadlock: Deadlock, names: Names) -> list[str]:
    """Who waits where, and for what."""
    return [
        f"{wait.file}:{wait.line}: {names.get(wait.task, wait.task)} waits for {renamed(wait.waits_for, names)}"
        for wait in deadlock.waits
    ]


def _clipped(text: str) -> str:
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 3]}..."


def _simple(qualified: str) -> str:
    return qualified.rpartition(".")[2]


def dependences(cases: Iterable[ActorCase]) -> list[OrderDependence]:
    """For each input with several outcomes the two that are easiest to compare.

    Outcomes where all ends well go first, then those with the shortest schedules.
    """
    outcomes: dict[Hashable, dict[Hashable, ActorCase]] = {}
    for case in cases:
        known = outcomes.setdefault(_input(case), {})
        outcome = _outcome(case)
        other = known.get(outcome)
        if other is None or len(case.schedule) < len(other.schedule):
            known[outcome] = case
    return [_dependence(list(known.values())) for known in outcomes.values() if len(known) > 1]


def _dependence(cases: list[ActorCase]) -> OrderDependence:
    def rank(case: ActorCase) -> tuple[bool, int]:
        return finding_of(case) is not None or case.expected.deadlock is not None, len(case.schedule)

    first = min(cases, key=rank)
    # A different result of the call tells more than a different field.
    others = [case for case in cases if case is not first]
    second = min(others, key=lambda case: (rank(case)[0], case.expected.result == first.expected.result, rank(case)[1]))
    return OrderDependence(first.id, second.id, dependence_message(first, second), first.entry.file, first.entry.line)


def _input(case: ActorCase) -> Hashable:
    """A key of the input; actors in no order, since the order in which they were met depends on the schedule."""
    inputs = case.inputs
    return frozenset(inputs.actors), inputs.tasks, frozenset(inputs.futures), frozenset(inputs.draws)


def _outcome(case: ActorCase) -> Hashable:
    expected = case.expected
    return (
        frozenset(expected.actors),
        expected.result,
        frozenset(expected.failures),
        expected.deadlock is not None,
        expected.output,
    )

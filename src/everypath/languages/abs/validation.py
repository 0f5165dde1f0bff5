"""Replays actor cases on the ABS interpreter: each schedule is followed exactly and its outcome compared."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import cast

from everypath.cases.actor_wording import finding_of, judge
from everypath.cases.actors import (
    ActorCase,
    ActorExpected,
    ActorState,
    ActorSuite,
    Failure,
    Turn,
    Value,
    names_in,
    readable_names,
    renamed,
    same_value,
    shown_value,
)
from everypath.cases.model import Problem, SomeCase, SomeSuite
from everypath.cases.recordings import Recording
from everypath.errors import EverypathError
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.runtime.machine import Machine
from everypath.languages.abs.runtime.outcomes import observed, turn_of
from everypath.languages.abs.runtime.replay import Misfit, Taken, machine_of, state_for, steps
from everypath.languages.abs.targets import actors_in
from everypath.languages.base import (
    Again,
    EntryPoint,
    Failed,
    Loaded,
    Module,
    Passed,
    Recorded,
    Seen,
    Settled,
    Sought,
    Verdict,
)
from everypath.records import replace


class AbsRuntime:
    """Replays cases on the interpreter, one at a time."""

    batch = 1
    until = float("inf")
    beyond_loops = False

    def announce(self, loaded: Loaded, entry: EntryPoint) -> None:
        """The interpreter is part of this process."""

    def run(self, loaded: Loaded, suite: SomeSuite, cases: Sequence[SomeCase]) -> Iterator[Verdict]:
        """Follow the schedule of each case; one that comes out differently can only be a defect of ours."""
        for case, result in _results(loaded, suite, cases):
            # A run knows more than its prediction, such as who waits for whom.
            yield (
                Failed(_defect(case, result), ours=True)
                if isinstance(result, str)
                else Passed(replace(result, finding=finding_of(result)))
            )

    def run_again(self, loaded: Loaded, suite: SomeSuite, cases: Sequence[SomeCase]) -> Iterator[Again]:
        """Follow the recorded schedules."""
        for case, result in _results(loaded, suite, cases):
            yield Again(case, result if isinstance(result, str) else None)

    def record(self, loaded: Loaded, suite: SomeSuite, cases: Sequence[SomeCase]) -> Iterator[Recorded]:
        """Follow the recorded schedules, and tell what each step does to whom."""
        target = actors_in(loaded).target(suite.target.partition("::")[2])
        for case in cast("Sequence[ActorCase]", cases):
            recording, wrong = _recorded(target.program, case)
            yield Recorded(case, wrong, 0, recording)

    def left_open(self, loaded: Loaded) -> Collection[str]:
        """Programs have no surroundings."""
        return ()

    def observe(self, loaded: Loaded, sought: Sought, seconds: float) -> Seen:
        """Programs are explored as they are, so that nothing is left to be observed."""
        return Seen()

    def settle(self, module: Module) -> Settled:
        """Every case has actors of its own and disturbs no other; now that all are known, they share their names."""
        for suite in module.suites:
            judge(cast("ActorSuite", suite))
        return Settled()

    def remembered(self) -> None:
        """Nothing is remembered."""

    def remember(self, what: None) -> None:
        """Nothing is remembered."""

    def forget(self) -> None:
        """Nothing is remembered."""


def _results(
    loaded: Loaded, suite: SomeSuite, cases: Sequence[SomeCase]
) -> Iterator[tuple[ActorCase, ActorCase | str]]:
    target = actors_in(loaded).target(suite.target.partition("::")[2])
    for case in cast("Sequence[ActorCase]", cases):
        yield case, validate(target.program, case)


def _defect(case: ActorCase, text: str) -> Problem:
    where = f"when {' and '.join(case.condition[:4])}" if case.condition else f"in case {case.id}"
    message = f"{case.entry.qualified} {where} ran differently than predicted: {text}"
    return Problem("defect", case.entry.file, case.entry.line, message)


_machines: list[tuple[Program, Machine]] = []
"""The program of the last case: a suite has many cases of one program."""


def validate(program: Program, case: ActorCase) -> ActorCase | str:
    """The case, validated and with all that only its run tells; or how the run differs from the prediction."""
    taken: list[Taken] = []
    try:
        found = _run(_machine(program), case, taken)
    except EverypathError as error:
        return f"the case cannot be replayed: {renamed(str(error), names_in((case,)))}"
    different = differences(case.expected, found, _names(case, found, taken))
    return "; ".join(different) if different else replace(case, expected=_told(case, found), validated=True)


def _recorded(program: Program, case: ActorCase) -> tuple[Recording | None, str | None]:
    """What a case does step by step, and how it ends other than recorded, if so."""
    # Only pages need it.
    from everypath.languages.abs.recording import record

    taken: list[Taken] = []
    try:
        recording, found = record(_machine(program), case, taken)
    except EverypathError as error:
        return None, f"cannot be replayed: {renamed(str(error), names_in((case,)))}"
    return recording, "; ".join(differences(case.expected, found, _names(case, found, taken))) or None


def replay_case(program: Program, case: ActorCase, say: Callable[[str], None]) -> bool:
    """Follow the schedule again and say what each step does; whether the outcome is still the recorded one."""
    taken: list[Taken] = []
    problem: EverypathError | None = None
    found: ActorExpected | None = None
    try:
        found = _run(_machine(program), case, taken)
    except EverypathError as error:
        problem = error
    names = _names(case, found or case.expected, taken)
    for number, step in enumerate(taken, 1):
        say(f"{number:>4}  {_step_text(step, names)}")
    if found is None:
        say(f"cannot be replayed: {renamed(str(problem), names)}")
        return False
    for line in outcome_lines(found, names):
        say(f"      {line}")
    different = differences(case.expected, found, names)
    for line in different:
        say(f"differs: {line}")
    return not different


def differences(expected: ActorExpected, found: ActorExpected, names: Mapping[str, str]) -> list[str]:
    """What a run shows that was not predicted, or the other way round."""
    return [
        *_result_differences(expected.result, found.result, names),
        *_actor_differences(expected.actors, found.actors, names),
        *_failure_differences(expected.failures, found.failures, names),
        *_deadlock_differences(expected, found, names),
        *([] if expected.output == found.output else [f"it prints {found.output!r} instead of {expected.output!r}"]),
    ]


def outcome_lines(found: ActorExpected, names: Mapping[str, str]) -> Iterator[str]:
    """An outcome in words: result, fields, failures, deadlock, output."""
    if found.result is not None:
        yield f"result: {shown_value(found.result, names)}"
    for actor in found.actors:
        fields = ", ".join(f"{name} = {shown_value(value, names)}" for name, value in actor.fields)
        yield f"{names.get(actor.name, actor.name)}: {fields or 'no fields'}"
    for failure in found.failures:
        yield f"{_failed(failure, names)} at {failure.file}:{failure.line}"
    if found.deadlock is not None:
        for wait in found.deadlock.waits:
            task = names.get(wait.task, wait.task)
            yield f"deadlock: {task} at {wait.file}:{wait.line} waits for {renamed(wait.waits_for, names)}"
        if found.deadlock.cycle:
            cycle = [names.get(task, task) for task in found.deadlock.cycle]
            yield f"wait cycle: {' -> '.join((*cycle, cycle[0]))}"
    if found.output:
        yield f"output: {found.output!r}"


def _machine(program: Program) -> Machine:
    if not _machines or _machines[0][0] is not program:
        _machines[:] = [(program, machine_of(program))]
    return _machines[0][1]


def _run(machine: Machine, case: ActorCase, taken: list[Taken]) -> ActorExpected:
    """The outcome; `taken` gets the steps as they are taken."""
    state, tasks = state_for(machine, case.inputs)
    for step in steps(machine, state, (turn.task for turn in case.schedule)):
        taken.append(step)
    left = next(machine.moves(state), None)
    if left is not None:
        raise Misfit(f"the schedule ends after {len(taken)} steps, but `{turn_of(left).task}` can still go on")
    return observed(machine, state, next(iter(tasks.values())))


def _told(case: ActorCase, found: ActorExpected) -> ActorExpected:
    """The outcome as it was seen, actors in the order of the case."""
    order = {actor.name: number for number, actor in enumerate(case.expected.actors)}
    return replace(found, actors=tuple(sorted(found.actors, key=lambda actor: order[actor.name])))


def _names(case: ActorCase, found: ActorExpected, taken: Sequence[Taken]) -> dict[str, str]:
    turns = [Turn(task.name, task.actor, task.method) for task in case.inputs.tasks]
    for step in taken:
        turns += [step.turn, *step.sent]
    return readable_names((*case.inputs.actors, *found.actors), (*turns, *case.schedule))


def _result_differences(expected: Value | None, found: Value | None, names: Mapping[str, str]) -> list[str]:
    if expected is found or (expected is not None and found is not None and same_value(expected, found)):
        return []
    wanted, got = ("no result" if value is None else shown_value(value, names) for value in (expected, found))
    return [f"the result is {got} instead of {wanted}"]


def _actor_differences(
    expected: Sequence[ActorState], found: Sequence[ActorState], names: Mapping[str, str]
) -> list[str]:
    wanted, got = ({actor.name: actor for actor in actors} for actors in (expected, found))
    different = [f"there is no actor {names.get(name, name)}" for name in wanted if name not in got]
    different += [f"there is another actor, {names.get(name, name)}" for name in got if name not in wanted]
    for name, actor in wanted.items():
        if name not in got:
            continue
        shown = names.get(name, name)
        if actor.cls != got[name].cls:
            different.append(f"{shown} is a {got[name].cls} instead of a {actor.cls}")
            continue
        if actor.processor != got[name].processor:
            different.append(f"{shown} lives in the cog of {got[name].processor} instead of {actor.processor}")
        values = dict(got[name].fields)
        for field, value in actor.fields:
            if field not in values:
                different.append(f"{shown} has no field {field}")
            elif not same_value(value, values[field]):
                wrong, right = shown_value(values[field], names), shown_value(value, names)
                different.append(f"{shown}.{field} is {wrong} instead of {right}")
        different += [f"{shown} also has a field {field}" for field in values if field not in dict(actor.fields)]
    return different


def _failure_differences(expected: Sequence[Failure], found: Sequence[Failure], names: Mapping[str, str]) -> list[str]:
    left = list(found)
    different = []
    for failure in expected:
        same = [f for f in left if f.task == failure.task and same_value(f.exception, failure.exception)]
        if same:
            left.remove(same[0])
        else:
            different.append(f"not seen: {_failed(failure, names)}")
    return different + [
        f"not predicted: {_failed(failure, names)} at {failure.file}:{failure.line}" for failure in left
    ]


def _failed(failure: Failure, names: Mapping[str, str]) -> str:
    return f"{names.get(failure.task, failure.task)} fails with {shown_value(failure.exception, names)}"


def _deadlock_differences(expected: ActorExpected, found: ActorExpected, names: Mapping[str, str]) -> list[str]:
    if expected.deadlock is None or found.deadlock is None:
        if expected.deadlock is found.deadlock:
            return []
        return ["there is no deadlock" if found.deadlock is None else "it ends in a deadlock"]
    wanted, got = ({wait.task for wait in each.waits} for each in (expected.deadlock, found.deadlock))
    if not wanted or wanted == got:
        return []
    shown = [", ".join(sorted(names.get(task, task) for task in tasks)) for tasks in (got, wanted)]
    return [f"the tasks in the deadlock are {shown[0]} instead of {shown[1]}"]


_ENDS = {"returns": "returns", "fails": "fails with", "blocks": "waits and keeps its processor", "waits": "waits"}


def _step_text(step: Taken, names: Mapping[str, str]) -> str:
    parts = [f"creates {names.get(made, made)}" for made in step.created]
    parts += [f"calls {names.get(sent.task, sent.task)}" for sent in step.sent]
    if step.text:
        parts.append(f"prints {step.text!r}")
    end = _ENDS.get(step.end, "releases its processor")
    parts.append(end if step.value is None else f"{end} {shown_value(step.value, names)}")
    return f"{names.get(step.turn.task, step.turn.task)}: {', '.join(parts)}"

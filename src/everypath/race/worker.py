"""The process in which a class is tested: everything that the code under test could disturb happens here."""

from __future__ import annotations

import inspect
import os
import sys
import traceback
from collections.abc import Collection, Container
from functools import partial
from typing import Any

from everypath.cases.model import Problem
from everypath.cases.races import RaceFinding, RaceStats, ThreadTest
from everypath.concurrency.schedule import Leg, Plan, Point
from everypath.errors import BadInput, EverypathError, Span
from everypath.race.control.arena import RealArena
from everypath.race.control.clocks import real_monotonic
from everypath.race.control.environment import install
from everypath.race.control.fencing import MANNER, Uncontrolled
from everypath.race.control.locks import Stuck
from everypath.race.observe import hooks
from everypath.race.observe.branches import REACHED, branches_of
from everypath.race.observe.importing import REWRITTEN, load_class, observe, observe_bases, raised_at
from everypath.race.protocol import (
    BAD_INPUT,
    INTERNAL,
    Channel,
    RaceRequest,
    Replayed,
    ReplayRequest,
    extend_import_path,
    open_channel,
)
from everypath.race.running import CALL_FILE, SHARED, Call, Endless, NotReached, Outcome, Raised, Returned
from everypath.race.search.call_runner import CallRunner, Test, job
from everypath.race.search.examine import Examined, examine
from everypath.race.search.exercise import Exercise, helping
from everypath.race.search.faults import Faults, serial_lines
from everypath.race.search.finding_text import observed_lines, timeline, unlike
from everypath.race.search.hunt import Hunt
from everypath.race.state.surroundings import Surroundings
from everypath.race.subject.class_source import Known, ParameterUses
from everypath.race.subject.scope import Scope
from everypath.race.subject.subject import Subject, inspect_class
from everypath.race.subject.trials import innermost
from everypath.records import fields, replace

MOST_STEPS = 20_000
"""The most events and loop iterations of one run; a call that needs more is taken to be endless."""
MAIN_SHARE = 0.7
"""The share of the time for the main setup, if there is another one."""
MEGABYTES = 2_048
"""How much the process may grow."""


CHANGED = "the code has changed and the recorded schedule no longer fits: every single switch was tried instead"


def main() -> None:
    """Answer one request and end, whatever the code under test has left running."""
    request, channel = open_channel()
    try:
        _Worker(request, channel).answer()
    except EverypathError as error:
        kind = BAD_INPUT if isinstance(error, BadInput) else INTERNAL
        channel.failed(error.message, kind, error.span.file, error.span.line)
    except BaseException as error:
        if os.environ.get("EVERYPATH_DEBUG"):
            traceback.print_exc()
        channel.failed(f"{type(error).__name__}: {error}", INTERNAL)
    sys.stderr.flush()
    os._exit(0)


class _Worker:
    """The class under test, imported under observation."""

    def __init__(self, request: RaceRequest | ReplayRequest, channel: Channel) -> None:
        self._request = request
        self._channel = channel
        self._started = real_monotonic()
        self._done: RaceStats | None = None
        """the numbers of the setups that are finished"""
        self._exercise = Exercise()
        self._told: dict[str, str] = {}
        """the setup whose objects first showed a fault"""
        if isinstance(request, RaceRequest):
            module, self._cls_name = request.module, request.cls
        else:
            module, self._cls_name = request.test.module, request.test.cls
        extend_import_path(request)
        channel.doing(f"importing {module}", essential=True)
        self._environment = install((), memory=MEGABYTES)
        self._environment.arm()
        self._notes = self._import(module)
        self._cls = load_class(module, self._cls_name)
        self._notes += observe_bases(self._cls)
        self._module = module
        self._file = getattr(sys.modules[module], "__file__", None) or module
        self._names = dict(vars(sys.modules[module]))
        self._arena = RealArena()
        self._surroundings = Surroundings(self._environment, self._cls, REWRITTEN)

    def _import(self, module: str) -> list[Problem]:
        """Import the module under observation; if it cannot be imported, that is for the user to mend."""
        MANNER.importing = True
        try:
            return observe(module, self._request.root)
        except Uncontrolled as error:
            raise BadInput(f"{module} cannot be imported: it {error.what}", Span(error.file, error.line)) from None
        except Stuck as error:
            raise BadInput(f"{module} cannot be imported: {error}") from None
        except (KeyboardInterrupt, GeneratorExit) as error:
            raise BadInput(f"{module} cannot be imported: {type(error).__name__}", raised_at(error)) from None
        finally:
            MANNER.importing = False

    def answer(self) -> None:
        if isinstance(self._request, RaceRequest):
            self._search(self._request)
        else:
            self._channel.replayed(self._replay(self._request.test))

    def _search(self, request: RaceRequest) -> None:
        for note in self._notes:
            self._channel.problem(note)
        subject = self._inspect(request)
        # What was only tried on the way to the calls does not count.
        REACHED.clear()
        tests: list[dict[str, object]] = []
        for position, setup in enumerate(subject.setups):
            left = request.seconds - (real_monotonic() - self._started)
            share = left if position + 1 == len(subject.setups) else left * MAIN_SHARE
            if share > 0:
                tests += self._hunt(request, subject, setup, share)
        for name in self._surroundings.unrestored:
            text = f"{name} cannot be put back between runs; what changes it may be judged wrongly"
            self._channel.problem(Problem("unsupported", self._file, 0, text))
        self._channel.tests(tests)
        self._channel.done(self._done or RaceStats())

    def _hunt(self, request: RaceRequest, subject: Subject, setup: str, seconds: float) -> list[dict[str, object]]:
        """Search the objects that one setup makes."""
        calls = subject.calls_for(setup)
        runner = CallRunner(self._arena, self._surroundings, subject.scope.namespace, setup, MOST_STEPS)
        methods = {call.source: call.method for call in calls if call.source not in request.skip}
        tell = partial(self._found, setup)
        faults = Faults(runner, self._module, self._cls_name, methods, tell, self._started)
        called = {call.method for call in calls}
        missing = len({method for method, _ in subject.uncalled} - called)
        told = replace(request, seconds=seconds)
        hunt = Hunt(runner, calls, faults, told, subject.raced, self, self._exercise, missing)
        self._done = _together(self._done, hunt.run())
        branches = branches_of(_sources(self._cls))
        reasons = {**_unmade(calls, request.skip), **dict(subject.uncalled)}
        self._channel.exercised(self._exercise.summary(reasons, subject.raced, branches, self._file))
        for name in runner.opaque:
            self._unseen(f"a {name} in its state cannot be looked into")
        if runner.truncated:
            self._unseen("its state is too large to be compared whole")
        return hunt.tests

    def _unseen(self, why: str) -> None:
        """Report what is not compared and so cannot be found wrong: readers of a clean verdict must know."""
        text = f"{self._cls_name}: {why}; what goes wrong only there is not noticed"
        self._channel.note(Problem("note", self._file, 0, text))

    def _inspect(self, request: RaceRequest) -> Subject:
        known = Known(uses=ParameterUses(request.uses))
        for name, source in request.args:
            known.fixed.setdefault(name, []).append(source)
        for method, name, source in request.values:
            known.solved.setdefault((method, name), []).append(source)
        subject = inspect_class(
            self._cls,
            setup=request.setup,
            methods=request.methods,
            known=known,
            names=self._names,
            attempt=self._attempt,
        )
        for method, message in subject.problems:
            self.note(method, message)
        return subject

    def _attempt(self, setup: str, call: str | None) -> Outcome:
        """One call on a new object, or only the setup."""
        if isinstance(self._request, RaceRequest) and call in self._request.skip:
            return Endless(-1)
        self._channel.doing(call or setup, call is None, self._file, 0)
        self._surroundings.reset()
        names = _namespace(self._names, setup, call or setup)
        made = self._alone(setup, names)
        if call is None:
            return made
        if not isinstance(made, Returned):
            return NotReached()
        names[SHARED] = made.value
        return self._alone(call, names)

    def _alone(self, source: str, names: dict[str, Any]) -> Outcome:
        return self._arena.run([job(source, names)], [], (Leg(0),), steps=MOST_STEPS).outcomes[0][0]

    def _replay(self, test: ThreadTest) -> Replayed:
        sources = (test.setup, *test.before, *test.threads[0], *test.threads[1])

        def scope() -> dict[str, Any]:
            return _namespace(self._names, *sources)

        runner = CallRunner(self._arena, self._surroundings, scope, test.setup, MOST_STEPS)
        plan = _plan(test)
        pair = Test(test.before, test.threads)
        self._channel.doing("replaying", essential=True)
        runner.get_to_know(pair)
        examined, changed = _follow(runner, pair, plan)
        if changed and examined.kind is None:
            _refuse_calls_that_no_longer_fit(examined, test)
        assert examined.trial.naming is not None
        serial = serial_lines(runner, pair)
        return Replayed(
            failed=examined.kind is not None,
            kind=examined.kind or "",
            observed=unlike(observed_lines(examined, test.threads), serial, examined),
            timeline=timeline(examined.trial.run, test.threads, examined.trial.naming),
            serial=serial,
            message=CHANGED if changed else "",
        )

    # What the search tells.

    def doing(self, what: str) -> None:
        self._channel.doing(what, False, self._file, 0)

    def progress(self, stats: RaceStats) -> None:
        self._channel.progress(_together(self._done, stats))

    def remark(self, what: str) -> None:
        self._channel.note(Problem("note", self._file, 0, f"{self._cls_name}.{what}"))

    def note(self, method: str, message: str) -> None:
        text = f"{self._cls_name}.{method} {message}"
        self._channel.note(Problem("left out", *_whereabouts(self._cls, method, self._file), text))

    def _found(self, setup: str, fault: str, finding: RaceFinding) -> None:
        """Send a finding, unless objects of an earlier setup have shown the same fault."""
        if self._told.setdefault(fault, setup) == setup:
            self._channel.finding(finding, fault)


def _unmade(calls: Collection[Call], skip: Container[str]) -> dict[str, str]:
    """By method, the reason that there is if none of its calls was made."""
    found = {call.method: "is left out because it does not come to an end" for call in calls}
    found |= {call.method: "has had no turn before the end of the time" for call in calls if call.source not in skip}
    return {method: why for method, why in found.items() if not helping(method)}


def _sources(cls: type[Any]) -> list[tuple[str, str]]:
    """File and qualified name of the class and its bases."""
    modules = ((base, sys.modules.get(base.__module__)) for base in cls.__mro__)
    return [(getattr(module, "__file__", None) or "", base.__qualname__) for base, module in modules]


def _whereabouts(cls: type[Any], name: str, file: str) -> tuple[str, int]:
    """File and line of a method or property, else the file alone."""
    member = inspect.getattr_static(cls, name, None)
    function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
    code = getattr(inspect.unwrap(function) if callable(function) else None, "__code__", None)
    return (code.co_filename, code.co_firstlineno) if code is not None else (file, 0)


def _together(one: RaceStats | None, two: RaceStats) -> RaceStats:
    """The numbers of two searches with different setups, as those of one search."""
    if one is None:
        return two
    most = {"saturation", "pairs_covered", "pairs_total"}
    both = {f.name: (getattr(one, f.name), getattr(two, f.name)) for f in fields(RaceStats)}
    added = {name: max(pair) if name in most else sum(pair) for name, pair in both.items() if name != "complete"}
    return RaceStats(**added, complete=one.complete and two.complete)


def _follow(runner: CallRunner, test: Test, plan: Plan) -> tuple[Examined, bool]:
    """The schedule as recorded; where the code has changed so that it no longer fits, every single preemption.

    Otherwise a test would pass after any change, whether the fault is gone or not.
    """
    examined = examine(runner, test, plan)
    if examined.kind is not None or not examined.trial.run.missed:
        return examined, False
    for outer in (0, 1):
        for stop in range(1, MOST_STEPS + 2):
            again = examine(runner, test, (Leg(outer, stop), Leg(1 - outer), Leg(outer)), examined.serial)
            if again.kind is not None:
                return again, True
            if again.trial.run.missed:
                break
    return examined, True


def _refuse_calls_that_no_longer_fit(examined: Examined, test: ThreadTest) -> None:
    """Refuse calls that fail before they reach the class: they check nothing, however often they are made."""
    for thread, outcomes in enumerate(examined.trial.run.outcomes):
        for source, outcome in zip(test.threads[thread], outcomes):
            if isinstance(outcome, Raised) and isinstance(outcome.error, (AttributeError, TypeError, NameError)):
                trace = innermost(outcome.error)
                if trace is not None and trace.tb_frame.f_code.co_filename in (CALL_FILE, hooks.__file__):
                    raise BadInput(
                        f"{source} can no longer be called ({type(outcome.error).__name__}: {outcome.error}): "
                        f"the class has changed; generate the test again with everypath race {test.module}::{test.cls}"
                    )


def _namespace(names: dict[str, Any], *sources: str) -> dict[str, Any]:
    """The names of the module and those that the sources need besides."""
    scope = Scope(names)
    for source in sources:
        scope.usable(source)
    return scope.namespace()


def _plan(test: ThreadTest) -> Plan:
    return tuple(
        Leg(switch.thread, Point(switch.function, switch.operation, switch.occurrence))
        if switch.function is not None and switch.operation is not None
        else Leg(switch.thread)
        for switch in test.schedule
    )

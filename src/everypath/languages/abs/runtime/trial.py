"""Tries written tests in every order of messages: each must end well in all of them."""

from __future__ import annotations

import time
from collections.abc import Sequence

from everypath.cases.actors import ActorInputs, ActorState, Task
from everypath.concurrency.executions import Counts, Limits
from everypath.concurrency.orders import Order, explore
from everypath.errors import EverypathError
from everypath.languages.abs.frontend.check import Source as Source  # also for those who only try tests
from everypath.languages.abs.frontend.check import check_program
from everypath.languages.abs.frontend.problems import Problem as Problem
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.runtime.machine import deep_calls
from everypath.languages.abs.runtime.outcomes import ASSERTION
from everypath.languages.abs.runtime.running import OutOfTime
from everypath.languages.abs.runtime.start import machine_of, state_for
from everypath.languages.abs.runtime.state import State
from everypath.languages.abs.runtime.system import ActorSystem

STATES = 20_000
"""Macro-steps for one test."""


def checked(sources: Sequence[Source]) -> Program | tuple[Problem, ...]:
    """The program in these sources, or what is wrong with them."""
    return check_program(sources)


class Trial:
    """A program with tests."""

    def __init__(self, program: Program) -> None:
        self._machine = machine_of(program)

    def failing(self, cls: str, method: str, seconds: float) -> str | None:
        """Why a test, a method of an object without fields, is not sure to pass; None when it is."""
        inputs = ActorInputs((ActorState("test", cls, "test", ()),), (Task("", "test", method, ()),))
        state, _ = state_for(self._machine, inputs)
        system = ActorSystem(self._machine, seconds)
        counts = Counts()
        ends = 0
        started = time.monotonic()
        try:
            with deep_calls():
                for execution in explore(
                    system,
                    state,
                    Order.INDEPENDENT,
                    limits=Limits(states=STATES),
                    counts=counts,
                    canonical=system.canonical,
                ):
                    if execution.outcome is None:
                        return "a task does not seem to end"
                    wrong = _wrong(execution.state)
                    if wrong is not None:
                        return wrong
                    ends += 1
        except OutOfTime:
            return f"there are too many orders to try them all in {max(1, round(time.monotonic() - started))} s"
        except EverypathError as error:
            return str(error)
        if not counts.complete:
            return "there are too many orders to try them all"
        return None if ends else "it would never end"


def _wrong(state: State) -> str | None:
    if any(failure.value.name == ASSERTION for failure in state.failed.values()):
        return "what it asserts depends on the order of messages"
    if state.failed:
        return "in some order of messages a task fails"
    return "in some order of messages tasks wait for ever" if state.tasks else None

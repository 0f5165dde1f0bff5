"""Lowers program texts in tests, and runs them beside the ABS interpreter."""

from __future__ import annotations

import random

from everypath.ir.check import check
from everypath.ir.program import Program as Lowered
from everypath.ir.text import print_method, print_program
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.lower import lower
from everypath.languages.abs.runtime.explore import machine_for
from everypath.languages.abs.runtime.machine import Machine, deep_calls
from everypath.languages.abs.runtime.values import shown
from tests.frontends.abs.checking import accepted, module
from tests.frontends.abs.lower.interpreter import Interpreter
from tests.ir.reader import parse_program


def lowered(program: Program | str) -> Lowered:
    """The IR of a program; it has no faults and survives printing."""
    made = lower(program if isinstance(program, Program) else accepted(module(program)))
    assert [str(fault) for fault in check(made)] == []
    assert parse_program(print_program(made)) == made
    return made


def listing(program: Program | str, cls: str, method: str) -> str:
    """The blocks of one method, without the places in the source."""
    text = print_method(lowered(program).classes[cls].methods[method], spans=False)
    return "\n".join(
        line for line in text.splitlines() if not line.startswith(("  method", "    registers", "    entry"))
    )


def side_by_side(program: Program | str, seeds: int = 1) -> str:
    """What the main block prints in the last of some schedules.

    In each state both executions can go on with the same tasks, to the same end.
    """
    checked = program if isinstance(program, Program) else accepted(module(program))
    machine, made = machine_for(checked), lowered(checked)
    printed = ""
    for seed in range(seeds):
        printed = _schedule(machine, Interpreter(made), random.Random(seed))
    return printed


def _schedule(machine: Machine, interpreter: Interpreter, source: random.Random, steps: int = 300) -> str:
    state = machine.initial()
    with deep_calls():
        for _ in range(steps):
            theirs = {str(name): name for name in machine.moves(state)}
            ours = {str(name): name for name in interpreter.enabled()}
            assert sorted(ours) == sorted(theirs)
            if not ours:
                break
            chosen = source.choice(sorted(ours))
            machine.step(state, theirs[chosen])
            interpreter.step(ours[chosen])
            assert _fields(interpreter) == {
                str(name): [shown(value) for value in instance.values] for name, instance in state.objects.items()
            }
    assert interpreter.output == state.printed()
    assert sorted(map(str, interpreter.tasks)) == sorted(map(str, state.tasks))
    assert sorted(map(str, interpreter.dead)) == sorted(map(str, state.dead))
    return interpreter.output


def _fields(interpreter: Interpreter) -> dict[str, list[str]]:
    return {str(name): [shown(value) for value in fields.values()] for name, fields in interpreter.objects.items()}

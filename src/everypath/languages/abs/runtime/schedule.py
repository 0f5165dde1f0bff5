"""Executes one schedule of a program."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import islice

from everypath.concurrency.names import TaskName
from everypath.languages.abs.runtime.machine import Machine, deep_calls
from everypath.languages.abs.runtime.state import State

Choose = Callable[[Machine, State], TaskName | None]

_WINDOW = 64
"""Tasks of one cog among which a random choice is made, the longest waiting ones."""
_TIDY = 256
"""Steps between two removals of what deleted tasks leave behind."""


def first(machine: Machine, state: State) -> TaskName | None:
    """The task that was created first among those that can go on."""
    return next(machine.moves(state), None)


def at_random(seed: int) -> Choose:
    """One of the cogs, then one of its tasks; the same choices for the same seed."""
    source = random.Random(seed)

    def choose(machine: Machine, state: State) -> TaskName | None:
        cogs = [*state.queues, *(cog for cog in state.holders if cog not in state.queues)]
        source.shuffle(cogs)
        for cog in cogs:
            holder = state.holders.get(cog)
            names = [holder] if holder is not None else islice(state.queues[cog], None)
            found = list(islice((name for name in names if machine.may_go_on(state, name)), _WINDOW))
            if found:
                return source.choice(found)
        return None

    return choose


def run(
    machine: Machine, choose: Choose = first, steps: int | None = None, show: Callable[[str], None] | None = None
) -> tuple[State, int]:
    """Run the main block to its end, or this many steps; the last state and the number of steps.

    What is printed goes to `show` as it comes.
    """
    state = machine.initial()
    done = 0
    with deep_calls():
        while steps is None or done < steps:
            name = choose(machine, state)
            if name is None:
                break
            machine.step(state, name)
            done += 1
            if show is not None and state.output is not None:
                show(state.printed())
                state.output = None
            if done % _TIDY == 0:
                state.compact()
    return state, done

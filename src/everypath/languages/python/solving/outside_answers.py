"""What a test puts in the place of functions that ask the world around the program."""

from __future__ import annotations

from collections.abc import Callable

from everypath.cases.model import Replacement, Value
from everypath.explore.state import State
from everypath.heap.values import Value as Symbolic
from everypath.languages.python.natives.outside import answers, environment, places


def replacements(state: State, first: Callable[[Symbolic], Value]) -> tuple[Replacement, ...]:
    """The functions that asked the world outside, with what they gave on this path."""
    given: dict[str, list[Value]] = {}
    for function, value in answers(state):
        given.setdefault(function, []).append(first(value))
    found = places(state)
    replaced = [Replacement(function, found[function], tuple(values)) for function, values in given.items()]
    variables = {name: first(value) for name, value in environment(state).items()}
    if variables:
        replaced.append(Replacement("os.environ", tuple(variables), tuple(variables.values())))
    return tuple(replaced)

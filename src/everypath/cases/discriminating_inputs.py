"""Which inputs of a path should have values that make a wrong program behave differently.

Any solution of a path's condition follows the path, but 0 and 0 do not show whether a program adds or multiplies. So
the solver is told which variables matter for that. Mutation testing measures what is gained by it: the values are
chosen on the borders of the path's comparisons, and different from each other (`logic/readable.py`).
"""

from __future__ import annotations

from collections.abc import Iterator

from everypath.explore.answers import log_of
from everypath.explore.outcomes import Finished
from everypath.explore.search.exploration import Call
from everypath.explore.state import State
from everypath.heap.values import InitialDict, InitialList, ListCell, Unknown, Value
from everypath.ir.types import BOOL, FLOAT, INT, STR
from everypath.logic.nodes import Comparison, Node, Term, Var
from everypath.logic.readable import Telling

_CHEAP = (BOOL, FLOAT, INT, STR)
"""Types of elements that leave a list easy to read."""


def telling(state: State, call: Call) -> Telling:
    """What the solver should choose well: numbers and texts among the inputs, sizes of lists, and comparisons in the
    result.

    Only lists of plain elements should be longer than they need to be.
    """
    heap = state.heap
    answers = tuple(given.answer for given in log_of(state).calls)
    inputs = [*_variables(call.values), *_variables(tuple(heap.bind.values())), *_variables(answers)]
    sizes: list[Var] = []
    for content in heap.first.values():
        if isinstance(content, InitialList):
            inputs += _variables(tuple(value for _, value in content.entries))
            if content.element in _CHEAP:
                sizes += _variables(content.length)
        elif isinstance(content, InitialDict):
            inputs += _variables(content.entries)
        else:
            inputs += _variables(tuple(content.values()))
    # The sum of the choices is the same in every run and mostly differs between paths, so that different paths prefer
    # different borders.
    return Telling(frozenset(inputs), frozenset(sizes), tuple(_compared(state)), sum(state.choice_sequence()))


def passed_on(state: State, call: Call) -> set[Unknown]:
    """Arguments that the path never looks into, but returns or stores."""
    unseen = {value for value in call.values if isinstance(value, Unknown)}
    if not unseen:
        return unseen
    outcome = state.outcome
    reached: list[Value] = [outcome.value] if isinstance(outcome, Finished) else []
    for ref, cell in state.heap.cells.items():
        if isinstance(cell, dict):
            first = state.heap.first.get(ref)
            known = first if isinstance(first, dict) else {}
            reached += [value for name, value in cell.items() if name not in known or known[name] is not value]
        elif isinstance(cell, ListCell):
            reached += cell.items
    return {value for value in reached if isinstance(value, Unknown) and value in unseen}


def _variables(value: Value) -> Iterator[Var]:
    if isinstance(value, tuple):
        for part in value:
            yield from _variables(part)
    elif isinstance(value, Var):
        yield value


def _compared(state: State) -> Iterator[Term]:
    """Comparisons that the result consists of: the path leaves open how they come out."""
    outcome = state.outcome
    agenda: list[Value] = [outcome.value] if isinstance(outcome, Finished) else []
    for value in agenda:
        if isinstance(value, Comparison):
            yield value
        elif isinstance(value, Node):
            agenda += value.args
        elif isinstance(value, tuple):
            agenda += value

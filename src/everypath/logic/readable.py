"""Models with values that a person would choose: zero, one, short strings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from everypath.errors import SolverUnknown
from everypath.logic.bounds import Bounds
from everypath.logic.nodes import Node, Term, Value, Var, children, variables
from everypath.logic.witness import Occurrences, Witness, settle, truth

_SMALL = (0, 1, -1, 2, 3, -2, 4, 5, -3, 6, 7, 8, 9, 10, -4, -5)
_TEXTS = ("", "a", "b", "c", "0", "1", "ab", "x")


def readable_model(
    constraints: tuple[Term, ...], occurs: Occurrences, start: Witness, bounds: Bounds, prefer: Sequence[Var]
) -> Witness:
    """A model near `start`, made smaller variable by variable; settled variables never move again."""
    everything = frozenset[Var]().union(*map(variables, constraints))
    rest = sorted(everything.difference(prefer), key=lambda v: v.index)
    order = list(dict.fromkeys((*prefer, *rest)))
    model: Witness = {variable: start.get(variable, variable.default) for variable in order}
    settled: set[Var] = set()
    for variable in order:
        for value in _candidates(variable, occurs, bounds):
            if value == model[variable]:
                break
            better = settle(((variable, value),), model, occurs, settled)
            if better is not None:
                model = better
                break
        settled.add(variable)
    for constraint in constraints:
        if not truth(constraint, model):
            raise SolverUnknown(f"no enabled layer finds values for: {constraint}")
    return model


def _candidates(variable: Var, occurs: Occurrences, bounds: Bounds) -> Iterator[Value]:
    if variable.sort == "bool":
        yield from (False, True)
    elif variable.sort == "str":
        yield from dict.fromkeys((*_TEXTS, *_texts_near(variable, occurs)))
    else:
        low, high = bounds.interval(variable)
        # The end nearer to zero is the smallest value that can be hoped for.
        near = low if low is not None and low > 0 else high if high is not None and high < 0 else 0
        for offset in _SMALL:
            value = near + offset
            if (low is None or value >= low) and (high is None or value <= high):
                yield value
        if near:
            yield from _SMALL


def _texts_near(variable: Var, occurs: Occurrences) -> list[str]:
    texts: list[str] = []
    chain = occurs.get(variable)
    while chain is not None:
        constraint, chain = chain
        agenda = [constraint]
        while agenda and len(texts) < 20:
            term = agenda.pop()
            agenda.extend(children(term))
            if isinstance(term, Node) and term.op != "matches":
                texts.extend(arg for arg in term.args if isinstance(arg, str))
    return sorted(texts, key=lambda text: (len(text), text))

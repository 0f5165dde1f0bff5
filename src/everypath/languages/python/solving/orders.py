"""Inputs with which sets give their elements in the order in which the path met them.

Exploration takes the elements of a set in the order in which they were added, because their hashes are not known
before the path is solved. A set keeps a whole number at the place that its remainder by the size of its table tells.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise, product
from typing import Any

from everypath.explore.state import State, unchain
from everypath.logic import terms
from everypath.logic.readable import Telling
from everypath.logic.terms import Model, Term, Var

_SMALL, _LARGE = 8, 512
"""Sizes of tables; in any set of up to four numbers, and of many, different remainders by them are different places."""
_TRIED = (2, 1, 3, 0, 4, 5, -2)
_MOST_TRIED, _MOST_ASKED = 5_000, 40
"""Where places cannot be told in advance, so many values are looked at, and so many of them compared with the path."""

Keys = tuple[Any, ...]


def model_in_order(state: State, told: Telling) -> Model:
    """Readable values of the inputs, and where they are found, such that keep the order of every set.

    Where they are not, the order may still make no difference, which the run of the case shows.
    """
    found = model = state.pc.model(telling=told)
    orders: list[Keys] = list(dict.fromkeys(unchain(state.orders)))
    if all(_kept(keys, model) for keys in orders):
        return model
    for conditions in _attempts(orders, model):
        trial = state.pc.copy()
        if all(map(trial.add, conditions)):
            model = trial.model(telling=told)
            if all(_kept(keys, model) for keys in orders):
                return model
    return found


def _attempts(orders: list[Keys], model: Model) -> Iterator[list[Term | bool]]:
    """Conditions under which the orders are likely to be kept."""
    if any(isinstance(key, tuple) for keys in orders for key in keys):
        yield from islice(_by_trial(orders, model), _MOST_ASKED)
        return
    for conditions in (_ascending, _placed):
        yield [condition for keys in orders for condition in conditions(keys)]


def _by_trial(orders: list[Keys], model: Model) -> Iterator[list[Term | bool]]:
    """Values of the inputs in the sets with which the orders are kept, whatever the path says about them."""
    inputs: dict[Var, None] = {}
    for keys in orders:
        for part in _parts(keys):
            inputs.update(dict.fromkeys(sorted(terms.variables(part), key=lambda v: v.index)))
    numbers = [each for each in inputs if each.sort == "int"]
    for values in islice(product(_TRIED, repeat=len(numbers)), _MOST_TRIED):
        changed = {**model, **dict(zip(numbers, values))}
        if all(_kept(keys, changed) for keys in orders):
            yield [terms.eq(each, value) for each, value in zip(numbers, values)]


def _parts(key: Any) -> Iterator[Term]:
    if isinstance(key, tuple):
        for part in key:
            yield from _parts(part)
    elif isinstance(key, Term):
        yield key


def _ascending(keys: Keys) -> Iterator[Term | bool]:
    """Small numbers, each larger than the one before it."""
    yield terms.le(0, keys[0])
    yield from (terms.lt(one, other) for one, other in pairwise(keys))
    yield terms.lt(keys[-1], _SMALL)


def _placed(keys: Keys) -> Iterator[Term | bool]:
    """Any numbers, each with the place behind the one before it."""
    size = _SMALL if len(keys) <= 4 else _LARGE
    yield from (terms.eq(terms.floormod(key, size), place) for place, key in enumerate(keys))


def _kept(keys: Keys, model: Model) -> bool:
    values = [_value(key, model) for key in keys]
    return list(set(values)) == values


def _value(key: Any, model: Model) -> Any:
    if isinstance(key, tuple):
        return tuple(_value(part, model) for part in key)
    return terms.evaluate(key, model) if isinstance(key, Term) else key

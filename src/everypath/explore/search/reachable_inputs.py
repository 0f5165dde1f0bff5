"""Starts whose input objects are made by calls, or fulfil an invariant, the ones with the fewest calls first."""

from __future__ import annotations

from collections.abc import Iterator

from everypath.explore.search.recipes import MOST_CALLS, recipes_of
from everypath.explore.search.subject import Subject
from everypath.options import Options
from everypath.paths import AnyValue, MadeInputs, OpenInputs, bounds_of

Reachable = MadeInputs | OpenInputs


def reachable_starts(subject: Subject, options: Options) -> Iterator[Reachable]:
    """The starts that `--reachable` and `--invariant` ask for; Unsupported where an object cannot be made."""
    bounds = bounds_of(options.limits)
    if not options.reachable:
        yield OpenInputs(bounds, options.invariant)
        return
    types = [type for _, type in subject.inputs() if type is not None]
    recipes = recipes_of(subject.semantics, subject.exploration(options).inputs)
    if not recipes.makes_objects(types):
        yield MadeInputs(bounds, (AnyValue(),) * len(types), options.invariant)
        return
    for calls in range(MOST_CALLS + 1):
        for recipe in recipes.of(types, calls):
            yield MadeInputs(bounds, recipe, options.invariant)

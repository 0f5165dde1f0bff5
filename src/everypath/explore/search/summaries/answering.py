"""Answers one question of a summary in the state of a caller.

An answer is the number of an alternative. Where the caller's state leaves it open the path forks, which is an exception
(`Fork`); what is no question that a caller can be asked is another (`Bail`).
"""

from __future__ import annotations

from collections.abc import Sequence

from everypath.explore.objects import Restrict
from everypath.explore.search.summaries.model import Bail, Question
from everypath.explore.search.summaries.signatures import conforms
from everypath.explore.search.summaries.walk import Walk
from everypath.heap.alternatives import Alias, Allocate, Bind, Narrow
from everypath.heap.choice import Alternative, decide
from everypath.heap.values import OneOf, Ref, Unknown, Value
from everypath.ir.types import NONE, Type
from everypath.logic.terms import Term


def answer(walk: Walk, question: Question) -> int:
    """Which of the alternatives holds in the caller's state."""
    if question.condition is not None:
        holds = walk.term(question.condition)
        if not isinstance(holds, (bool, Term)):
            raise Bail
        return 0 if decide(walk.st.pc, holds) else 1
    alternatives = question.alternatives
    first = alternatives[0]
    if isinstance(first, (Bind, Narrow)):
        return _kind(walk, alternatives)
    if isinstance(first, Allocate):
        return _object(walk, first, alternatives[1:])
    if isinstance(first, Restrict):
        return _class(walk, alternatives)
    raise Bail


def _kind(walk: Walk, alternatives: Sequence[Alternative]) -> int:
    """Whether an input is null, and otherwise which of its types it has."""
    unknown = alternatives[0].unknown if isinstance(alternatives[0], (Bind, Narrow)) else None
    others: list[tuple[int, tuple[Type, ...]]] = []
    null: int | None = None
    for number, alternative in enumerate(alternatives):
        if isinstance(alternative, Bind) and alternative.value is None and alternative.unknown is unknown:
            null = number
        elif isinstance(alternative, Narrow) and alternative.unknown is unknown:
            others.append((number, alternative.options))
        else:
            raise Bail
    assert unknown is not None
    value = walk.atom(unknown)
    heap = walk.st.heap
    if type(value) is Unknown or type(value) is OneOf or value is None:
        if heap.is_null(value):
            if null is None:
                raise Bail
            return null
        if len(others) > 1:
            value = heap.resolve(value)
    return _fitting(walk, value, others)


def _fitting(walk: Walk, value: Value, others: Sequence[tuple[int, tuple[Type, ...]]]) -> int:
    """The alternative whose types a value that is not null has."""
    found = [number for number, options in others if conforms(walk.st, value, (*options, NONE))]
    if len(found) != 1:
        raise Bail
    return found[0]


def _object(walk: Walk, first: Allocate, others: Sequence[Alternative]) -> int:
    """Whether a reference is one of the objects that were met before."""
    found = walk.located(first.unknown)
    for number, alternative in enumerate(others):
        if not isinstance(alternative, Alias) or alternative.ref.origin is None:
            raise Bail
        if walk.located(alternative.ref.origin) is found:
            return number + 1
    return 0


def _class(walk: Walk, alternatives: Sequence[Alternative]) -> int:
    """Which bound on the class of an object holds; where the caller does not know its class the method asks."""
    for number, alternative in enumerate(alternatives):
        if not isinstance(alternative, Restrict) or alternative.ref.origin is None:
            raise Bail
        found = walk.located(alternative.ref.origin)
        if not isinstance(found, Ref):
            raise Bail
        known, wanted = walk.st.heap.class_bound(found), alternative.bound
        if not known.exact:
            raise Bail
        program = walk.st.heap.inputs.program
        if wanted.exact:
            holds = known.bound == wanted.bound
        else:
            holds = program.is_subclass(known.bound, wanted.bound) and not any(
                program.is_subclass(known.bound, out) for out in wanted.excluded
            )
        if holds:
            return number
    raise Bail

"""Composes a summary with the call of a path: the questions of its cases are asked about the caller's state.

*Compatibility* (section 2.4 of "Test Case Generation by Symbolic Execution") is checked on the way down the tree: the
inputs of the method are the arguments of the call, its input heap is what they lead to in the caller's heap, and each
condition, with these put in place of the inputs, is decided by the caller's path condition. Where both answers are
possible the path forks, as it would inside the method, and the call is looked at once more. *Composition* happens at
a leaf, when nothing is left to ask: new objects are made, fields and elements assigned, and the outcome is the call's.

Whatever a summary does not hold (a bound that was reached, an object that the caller passes twice where the cases were
made for different ones) is no case, and the method is executed. The questions that were answered by then are the ones
that it asks first, so nothing is lost and nothing split that would not be.
"""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from everypath.errors import SolverUnknown, Unsupported
from everypath.explore.calls import Calls
from everypath.explore.outcomes import Finished
from everypath.explore.search.summaries.answering import answer
from everypath.explore.search.summaries.effort import Effort
from everypath.explore.search.summaries.making import CALL, Recorder, make_summary, recorder_for
from everypath.explore.search.summaries.model import Bail, Inlined, Leaf, Question, Shelf, Summary
from everypath.explore.search.summaries.signatures import signature
from everypath.explore.search.summaries.walk import Walk
from everypath.explore.semantics import Semantics
from everypath.explore.signals import Ended, Fault, Invoke, Raise
from everypath.explore.state import Chain, Compiled, Frame, Segment, State
from everypath.heap.choice import Fork
from everypath.heap.knowledge import NeedsCode
from everypath.heap.sequences import OutOfRange
from everypath.heap.values import UNBOUND, OneOf, Ref, Unknown, Value
from everypath.ir.instructions import Branch, CallStatic, CallValue, CallVirtual
from everypath.ir.names import is_hidden, is_nested_function
from everypath.ir.program import Method, Program
from everypath.ir.types import Type
from everypath.logic.clock import now
from everypath.logic.condition import Infeasible
from everypath.logic.decider import Decider
from everypath.logic.substitution import CannotRebuild
from everypath.logic.terms import Term
from everypath.options import Options

_ELSEWHERE = (Bail, CannotRebuild, Fault, Invoke, NeedsCode, OutOfRange, Unsupported, SolverUnknown, Ended, Infeasible)
"""What reading the caller's heap may end with where a case does not fit: the method is executed and finds out why."""
_MOST_PAUSED = 5_000
_DEEP = 2
"""Levels of calls below a method from which on its summary certainly pays."""
Key = tuple[int, tuple[Type, ...]]


class Summaries:
    """The summaries of a program's methods within the bounds of a run; each is made when it is first needed."""

    def __init__(self, semantics: Semantics, options: Options, bounds: object = None) -> None:
        """The `bounds` are what the summaries depend on besides the program."""
        self._semantics = semantics
        self._options = options
        self._bounds = bounds
        self._shelf = shelf_of(semantics)
        self._machine: Recorder | None = None
        self._made: dict[Key, Summary | None] = {}
        self._under_way: set[int] = set()
        self._askable: dict[int, bool] = {}
        self._effort = Effort(semantics.program)
        self.always = False
        """whether calls are composed also where executing the method is cheaper"""
        self.deadline = float("inf")
        self.decider: Decider | None = None
        """that of the exploration under way: another one would have to start the solver again"""
        self._paused: dict[int, tuple[Chain[int], object, Frame | None, Walk]] = {}
        """the calls in which paths have forked, by the choices that led there"""
        self.reused = 0
        """how many calls were answered by a summary"""

    # What answers calls.

    def result(self, calls: Calls, st: State, code: Compiled, args: list[Value], resume: Segment) -> Value:
        """What a call returns, with its effects on the state; UNBOUND if the method must be executed."""
        method = code.method
        if not self._can_be_asked(method) or st.world is not None or not any(map(_is_open, args)):
            return UNBOUND
        walk = self._resumed(calls, st, args)
        if walk is None:
            types = signature(st, method, args)
            summary = None if types is None else self.summary(method, types)
            if summary is None or not (summary.pays or self.always):
                return UNBOUND
            if self._is_entered(st, summary) or not _relies_on(summary, st):
                return UNBOUND
            walk = Walk(calls, st, summary, args)
        try:
            outcome = walk.apply(self._leaf(walk), resume)
        except Fork:
            self._pause(walk)
            raise
        except _ELSEWHERE:
            return UNBOUND
        self.reused += 1
        if isinstance(outcome, Finished):
            return outcome.value
        st.raised = (outcome.exception, outcome.origin)
        raise Raise(outcome.exception)

    def _leaf(self, walk: Walk) -> Leaf:
        while isinstance(tree := walk.tree, Question):
            walk.follow(tree.touched)
            number = answer(walk, tree)
            if number not in tree.children:
                raise Bail
            walk.tree = tree.children[number]
        if isinstance(tree, Inlined):
            raise Bail
        return tree

    # A call is looked at once more after every fork; what was found out before need not be asked again.

    def _pause(self, walk: Walk) -> None:
        if len(self._paused) >= _MOST_PAUSED:
            self._paused.clear()
        st = walk.st
        self._paused[id(st.choices)] = (st.choices, st.trace, st.frame, walk.copy(st))

    def _resumed(self, calls: Calls, st: State, args: Sequence[Value]) -> Walk | None:
        """The call on its way, if the path has just forked in it."""
        if st.choices is None:
            return None
        before = st.choices[1]
        found = self._paused.get(id(before))
        if found is None or found[0] is not before or found[1] is not st.trace or found[2] is not st.frame:
            return None
        walk = found[3]
        same = all(a is b or (type(a) is type(b) is int and a == b) for a, b in zip(args, walk.args))
        return walk.copy(st) if same and walk.calls is calls else None

    def summary(self, method: Method, types: tuple[Type, ...]) -> Summary | None:
        """The summary of a method for arguments of these types; None if it can only be executed."""
        key = (id(method), types)
        if key not in self._made:
            if id(method) in self._under_way:
                return None
            self._under_way.add(id(method))
            try:
                if self._machine is None:
                    self._machine = recorder_for(self._semantics, self._options)
                    self._machine.calls.composer = self
                self._made[key] = self._kept(self._machine, method, types)
            finally:
                self._under_way.discard(id(method))
        return self._made[key]

    def _kept(self, machine: Recorder, method: Method, types: tuple[Type, ...]) -> Summary | None:
        """The summary that an earlier run has left, or else a new one, which is left for later runs."""
        decider = self.decider or Decider(self._options.solver)
        if self._shelf is None:
            return make_summary(machine, self._options, method, types, self.deadline, decider)
        program = self._semantics.program
        name = self._shelf.name(program, method, types, self._bounds)
        found = self._shelf.find(name, program, method)
        if found is None:
            found = make_summary(machine, self._options, method, types, self.deadline, decider)
            # Not if more of the program was loaded meanwhile.
            if found is not None and self._shelf.name(program, method, types, self._bounds) == name:
                self._shelf.keep(name, program, found)
        return found

    def _is_entered(self, st: State, summary: Summary) -> bool:
        """Whether a method of the summary is under way: its re-entries are bounded, so it must be executed."""
        frame = st.frame
        while frame is not None:
            if id(frame.code.method) in summary.methods:
                return True
            frame = frame.parent
        return False

    def _can_be_asked(self, method: Method) -> bool:
        known = self._askable.get(id(method))
        if known is None:
            known = _can_branch(method) and (self.always or self._effort.of(method) > CALL)
            if known and self._options.compositional == "deep":
                known = levels_below(self._semantics.program, method, _DEEP) >= _DEEP
            self._askable[id(method)] = known
        return known


def _is_open(value: Value) -> bool:
    return isinstance(value, (Term, Unknown, OneOf, Ref))


def _can_branch(method: Method) -> bool:
    if method.model or method.kind not in ("static", "instance") or is_hidden(method.name):
        return False
    if is_nested_function(method.name) or is_nested_function(method.cls):
        return False
    if any(param.kind not in ("normal", "positional") for param in method.params):
        return False
    blocks = method.blocks.values()
    calls = any(isinstance(i, (CallStatic, CallVirtual, CallValue)) for b in blocks for i in b.instructions)
    return calls or any(isinstance(block.terminator, Branch) for block in blocks)


def _relies_on(summary: Summary, st: State) -> bool:
    """Whether variables of modules have the values that the cases were made with."""
    return all(not (place in st.statics and st.statics[place] != value) for place, value in summary.statics.items())


def levels_below(program: Program, method: Method, most: int) -> int:
    """How many calls deep the methods go that a method calls by name; no further than is asked."""
    found = 0
    if most:
        for block in method.blocks.values():
            for call in block.instructions:
                if isinstance(call, CallStatic):
                    called = program.find_method(call.cls, call.name)
                    if called is not None and not called.model and called is not method:
                        found = max(found, 1 + levels_below(program, called, most - 1))
    return found


_KEPT: WeakKeyDictionary[Semantics, dict[object, Summaries]] = WeakKeyDictionary()
_SHELVES: WeakKeyDictionary[Semantics, Shelf] = WeakKeyDictionary()


def keep_on(semantics: Semantics, shelf: Shelf) -> None:
    """Take the summaries of a program from a shelf from now on, and leave new ones there."""
    _SHELVES[semantics] = shelf


def shelf_of(semantics: Semantics) -> Shelf | None:
    """Where the summaries of a program are kept, if anywhere."""
    return _SHELVES.get(semantics)


def summaries_for(semantics: Semantics, options: Options, decider: Decider | None = None) -> Summaries:
    """The summaries of a program; all explorations of it with the same bounds share them."""
    kept = _KEPT.setdefault(semantics, {})
    limits = options.limits
    key = (
        options.compositional,
        options.heap,
        limits.loops,
        limits.fixed_length,
        limits.depth,
        options.solver,
        options.overflow,
    )
    found = kept.get(key)
    if found is None:
        found = kept[key] = Summaries(semantics, options, key)
    found.deadline = now() + limits.time
    found.decider = decider
    return found

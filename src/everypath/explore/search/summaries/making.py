"""Makes the summary of a method: it is explored from the most general state, and every question on the way is kept.

This is the context-insensitive approach of section 2.4 of "Test Case Generation by Symbolic Execution": nothing is
assumed about callers but the types of the arguments, so the result can be adapted to every call. Calls inside the
method are themselves answered by summaries; these are made when they are first needed, which is before the summary
under way is finished. So the components of the call graph come bottom-up. Methods of one component (recursion) are
executed inside the summary of the method through which the component is entered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from everypath.errors import Unsupported
from everypath.explore.machine import Machine
from everypath.explore.outcomes import Cut, Finished, NotSupported, Outcome, Uncaught
from everypath.explore.search.summaries.effects import effects, elements, is_plain, is_portable
from everypath.explore.search.summaries.model import Atom, Inlined, Leaf, Place, Question, Step, Summary, Tree
from everypath.explore.semantics import Semantics
from everypath.explore.state import Interrupted, Segment, State, unchain
from everypath.heap.alternatives import Bind, Narrow
from everypath.heap.choice import Alternative, Assume
from everypath.heap.inputs import Inputs
from everypath.heap.solver import HEAPS, make_heap
from everypath.heap.store import without_null
from everypath.heap.values import (
    Ref,
    Unknown,
    Value,
)
from everypath.ir.instructions import ClassRef, FunctionRef, NativeRef
from everypath.ir.program import Method
from everypath.ir.types import Type
from everypath.logic import terms
from everypath.logic.clock import now
from everypath.logic.condition import PathCondition
from everypath.logic.decider import Decider
from everypath.logic.terms import Term, Var
from everypath.options import Options

MOST_STATES = 400
"""The most states of one summary; what is left then is executed where the method is called."""
SECONDS = 2.0
CALL, _QUESTION, _DECISION, _BY_SOLVER = 10, 4, 2, 80
"""How many executed blocks cost as much as composing a call, one of its questions, and a decision; measured."""
PLAIN = (type(None), bool, int, float, str, bytes, ClassRef, FunctionRef, NativeRef)


class Recorder(Machine):
    """A machine that remembers the question at which a state has forked."""

    asked: tuple[Alternative, ...] = ()
    touched: tuple[Unknown, ...] = ()

    def _ask(self, st: State, *alternatives: Alternative) -> None:
        self.asked = alternatives
        self.touched = touched(st)

    def _fork(self, st: State, alternatives: Sequence[Alternative], label: str, index: int) -> None:
        # Before the alternatives are applied: the last one changes the state itself.
        self._ask(st, *alternatives)
        super()._fork(st, alternatives, label, index)

    def _branch(
        self, st: State, condition: bool | Term, yes: Segment, no: Segment, yes_spent: bool, no_spent: bool
    ) -> Segment | None:
        if isinstance(condition, Term):
            negation = terms.not_(condition)
            assert isinstance(negation, Term)
            self._ask(st, Assume(condition), Assume(negation))
        return super()._branch(st, condition, yes, no, yes_spent, no_spent)

    def _null_branch(
        self, st: State, unknown: Unknown, null: Segment, other: Segment, null_spent: bool, other_spent: bool
    ) -> Segment | None:
        self._ask(st, Bind(unknown, None), Narrow(unknown, without_null(st.heap.options(unknown))))
        return super()._null_branch(st, unknown, null, other, null_spent, other_spent)


def touched(st: State) -> tuple[Unknown, ...]:
    """The inputs that the path has followed to an object."""
    return tuple(u for u, found in st.heap.bind.items() if isinstance(u, Unknown) and isinstance(found, Ref))


def recorder_for(semantics: Semantics, options: Options) -> Recorder:
    """A machine that makes summaries within the bounds of a run."""
    return Recorder(semantics, options.limits, HEAPS[options.heap].disjunctive)


def make_summary(
    machine: Recorder,
    options: Options,
    method: Method,
    types: Sequence[Type],
    deadline: float,
    decider: Decider,
) -> Summary | None:
    """The summary for arguments of these types; None where the method can only be executed."""
    semantics = machine.semantics
    # No range of integers: arguments are terms of callers, for which no range was asked.
    inputs = Inputs(semantics.program, None, options.limits.fixed_length, (), semantics.knowledge)
    semantics.note_entry(inputs, method)
    before = dict(decider.counts)
    state = State(make_heap(options.heap, inputs), PathCondition(decider))
    if state.heap.disjunctive:
        state.heap.attach(state.pc)
    values = tuple(inputs.fresh(type, param.name) for type, param in zip(types, method.params))
    if any(not isinstance(value, (Term, Unknown, type(None))) for value in values):
        return None
    inputs.method = method
    # The machine may be in the middle of a summary that needs this one.
    outer, machine.fixed = machine.fixed, {}
    until, machine.deadline = machine.deadline, min(deadline, now() + SECONDS)
    limit, decider.deadline = decider.deadline, machine.deadline
    # A method under test tells the truth values that it returns apart, a called one does not: hence the function.
    machine.start(state, method, values, lambda _, value: value)
    grower = _Grower(machine)
    try:
        tree = grower.grow(state)
        if isinstance(tree, Inlined) or machine.fixed or grower.unusual:
            return None
    except Unsupported:
        return None
    finally:
        machine.fixed, machine.deadline, decider.deadline = outer, until, limit
    return Summary(
        method,
        tuple(types),
        values,
        places_of(inputs, values),
        tree,
        grower.statics,
        frozenset(grower.methods),
        _pays(tree, {layer: count - before.get(layer, 0) for layer, count in decider.counts.items()}),
        not grower.late,
    )


def places_of(inputs: Inputs, values: Sequence[Value]) -> dict[Atom, Place]:
    """Where each input, and each part of one that a path has looked at, comes from."""
    found: dict[Atom, Place] = {value: at for at, value in enumerate(values) if isinstance(value, (Var, Unknown))}
    for place, value in inputs.parts():
        if isinstance(value, (Var, Unknown)):
            found.setdefault(value, place)
    return found


class _Grower:
    """Runs states to their ends, and keeps how they forked as a tree."""

    def __init__(self, machine: Recorder) -> None:
        self.machine = machine
        self.statics: dict[tuple[str, str], Value] = {}
        self.methods: set[int] = set()
        self.unusual = False
        """whether a variable has not the same value in all cases"""
        self.late = False
        """whether the time was over before all cases were known"""
        self._states = 0

    def grow(self, root: State) -> Tree:
        """The tree below a state."""
        top: dict[int, Tree] = {}
        waiting: list[tuple[State, dict[int, Tree], int]] = [(root, top, 0)]
        while waiting:
            state, siblings, number = waiting.pop()
            self._states += 1
            if state.outcome is None:
                # Reading the clock costs more than a short step.
                late = not self._states % 16 and now() > self.machine.deadline
                self.late |= late
                if self._states > MOST_STATES or late:
                    siblings[number] = Inlined("there are too many cases")
                    continue
                self.machine.run(state)
            successors = state.successors
            if successors is None or state.outcome is not None:
                siblings[number] = self._leaf(state)
                continue
            asked = self.machine.asked
            question = Question(asked, self.machine.touched, _condition(asked))
            siblings[number] = question
            for successor in reversed(successors):
                assert successor.choices is not None
                waiting.append((successor, question.children, successor.choices[0]))
        return top[0]

    def _leaf(self, state: State) -> Leaf | Inlined:
        trace = tuple(_step(element) for element in unchain(state.trace))
        self.methods.update(id(method) for method, _, _, _ in trace)
        outcome = state.outcome
        if not isinstance(outcome, (Finished, Uncaught)):
            return Inlined(_why(outcome))
        for place, value in state.statics.items():
            if not is_plain(value) or self.statics.setdefault(place, value) != value:
                self.unusual = True
        changed = effects(state)
        if changed is None:
            return Inlined("it changes what no summary holds")
        writes, lists = changed
        result = outcome.value if isinstance(outcome, Finished) else outcome.exception
        values = [result, *(w.value for w in writes), *(w.target for w in writes)]
        cells, known = state.heap.cells, set[Ref]()
        if not all(is_portable(value, cells, known) for value in (*values, *elements(lists))):
            return Inlined("it makes what no summary holds")
        return Leaf(outcome, touched(state), writes, lists, cells, trace, state.decisions > 0)


def _condition(asked: Sequence[Alternative]) -> Term | None:
    """What is asked, if the answers are yes and no; with floats, infinities and NaN are ways of their own."""
    if len(asked) != 2 or not isinstance(asked[0], Assume) or not isinstance(asked[1], Assume):
        return None
    condition = asked[0].condition
    if asked[1].condition is not terms.not_(condition):
        return None
    return None if any(variable.sort == "float" for variable in terms.variables(condition)) else condition


def _pays(tree: Tree, decided: Mapping[str, int]) -> bool:
    """Whether walks down the tree are cheaper than what executing the method takes: its blocks, and its decisions.

    Most decisions of a method on the tree are questions there as well; those that only one answer is possible for are
    not, and they are saved.
    """
    cost = -_BY_SOLVER * decided.get("smt", 0) - _DECISION * sum(decided.values())
    waiting: list[tuple[Tree, int]] = [(tree, 0)]
    while waiting:
        each, depth = waiting.pop()
        if isinstance(each, Question):
            waiting += [(child, depth + 1) for child in each.children.values()]
            cost += (_BY_SOLVER if decided.get("smt") else 0) + _DECISION
        else:
            # What ends by executing the method costs both.
            cost += CALL + _QUESTION * depth - (len(each.trace) if isinstance(each, Leaf) else 0)
    return cost < 0


def _step(element: object) -> Step:
    if isinstance(element, Interrupted):
        return element.mark.method, element.mark.label, element.index, element.error
    return element.method, element.label, None, ""  # type: ignore[attr-defined]


def _why(outcome: Outcome | None) -> str:
    if isinstance(outcome, Cut):
        return f"the bound on {outcome.kind}"
    return outcome.message if isinstance(outcome, NotSupported) else "it is undecided"

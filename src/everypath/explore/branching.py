"""What a path does at a condition: it takes the side that is possible, or forks where both are.

Branches are so frequent that they fork in place, without leaving the loop that runs the path: a depth-first search
hands over its list of waiting states, where the other side is put. A side on which the bound on loops is used up ends.
"""

from __future__ import annotations

from everypath.errors import Span
from everypath.explore.outcomes import Cut
from everypath.explore.state import Segment, State
from everypath.heap.alternatives import Bind, Narrow
from everypath.heap.choice import Alternative
from everypath.heap.store import without_null
from everypath.heap.values import OneOf, Unknown
from everypath.ir.types import ANY, NONE, SOME, Type
from everypath.logic import terms
from everypath.logic.condition import Infeasible
from everypath.logic.float_bounds import compared_inputs
from everypath.logic.terms import Term
from everypath.logic.verdicts import BOTH, TRUE

LOOP_CUT = Cut("loop")


class Branching:
    """The part of a machine that decides conditions, with its counts."""

    def __init__(self) -> None:
        self.infeasible = 0
        self.states = 0
        self.waiting: list[State] | None = None
        """where a depth-first search keeps the other sides of branches, so that the path goes on at once"""
        self.fixed: dict[tuple[Span, str], None] = {}
        """where a few values were tried in place of all, and for what"""
        self.whole_cuts = False
        """whether a path that a loop bound stops is kept with all that is known, including its last block"""
        self.keeps = False
        """whether what a bound has stopped can go on later, under a larger one (`State.kept`)"""

    def _blame(self, st: State, label: str, index: int) -> Span:
        """The line of the user's own code that an instruction belongs to."""
        raise NotImplementedError

    def _branch(
        self, st: State, condition: bool | Term, yes: Segment, no: Segment, yes_spent: bool, no_spent: bool
    ) -> Segment | None:
        """Go on with every side that is possible; a side on which the loop bound is used up ends at once."""
        st.decisions += 1
        pc = st.pc
        possible = pc.decide(condition)
        if possible != BOTH:
            if isinstance(condition, Term) and compared_inputs(condition):
                return self._only_usual_side(st, condition, possible == TRUE, yes, no)
            self.infeasible += 1
            return yes if possible == TRUE else no
        assert isinstance(condition, Term)
        if no_spent and not self.whole_cuts:
            other = self._cut_side(st, 1, condition, no)
        elif yes_spent and not self.whole_cuts:
            other = self._cut_side(st, 0, condition.negation or terms.not_(condition), yes)  # type: ignore[arg-type]
            st.choices = (1, st.choices)
            return self._go_on(st, no, other)
        else:
            other = st.beside(1, no, pc.fork(condition))
        st.choices = (0, st.choices)
        return self._go_on(st, yes, other)

    def _cut_side(self, st: State, choice: int, condition: Term, segment: Segment) -> State:
        """The side of a branch that the loop bound stops; on the other one the condition holds and the state goes on.

        A cut path is its choices and its trace only: no need to copy a state that never runs, unless it is kept. The
        path condition forks all the same, so that what it knows on the other side does not depend on the bound.
        """
        pc = st.pc.fork(condition)
        return st.stopped(choice, LOOP_CUT, st.beside(choice, segment, pc) if self.keeps else None)

    def _kept(self, st: State, segment: Segment) -> State | None:
        """A copy of the state that will go on here, if somebody may want that."""
        if not self.keeps:
            return None
        kept = st.copy()
        kept.next = segment
        return kept

    def _only_usual_side(self, st: State, condition: Term, holds: bool, yes: Segment, no: Segment) -> Segment | None:
        """Take the only side that finite floats can take; those that are infinite or NaN may take the other one."""
        taken, left = (yes, no) if holds else (no, yes)
        wanted = terms.not_(condition) if holds else condition
        unusual = st.pc.unusual(wanted) if isinstance(wanted, Term) else []
        if not unusual:
            self.infeasible += 1
            return taken
        # The main choices are 0 and 1, so that further ways begin with 2.
        others = [st.beside(n + 1 if n else int(holds), left, pc) for n, pc in enumerate(unusual)]
        # What follows must not come back to the inputs that have left here.
        st.pc.assume(condition if holds else terms.not_(condition))
        st.choices = (int(not holds), st.choices)
        self.states += 1 + len(others)
        if self.waiting is not None:
            self.waiting.extend(others[::-1])
            return taken
        st.next = taken
        st.successors = [st, *others]
        return None

    def _go_on(self, st: State, segment: Segment, other: State) -> Segment | None:
        """The state takes one side of a branch and another state the other."""
        self.states += 2
        if self.waiting is not None:
            self.waiting.append(other)
            return segment
        st.next = segment
        st.successors = [st, other]
        return None

    def _null_branch(
        self, st: State, unknown: Unknown, null: Segment, other: Segment, null_spent: bool, other_spent: bool
    ) -> Segment | None:
        """Branch on whether an input is null, where that is not known yet."""
        heap = st.heap
        options = heap.narrowed.get(unknown, unknown.options)
        if len(options) == 1 and options == (ANY,):
            options = (NONE, SOME)
            what = f"nothing tells the type of {unknown.name}; None and other values are tried"
            self.fixed.setdefault((self._blame(st, other.label, other.index), what))
            st.fixed = what
        if NONE not in options:
            return other
        if heap.entangled:
            # What is known about aliasing may exclude a side.
            absent = self._after(st, Bind(unknown, None))
            present = self._after(st, Narrow(unknown, without_null(options)))
            if absent is None or present is None:
                self.infeasible += 1
                only = absent or present
                if only is None:
                    raise Infeasible
                st.become(only)
                return other if absent is None else null
            st.become(absent)
            successor = present
            if other_spent and not null_spent:
                successor.outcome, successor.kept = LOOP_CUT, successor
            successor.choices = (1, st.choices)
            successor.next = other
            st.choices = (0, st.choices)
            return self._go_on(st, null, successor)
        if other_spent and not null_spent and not self.whole_cuts:
            kept = self._beside(st, unknown, options, other) if self.keeps else None
            successor = st.stopped(1, LOOP_CUT, kept)
        else:
            successor = self._beside(st, unknown, options, other)
        heap.bind[unknown] = None
        st.choices = (0, st.choices)
        return self._go_on(st, null, successor)

    def _beside(self, st: State, unknown: Unknown, options: tuple[Type, ...], segment: Segment) -> State:
        """The path on which an input is not null."""
        successor = st.copy()
        successor.heap.narrow(unknown, without_null(options))
        successor.choices = (1, st.choices)
        successor.next = segment
        return successor

    def _after(self, st: State, alternative: Alternative) -> State | None:
        """A copy of the state in which the alternative holds, None if it is impossible."""
        trial = st.copy()
        return trial if alternative.apply(trial.heap, trial.pc) else None

    def _null_branch_of_choice(
        self, st: State, choice: OneOf, null: Segment, other: Segment, null_spent: bool, other_spent: bool
    ) -> Segment | None:
        """Branch on whether a value is null, where that depends on aliasing."""
        return self._branch(st, st.heap.null_of(choice), null, other, null_spent, other_spent)

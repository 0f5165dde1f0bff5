"""Path conditions: what is assumed along a path, and which sides of a new condition remain possible.

A path condition is always satisfiable, and mostly has a witness at hand: values of the variables that satisfy it. A
new condition is first put to the judges of `layers`. If they are unsure, the witness makes it true or false, so that
this side is possible for free, and only a witness of the other side is looked for. The witnesses of both sides are kept
until one is assumed.

A theory, the initial heap, may know more about the variables than the constraints say. It is asked about each witness
that is found; its objection is a lemma, a condition that holds on this path anyway, and the search goes on with it
(lazy satisfiability modulo theories).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from everypath.errors import Internal, SolverUnknown
from everypath.logic.comparisons import and_, not_
from everypath.logic.decider import IMPOSSIBLE, Decider
from everypath.logic.evaluate import Witness
from everypath.logic.facts import Facts
from everypath.logic.float_bounds import compared_inputs, unusual_values
from everypath.logic.floats import float_eq, is_nan
from everypath.logic.integers import add, scale
from everypath.logic.moves import truth
from everypath.logic.nodes import Linear, Node, Term, Value, Var, variables
from everypath.logic.readable import NOTHING_TOLD, Telling, readable_model
from everypath.logic.verdicts import BOTH, FALSE, TRUE

_MOST_UNUSUAL = 3
"""In so many ways infinite inputs and NaN are followed where only they go."""
_BESIDE = {"int": (1, -1, 0, 2), "float": (1.0, -1.0, 0.0, 0.5, 2.0)}
"""Numbers that are tried where an infinite float or NaN asks for another one beside it."""

MAX_LEMMAS = 200
"""A condition counts as undecided after a theory has rejected this many solutions of it."""


class Theory(Protocol):
    """Knowledge about variables that is not written down as constraints, but given as lemmas when a solution
    violates it.
    """

    version: int
    """changes whenever the theory has learnt something that may rule out a witness it has accepted"""

    def refute(self, witness: Witness) -> Term | bool:
        """A condition that holds in the theory but not under the witness; True if the witness is fine."""


class Infeasible(Exception):
    """The theory has learnt something that no solution of the path condition agrees with."""


class PathCondition:
    """A satisfiable conjunction that grows along a path and is copied where the path forks."""

    __slots__ = (
        "_asked",
        "_checked",
        "_decider",
        "_facts",
        "_no",
        "_shared",
        "_witness",
        "_yes",
        "theory",
    )

    def __init__(self, decider: Decider) -> None:
        self._decider = decider
        self._facts = Facts()
        self._witness: Witness | None = {}
        """Satisfies all constraints, as long as the witness layer is in use; replaced, never changed.
        None while the facts may be unfinished."""
        self._shared = False
        """Whether another path condition uses the same facts, so that they must not change."""
        self._asked: Term | None = None
        """The condition that was decided last; `_yes` and `_no` are witnesses of its two sides."""
        self.theory: Theory | None = None
        self._checked = 0
        """The version of the theory that has accepted the witness."""
        self._yes: Witness | None = None
        self._no: Witness | None = None

    def copy(self) -> PathCondition:
        """An independent path condition with the same constraints."""
        self._shared = True
        twin = PathCondition.__new__(PathCondition)
        twin._decider = self._decider
        twin._facts = self._facts
        twin._witness = self._witness
        twin._shared = True
        twin._asked = self._asked
        twin.theory = self.theory
        twin._checked = self._checked
        twin._yes = self._yes
        twin._no = self._no
        return twin

    def split(self, condition: Term) -> PathCondition:
        """An independent path condition that also assumes the condition."""
        shared = self._shared
        twin = self.copy()
        twin.assume(condition)
        if twin._witness is not None and not twin._shared:
            # The twin has facts of its own, so this one is free to change in place again.
            self._shared = shared
        return twin

    def fork(self, condition: Term) -> PathCondition:
        """Assume a condition both sides of which are possible, and return the path condition of the other side."""
        opposite: Term = condition.negation or not_(condition)  # type: ignore[assignment]
        facts, witness = self._ready(), self._witness
        yes, no = self._found_for(condition), self._found_for(opposite)
        # Without witnesses of both sides a theory must be asked about each of them, so nothing can be put off.
        if (yes is None or no is None) and not self._alone():
            twin = self.split(opposite)
            self.assume(condition)
            return twin
        assert witness is not None
        self._asked = self._yes = self._no = None
        # Neither side is worked out yet: each keeps its parent's facts and notes what is due. Half of all branches are
        # the last of their path, and then nobody ever asks.
        twin = self.copy()
        twin._facts, twin._witness, twin._shared = facts.with_due(opposite, witness, no), None, False
        self._facts, self._witness, self._shared = facts.with_due(condition, witness, yes), None, False
        return twin

    def _ready(self) -> Facts:
        """The facts, with everything worked out."""
        if self._witness is None:
            self._catch_up()
        return self._facts

    def _alone(self) -> bool:
        """Whether there is no theory, or it has not said anything yet."""
        return self.theory is None or not self.theory.version

    def _catch_up(self) -> None:
        facts = self._facts
        if facts.due is not None:
            assert facts.based is not None
            based, condition = facts.based, facts.due
            # Copied only now, because by this time the path really asks something.
            facts.take_over(based)
            if facts.witness is None:
                try:
                    facts.witness = self._extended(facts.start, condition)
                except BaseException:
                    # The facts are not finished, so the next question has to begin with this one again.
                    self._witness, facts.due = None, condition
                    raise
            facts.based = None
            facts.add(condition, self._decider.bounds)
        self._witness = facts.witness

    def decide(self, condition: Term | bool) -> int:
        """1 if the condition can only be true here, 2 if it can only be false, 3 if both are possible."""
        decider = self._decider
        counts = decider.counts
        if not isinstance(condition, Term):
            counts["folded"] += 1
            return TRUE if condition else FALSE
        if self._witness is None:
            self._catch_up()
        opposite: Term = condition.negation or not_(condition)  # type: ignore[assignment]
        facts = self._facts
        for layer, judge in decider.layers.judges:
            verdict = judge(condition, opposite, facts)
            # BOTH from the bounds is certain, but brings no witness of the side that the current one does not satisfy.
            # One is looked for when that side is assumed; with a theory it must be found now, since it may be rejected.
            if verdict and (verdict != BOTH or not decider.witness or (decider.smt and self._alone())):
                counts[layer] += 1
                return verdict
        if decider.witness:
            return self._decide_by_witness(condition, opposite)
        if not decider.smt:
            raise SolverUnknown(f"no enabled layer decides: {condition}")
        # Only the solver is in use, without a witness to start from.
        if self._find(condition) is None:
            return FALSE
        return TRUE if self._find(opposite) is None else BOTH

    def holds(self, condition: Term) -> bool:
        """Whether the condition is among the constraints, each part of a conjunction for itself."""
        if self._witness is None:
            self._catch_up()
        return self._facts.holds(condition)

    def _decide_by_witness(self, condition: Term, opposite: Term) -> int:
        if self.theory is not None:
            self._refresh()
        witness = self._witness
        assert witness is not None
        side = truth(condition, witness)
        try:
            other = self._find(opposite if side else condition)
        except SolverUnknown as problem:
            # The side of the witness is possible whatever the solver could not find out about the other one.
            problem.possible = condition if side else opposite
            raise
        if other is None:
            return TRUE if side else FALSE
        self._asked = condition
        self._yes, self._no = (witness, other) if side else (other, witness)
        return BOTH

    def _refresh(self) -> None:
        """Make sure that the theory accepts the witness even after what it has learnt in the meantime."""
        if self.theory is not None and self._checked != self.theory.version and not self.consistent():
            raise Infeasible

    def _find(self, goal: Term, counted: bool = True) -> Witness | None:
        """A witness of all constraints and the goal that the theory accepts; None if there is none."""
        theory = self.theory
        if theory is None or not theory.version:
            return self._candidate(goal, counted)
        self._refresh()
        for _ in range(MAX_LEMMAS):
            # A lemma may have settled the goal by propagation: that saves another search.
            if self._decider.bounds and self._facts.bounds.decide(goal) == FALSE:
                return None
            found = self._candidate(goal)
            if found is None:
                return None
            lemma = theory.refute(found)
            if lemma is True:
                return found
            self._learn(lemma)
        raise SolverUnknown("too many ways in which the inputs could be the same objects")

    def _candidate(self, goal: Term, counted: bool = True) -> Witness | None:
        """A witness of all constraints and the goal, before the theory is asked; None if there is none."""
        decider, facts, witness, theory = self._decider, self._facts, self._witness, self.theory is not None
        assert witness is not None
        counts = decider.counts if counted else decider.afterwards
        for layer, find in decider.layers.finders:
            found = find(goal, facts, witness)
            if found is not None:
                counts[layer] += 1
                return None if found is IMPOSSIBLE else found
        counts["smt"] += 1
        return decider.layers.last(goal, facts, witness, theory)

    def _learn(self, lemma: Term | bool) -> None:
        """Keep a lemma of the theory: it holds on this path whatever else is assumed."""
        if not isinstance(lemma, Term):
            raise Infeasible
        self._own().add(lemma, self._decider.bounds)

    def consistent(self) -> bool:
        """Whether the constraints still have a solution that the theory accepts, after it has learnt something."""
        theory = self.theory
        if theory is None:
            return True
        # Without the witness layer the stored witness is not kept up to date, so a solution is asked for.
        known = self._ready().known
        if known and not self._decider.witness:
            found = self._decider.solution(tuple(known))
            if found is None:
                return False
            self._witness = found
        try:
            for _ in range(MAX_LEMMAS):
                lemma = theory.refute(self._witness)  # type: ignore[arg-type]
                if lemma is True:
                    self._checked = theory.version
                    return True
                if not isinstance(lemma, Term):
                    return False
                # The witness itself violates the lemma, so the search starts from it with the lemma for its goal.
                found = None if self.settled(lemma) is False else self._candidate(lemma)
                if found is None:
                    return False
                self._learn(lemma)
                self._witness = found
                self._asked = self._yes = self._no = None
        except Infeasible:
            return False
        raise SolverUnknown("too many ways in which the inputs could be the same objects")

    def assume(self, condition: Term | bool) -> None:
        """Adds a condition that was decided to be possible."""
        if not isinstance(condition, Term):
            if not condition:
                raise Internal("the condition false was assumed")
            return
        facts = self._ready()
        if condition in facts.known:
            return
        found = self._found_for(condition)
        # The facts may be shared with another path. Then the condition is only noted, and copying them is put off as
        # well.
        if self._shared and (found is not None or self._alone()):
            assert self._witness is not None
            self._facts = facts.with_due(condition, self._witness, found)
            self._witness = None
            self._shared = False
        else:
            if self._decider.witness:
                self._witness = self._witness_for(condition)
            self._own().add(condition, self._decider.bounds)
        self._asked = self._yes = self._no = None

    def _own(self) -> Facts:
        """The facts, copied if they are shared, so that no other path condition notices a change."""
        if self._shared:
            self._facts = self._facts.own()
            self._shared = False
        return self._facts

    def _found_for(self, condition: Term) -> Witness | None:
        """The witness of this condition that deciding it has found."""
        if not self._decider.witness:
            return self._witness
        asked = self._asked
        if asked is None:
            return None
        if condition is asked:
            return self._yes
        return self._no if condition.negation is asked else None

    def _witness_for(self, condition: Term) -> Witness:
        found = self._found_for(condition)
        if found is not None:
            return found
        assert self._witness is not None
        if truth(condition, self._witness):
            return self._witness
        found = self._find(condition, counted=False)
        if found is None:
            raise Internal(f"an impossible condition was assumed: {condition}")
        return found

    def _extended(self, start: Witness, condition: Term) -> Witness:
        """A witness of a condition that is known to be possible and of all constraints, which `start` satisfies.

        The theory is not asked: what it has learnt since makes its version differ from `_checked`, so that it is asked
        before the witness is used.
        """
        if truth(condition, start):
            return start
        self._witness = start
        found = self._candidate(condition, counted=False)
        if found is None:
            raise Internal(f"an impossible condition was assumed: {condition}")
        return found

    def add(self, condition: Term | bool) -> bool:
        """Assume a condition if it is possible, and return whether it is."""
        verdict = self.decide(condition)
        if verdict == FALSE:
            return False
        if verdict == BOTH:
            self.assume(condition)
        return True

    def unusual(self, condition: Term) -> list[PathCondition]:
        """The path conditions of a side that only infinite inputs or NaN take, one for each way that is found."""
        if not compared_inputs(condition):
            return []
        ways = []
        for number in range(len(self._unusual_witnesses(condition))):
            twin = self.copy()
            if not twin.assume_unusual(condition, number):
                break
            ways.append(twin)
        return ways

    def assume_unusual(self, condition: Term, number: int) -> bool:
        """Assumes a condition that only infinite inputs or NaN fulfil, in one of the ways; whether it is possible."""
        chosen, witness = self._unusual_witnesses(condition)[number]
        self._asked = self._yes = self._no = None
        self._witness = witness
        # With the very value what follows is decided by ranges, where the solvers would give up.
        exactly = [is_nan(each) if value != value else float_eq(each, value) for each, value in chosen.items()]
        self.assume(and_(*exactly, condition))
        return self.consistent()

    def _unusual_witnesses(self, condition: Term) -> list[tuple[dict[Var, float], Witness]]:
        """Witnesses in which as few inputs as possible, always the same ones, are infinite or NaN, each in its way."""
        inputs = compared_inputs(condition)
        if not inputs or not self._decider.witness:
            return []
        known = self._ready().known
        self._refresh()
        assert self._witness is not None
        found: list[tuple[dict[Var, float], Witness]] = []
        for chosen in unusual_values(inputs, known):
            if found and (found[0][0].keys() != chosen.keys() or len(found) >= _MOST_UNUSUAL):
                break
            witness = _settled_beside(self._witness, chosen, (condition, *known))
            if witness is not None:
                found.append((chosen, witness))
        return found

    def require(self, condition: Term) -> bool:
        """Assume a condition whose opposite does not matter; return whether it is possible."""
        if condition in self._ready().known:
            return True
        self._refresh()
        if not self._decider.witness or not truth(condition, self._witness):  # type: ignore[arg-type]
            found = self._find(condition)
            if found is None:
                return False
            self._asked, self._yes = condition, found
        self.assume(condition)
        return True

    def settled(self, condition: Term) -> bool | None:
        """The truth of a condition that is itself a constraint, or the negation of one; nothing is worked out."""
        known = self._ready().known
        if condition in known:
            return True
        return False if condition.negation in known else None

    def constraints(self) -> tuple[Term, ...]:
        """Everything assumed, in order."""
        return tuple(self._ready().known)

    def interval(self, term: Term | Value) -> tuple[int | None, int | None]:
        """Bounds of an integer term that are cheaply known; None is unbounded."""
        return self._ready().bounds.interval(term)

    def value(self, term: Term | Value) -> Value | None:
        """The only possible value of a term, where that is cheaply known."""
        return self._ready().bounds.value(term) if isinstance(term, Term) else term

    def domain(self, term: Term | Value) -> set[Value | Term]:
        """The values that a conditional term may still have; the domain of any other term is the term itself."""
        found: set[Value | Term] = set()
        self._gather(term, True, found)
        return found

    def _gather(self, term: Term | Value, so_far: Term | bool, found: set[Value | Term]) -> None:
        known = self.value(term)
        if known is not None:
            found.add(known)
        elif isinstance(term, Node) and term.op == "ite":
            condition, yes, no = term.args
            for value, needed in ((yes, condition), (no, not_(condition))):  # type: ignore[arg-type]
                together = and_(so_far, needed)  # type: ignore[arg-type]
                if together is not False and self.decide(together) != FALSE:
                    self._gather(value, together, found)
        elif isinstance(term, Linear) and len(term.parts) == 1:
            ((atom, k),) = term.parts
            inner: set[Value | Term] = set()
            self._gather(atom, so_far, inner)
            found.update(add(scale(value, k), term.const) for value in inner)  # type: ignore[arg-type]
        else:
            found.add(term)

    def model(self, prefer: Sequence[Var] = (), telling: Telling = NOTHING_TOLD) -> dict[Var, Value]:
        """Small readable values of all variables, the preferred ones first, that satisfy every constraint."""
        if self.theory is None or not self.theory.version:
            return self._model(prefer, telling)
        for _ in range(MAX_LEMMAS):
            self._refresh()
            found = self._model(prefer, telling)
            lemma = self.theory.refute(found)
            if lemma is True:
                return found
            self._learn(lemma)
        # The theory keeps rejecting readable values; the witness that it has accepted is less readable, but right.
        assert self._witness is not None
        return self._witness

    def _model(self, prefer: Sequence[Var], telling: Telling) -> dict[Var, Value]:
        decider = self._decider
        facts = self._ready()
        start = self._witness
        assert start is not None
        known = tuple(facts.known)
        if known and not decider.witness and decider.smt:
            start = decider.solution(known) or {}
        solve = decider.solution if decider.smt else None
        return readable_model(known, facts.occurs, start, facts.bounds, prefer, solve, telling)


def _settled_beside(known: Witness, chosen: Mapping[Var, float], conditions: Sequence[Term]) -> Witness | None:
    """A witness of the conditions with the chosen values in which at most one other number is not as it was known."""
    witness = {**known, **chosen}
    failing = [each for each in conditions if not truth(each, witness)]
    if not failing:
        return witness
    shared = set.intersection(*({v for v in variables(each) if v.sort in _BESIDE} for each in failing))
    for number in sorted(shared.difference(chosen), key=lambda variable: variable.index):
        for value in _BESIDE[number.sort]:
            changed = {**witness, number: value}
            if all(truth(each, changed) for each in conditions):
                return changed
    return None

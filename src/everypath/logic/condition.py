"""Path conditions: what is assumed along a path, and which sides of a new condition remain possible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from everypath.errors import Internal, SolverUnknown
from everypath.logic.bounds import BOTH, FALSE, TRUE, UNSURE, Bounds
from everypath.logic.comparisons import not_
from everypath.logic.moves import Witness, truth
from everypath.logic.nodes import Term, Value, Var, variables
from everypath.logic.readable import readable_model
from everypath.logic.witness import Occurrences, repair
from everypath.options import SolverOptions

if TYPE_CHECKING:
    from everypath.logic.smt import Smt

MAX_ANSWERS = 10_000
"""Answers of the SMT solver that are remembered; paths that differ elsewhere ask the same questions again."""


class Decider:
    """What all path conditions of one exploration share: the layers in use, the SMT solver, and the counts."""

    __slots__ = ("_answers", "_smt", "bounds", "counts", "options", "smt", "witness")

    def __init__(self, options: SolverOptions | None = None) -> None:
        self.options = options or SolverOptions()
        self.bounds = "bounds" in self.options.layers
        self.witness = "witness" in self.options.layers
        self.smt = "smt" in self.options.layers
        self.counts = {"folded": 0, "bounds": 0, "witness": 0, "smt": 0}
        self._smt: Smt | None = None
        self._answers: dict[tuple[Term, ...], dict[Var, Value] | SolverUnknown | None] = {}

    def solution(self, constraints: Sequence[Term]) -> dict[Var, Value] | None:
        """Values that satisfy all constraints, or None if there are none, as the SMT solver finds them."""
        key = tuple(constraints)
        answers = self._answers
        if key in answers:
            answer = answers[key]
        else:
            if len(answers) >= MAX_ANSWERS:
                answers.clear()
            if self._smt is None:
                # Many a run never needs the solver, and loading it costs more than such a run.
                from everypath.logic.smt import Smt

                self._smt = Smt(self.options.timeout_ms)
            try:
                answer = self._smt.solution(key)
            except SolverUnknown as unknown:
                answer = unknown
            answers[key] = answer
        if isinstance(answer, SolverUnknown):
            raise SolverUnknown(answer.message)
        return answer


class PathCondition:
    """A satisfiable conjunction that grows along a path and is copied where the path forks."""

    __slots__ = ("_asked", "_bounds", "_decider", "_known", "_no", "_occurs", "_shared", "_witness", "_yes")

    def __init__(self, decider: Decider) -> None:
        self._decider = decider
        self._known: dict[Term, None] = {}
        """The constraints, in the order in which they were assumed."""
        self._occurs: Occurrences = {}
        self._bounds = Bounds()
        self._witness: Witness = {}
        """Satisfies all constraints, as long as the witness layer is in use; replaced, never changed."""
        self._shared = False
        """Whether a copy uses the same dictionaries and bounds, so that they must not change."""
        self._asked: Term | None = None
        self._yes: Witness | None = None
        self._no: Witness | None = None

    def copy(self) -> PathCondition:
        """An independent path condition with the same constraints."""
        self._shared = True
        twin = PathCondition.__new__(PathCondition)
        twin._decider = self._decider
        twin._known = self._known
        twin._occurs = self._occurs
        twin._bounds = self._bounds
        twin._witness = self._witness
        twin._shared = True
        twin._asked = self._asked
        twin._yes = self._yes
        twin._no = self._no
        return twin

    def split(self, condition: Term) -> PathCondition:
        """An independent path condition that also assumes the condition; this one stays free to change in place."""
        shared = self._shared
        twin = self.copy()
        twin.assume(condition)
        self._shared = shared or twin._shared
        return twin

    def decide(self, condition: Term | bool) -> int:
        """1 if the condition can only be true here, 2 if it can only be false, 3 if both are possible."""
        decider = self._decider
        counts = decider.counts
        if not isinstance(condition, Term):
            counts["folded"] += 1
            return TRUE if condition else FALSE
        if condition in self._known:
            counts["folded"] += 1
            return TRUE
        opposite: Term = condition.negation or not_(condition)  # type: ignore[assignment]
        if opposite in self._known:
            counts["folded"] += 1
            return FALSE
        if decider.bounds:
            verdict = self._bounds.decide(condition)
            if verdict != UNSURE and not (verdict == BOTH and decider.witness):
                counts["bounds"] += 1
                return verdict
        if decider.witness:
            return self._decide_by_witness(condition, opposite)
        if not decider.smt:
            raise SolverUnknown(f"no enabled layer decides: {condition}")
        counts["smt"] += 1
        related = self._related(condition)
        if decider.solution([*related, condition]) is None:
            return FALSE
        return TRUE if decider.solution([*related, opposite]) is None else BOTH

    def _decide_by_witness(self, condition: Term, opposite: Term) -> int:
        decider = self._decider
        witness = self._witness
        side = truth(condition, witness)
        goal = opposite if side else condition
        other = repair(goal, witness, self._occurs)
        if other is not None:
            decider.counts["witness"] += 1
        else:
            other = self._solve(goal)
            decider.counts["smt"] += 1
            if other is None:
                return TRUE if side else FALSE
        self._asked = condition
        self._yes, self._no = (witness, other) if side else (other, witness)
        return BOTH

    def _solve(self, goal: Term) -> Witness | None:
        if not self._decider.smt:
            raise SolverUnknown(f"no enabled layer decides: {goal}")
        found = self._decider.solution([*self._related(goal), goal])
        return None if found is None else {**self._witness, **found}

    def _related(self, condition: Term) -> list[Term]:
        """The constraints that share variables with a condition, directly or through others."""
        if not self._known:
            return []
        occurs = self._occurs
        reached = set(variables(condition))
        agenda = list(reached)
        related: set[Term] = set()
        while agenda:
            chain = occurs.get(agenda.pop())
            while chain is not None:
                constraint, chain = chain
                if constraint not in related:
                    related.add(constraint)
                    new = variables(constraint) - reached
                    reached |= new
                    agenda.extend(new)
        if len(related) == len(self._known):
            return list(self._known)
        return [constraint for constraint in self._known if constraint in related]

    def assume(self, condition: Term | bool) -> None:
        """Adds a condition that was decided to be possible."""
        if not isinstance(condition, Term):
            if not condition:
                raise Internal("the condition false was assumed")
            return
        if condition in self._known:
            return
        if self._decider.witness:
            self._witness = self._witness_for(condition)
        self._asked = self._yes = self._no = None
        if self._shared:
            self._known = self._known.copy()
            self._occurs = self._occurs.copy()
            self._bounds = self._bounds.clone()
            self._shared = False
        for part in condition.args if condition.op == "and" else (condition,):  # type: ignore[attr-defined]
            self._add(part)

    def _witness_for(self, condition: Term) -> Witness:
        asked = self._asked
        found: Witness | None = None
        if asked is not None:
            if condition is asked:
                found = self._yes
            elif condition.negation is asked:
                found = self._no
        if found is not None:
            return found
        if truth(condition, self._witness):
            return self._witness
        found = repair(condition, self._witness, self._occurs) or self._solve(condition)
        if found is None:
            raise Internal(f"an impossible condition was assumed: {condition}")
        return found

    def _add(self, condition: Term) -> None:
        if condition in self._known:
            return
        self._known[condition] = None
        occurs = self._occurs
        for variable in variables(condition):
            occurs[variable] = (condition, occurs.get(variable))
        if self._decider.bounds:
            self._bounds.assume(condition)

    def add(self, condition: Term | bool) -> bool:
        """Assumes a condition if it is possible; whether it was."""
        verdict = self.decide(condition)
        if verdict == FALSE:
            return False
        if verdict == BOTH:
            self.assume(condition)
        return True

    def constraints(self) -> tuple[Term, ...]:
        """Everything assumed, in order."""
        return tuple(self._known)

    def interval(self, term: Term | Value) -> tuple[int | None, int | None]:
        """Bounds of an integer term that are cheaply known; None is unbounded."""
        return self._bounds.interval(term)

    def value(self, term: Term | Value) -> Value | None:
        """The only possible value of a term, where that is cheaply known."""
        return self._bounds.value(term) if isinstance(term, Term) else term

    def model(self, prefer: Sequence[Var] = ()) -> dict[Var, Value]:
        """Small readable values of all variables, the preferred ones first, that satisfy every constraint."""
        decider = self._decider
        start = self._witness
        if self._known and not decider.witness and decider.smt:
            start = decider.solution(tuple(self._known)) or {}
        solve = decider.solution if decider.smt else None
        return readable_model(tuple(self._known), self._occurs, start, self._bounds, prefer, solve)

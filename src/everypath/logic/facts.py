"""What a path condition consists of: its constraints, and what is kept about them so that questions are cheap.

Besides the constraints there are the bounds that follow from them, the disjunctions that are still open, and for each
variable the constraints that mention it. The last serves two purposes: a repair looks up what a move may break, and the
solver is asked only about constraints that share variables with the goal (constraint independence, as in "EXE:
Automatically Generating Inputs of Death", CCS 2006).
"""

from __future__ import annotations

from everypath.logic.bounds import Bounds
from everypath.logic.evaluate import Witness
from everypath.logic.nodes import Term, operands, variables
from everypath.logic.units import Clauses, clauses_of, consequences
from everypath.logic.witness import Occurrences


class Facts:
    """A conjunction of constraints; path conditions that agree so far share one.

    Many paths ask nothing more after their last branch. What follows from a constraint is therefore worked out when the
    next question comes. Until then the facts consist of those they are `based` on and the one constraint that is `due`.
    """

    __slots__ = ("based", "bounds", "clauses", "due", "known", "occurs", "start", "witness")

    based: Facts | None
    start: Witness
    witness: Witness | None

    def __init__(self) -> None:
        self.known: dict[Term, None] = {}
        """The constraints in the order in which they were assumed; a dict because membership is asked most."""
        self.clauses: Clauses = ()
        """The disjunctions among the constraints with more than one open part."""
        self.occurs: Occurrences = {}
        """For each variable, the constraints that mention it, as a linked list: copies of the facts share its tail."""
        self.bounds = Bounds()
        self.due: Term | None = None

    def with_due(self, condition: Term, start: Witness, witness: Witness | None) -> Facts:
        """These facts, which `start` satisfies, and one more constraint; `witness` satisfies it, too, if one is
        known.
        """
        new = Facts.__new__(Facts)
        new.based = self
        new.due = condition
        new.start = start
        new.witness = witness
        return new

    def own(self) -> Facts:
        """An independent copy."""
        new = Facts.__new__(Facts)
        new.take_over(self)
        return new

    def take_over(self, other: Facts) -> None:
        """Become an independent copy of other facts."""
        self.known = other.known.copy()
        self.clauses = other.clauses
        self.occurs = other.occurs.copy()
        self.bounds = other.bounds.clone()
        self.due = None

    def holds(self, condition: Term) -> bool:
        """Whether the condition is a constraint, or a conjunction of which every part is one."""
        known = self.known
        if condition in known:
            return True
        return condition.op == "and" and all(part in known for part in operands(condition))

    def related(self, condition: Term) -> list[Term]:
        """The constraints that share variables with a condition, directly or through other constraints."""
        known, occurs = self.known, self.occurs
        if not known:
            return []
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
        if len(related) == len(known):
            # In the order in which they were assumed, not that of a set: the solver's answers, and with them the tests,
            # depend on the order of its questions.
            return list(known)
        return [constraint for constraint in known if constraint in related]

    def add(self, condition: Term, bounds: bool) -> None:
        """Add a condition and what follows from it by propagation."""
        agenda = [condition]
        # Until nothing new follows: each unit may settle further disjunctions.
        while agenda:
            for condition in agenda:
                for part in operands(condition) if condition.op == "and" else (condition,):
                    self._add(part, bounds)
            agenda = []
            if self.clauses and bounds:
                self.clauses, agenda = consequences(self.clauses, self.bounds)

    def _add(self, condition: Term, bounds: bool) -> None:
        if condition in self.known:
            return
        self.known[condition] = None
        if condition.op == "or" or condition.op == "ite":
            self.clauses = (*self.clauses, *clauses_of(condition))
        occurs = self.occurs
        floats = False
        for variable in variables(condition):
            occurs[variable] = (condition, occurs.get(variable))
            if variable.sort == "float":
                floats = True
        if bounds:
            # Inputs are taken to be finite numbers until the program asks whether they are.
            if floats:
                self.bounds.ask(condition)
            self.bounds.assume(condition)

"""What a path condition consists of: its constraints, and what is kept about them so that questions are cheap."""

from __future__ import annotations

from everypath.logic.bounds import Bounds
from everypath.logic.evaluate import Witness
from everypath.logic.nodes import Term, operands, variables
from everypath.logic.units import Clauses, clauses_of, consequences
from everypath.logic.witness import Occurrences


class Facts:
    """A conjunction of constraints; path conditions that are the same so far share one.

    Many a path asks nothing more after its last branch. So what follows from a constraint is worked out when
    the next question comes: until then the facts are those they are `based` on and the one that is `due`.
    """

    __slots__ = ("based", "bounds", "clauses", "due", "known", "occurs", "start", "witness")

    based: Facts | None
    start: Witness
    witness: Witness | None

    def __init__(self) -> None:
        self.known: dict[Term, None] = {}
        """The constraints, in the order in which they were assumed."""
        self.clauses: Clauses = ()
        """The disjunctions among the constraints of which more than one part is open."""
        self.occurs: Occurrences = {}
        self.bounds = Bounds()
        self.due: Term | None = None

    def with_due(self, condition: Term, start: Witness, witness: Witness | None) -> Facts:
        """These facts, which `start` satisfies, and one more, with a witness of it if there is one already."""
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
        """Whether the condition is among the constraints, each part of a conjunction for itself."""
        known = self.known
        if condition in known:
            return True
        return condition.op == "and" and all(part in known for part in operands(condition))

    def related(self, condition: Term) -> list[Term]:
        """The constraints that share variables with a condition, directly or through others."""
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
            return list(known)
        return [constraint for constraint in known if constraint in related]

    def add(self, condition: Term, bounds: bool) -> None:
        """Add a condition and what follows from it by propagation."""
        agenda = [condition]
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
            if floats:
                self.bounds.ask(condition)
            self.bounds.assume(condition)

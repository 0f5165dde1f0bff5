"""Which input references are the same object: answered by conditions, and checked against the initial heap.

Asking whether two inputs are the same makes a truth value, unless nulls, classes or numbers in their fields tell them
apart at once. The path condition may choose any values for these truths, but not every choice is a heap: this heap is
the theory (`logic.condition.Theory`) that refutes a choice, by closing it under what equality entails (`closure`).
"""

from __future__ import annotations

from typing import ClassVar, Self

from everypath.heap.aliasing import LazyHeap
from everypath.heap.choice import decide
from everypath.heap.closure import Closure, Conflict
from everypath.heap.conditional import Guard, condition
from everypath.heap.inputs import Inputs
from everypath.heap.store import ClassBound, without_null
from everypath.heap.values import Data, InitialContent, OneOf, Ref, Unknown, Value
from everypath.ir import types as t
from everypath.logic import terms
from everypath.logic.condition import Infeasible, PathCondition
from everypath.logic.terms import Model, Term, Var


class References(LazyHeap):
    """Reference equality as a truth value: every input has an object of its own until a condition says otherwise."""

    __slots__ = ("aliased", "apart", "atoms", "closure", "named", "nulls", "pc", "present", "separate", "version")

    disjunctive: ClassVar[bool] = True

    def __init__(self, inputs: Inputs) -> None:
        super().__init__(inputs)
        self.pc: PathCondition
        self.aliased: dict[tuple[Unknown, Unknown], Var] = {}
        """the pairs of inputs whose equality matters, each with its truth value"""
        self.nulls: dict[Unknown, Var] = {}
        """the inputs about which it matters, before the program has tested it, whether they are null"""
        self.named: dict[Unknown, Ref] = {}
        """the object that stands for each input that was dereferenced, under some guard at least"""
        self.separate: set[tuple[Unknown, Unknown]] = set()
        """the pairs that are known to be different objects"""
        self.present: dict[OneOf, None] = {}
        """the conditional references that are known not to be null"""
        self.atoms: frozenset[Var] = frozenset()
        """the truth values in `aliased` and `nulls`"""
        self.version = 0
        self.closure: tuple[Model, int, Closure] | None = None
        """the assignment that was checked last, the version at that time, and what is equal under it"""
        """the assignment that was looked at last, at which version, and what is equal under it"""
        self.apart = -1
        """the version at which the assignment that keeps all inputs apart was accepted"""

    def copy(self) -> Self:
        new = super().copy()
        # Shared with the copy, and replaced when something is added; `separate` is added to in place, so it is copied.
        new.aliased = self.aliased
        new.nulls = self.nulls
        new.named = self.named
        new.separate = self.separate.copy()
        new.present = self.present
        new.atoms = self.atoms
        new.version = self.version
        new.apart = self.apart
        new.closure = None
        return new

    @property
    def entangled(self) -> bool:
        # Before the first truth value nothing connects the inputs, and no question needs the theory.
        return bool(self.version or self.inputs.assumptions)

    def attach(self, pc: PathCondition) -> None:
        self.pc = pc
        pc.theory = self

    def same(self, left: Value, right: Value) -> Guard:
        """Reference equality, `ref_eq`: a condition if it depends on the inputs; only types are decided."""
        left, right = self.current(left), self.current(right)
        if left is right:
            return True
        if type(left) is OneOf:
            return condition(left, lambda value: self.same(value, right))
        if type(right) is OneOf:
            return condition(right, lambda value: self.same(left, value))
        if left is None:
            return self.null_of(right)
        if right is None:
            return self.null_of(left)
        for value in (left, right):
            # An input that may be a scalar is resolved: identity of scalars is a question of their values.
            if type(value) is Unknown and not self.is_reference(value):
                return self.same(self.resolve(value), right if value is left else left)
        a, b = _origin(left), _origin(right)
        if a is None or b is None:
            # Objects that the program has created are never inputs.
            return False
        return self.alias(a, b)

    def current(self, value: Value) -> Value:
        """What an input was found to be, as far as that is decided."""
        return self.bind.get(value, value) if type(value) is Unknown else value

    def alias(self, a: Unknown, b: Unknown) -> Guard:
        """The condition under which two inputs are the same object, or both null."""
        if a is b:
            return True
        if a.inside is not None or b.inside is not None:
            # What a library object keeps to itself is another's only if they are the same object.
            if a.inside is None or b.inside is None or a.inside[1] != b.inside[1]:
                return False
            return self.alias(a.inside[0], b.inside[0])
        if (a, b) in self.separate:
            return False
        atom = self.aliased.get((a, b)) or self.aliased.get((b, a))
        if atom is not None:
            known = self.pc.settled(atom)
            if known is False:
                self.separate.add((a, b))
            return atom if known is None else known
        # Most pairs end here, so that the path condition never hears of them.
        if not self._unifiable(a, b):
            self.separate.add((a, b))
            return False
        if self.possible(a).isdisjoint(self.possible(b)):
            # No class in common: they can be equal only by both being null.
            return terms.and_(self.null_of(a), self.null_of(b))
        # All paths share the truth value, so that conditions about it are the same terms.
        atom = self.inputs.truth(a, b, f"{a.name} is {b.name}")
        self.aliased = {**self.aliased, (a, b): atom}
        self.atoms |= {atom}
        self.version += 1
        return atom

    def _unifiable(self, a: Unknown, b: Unknown) -> bool:
        """Whether two inputs may be the same as far as cheap facts tell: nulls, classes and values of initial fields.

        This is unification of the two object graphs, but it stops at the first difference and unites nothing.
        """
        agenda = [(a, b)]
        met = {(a, b)}
        for x, y in agenda:
            x_null, y_null = self._nullness(x), self._nullness(y)
            if x_null != y_null and x_null is not None and y_null is not None:
                return False
            # One of them is null and the other may be: there are no fields to compare.
            if x_null or y_null:
                continue
            if x_null is False and self.possible(x).isdisjoint(self.possible(y)):
                return False
            mine, theirs = self.named.get(x), self.named.get(y)
            if mine is None or theirs is None:
                continue
            left, right = self.first[mine], self.first[theirs]
            if not isinstance(left, dict) or not isinstance(right, dict):
                continue
            for name, value in left.items():
                # A field that was read through one of them only says nothing.
                other = right.get(name, value)
                if value is other:
                    continue
                if type(value) is Unknown and type(other) is Unknown:
                    if (value, other) not in met:
                        met.add((value, other))
                        agenda.append((value, other))
                elif self._differ(value, other):
                    return False
        return True

    def _differ(self, left: Value, right: Value) -> bool:
        """Whether two integers are known to be different, without asking the solver."""
        if not isinstance(left, Term) or not isinstance(right, Term) or left.sort != "int" or right.sort != "int":
            return False
        return self.pc.value(terms.eq(left, right)) is False

    def _nullness(self, unknown: Unknown) -> bool | None:
        """Whether the input is null, as far as the path has decided it; None if that is open."""
        found = self.bind.get(unknown, unknown)
        if found is None:
            return True
        if found is not unknown or t.NONE not in self.options(unknown):
            return False
        return None

    def null_of(self, value: Value) -> Guard:
        """The condition under which the value is null.

        Nothing is decided, except for an input of unknown type, which must be given one first.
        """
        if type(value) is OneOf:
            return False if value in self.present else condition(value, self.null_of)
        if type(value) is not Unknown:
            return value is None
        if value in self.bind:
            return self.bind[value] is None
        options = self.options(value)
        if t.NONE not in options:
            return options == (t.ANY,) and self.is_null(value)
        atom = self.nulls.get(value)
        if atom is None:
            atom = self.inputs.truth(value, None, f"{value.name} is None")
            self.nulls = {**self.nulls, value: atom}
            self.atoms |= {atom}
            self.version += 1
            return atom
        known = self.pc.settled(atom)
        return atom if known is None else known

    def is_null(self, value: Value) -> bool:
        if type(value) is OneOf:
            if value in self.present:
                return False
            null = decide(self.pc, self.null_of(value))
            if not null:
                # Remembered, because the condition is a large term, and code that follows a reference tests it again
                # and again.
                self.present = {**self.present, value: None}
            return null
        if type(value) is Unknown and value not in self.bind:
            self.take_over(value)
        return super().is_null(value)

    def take_over(self, unknown: Unknown) -> None:
        """Take over what the path condition has settled about the input being null."""
        if unknown in self.nulls:
            known = self.pc.settled(self.nulls[unknown])
            if known is True:
                self.bind[unknown] = None
            elif known is False and t.NONE in self.options(unknown):
                self.narrow(unknown, without_null(self.options(unknown)))

    def agrees(self) -> bool:
        """Whether what was just learnt about nulls or classes is compatible with the rest of the path."""
        if not self.entangled:
            return True
        # The path condition cannot see that a class was narrowed: it is told what follows for its truth values, and the
        # theory looks again.
        self.version += 1
        try:
            for unknown, atom in self.nulls.items():
                null = self._nullness(unknown)
                if null is not None and not self.pc.require(atom if null else _not(atom)):
                    return False
            return self.pc.consistent()
        except Infeasible:
            return False

    def refute(self, witness: Model) -> Term | bool:
        """The theory of the initial heap: see `logic.condition.Theory`."""
        atoms = self.atoms
        # The first guess is always that all inputs are separate, and mostly it is right: no closure is needed for it.
        if not self.inputs.assumptions and not [v for v, value in witness.items() if value is True and v in atoms]:
            return self._refute_separate()
        try:
            self.closed(witness)
        except Conflict as conflict:
            return conflict.lemma
        return True

    def closed(self, model: Model) -> Closure:
        """What is equal under an assignment; raises Conflict.

        The last answer is kept, because the solution of a path is checked and then asked for.
        """
        known = self.closure
        if known is None or known[0] is not model or known[1] != self.version:
            closure = Closure(self, model)
            closure.close()
            known = self.closure = (model, self.version, closure)
        return known[2]

    def _refute_separate(self) -> Term | bool:
        """`refute` for the assignment that keeps all inputs apart: only decisions of the path speak against it."""
        # Nothing was learnt since it was accepted.
        if self.apart == self.version:
            return True
        bind = self.bind
        for (a, b), atom in self.aliased.items():
            found = bind.get(a, a)
            if found is not a and found is bind.get(b, b):
                return atom
        for unknown, atom in self.nulls.items():
            if bind.get(unknown, unknown) is None:
                return atom
        self.apart = self.version
        return True

    def is_reference(self, unknown: Unknown) -> bool:
        """Whether the input is null or an object of any kind, but no scalar."""
        return all(o == t.NONE or isinstance(o, _OBJECTS) for o in unknown.options)

    def possible(self, unknown: Unknown) -> frozenset[object]:
        """The classes and kinds of collection that the object may have if it is not null."""
        ref = self.named.get(unknown)
        if ref is not None and type(self.cells[ref]) is dict:
            bound = self.bounds.get(ref)
            if bound is None:
                return self.inputs.hierarchy.classes_below(ref.cls, (), not ref.open)
            return self.inputs.hierarchy.classes_below(bound.bound, bound.excluded, bound.exact)
        found: frozenset[object] = frozenset()
        for option in self.options(unknown):
            if isinstance(option, t.ClassType):
                found |= self.inputs.hierarchy.classes_below(option.name, (), False)
            elif isinstance(option, (t.ListType, t.ArrayType)):
                found |= {(t.ListType, t.element_kind(option.element))}
            elif isinstance(option, t.TupleType):
                found |= {tuple}
            elif isinstance(option, t.DataType):
                found |= self._made_by(unknown, option)
            elif option != t.NONE:
                found |= {option}
        return found

    def _made_by(self, unknown: Unknown, type: t.DataType) -> frozenset[object]:
        """The constructors that a value of a data type may have, as keys that no class has."""
        bound = self.bind.get(unknown)
        names = (bound.constructor,) if isinstance(bound, Data) else self.inputs.constructors(type)
        return frozenset((name,) for name in names)

    def could_agree(self, x: Value, y: Value) -> bool:
        """Whether two inputs, one of them not decided, may have the same value."""
        # Used where one of the two is not decided, so only the kinds of their values can be compared.
        return not self._kinds(x).isdisjoint(self._kinds(y))

    def _kinds(self, value: Value) -> frozenset[object]:
        if isinstance(value, Unknown):
            return self.possible(value) | ({t.NONE} if t.NONE in self.options(value) else set())
        if isinstance(value, Term):
            return frozenset(({"int": t.INT, "bool": t.BOOL, "str": t.STR, "float": t.FLOAT}[value.sort],))
        return frozenset((_KINDS.get(type(value)),))

    def classes_of(self, value: Value) -> list[str]:
        """The classes that a reference may have if it is not null; empty if it may be anything else."""
        if type(value) is OneOf:
            return self.classes_of_choice(value)
        value = self.current(value)
        if isinstance(value, Unknown):
            possible = self.possible(value) if self.is_reference(value) else ()
            return [c for c in possible if isinstance(c, str)] if all(isinstance(c, str) for c in possible) else []
        if isinstance(value, Ref) and type(self.cells[value]) is dict:
            if not value.input:
                return [value.cls]
            bound = self.class_bound(value)
            return [str(c) for c in self.inputs.hierarchy.classes_below(bound.bound, bound.excluded, bound.exact)]
        return []

    def classes_of_choice(self, choice: OneOf) -> list[str]:
        """The classes of all alternatives that are not null; empty if one may be anything else."""
        found: dict[str, None] = {}
        for _, value in self.live(choice):
            classes = self.classes_of(value)
            if not classes:
                return []
            found.update(dict.fromkeys(classes))
        return list(found)

    def live(self, choice: OneOf) -> list[tuple[Guard, Value]]:
        """The alternatives that are not null and not excluded by what the path condition says outright."""
        # Guards that exclude each other are large, so that the path condition says less about them in so many words.
        look = self.pc.settled if choice.rest is None else self.pc.value
        found: list[tuple[Guard, Value]] = []
        alternatives: list[tuple[Guard, Value]] = [*choice.rules, (choice.rest or True, choice.otherwise)]
        for guard, value in alternatives:
            known = look(guard) if isinstance(guard, Term) else True
            if known is False:
                continue
            value = self.current(value)
            if value is not None:
                found.append((guard, value))
            # All rules below are hidden by a guard that is known to hold.
            if known is True:
                break
        return found

    def remember(self, ref: Ref, content: InitialContent) -> None:
        super().remember(ref, content)
        self.learnt()

    def restrict(self, ref: Ref, bound: ClassBound) -> None:
        super().restrict(ref, bound)
        self.learnt()

    def learnt(self) -> None:
        # Version 0 means that no truth value exists yet; until then there is nothing to check again.
        if self.version:
            self.version += 1


_KINDS: dict[type, object] = {bool: t.BOOL, int: t.INT, str: t.STR, float: t.FLOAT, type(None): t.NONE, tuple: tuple}
_OBJECTS = (t.ClassType, t.ListType, t.ArrayType, t.DictType, t.SetType)


def _not(atom: Var) -> Term:
    negation = terms.not_(atom)
    assert isinstance(negation, Term)
    return negation


def _origin(value: Value) -> Unknown | None:
    if type(value) is Unknown:
        return value
    return value.origin if type(value) is Ref else None

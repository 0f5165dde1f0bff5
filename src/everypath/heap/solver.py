"""The heap solver: aliasing is kept as a disjunction, and paths branch only where the program does.

Every input reference that is dereferenced gets an object of its own, as without aliasing; whether two of
these are one and the same stays open, as a truth value that the path condition may decide. A write
through one reference is seen through every other that may be the same object, under that guard; reads
give conditional values. See docs/heap.md, and "A CLP Heap Solver for Test Case Generation".
"""

from __future__ import annotations

from typing import Any, ClassVar

from everypath.heap.aliasing import LazyHeap
from everypath.heap.assumptions import Assumption
from everypath.heap.choice import decide
from everypath.heap.closure import NULL, Closure, Conflict
from everypath.heap.conditional import Guard, choose, condition
from everypath.heap.heap import ClassBound, Heap, Inputs, without_null
from everypath.heap.values import UNBOUND, ListCell, OneOf, OpenList, Ref, Unknown, Value
from everypath.ir.types import (
    BOOL,
    INT,
    NONE,
    STR,
    ArrayType,
    ClassType,
    DictType,
    ListType,
    SetType,
    TupleType,
    Type,
)
from everypath.logic import terms
from everypath.logic.condition import PathCondition
from everypath.logic.terms import Model, Term, Var


class Access:
    """One access to a field, and those before it: the terms getF and setF of the paper."""

    __slots__ = ("before", "ref", "value", "write")

    def __init__(self, ref: Ref | OneOf, value: Value, write: bool, before: Access | None) -> None:
        self.ref = ref
        self.value = value
        self.write = write
        self.before = before


class SolverHeap(LazyHeap):
    """Aliasing by disjunction: see the module."""

    __slots__ = ("aliased", "changed", "log", "named", "nulls", "pc", "separate", "twins", "version")

    disjunctive: ClassVar[bool] = True

    def __init__(self, inputs: Inputs, assumptions: tuple[Assumption, ...] = ()) -> None:
        super().__init__(inputs, assumptions)
        self.pc: PathCondition
        self.aliased: dict[tuple[Unknown, Unknown], Var] = {}
        """the pairs of inputs whose equality matters, each with its truth value"""
        self.nulls: dict[Unknown, Var] = {}
        """the inputs whose being null matters before the program has tested it"""
        self.named: dict[Unknown, Ref] = {}
        """the object that stands for each input that was dereferenced, under some guard at least"""
        self.separate: set[tuple[Unknown, Unknown]] = set()
        """the pairs that are known to be different objects"""
        self.log: dict[str, Access] = {}
        """for each field that was assigned through a reference to an input, the accesses to it"""
        self.changed: tuple[Ref, ...] = ()
        """the input lists that were changed"""
        self.twins: dict[Ref, tuple[Ref, ...]] = {}
        """lists that are known to be the same one"""
        self.version = 0

    def copy(self) -> SolverHeap:
        new = super().copy()
        assert isinstance(new, SolverHeap)
        new.aliased = self.aliased
        new.nulls = self.nulls
        new.named = self.named
        new.separate = self.separate.copy()
        new.log = self.log.copy()
        new.changed = self.changed
        new.twins = self.twins
        new.version = self.version
        return new

    @property
    def entangled(self) -> bool:
        return bool(self.version or self.assumptions)

    def attach(self, pc: PathCondition) -> None:
        self.pc = pc
        pc.theory = self

    # Equality of references.

    def same(self, left: Value, right: Value) -> Guard:
        """`ref_eq`: a condition where it depends on the inputs; only types are decided at once."""
        left, right = self._plain(left), self._plain(right)
        if left is right:
            return True
        if left.__class__ is OneOf:
            return condition(left, lambda value: self.same(value, right))
        if right.__class__ is OneOf:
            return condition(right, lambda value: self.same(left, value))
        if left is None:
            return self.null_of(right)
        if right is None:
            return self.null_of(left)
        for value in (left, right):
            if value.__class__ is Unknown and not self.is_reference(value):
                return self.same(self.resolve(value), right if value is left else left)
        a, b = _origin(left), _origin(right)
        if a is None or b is None:
            return False
        return self._alias(a, b)

    def _plain(self, value: Value) -> Value:
        return self.bind.get(value, value) if value.__class__ is Unknown else value

    def _alias(self, a: Unknown, b: Unknown) -> Guard:
        if a is b:
            return True
        atom = self.aliased.get((a, b)) or self.aliased.get((b, a))
        if atom is not None:
            known = self.pc.settled(atom)
            return atom if known is None else known
        if (a, b) in self.separate:
            return False
        if not self._unifiable(a, b):
            self.separate.add((a, b))
            return False
        if self.possible(a).isdisjoint(self.possible(b)):
            return terms.and_(self.null_of(a), self.null_of(b))
        atom = self.inputs.truth(a, b, f"{a.name} is {b.name}")
        self.aliased = {**self.aliased, (a, b): atom}
        self.version += 1
        return atom

    def _unifiable(self, a: Unknown, b: Unknown) -> bool:
        """Whether nothing that is cheaply known tells the two apart: nulls, classes and values of initial fields."""
        agenda = [(a, b)]
        met = {(a, b)}
        for x, y in agenda:
            x_null, y_null = self._nullness(x), self._nullness(y)
            if x_null != y_null and x_null is not None and y_null is not None:
                return False
            if x_null or y_null:
                continue
            if x_null is False and self.possible(x).isdisjoint(self.possible(y)):
                return False
            mine, theirs = self.named.get(x), self.named.get(y)
            if mine is None or theirs is None:
                continue
            left, right = self.first[mine], self.first[theirs]
            if left.__class__ is not dict or right.__class__ is not dict:
                continue
            for name, value in left.items():
                other = right.get(name, value)
                if value is other:
                    continue
                if value.__class__ is Unknown and other.__class__ is Unknown:
                    if (value, other) not in met:
                        met.add((value, other))
                        agenda.append((value, other))
                elif self._differ(value, other):
                    return False
        return True

    def _differ(self, left: Value, right: Value) -> bool:
        """Whether two integers are plainly different."""
        if not isinstance(left, Term) or not isinstance(right, Term) or left.sort != "int" or right.sort != "int":
            return False
        return self.pc.value(terms.eq(left, right)) is False

    def _nullness(self, unknown: Unknown) -> bool | None:
        """Whether the input is null, as far as the program has asked; a scalar is not."""
        found = self.bind.get(unknown, unknown)
        if found is None:
            return True
        if found is not unknown or NONE not in self.options(unknown):
            return False
        return None

    def null_of(self, value: Value) -> Guard:
        """The condition under which the value is null; decides nothing."""
        if value.__class__ is OneOf:
            return condition(value, self.null_of)
        if value.__class__ is not Unknown:
            return value is None
        if value in self.bind:
            return self.bind[value] is None
        options = self.options(value)
        if NONE not in options:
            return False
        atom = self.nulls.get(value)
        if atom is None:
            atom = self.inputs.truth(value, None, f"{value.name} is None")
            self.nulls = {**self.nulls, value: atom}
            self.version += 1
            return atom
        known = self.pc.settled(atom)
        return atom if known is None else known

    def is_null(self, value: Value) -> bool:
        if value.__class__ is OneOf:
            return decide(self.pc, self.null_of(value))
        if value.__class__ is Unknown and value not in self.bind:
            self._take_over(value)
        return super().is_null(value)

    def _take_over(self, unknown: Unknown) -> None:
        """Note what the path condition has decided about null."""
        if unknown in self.nulls:
            known = self.pc.settled(self.nulls[unknown])
            if known is True:
                self.bind[unknown] = None
            elif known is False and NONE in self.options(unknown):
                self.narrow(unknown, without_null(self.options(unknown)))

    def agrees(self, pc: PathCondition | None = None) -> bool:
        """Whether what was just learnt about nulls or classes goes together with the path."""
        if not self.entangled:
            return True
        self.version += 1
        for unknown, atom in self.nulls.items():
            null = self._nullness(unknown)
            if null is not None and not self.pc.require(atom if null else _not(atom)):
                return False
        return self.pc.consistent()

    def refute(self, witness: Model) -> Term | bool:
        """The theory of the initial heap: see `logic.condition.Theory`."""
        atoms = (*self.aliased.values(), *self.nulls.values())
        if not self.assumptions and not any(witness.get(atom) for atom in atoms):
            return self._refute_separate()
        try:
            Closure(self, witness).close()
        except Conflict as conflict:
            return conflict.lemma
        return True

    def _refute_separate(self) -> Term | bool:
        """The same for an assignment in which all inputs are different objects: only facts can speak against it."""
        bind = self.bind
        for (a, b), atom in self.aliased.items():
            found = bind.get(a, a)
            if found is not a and found is bind.get(b, b):
                return atom
        for unknown, atom in self.nulls.items():
            if bind.get(unknown, unknown) is None:
                return atom
        return True

    # What an unknown may be.

    def is_reference(self, unknown: Unknown) -> bool:
        """Whether the input is null or an object of any kind, but no scalar."""
        return all(o == NONE or isinstance(o, _OBJECTS) for o in unknown.options)

    def possible(self, unknown: Unknown) -> frozenset[object]:
        """The classes and kinds of collection that the object may have if it is not null."""
        ref = self.named.get(unknown)
        if ref is not None and isinstance(self.cells[ref], dict):
            bound = self.class_bound(ref)
            return self.inputs.classes_below(bound.bound, bound.excluded, bound.exact)
        found: frozenset[object] = frozenset()
        for option in self.options(unknown):
            if isinstance(option, ClassType):
                found |= self.inputs.classes_below(option.name, (), False)
            elif isinstance(option, ListType | ArrayType):
                found |= {ListType(option.element)}
            elif isinstance(option, TupleType):
                found |= {tuple}
            elif option != NONE:
                found |= {option}
        return found

    def could_agree(self, x: Value, y: Value) -> bool:
        """Whether two inputs, one of them not decided, may have the same value."""
        return not self._kinds(x).isdisjoint(self._kinds(y))

    def _kinds(self, value: Value) -> frozenset[object]:
        if isinstance(value, Unknown):
            return self.possible(value) | ({NONE} if NONE in self.options(value) else set())
        if isinstance(value, Term):
            return frozenset(({"int": INT, "bool": BOOL, "str": STR}[value.sort],))
        return frozenset((_KINDS.get(type(value)),))

    # Objects and fields.

    def resolve(self, value: Value) -> Value:
        if value.__class__ is OneOf:
            for guard, inner in value.rules:
                if decide(self.pc, guard):
                    return self.resolve(inner)
            return self.resolve(value.otherwise)
        if value.__class__ is Unknown and value not in self.bind:
            self._take_over(value)
            options = self.options(value)
            if len(options) == 1 and isinstance(options[0], ListType | ArrayType):
                for ref in self.changed:
                    if decide(self.pc, self._alias(value, _need_origin(ref))):
                        self.bind[value] = ref
                        return ref
        return super().resolve(value)

    def aliases(self, unknown: Unknown, type: Type) -> list[Ref]:
        """Only dicts and sets are told apart when they are first looked at."""
        return super().aliases(unknown, type) if isinstance(type, DictType | SetType) else []

    def allocate_input(self, unknown: Unknown) -> Ref:
        ref = self.named.get(unknown)
        if ref is None:
            ref = super().allocate_input(unknown)
            self.named = {**self.named, unknown: ref}
        self.bind[unknown] = ref
        return ref

    def classes_of(self, value: Value) -> list[str]:
        """The classes that a reference may have if it is not null; empty when it may be no object of a class."""
        if value.__class__ is OneOf:
            return self.classes_of_choice(value)
        value = self._plain(value)
        if isinstance(value, Unknown):
            possible = self.possible(value) if self.is_reference(value) else ()
            return [c for c in possible if isinstance(c, str)] if all(isinstance(c, str) for c in possible) else []
        if isinstance(value, Ref) and type(self.cells[value]) is dict:
            if not value.input:
                return [value.cls]
            bound = self.class_bound(value)
            return [str(c) for c in self.inputs.classes_below(bound.bound, bound.excluded, bound.exact)]
        return []

    def classes_of_choice(self, choice: OneOf) -> list[str]:
        """The classes of all alternatives that are not null; empty when one may be no object of a class."""
        found: dict[str, None] = {}
        for _, value in self._live(choice):
            classes = self.classes_of(value)
            if not classes:
                return []
            found.update(dict.fromkeys(classes))
        return list(found)

    def _live(self, choice: OneOf) -> list[tuple[Guard, Value]]:
        """The alternatives that are not null and not excluded by what the path condition says outright."""
        found: list[tuple[Guard, Value]] = []
        alternatives: list[tuple[Guard, Value]] = [*choice.rules, (True, choice.otherwise)]
        for guard, value in alternatives:
            known = self.pc.settled(guard) if isinstance(guard, Term) else True
            if known is False:
                continue
            value = self._plain(value)
            if value is not None:
                found.append((guard, value))
            if known is True:
                break
        return found

    def _objects(self, choice: OneOf) -> list[tuple[Guard, Ref]] | None:
        """The object behind each alternative; None if there may be something else than an object of a class."""
        found: list[tuple[Guard, Ref]] = []
        for guard, value in self._live(choice):
            if isinstance(value, Unknown):
                options = self.options(value)
                options = without_null(options) if NONE in options else options
                if len(options) != 1 or not isinstance(options[0], ClassType):
                    return None
                found.append((guard, self._stand_in(value, options[0])))
            elif isinstance(value, Ref) and type(self.cells[value]) is dict:
                found.append((guard, value))
            else:
                return None
        return found

    def _stand_in(self, unknown: Unknown, type: ClassType) -> Ref:
        """The object that the input is, if it is not null."""
        ref = self.named.get(unknown)
        if ref is None:
            ref = self.new_input(unknown, type)
            self.named = {**self.named, unknown: ref}
        return ref

    def get(self, ref: Ref, name: str) -> Value:
        """The current value of a field that the object has, or UNBOUND if it was deleted.

        This is the function psi of the paper: the newest access through the same reference settles it, writes
        through others give rules, and below the oldest write is the initial value.
        """
        entry = self.log.get(name)
        if entry is None:
            return self.cells[ref][name]
        rules: list[tuple[Term, Value]] = []
        hidden: set[Ref | OneOf] = set()
        while entry is not None:
            if entry.ref is ref:
                value = entry.value
                break
            if entry.write and entry.ref not in hidden:
                hidden.add(entry.ref)
                guard = self.same(entry.ref, ref)
                if guard is True:
                    value = entry.value
                    break
                if guard is not False:
                    assert isinstance(guard, Term)
                    rules.append((guard, entry.value))
            entry = entry.before
        else:
            value = self.first[ref][name] if ref.input else self.cells[ref][name]
        if rules:
            for guard, written in reversed(rules):
                value = choose(guard, written, value)
            self.log[name] = Access(ref, value, False, self.log[name])
        return value

    def input_field(self, ref: Ref, name: str, type: Type) -> Value:
        value = super().input_field(ref, name, type)
        if self.version:
            self.version += 1
        return value if name not in self.log else self.get(ref, name)

    def set_field(self, ref: Ref, name: str, value: Value) -> None:
        cell = self.cells[ref].copy()
        cell[name] = value
        self.cells[ref] = cell
        self.log[name] = Access(ref, value, True, self.log.get(name))

    def delete_field(self, ref: Ref, name: str) -> None:
        super().delete_field(ref, name)
        self.log[name] = Access(ref, UNBOUND, True, self.log.get(name))

    def _common_field(self, ref: Ref, name: str) -> Type | None:
        bound = self.class_bound(ref)
        return self.inputs.common_field(self.inputs.classes_below(bound.bound, bound.excluded, bound.exact), name)

    def field_of_choice(self, choice: OneOf, name: str) -> Value:
        objects = self._having(choice, name)
        if objects is None:
            return UNBOUND
        result = self.get(objects[-1][1], name)
        for guard, ref in reversed(objects[:-1]):
            result = choose(guard, self.get(ref, name), result)
        return result

    def set_field_of_choice(self, choice: OneOf, name: str, value: Value) -> bool:
        objects = self._having(choice, name)
        if objects is None:
            return False
        exact = OneOf(tuple(objects[:-1]), objects[-1][1])  # type: ignore[arg-type]
        self.log[name] = Access(exact, value, True, self.log.get(name))
        return True

    def _having(self, choice: OneOf, name: str) -> list[tuple[Guard, Ref]] | None:
        """The objects of a choice if all of them have this plain field; first reads are made up for."""
        objects = self._objects(choice)
        if not objects:
            return None
        missing: dict[Ref, Type] = {}
        for _, ref in objects:
            if name not in self.cells[ref]:
                plain = self._common_field(ref, name) if ref.input else None
                if plain is None or name in self.first[ref]:
                    return None
                missing[ref] = plain
        for ref, type in missing.items():
            Heap.input_field(self, ref, name, type)
        return objects

    def restrict(self, ref: Ref, bound: ClassBound) -> None:
        super().restrict(ref, bound)
        if self.version:
            self.version += 1

    # Lists.

    def before_change(self, ref: Ref) -> None:
        """A list is about to change: decide which others are the same one."""
        if not ref.input:
            return
        for other in self.first:
            different = other is ref or other.cls != "list" or other in self.twins.get(ref, ())
            if not different and decide(self.pc, self.same(ref, other)):
                self._unite_lists(ref, other)
        if ref not in self.changed:
            self.changed = (*self.changed, ref)

    def _unite_lists(self, ref: Ref, other: Ref) -> None:
        group = dict.fromkeys((ref, *self.twins.get(ref, ()), other, *self.twins.get(other, ())))
        self.twins = {**self.twins, **{member: tuple(m for m in group if m is not member) for member in group}}
        cell = self.cells[ref]
        theirs = self.cells[other]
        if isinstance(cell, OpenList) and isinstance(theirs, OpenList):
            cell = OpenList(cell.name, cell.element, cell.length, (*cell.known, *theirs.known))
        elif isinstance(cell, OpenList):
            cell = theirs
        self.set_cell(ref, cell)

    def set_cell(self, ref: Ref, cell: Any) -> None:
        self.cells[ref] = cell
        for twin in self.twins.get(ref, ()):
            self.cells[twin] = cell

    # The end of a path.

    def concrete(self, model: Model) -> Heap:
        """One heap without open questions: equal inputs are one object, conditional values are chosen."""
        solved = self.copy()
        solved.pc = self.pc
        closure = Closure(self, model)
        closure.close()
        for root, members in list(closure.classes()):
            if root is NULL:
                for member in members:
                    solved.bind[member] = None
            else:
                solved._settle_class(members)
        for unknown, ref in self.named.items():
            solved.bind.setdefault(unknown, ref)
        for ref, content in solved.first.items():
            if content.__class__ is dict:
                solved.cells[ref] = content
        for name in solved.log:
            solved._replay(name, model)
        return solved

    def _replay(self, name: str, model: Model) -> None:
        """Carry out the writes to a field, which for this model are on known objects."""
        writes = []
        entry = self.log.get(name)
        while entry is not None:
            if entry.write:
                writes.append(entry)
            entry = entry.before
        for entry in reversed(writes):
            target = self.chosen(entry.ref, model)
            fields = {key: value for key, value in self.cells[target].items() if key != name}
            if self.chosen(entry.value, model) is not UNBOUND:
                fields[name] = entry.value
            self.cells[target] = fields

    def _settle_class(self, members: list[Unknown]) -> None:
        refs = [self.named[m] for m in members if m in self.named]
        if not refs and len(members) == 1:
            # It is compared with others or with null, and it is none of them: an object of its own.
            (only,) = members
            if NONE in self.options(only):
                self.narrow(only, without_null(self.options(only)))
            return
        if not refs:
            keeper = min(members, key=lambda m: len(self.possible(m)))
            if NONE in self.options(keeper):
                self.narrow(keeper, without_null(self.options(keeper)))
            refs = [self.allocate_input(keeper)]
        kept = refs[0]
        for ref in refs[1:]:
            self._absorb(kept, ref)
        for member in members:
            self.bind[member] = kept

    def _absorb(self, kept: Ref, ref: Ref) -> None:
        """Both references are one object: put together what was seen through each."""
        mine, theirs = self.cells[kept], self.cells[ref]
        if mine.__class__ is dict:
            self.remember(kept, {**self.first[ref], **self.first[kept]})
            self._meet_bounds(kept, ref)
        else:
            if isinstance(mine, OpenList):
                self.cells[kept] = (
                    theirs
                    if isinstance(theirs, ListCell)
                    else OpenList(mine.name, mine.element, mine.length, (*mine.known, *theirs.known))
                )
            first = self.first[kept]
            first = type(first)(first.element, first.length, (*first.entries, *self.first[ref].entries))
            self.remember(kept, first)
        self.bind[ref] = kept  # type: ignore[index]

    def _meet_bounds(self, kept: Ref, ref: Ref) -> None:
        mine, theirs = self.class_bound(kept), self.class_bound(ref)
        program = self.inputs.program
        if mine.exact or theirs.exact:
            exact = mine if mine.exact else theirs
            self.restrict(kept, ClassBound(exact.bound, exact=True))
            return
        lower = mine if program.is_subclass(mine.bound, theirs.bound) else theirs
        self.restrict(kept, ClassBound(lower.bound, (*mine.excluded, *theirs.excluded)))

    def chosen(self, value: Value, model: Model) -> Value:
        if value.__class__ is OneOf:
            for guard, inner in value.rules:
                if terms.evaluate(guard, model):
                    return self.chosen(inner, model)
            return self.chosen(value.otherwise, model)
        if value.__class__ is Ref:
            return self.bind.get(value, value)
        return value


_KINDS: dict[type, object] = {bool: BOOL, int: INT, str: STR, type(None): NONE, tuple: tuple}
_OBJECTS = (ClassType, ListType, ArrayType, DictType, SetType)


def _not(atom: Var) -> Term:
    negation = terms.not_(atom)
    assert isinstance(negation, Term)
    return negation


def _origin(value: Value) -> Unknown | None:
    if value.__class__ is Unknown:
        return value  # type: ignore[no-any-return]
    return value.origin if value.__class__ is Ref else None


def _need_origin(ref: Ref) -> Unknown:
    assert ref.origin is not None
    return ref.origin

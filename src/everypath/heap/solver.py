"""The heap solver: aliasing is kept as a disjunction, and paths branch only where the program does.

The algorithm is that of "A CLP Heap Solver for Test Case Generation" (Albert, Garcia de la Banda, Gomez-Zamalloa,
Rojas, Stuckey), section 3; docs/heap.md matches the terms of the paper with those here.

- Every input reference that is dereferenced gets an object of its own, as without aliasing. Whether two of these are
  one and the same is a truth value, `x is y`, that the path condition may leave open.
- A write goes to the history of the field (`log`, S in the paper), newest first.
- A read walks the history (`get`, psi in the paper). An access through the same reference settles the value; a write
  through another one that may be the same object gives a rule, "if they are the same, then this value"; below the
  oldest write is the initial value. The result is a conditional value: a term for scalars, a `OneOf` for references.
- Deciding a guard makes conditional values simpler, and comparing a conditional value is a condition on its guards:
  propagation in both directions comes with the logic.
- Lists work the same way with indices in the role of references (section 3.4), see `sequences`. Only which lists are
  the same is decided before one is changed.
- At the end a model of the path condition also says which references are equal: `solution` makes one heap of it.
"""

from __future__ import annotations

from typing import Self

from everypath.errors import BadInput
from everypath.heap import solution
from everypath.heap.aliasing import LazyHeap, NoAliasHeap
from everypath.heap.choice import decide
from everypath.heap.conditional import Guard, alternatives, choose, gathered, is_scalar
from everypath.heap.heap import Heap
from everypath.heap.inputs import Inputs
from everypath.heap.references import References
from everypath.heap.store import without_null
from everypath.heap.values import UNBOUND, Access, Cell, OneOf, OpenList, Ref, Unknown, Value
from everypath.ir.types import NONE, ArrayType, ClassType, DictType, ListType, SetType, Type
from everypath.logic import terms
from everypath.logic.terms import Model, Term


class SolverHeap(References):
    """A heap that leaves open which input references are the same object; the module tells how."""

    __slots__ = ("changed", "log", "twins")

    def __init__(self, inputs: Inputs) -> None:
        super().__init__(inputs)
        self.log: dict[str, Access] = {}
        """for each field that was assigned through a reference to an input: the newest access to it"""
        self.changed: tuple[Ref, ...] = ()
        """the input lists that the path has changed"""
        self.twins: dict[Ref, tuple[Ref, ...]] = {}
        """for each list, the others that are known to be the same list"""

    def copy(self) -> Self:
        new = super().copy()
        new.log = self.log.copy()
        new.changed = self.changed
        new.twins = self.twins
        return new

    def settled(self, value: Value) -> Value:
        while type(value) is OneOf:
            # Rules are tried in order because a guard speaks only where all guards before it are false: an older write
            # is hidden by a newer one through the same object.
            value = next((inner for guard, inner in value.rules if decide(self.pc, guard)), value.otherwise)
        return super().settled(value)

    def resolve(self, value: Value) -> Value:
        if type(value) is OneOf:
            for guard, inner in value.rules:
                if decide(self.pc, guard):
                    return self.resolve(inner)
            return self.resolve(value.otherwise)
        if type(value) is Unknown and value not in self.bind:
            # The path condition may have settled `x is None` as a truth value; the fork below must not ask that again.
            self.take_over(value)
            for ref in self._must_be_told_from(value):
                assert ref.origin is not None
                # Lists keep no history per reference as fields do. So an input that is looked at for the first time
                # must be told from those whose content has already moved away from the initial one.
                if decide(self.pc, self.alias(value, ref.origin)):
                    self.bind[value] = ref
                    return ref
        return super().resolve(value)

    def _must_be_told_from(self, unknown: Unknown) -> list[Ref]:
        """The collections from which an unknown input must be told apart before anything looks into it.

        A list that nobody has changed needs no decision, since reading through two names of it gives equal elements.
        Dicts and sets have no such history at all and are told from every input of the same type.
        """
        options = self.options(unknown)
        if unknown in self.bind or len(options) != 1:
            return []
        if isinstance(options[0], (ListType, ArrayType)):
            return list(self.changed)
        return LazyHeap.aliases(self, unknown, options[0]) if isinstance(options[0], (DictType, SetType)) else []

    def aliases(self, unknown: Unknown, type: Type) -> list[Ref]:
        # Objects of classes are never decided to be one another: that stays a truth value.
        return []

    def allocate_input(self, unknown: Unknown) -> Ref:
        # An object may have been made up earlier, when only an alternative of a conditional reference was followed.
        ref = self.named.get(unknown)
        if ref is None:
            ref = super().allocate_input(unknown)
            self.named = {**self.named, unknown: ref}
        self.bind[unknown] = ref
        return ref

    def _objects(self, choice: OneOf) -> list[tuple[Guard, Ref]] | None:
        """The object behind each alternative; None if one may be anything but an object of a class."""
        found: list[tuple[Guard, Ref]] = []
        for guard, value in self.live(choice):
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
        """The object that the input is, unless it is null; asking for it decides nothing."""
        ref = self.named.get(unknown)
        if ref is None:
            ref = self.new_input(unknown, type)
            self.named = {**self.named, unknown: ref}
        return ref

    def get(self, ref: Ref, name: str) -> Value:
        """The current value of a field, or UNBOUND if the object has none.

        This is the function psi of the paper: the newest access through the same reference settles it, writes
        through others give rules, and below the oldest write is the initial value.
        """
        entry = self.log.get(name)
        if entry is None:
            return self.fields(ref).get(name, UNBOUND)
        rules: list[tuple[Term, Value]] = []
        # References whose newest write has a rule already. Older writes through them cannot show: if the guard holds,
        # the newer write counts, and if not, neither does. Case (4) of psi negates the guard in all rules below.
        hidden: set[Ref | OneOf] = set()
        while entry is not None:
            if entry.ref is ref:
                value = entry.value
                break
            # Reads through other references need no rule: that equal objects had equal fields is known to the theory.
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
            # Initial content of an input comes from `first`: its cell already holds what was written through this
            # reference.
            value = (self.first_fields(ref) if ref.input else self.fields(ref)).get(name, UNBOUND)
        if rules:
            # From the oldest rule to the newest one, so that the newest write is asked first.
            for guard, written in reversed(rules):
                value = choose(guard, written, value)
            # The next read through this reference stops here, and gets the same value.
            self.log[name] = Access(ref, value, False, self.log[name])
        return value

    def input_field(self, ref: Ref, name: str, type: Type) -> Value:
        value = super().input_field(ref, name, type)
        return value if name not in self.log else self.get(ref, name)

    def set_field(self, ref: Ref, name: str, value: Value) -> None:
        cell = self.cells[ref]
        assert isinstance(cell, dict)
        self.cells[ref] = {**cell, name: value}
        self.log[name] = Access(ref, value, True, self.log.get(name))

    def delete_field(self, ref: Ref, name: str) -> None:
        super().delete_field(ref, name)
        self.log[name] = Access(ref, UNBOUND, True, self.log.get(name))

    def _common_field(self, ref: Ref, name: str) -> Type | None:
        bound = self.class_bound(ref)
        return self.inputs.common_field(
            self.inputs.hierarchy.classes_below(bound.bound, bound.excluded, bound.exact), name
        )

    def field_of_choice(self, choice: OneOf, name: str) -> Value:
        objects = self._having(choice, name)
        if objects is None:
            return UNBOUND
        # The last alternative needs no guard: nulls are left out, and the program has tested for null before it reads a
        # field.
        if choice.rest is not None:
            return self._field_of_each(objects, name)
        result = self.get(objects[-1][1], name)
        for guard, ref in reversed(objects[:-1]):
            result = choose(guard, self.get(ref, name), result)
        return result

    def _field_of_each(self, objects: list[tuple[Guard, Ref]], name: str) -> Value:
        """The field of the object whose guard holds; the guards exclude each other."""
        contents = [(guard, self.get(ref, name)) for guard, ref in objects]
        if any(is_scalar(inner) for _, value in contents for _, inner in alternatives(value)):
            result = contents[-1][1]
            for guard, value in reversed(contents[:-1]):
                result = choose(guard, value, result)
            return result
        return gathered(
            (terms.and_(guard, inner), found) for guard, value in contents for inner, found in alternatives(value)
        )

    def set_field_of_choice(self, choice: OneOf, name: str, value: Value) -> bool:
        objects = self._having(choice, name)
        if objects is None:
            return False
        # The history holds objects in place of inputs, because accesses are compared by object.
        rest, last = objects[-1]
        exact = OneOf(tuple(objects[:-1]), last, rest if choice.rest is not None else None)  # type: ignore[arg-type]
        self.log[name] = Access(exact, value, True, self.log.get(name))
        return True

    def _having(self, choice: OneOf, name: str) -> list[tuple[Guard, Ref]] | None:
        """The objects of a choice if all of them have this plain field; fields that were never read are read first."""
        objects = self._objects(choice)
        if not objects:
            return None
        missing: dict[Ref, Type] = {}
        for _, ref in objects:
            if name not in self.fields(ref):
                plain = self._common_field(ref, name) if ref.input else None
                if plain is None or name in self.first_fields(ref):
                    return None
                missing[ref] = plain
        # Only now, when nothing can fail any more: the caller must find the heap unchanged if the answer is None.
        for ref, type in missing.items():
            Heap.input_field(self, ref, name, type)
        return objects

    # Lists.

    def before_change(self, ref: Ref) -> None:
        """Decide which other lists are the same one as this list, which is about to change."""
        if not ref.input:
            return
        for other in self.first:
            different = other is ref or other.cls != "list" or other in self.twins.get(ref, ())
            if not different and decide(self.pc, self.same(ref, other)):
                self._unite_lists(ref, other)
        if ref not in self.changed:
            self.changed = (*self.changed, ref)

    def _unite_lists(self, ref: Ref, other: Ref) -> None:
        # All twins share one cell from here on, so that a change through one name is seen through every other.
        group = dict.fromkeys((ref, *self.twins.get(ref, ()), other, *self.twins.get(other, ())))
        self.twins = {**self.twins, **{member: tuple(m for m in group if m is not member) for member in group}}
        cell = self.cells[ref]
        theirs = self.cells[other]
        # Elements known through either name are elements of the one list.
        if isinstance(cell, OpenList) and isinstance(theirs, OpenList):
            cell = OpenList(cell.name, cell.element, cell.length, (*cell.known, *theirs.known))
        elif isinstance(cell, OpenList):
            cell = theirs
        self.set_cell(ref, cell)

    def set_cell(self, ref: Ref, cell: Cell) -> None:
        self.cells[ref] = cell
        for twin in self.twins.get(ref, ()):
            self.cells[twin] = cell

    # The end of a path.

    def concrete(self, model: Model) -> Heap:
        return solution.concrete(self, self.log, model)

    def chosen(self, value: Value, model: Model) -> Value:
        if type(value) is OneOf:
            for guard, inner in value.rules:
                if terms.evaluate(guard, model):
                    return self.chosen(inner, model)
            return self.chosen(value.otherwise, model)
        if type(value) is Ref:
            return self.bind.get(value, value)
        return value


HEAPS: dict[str, type[Heap]] = {"solver": SolverHeap, "noalias": NoAliasHeap, "lazy": LazyHeap}


def make_heap(name: str, inputs: Inputs) -> Heap:
    """The heap of this name."""
    if name not in HEAPS:
        raise BadInput(f"unknown heap {name!r}; choose one of {', '.join(sorted(HEAPS))}")
    return HEAPS[name](inputs)

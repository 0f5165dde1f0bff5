"""Which inputs are the same object under a given assignment, and whether the initial heap allows that.

This is congruence closure (Downey, Sethi, Tarjan 1980; with explanations as by Nieuwenhuis and Oliveras 2005) over
the initial heap, whose fields are the functions:

1. Every equality that the assignment makes true unites two classes of references.
2. Objects that are equal had equal fields, items and lengths at the start. So uniting two classes equates what was
   read through either of them, which may unite further classes; an agenda holds what is still to be done.
3. At the end no two references may be equal that the assignment keeps apart, the members of a class must have a class
   in common, and the assumptions of the user must hold.

Every union keeps its reason, and a path of reasons between two references explains why they are equal. A contradiction
is reported as a lemma: not all the equalities that led to it hold together.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any, Protocol

from everypath.errors import Unsupported
from everypath.heap.assumptions import Assumption, holds
from everypath.heap.conditional import Guard
from everypath.heap.equality import as_int, is_float, is_text, is_truth
from everypath.heap.inputs import Inputs
from everypath.heap.values import (
    UNBOUND,
    Data,
    InitialContent,
    InitialDict,
    InitialList,
    InputFunction,
    Measured,
    Rational,
    Ref,
    Unknown,
    Value,
)
from everypath.ir.types import NONE, DataType, Type
from everypath.logic import terms
from everypath.logic.nodes import rank
from everypath.logic.terms import IntLike, Model, Term, Var

NULL = Unknown("None", NONE)
"""Stands for the null reference among the unknowns."""
Why = frozenset[Term]
"""The equalities of the assignment from which a fact follows."""
Key = tuple[str, Hashable]
"""A place in an object: the kind of place, and the name of the field or the index of the element."""
Part = tuple[Value, Unknown, IntLike | None]
"""What an object held in some place, the reference through which it was read, and for a list element its index."""
NO_REASON: Why = frozenset()


class Conflict(Exception):
    """The assignment describes no possible initial heap; the lemma is a condition that rules it out."""

    def __init__(self, lemma: Guard) -> None:
        self.lemma = lemma


class InitialHeap(Protocol):
    """What the closure asks of a heap: the equalities in question, and what is known about each input."""

    inputs: Inputs
    aliased: dict[tuple[Unknown, Unknown], Var]
    nulls: dict[Unknown, Var]
    bind: dict[Unknown | Ref, Value]
    named: dict[Unknown, Ref]
    first: dict[Ref, InitialContent]

    def options(self, unknown: Unknown) -> tuple[Type, ...]:
        """The types that the input may still have."""

    def data_type(self, unknown: Unknown) -> DataType | None:
        """Its type, if it is a value of an algebraic data type."""

    def is_reference(self, unknown: Unknown) -> bool:
        """Whether it is null or an object, but no scalar."""

    def possible(self, unknown: Unknown) -> frozenset[object]:
        """The classes and kinds that it may have if it is not null."""

    def could_agree(self, x: Value, y: Value) -> bool:
        """Whether two inputs, one of them not decided, may have the same value."""

    def null_of(self, value: Value) -> Guard:
        """The condition under which it is null."""


class Closure:
    """Classes of equal references: if two references are equal, so is whatever was read through them at the start."""

    def __init__(self, heap: InitialHeap, model: Model) -> None:
        self._heap = heap
        self._model = model
        self._parent: dict[Unknown, Unknown] = {}
        self._members: dict[Unknown, list[Unknown]] = {}
        self._content: dict[Unknown, dict[Key, Part]] = {}
        """what the object of a class held at the start; filled when two classes meet or an assumption looks"""
        self._edges: dict[Unknown, list[tuple[Unknown, Why]]] = {}
        """the unions that were made, as a graph: a path between two references explains why they are equal"""
        self._agenda: list[tuple[Unknown, Unknown, Why]] = []
        self._assumed: Why = NO_REASON
        """all equalities that the assignment makes true"""

    def close(self) -> None:
        """Unite all references that must be equal; raises Conflict if the assignment is impossible."""
        heap, model = self._heap, self._model
        for (a, b), atom in heap.aliased.items():
            if model.get(atom, False):
                self._assumed |= {atom}
                self._agenda.append((a, b, frozenset((atom,))))
            else:
                # Entered though not united: it is one of the classes, and what it is bound to may still unite it with
                # others.
                self.find(a)
                self.find(b)
        for unknown, atom in heap.nulls.items():
            if model.get(atom, False):
                self._assumed |= {atom}
                self._agenda.append((unknown, NULL, frozenset((atom,))))
            else:
                self.find(unknown)
        self._work()
        if self._edges:
            self._check_atoms()
        for root, members in self._members.items():
            if self._parent[root] is root:
                self._check_class(root, members)
        # Last, because sharing and cycles are properties of the finished classes. The explanation is coarse: which of
        # the equalities matter to a path through the graph is not traced, so the lemma names them all.
        for assumption in heap.inputs.assumptions:
            if not self._satisfied(assumption):
                raise Conflict(_lemma(self._assumed, self._some_null(assumption)))

    def find(self, node: Unknown) -> Unknown:
        """The representative of the node's class."""
        if node not in self._parent:
            self._enter(node)
        # The smaller class always joins the larger one, so paths are short and need no compression.
        while self._parent[node] is not node:
            node = self._parent[node]
        return node

    def classes(self) -> Iterator[tuple[Unknown, list[Unknown]]]:
        """Every class with its members in the order in which they were met."""
        for root, members in self._members.items():
            if self._parent[root] is root:
                yield root, members

    def content(self, root: Unknown) -> dict[Key, Part]:
        """What the object of a class held at the start: each part with the reference through which it was read."""
        self.find(root)
        return self._held(root)

    def _held(self, root: Unknown) -> dict[Key, Part]:
        found = self._content.get(root)
        if found is None:
            found = self._content[root] = dict(self._initial(root))
        return found

    def _enter(self, node: Unknown) -> None:
        self._parent[node] = node
        self._members[node] = [node]
        # What the path has decided about an input holds without a reason: no lemma needs to mention it.
        bound = self._heap.bind.get(node, node)
        if bound is None:
            self._agenda.append((node, NULL, NO_REASON))
        elif isinstance(bound, Ref) and bound.origin is not None and bound.origin is not node:
            self._agenda.append((node, bound.origin, NO_REASON))

    def _initial(self, node: Unknown) -> Iterator[tuple[Key, Part]]:
        made = self._heap.bind.get(node)
        if isinstance(made, Data):
            yield ("data", None), (made, node, None)
        ref = self._heap.named.get(node)
        content = None if ref is None else self._heap.first.get(ref)
        if isinstance(content, dict):
            for name, value in content.items():
                yield ("field", name), (value, node, None)
        elif isinstance(content, InitialList):
            yield ("length", None), (content.length, node, None)
            for index, value in reversed(content.entries):
                # Of two entries for one place the older one is what the list really held.
                yield ("item", terms.evaluate(index, self._model)), (value, node, index)
        elif isinstance(content, InitialDict):
            # Entries of dicts are never matched with those of another dict, hence the key that no other node has:
            # whether two input dicts are the same was decided when they were first looked at.
            for number, (_, value) in enumerate(content.entries):
                yield ("entry", (id(node), number)), (value, node, None)

    def _work(self) -> None:
        while self._agenda:
            a, b, why = self._agenda.pop()
            first, second = self.find(a), self.find(b)
            if first is second:
                continue
            self._edges.setdefault(a, []).append((b, why))
            self._edges.setdefault(b, []).append((a, why))
            # The smaller class joins the larger one, so that few members move; null stays the representative of its
            # class, because that is how null is recognised.
            if second is NULL or len(self._members[first]) < len(self._members[second]):
                first, second = second, first
            self._parent[second] = first
            self._members[first] += self._members[second]
            # Null has no fields: what was read through an input that is null here belongs to other paths.
            if first is not NULL:
                self._unite(first, self._held(second))

    def _unite(self, root: Unknown, other: dict[Key, Part]) -> None:
        own = self._held(root)
        for key, (value, member, at) in other.items():
            if key not in own:
                own[key] = (value, member, at)
                continue
            known, through, index = own[key]
            why = self._why(through, member)
            # Two terms can be indices of the same element; then the lemma must mention that they are equal under this
            # assignment.
            if index is not None and at is not None:
                same_place = terms.eq(index, at)
                if isinstance(same_place, Term):
                    why |= {same_place}
            self._equate(known, value, why)

    def _equate(self, x: Value, y: Value, why: Why) -> None:
        """Both values were read from the same place of one object, so they must be equal."""
        if x is y:
            return
        if x is UNBOUND or y is UNBOUND:
            # One object cannot both have a field and lack it.
            raise Conflict(_lemma(why))
        if isinstance(x, Unknown) and isinstance(y, Unknown) and (self._references(x, y) or self._data(x, y)):
            self._agenda.append((x, y, why))
            return
        x, y = self._bound(x), self._bound(y)
        if isinstance(x, Unknown) or isinstance(y, Unknown):
            # One of them is not decided yet, and nothing can be united: it is enough that some value is left for both.
            if not self._heap.could_agree(x, y):
                raise Conflict(_lemma(why))
            return
        if isinstance(x, Measured) and isinstance(y, Measured):
            self._equate_measured(x, y, why)
            return
        equate = _EQUATE.get(x.__class__, Closure._compare) if type(x) is type(y) else Closure._compare
        equate(self, x, y, why)

    def _bound(self, value: Value) -> Value:
        return self._heap.bind.get(value, value) if isinstance(value, Unknown) else value

    def _equate_objects(self, x: Ref, y: Ref, why: Why) -> None:
        # What may be a number or an object has turned out to be an object, through both references.
        if x.origin is not None and y.origin is not None:
            self._agenda.append((x.origin, y.origin, why))
        elif x is not y:
            raise Conflict(_lemma(why))

    def _equate_tuples(self, x: tuple[Value, ...], y: tuple[Value, ...], why: Why) -> None:
        if len(x) != len(y):
            # Tuples of different lengths differ under any assignment; this raises.
            self._compare(x, y, why)
        for one, other in zip(x, y):
            self._equate(one, other, why)

    def _equate_data(self, x: Data, y: Data, why: Why) -> None:
        if x.constructor != y.constructor:
            raise Conflict(_lemma(why))
        for one, other in zip(x.arguments, y.arguments):
            self._equate(one, other, why)

    def _equate_fractions(self, x: Rational, y: Rational, why: Why) -> None:
        # Compared by cross-multiplication; denominators are positive.
        self._compare(terms.mul(x.top, y.bottom), terms.mul(y.top, x.bottom), why)

    def _equate_measured(self, x: Measured, y: Measured, why: Why) -> None:
        same = x.equals(y)
        if not (terms.evaluate(same, self._model) if isinstance(same, Term) else same):
            raise Conflict(_lemma(why, same))

    def _references(self, x: Unknown, y: Unknown) -> bool:
        return self._heap.is_reference(x) and self._heap.is_reference(y)

    def _data(self, x: Unknown, y: Unknown) -> bool:
        return self._heap.data_type(x) is not None and self._heap.data_type(y) is not None

    def _compare(self, x: Value, y: Value, why: Why) -> None:
        left, right = self._evaluated(x), self._evaluated(y)
        if type(left) is type(right) and left == right:
            return
        if isinstance(left, InputFunction) and isinstance(right, InputFunction):
            # Each has answers of its own by now, which one function could not give.
            raise Unsupported(f"{left.input} and {right.input}, which were called, being the same function")
        # Two known values, of whatever class, differ whatever the numbers are.
        depends = type(left) is type(right) and (isinstance(x, Term) or isinstance(y, Term))
        raise Conflict(_lemma(why, _equal(x, y) if depends else False))

    def _evaluated(self, value: Value) -> Value:
        return terms.evaluate(value, self._model) if isinstance(value, Term) else value

    def _why(self, a: Unknown, b: Unknown) -> Why:
        """The equalities from which it follows that a and b are the same: those along the shortest path of unions."""
        before: dict[Unknown, tuple[Unknown, Why] | None] = {a: None}
        queue = [a]
        for node in queue:
            if node is b:
                break
            for other, why in self._edges.get(node, ()):
                if other not in before:
                    before[other] = (node, why)
                    queue.append(other)
        reasons: Why = NO_REASON
        step = before[b]
        while step is not None:
            node, why = step
            reasons |= why
            step = before[node]
        return reasons

    def _check_atoms(self) -> None:
        heap, model = self._heap, self._model
        for (a, b), atom in heap.aliased.items():
            if not model.get(atom, False) and self.find(a) is self.find(b):
                raise Conflict(_lemma(self._why(a, b), atom))
        null = self.find(NULL)
        for unknown, atom in heap.nulls.items():
            if not model.get(atom, False) and self.find(unknown) is null:
                raise Conflict(_lemma(self._why(unknown, NULL), atom))

    def _check_class(self, root: Unknown, members: list[Unknown]) -> None:
        heap = self._heap
        if root is NULL:
            for member in members:
                # All references of the class are null, so each of them must be allowed to be.
                if member is not NULL and NONE not in heap.options(member):
                    raise Conflict(_lemma(self._why(member, NULL)))
            return
        if len(members) == 1:
            return
        possible = heap.possible(members[0])
        reasons = NO_REASON
        for member in members[1:]:
            possible &= heap.possible(member)
            reasons |= self._why(members[0], member)
            if not possible:
                # References of different kinds can only be equal by being null.
                absent = heap.null_of(members[0])
                raise Conflict(_lemma(reasons, absent))

    def _satisfied(self, assumption: Assumption) -> bool:
        return holds(assumption, self._locate, self._successors)

    def _some_null(self, assumption: Assumption) -> Guard:
        """The condition that one of the references on the way is null after all, where that is open.

        It belongs to the lemma: an assumption that is broken by what lies behind a reference holds again if the
        reference is null.
        """
        # Grows while it is walked: everything that can be reached from the named objects.
        agenda = [start for start in map(self._locate, assumption.names) if start is not None]
        met = dict.fromkeys(agenda)
        for root in agenda:
            for following in self._successors(root):
                if following not in met:
                    met[following] = None
                    agenda.append(following)
        found: list[Guard] = []
        for root in met:
            conditions = [self._heap.null_of(member) for member in self._members[root]]
            if False not in conditions:
                found.append(terms.and_(*conditions))
        return terms.or_(*found)

    def _locate(self, name: str) -> Unknown | None:
        """The class of the object at an access path; None if it is null or nothing has looked at it."""
        head, *fields = name.split(".")
        value: Value = self._heap.inputs.roots.get(head)
        for field in fields:
            if not isinstance(value, Unknown):
                return None
            found = self.content(self._find_now(value)).get(("field", field))
            value = None if found is None else found[0]
        if not isinstance(value, Unknown):
            return None
        root = self._find_now(value)
        return None if root is NULL else root

    def _find_now(self, node: Unknown) -> Unknown:
        # Entering a node can unite it with others at once, by what it is bound to.
        self.find(node)
        self._work()
        return self.find(node)

    def _successors(self, root: Unknown) -> list[Unknown]:
        found = []
        for value, _, _ in list(self.content(root).values()):
            for each in value if isinstance(value, tuple) else (value,):
                if isinstance(each, Unknown) and self._heap.is_reference(each):
                    target = self._find_now(each)
                    if target is not NULL:
                        found.append(target)
        return found


_EQUATE: dict[type, Callable[[Closure, Any, Any, Why], None]] = {
    Ref: Closure._equate_objects,
    tuple: Closure._equate_tuples,
    Data: Closure._equate_data,
    Rational: Closure._equate_fractions,
}
"""How two known values of the same class are made equal; any others are scalars, which are compared."""


def _lemma(why: Why, consequence: Guard = False) -> Guard:
    # Sorted, because a set of terms is ordered by addresses, and then paths would differ between runs.
    # The order of a set of terms depends on addresses; their rank does not.
    reasons = sorted(why, key=lambda term: (str(term), rank(term)))
    return terms.or_(*(terms.not_(reason) for reason in reasons), consequence)


def _equal(x: Value, y: Value) -> Guard:
    if is_text(x) and is_text(y):
        return terms.str_eq(x, y)
    if is_truth(x) and is_truth(y):
        return terms.bool_eq(x, y)
    if is_float(x) and is_float(y):
        return terms.float_eq(x, y)
    return terms.eq(as_int(x), as_int(y))

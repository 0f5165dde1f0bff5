"""One call that a summary answers: what the inputs of the method are in the caller's state, and the effects of a case.

An input is an argument of the call, or a part of one that is read from the caller's heap when it is first needed.
Nothing is assigned before a leaf is reached, so that every part is what it was when the method was called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from everypath.explore.calls import Calls
from everypath.explore.outcomes import Activation, Finished, Origin, Uncaught
from everypath.explore.search.summaries.model import Atom, Bail, Leaf, Step, Summary
from everypath.explore.search.summaries.signatures import conforms
from everypath.explore.state import Interrupted, Mark, Segment, State, activations
from everypath.heap import sequences
from everypath.heap.aliasing import NoAliasHeap
from everypath.heap.conditional import choose
from everypath.heap.values import (
    UNBOUND,
    BoundMethod,
    Cell,
    Data,
    DictCell,
    ListCell,
    OneOf,
    OpenList,
    Ref,
    Unknown,
    Value,
)
from everypath.logic.substitution import CannotRebuild, substitute
from everypath.logic.terms import Term, Var
from everypath.logic.terms import Value as Scalar
from everypath.records import replace

_SORTS: dict[type, str] = {int: "int", bool: "bool", str: "str", float: "float"}


class Walk:
    """A call on its way down the tree of a summary."""

    __slots__ = ("_atoms", "_closed", "_known", "_made", "_objects", "args", "calls", "st", "summary", "tree")

    def __init__(self, calls: Calls, st: State, summary: Summary, args: Sequence[Value]) -> None:
        self.calls = calls
        self.st = st
        self.summary = summary
        self.args = args
        self.tree = summary.tree
        """how far the call has come"""
        self._atoms: dict[Atom, Value] = {}
        self._known: dict[Term, Term | Scalar] = {}
        self._objects: dict[Unknown, Ref] = {}
        self._made: dict[Ref, Ref] = {}
        self._closed = False
        """whether the case was applied: what was not read by then is not what it was any more"""

    def copy(self, st: State) -> Walk:
        """The same call in a state that knows more."""
        new = Walk(self.calls, st, self.summary, self.args)
        new.tree = self.tree
        new._atoms = self._atoms.copy()
        new._known = self._known.copy()
        new._objects = self._objects.copy()
        return new

    # Inputs of the method as values of the caller.

    def follow(self, unknowns: Sequence[Unknown]) -> None:
        """Find the objects that the method has followed references to; the heap solver leaves them open."""
        if not self.st.heap.disjunctive:
            for unknown in unknowns:
                if unknown not in self._objects:
                    self.located(unknown)

    def located(self, unknown: Unknown) -> Ref:
        """The object that a reference is which the method has followed."""
        known = self._objects.get(unknown)
        if known is not None:
            return known
        value = self.st.heap.resolve(self.atom(unknown))
        if type(value) is not Ref:
            raise Bail
        if isinstance(self.st.heap, NoAliasHeap) and value in self._objects.values():
            # The cases were made for different objects, and the caller passes one twice.
            raise Bail
        self._objects[unknown] = value
        return value

    def _reference(self, unknown: Unknown) -> Value:
        """What is read through: an object, or with the heap solver one of several."""
        value = self.atom(unknown)
        if type(value) is OneOf and self.st.heap.disjunctive:
            return value
        return self.located(unknown)

    def atom(self, atom: Atom) -> Value:
        """What an input of the method is in the caller's state."""
        if atom in self._atoms:
            return self._atoms[atom]
        place = self.summary.places.get(atom)
        if place is None or self._closed:
            raise Bail
        value = self.args[place] if isinstance(place, int) else self._part(*place)
        if isinstance(atom, Var):
            sort = value.sort if isinstance(value, Term) else _SORTS.get(type(value))
            if type(value) is Unknown and value in self.st.heap.bind:
                value = self.st.heap.bind[value]
                sort = value.sort if isinstance(value, Term) else _SORTS.get(type(value))
            if sort != atom.sort:
                raise Bail
        elif not conforms(self.st, value, atom.options):
            raise Bail
        self._atoms[atom] = value
        return value

    def _part(self, whole: Unknown, key: object) -> Value:
        """A part of an input: a field, an element, a length, or whether a reference is another one or null."""
        heap = self.st.heap
        if key is None:
            return heap.null_of(self.atom(whole))
        if isinstance(key, Unknown):
            return heap.same(self.atom(whole), self.atom(key))
        if isinstance(key, str):
            value = self._field_where_it_matters(whole, key)
            if value is UNBOUND:
                value = self.calls.operation("get_field")(self.st, self._reference(whole), key)
            return value
        ref = self.located(whole)
        if not isinstance(heap.cells[ref], (ListCell, OpenList)):
            raise Bail
        if key is len:
            return heap.sequence(ref).length
        index = self.term(key) if isinstance(key, Term) else key
        if not isinstance(index, (int, Term)):
            raise Bail
        return sequences.get(heap, self.st.pc, ref, index, False)

    def _field_where_it_matters(self, whole: Unknown, name: str) -> Value:
        """A field of a reference that may be null or one of several objects, without a question; else UNBOUND.

        The method has asked whether it is null where it read the field on every heap. Elsewhere its conditions say on
        which heaps the value counts.
        """
        heap = self.st.heap
        value = self.atom(whole)
        if not heap.disjunctive or whole in self._objects:
            return UNBOUND
        if type(value) is Unknown and value not in heap.bind:
            value = OneOf((), value)
        return heap.field_of_choice(value, name) if type(value) is OneOf else UNBOUND

    def term(self, term: Term) -> Term | Scalar:
        """A term of the method as one of the caller."""
        return substitute(term, self._scalar, self._known)

    def _scalar(self, variable: Var) -> Term | Scalar:
        value = self.atom(variable)
        assert isinstance(value, (Term, bool, int, str, float))
        return value

    def value(self, value: Value, cells: dict[Ref, Cell]) -> Value:
        """A value of the method as one of the caller; objects that the method has made are made for it."""
        if isinstance(value, Term):
            return self.term(value)
        if type(value) is Unknown:
            return self.atom(value)
        if type(value) is Ref:
            if value.input:
                assert value.origin is not None
                return self._reference(value.origin)
            return self._new(value, cells)
        if isinstance(value, tuple):
            return tuple(self.value(item, cells) for item in value)
        if type(value) is OneOf:
            result = self.value(value.otherwise, cells)
            for guard, inner in reversed(value.rules):
                holds = self.term(guard)
                assert isinstance(holds, (bool, Term))
                result = choose(holds, self.value(inner, cells), result)
            return result
        if type(value) is BoundMethod:
            return BoundMethod(self.value(value.receiver, cells), value.name)
        return value

    def _new(self, ref: Ref, cells: dict[Ref, Cell]) -> Ref:
        known = self._made.get(ref)
        if known is None:
            heap = self.st.heap
            known = self._made[ref] = heap.new_object(ref.cls)
            heap.cells[known] = self._cell(cells[ref], cells)
        return known

    def _cell(self, cell: Cell, cells: dict[Ref, Cell]) -> Cell:
        if isinstance(cell, dict):
            return {name: self.value(value, cells) for name, value in cell.items()}
        if isinstance(cell, ListCell):
            items = tuple(self.value(item, cells) for item in cell.items)
            return ListCell(items, self._length(cell.length))
        assert isinstance(cell, DictCell)
        entries = tuple((self.value(key, cells), self.value(value, cells)) for key, value in cell.entries)
        return cell.replace(entries=entries)

    def _length(self, length: int | Term) -> int | Term:
        found = self.term(length) if isinstance(length, Term) else length
        assert isinstance(found, (int, Term))
        return found

    # The effects of a case.

    def apply(self, leaf: Leaf, resume: Segment) -> Finished | Uncaught:
        """Make the effects of a case; everything is asked and read before anything is changed."""
        self.follow(leaf.touched)
        cells = dict(leaf.cells)
        writes = [(self.value(w.target, cells), w.name, self.value(w.value, cells)) for w in leaf.writes]
        if any(type(target) is not Ref for target, _, _ in writes):
            raise Bail
        lists = [(self._changed_list(ref), cell, self._content(ref, cell, cells)) for ref, cell in leaf.lists]
        if len(lists) > 1 and any(isinstance(cell, OpenList) for _, cell, _ in lists):
            raise Bail
        outcome = leaf.outcome
        result = outcome.value if isinstance(outcome, Finished) else outcome.exception
        found = self.value(result, cells)
        origin = None if isinstance(outcome, Finished) else self._origin(outcome.origin, cells, resume)
        heap = self.st.heap
        for ref, _, (_, put) in lists:
            if put is not None:
                # Alone and first, because it may ask which elements have the same index.
                sequences.put(heap, self.st.pc, ref, *put, False)
        contents = [(ref, content) for ref, _, (content, _) in lists if content is not None]
        self._assign(leaf, writes, contents)
        if isinstance(outcome, Finished):
            return Finished(found)
        assert isinstance(found, (Ref, Data)) and origin is not None
        return replace(outcome, exception=found, origin=origin)

    def _assign(
        self, leaf: Leaf, writes: Sequence[tuple[Value, str, Value]], contents: Sequence[tuple[Ref, Cell]]
    ) -> None:
        """The part of it that cannot fail."""
        self._closed = True
        st = self.st
        for target, name, value in writes:
            assert type(target) is Ref
            st.heap.set_field(target, name, value)
        for ref, cell in contents:
            st.heap.set_cell(ref, cell)
        self._trace(leaf.trace)
        if self.summary.statics:
            st.statics = {**self.summary.statics, **st.statics}
        if leaf.decided and any(isinstance(value, (Term, Unknown, OneOf)) for value in self._atoms.values()):
            st.decisions += 1

    def _changed_list(self, ref: Ref) -> Ref:
        assert ref.origin is not None
        found = self.located(ref.origin)
        self.st.heap.before_change(found)
        return found

    def _content(
        self, ref: Ref, cell: Cell, cells: dict[Ref, Cell]
    ) -> tuple[Cell | None, tuple[int | Term, Value] | None]:
        """The new content of an input list whose length is known; of another one the only element that is assigned."""
        if isinstance(cell, ListCell):
            return ListCell(tuple(self.value(item, cells) for item in cell.items), self._length(cell.length)), None
        assert isinstance(cell, OpenList) and ref.origin is not None
        # An element that was moved is an input as well, but not at its own index.
        assigned = [(i, value) for i, value in cell.known if not self.summary.is_initial(value, ref.origin, i)]
        if len(assigned) != 1 or self._length(cell.length) is not self._part(ref.origin, len):
            raise Bail
        ((index, value),) = assigned
        return None, (self._length(index), self.value(value, cells))

    def _trace(self, steps: tuple[Step, ...]) -> None:
        """Add what the method has executed to the trace, as blocks of the machine that runs the caller."""
        trace = self.st.trace
        for element in _elements(self.calls, steps):
            trace = (element, trace)
        self.st.trace = trace

    def _origin(self, origin: Origin, cells: dict[Ref, Cell], resume: Segment) -> Origin:
        """Where an error was raised; its stack ends with the caller's own."""
        operands = tuple(self._shown(value, cells) for value in origin.operands)
        frame = self.st.frame
        assert frame is not None
        below = partial(activations, frame, resume.label, resume.calling, tuple(self.st.regs))
        return replace(origin, operands=operands, stack=partial(self._stack, origin, cells, below))

    def _stack(
        self, origin: Origin, cells: dict[Ref, Cell], below: Callable[[], Iterator[Activation]]
    ) -> Iterator[Activation]:
        for each in origin.stack():
            shown = tuple(self._shown(value, cells) for value in each.registers)
            yield replace(each, registers=shown, called=True)
        yield from below()

    def _shown(self, value: Value, cells: dict[Ref, Cell]) -> Value:
        """A value of the method in the caller's words; UNBOUND for what the caller never came to know."""
        try:
            return self.value(value, cells)
        except (Bail, CannotRebuild, KeyError, AssertionError):
            return UNBOUND


def _elements(calls: Calls, steps: tuple[Step, ...]) -> list[Mark | Interrupted]:
    kept = calls.traces.get(id(steps))
    if kept is None or kept[0] is not steps:
        found: list[Mark | Interrupted] = []
        for method, label, index, error in steps:
            mark = calls.load(calls.callee(method)).marks[label]
            found.append(mark if index is None else Interrupted(mark, index, error))
        kept = calls.traces[id(steps)] = (steps, found)
    return kept[1]

"""The types of a case's objects, with arguments where classes are generic.

Types are followed from the receiver and the parameters through the fields, first with the type variables of the class
and method under test left open. What is found where a variable stands decides what takes its place: the class of the
only kind of object there, or else its bound.
"""

from __future__ import annotations

from everypath.cases.model import CallCase, Heap, ObjectState, Pointer, Returned, SequenceState, StandInState, Value
from everypath.languages.java.classfile.descriptors import ArrayOf, Generic, Parameterised, Variable
from everypath.languages.java.frontend.hierarchy import Hierarchy, JavaClass, JavaField, internal
from everypath.languages.java.scripts.generics import (
    OBJECT,
    array_kind,
    binding_of,
    class_name,
    default_for,
    from_descriptor,
    is_array_of_variable,
    own_type,
    plain,
    seen_as,
    substituted,
)
from everypath.languages.java.scripts.subject import Subject, class_of_value, find_class


class CaseTypes:
    """What the objects, parameters and fields of one case are declared as."""

    def __init__(self, case: CallCase, subject: Subject, hierarchy: Hierarchy) -> None:
        self._hierarchy = hierarchy
        self._subject = subject
        self._types: dict[str, Generic] = {}
        self._bindings: dict[str, dict[str, Generic]] = {}
        self._held: dict[str, set[str]] = {}
        """type variable -> classes of what is found in its place"""
        self._visited: set[tuple[str, int]] = set()
        method, cls = subject.method, subject.cls
        generic = method.signature.parameters
        plain_types = tuple(map(from_descriptor, method.parameters))
        declared = generic if len(generic) == len(plain_types) else plain_types
        heaps = (case.inputs.heap, case.inputs.ready, case.expected.heap)
        for heap in heaps:
            if case.inputs.receiver is not None:
                self._follow(case.inputs.receiver, own_type(cls), heap)
            for (_, value, _), type_ in zip(case.inputs.arguments, declared):
                self._follow(value, type_, heap)
        result = own_type(cls) if subject.constructor else method.signature.result
        outcome = case.expected.outcome
        if isinstance(outcome, Returned):
            self._follow(outcome.value, result, case.expected.heap)
        for heap in heaps:
            for target in heap:
                if target not in self._types:
                    self._follow(Pointer(target), OBJECT, heap)
        for step in case.inputs.steps:
            # An object of the library that no heap shows is of the class that makes it.
            made = find_class(hierarchy, step.module, step.cls)
            self._types.setdefault(step.target, Parameterised(internal(made.name)))
        chosen = self._chosen()
        self.parameters = tuple(plain(substituted(type_, chosen)) for type_ in declared)
        self.result = plain(substituted(result, chosen))
        self.receiver = plain(substituted(own_type(cls), chosen))
        self._types = {target: plain(substituted(type_, chosen)) for target, type_ in self._types.items()}
        self._chosen_types = chosen

    def of(self, target: str) -> Generic:
        """The type of an object: its class with arguments, or an array."""
        return self._types.get(target, OBJECT)

    def field(self, target: str, field: JavaField) -> Generic:
        """The type of a field of an object."""
        found = self._in_owner(field, self._bindings.get(target, {}), self._types.get(target))
        return plain(substituted(found, self._chosen_types))

    def _in_owner(self, field: JavaField, binding: dict[str, Generic], type_: Generic | None) -> Generic:
        """The type of a field, which may be declared in a superclass with other parameters."""
        if is_array_of_variable(field.generic):
            # At run time it is an array of the bound, whatever the variable stands for.
            return from_descriptor(field.descriptor)
        owner = self._hierarchy.find(field.owner)
        name = class_name(type_) if type_ is not None else None
        if owner is None or not owner.formals or name == field.owner or name is None:
            return substituted(field.generic, binding)
        cls = self._hierarchy.find(name)
        lifted = seen_as(self._hierarchy, cls, field.owner) if cls is not None else None
        above = dict(zip((formal.name for formal in owner.formals), lifted or ()))
        return substituted(substituted(field.generic, above), binding)

    def _follow(self, value: Value, declared: Generic, heap: Heap) -> None:
        if isinstance(declared, Variable):
            held = class_of_value(value, heap, self._hierarchy)
            if held is not None:
                self._held.setdefault(declared.name, set()).add(held)
        if not isinstance(value, Pointer) or value.id not in heap or (value.id, id(heap)) in self._visited:
            return
        self._visited.add((value.id, id(heap)))
        state = heap[value.id]
        if isinstance(state, SequenceState):
            self._array(value.id, state, declared, heap)
        elif isinstance(state, (ObjectState, StandInState)):
            cls = find_class(self._hierarchy, state.module, state.cls)
            binding = self._bindings.get(value.id)
            if binding is None:
                binding = self._bindings[value.id] = binding_of(self._hierarchy, cls, declared)
                self._complete(cls, binding)
            arguments = tuple(binding[formal.name] for formal in cls.formals)
            type_ = self._types.setdefault(value.id, Parameterised(internal(cls.name), arguments))
            fields = cls.all_fields
            for name, held_value in state.fields:
                if name.startswith("$"):
                    # What a collection holds is of its first type argument; the values of a map are of the last.
                    inside = arguments[-1 if name.startswith("$value") else 0] if arguments else OBJECT
                    self._follow(held_value, inside, heap)
                elif name in fields:
                    self._follow(held_value, self._in_owner(fields[name], binding, type_), heap)

    def _array(self, target: str, state: SequenceState, declared: Generic, heap: Heap) -> None:
        type_ = array_kind(state.kind)
        if isinstance(declared, ArrayOf) and (type_ is None or not isinstance(type_, ArrayOf)):
            type_ = declared
        if type_ is None:
            # An array that only an Object slot holds: what is in it tells what it is.
            type_ = ArrayOf(OBJECT)
        type_ = self._types.setdefault(target, type_)
        for item in state.items:
            self._follow(item, type_.element if isinstance(type_, ArrayOf) else OBJECT, heap)

    def _complete(self, cls: JavaClass, binding: dict[str, Generic]) -> None:
        """Parameters that the declared type says nothing about."""
        for formal in cls.formals:
            if formal.name not in binding:
                known = formal.name in {each.name for each in self._subject.cls.formals}
                binding[formal.name] = Variable(formal.name) if known else default_for(formal)

    def _chosen(self) -> dict[str, Generic]:
        """What takes the place of the type variables of the class and the method under test."""
        chosen: dict[str, Generic] = {}
        for formal in (*self._subject.cls.formals, *self._subject.method.signature.formals):
            held = self._held.get(formal.name, set())
            chosen[formal.name] = default_for(formal)
            if len(held) == 1:
                [name] = held
                cls = self._hierarchy.find(name)
                if cls is not None and not cls.formals:
                    chosen[formal.name] = Parameterised(internal(name))
        return chosen

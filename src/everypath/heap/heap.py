"""The interface of every heap: the questions that a program asks about values which may still be unknown.

A heap answers the operations of Figure 8 of "Test Case Generation by Symbolic Execution" (fields, items, reference
tests). An input is an `Unknown` until a question needs more: first which of its types it has or whether it is null,
then which object it is. Each such decision is a fork with `alternatives`; what is known afterwards is in the `store`.
The implementations differ in how a reference to an input object is resolved, see `aliasing` and `solver`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from everypath.errors import Unsupported
from everypath.heap.alternatives import Alias, Allocate, Bind, MadeBy, MakeRecord, Narrow
from everypath.heap.choice import Alternative, Fixed, Fork, TooLarge
from everypath.heap.store import Store, without_null
from everypath.heap.values import UNBOUND, InputFunction, OneOf, Ref, Unknown, Value
from everypath.ir import types as t
from everypath.ir.types import Type
from everypath.logic.condition import Infeasible
from everypath.logic.terms import Model, Term


class Heap(Store):
    """A heap that is asked about values, and forks where the answer is open."""

    __slots__ = ()

    disjunctive: ClassVar[bool] = False
    """whether values may be conditional, and tests of references conditions"""

    def aliases(self, unknown: Unknown, type: Type) -> list[Ref]:
        """The input objects that an unknown reference of this type may be; none here, heaps with aliasing override
        it.
        """
        return []

    def is_made_by(self, unknown: Unknown, constructor: str) -> bool:
        """Whether an input that is not bound was made by the constructor; forks when that is open."""
        type = self.data_type(unknown)
        assert type is not None
        constructors = self.inputs.constructors(type)
        if constructor not in constructors:
            return False
        if len(constructors) == 1:
            self.make(unknown, constructor)
            return True
        # Two alternatives, not one for each constructor: the others are told apart when the program asks about them.
        others = (name for name in constructors if name != constructor)
        raise Fork((MadeBy(unknown, constructor), MadeBy(unknown, *others)))

    def is_null(self, value: Value) -> bool:
        """Whether the value is null, without asking which object it is otherwise."""
        if value is None:
            return True
        if type(value) is not Unknown:
            return False
        if value in self.bind:
            return self.bind[value] is None
        options = self.options(value)
        if len(options) == 1 and options == (t.ANY,):
            what = f"nothing tells the type of {value.name}; None and other values are tried"
            raise Fixed(what, (Bind(value, None), Narrow(value, (t.SOME,))))
        if t.NONE not in options:
            return False
        raise Fork((Bind(value, None), Narrow(value, without_null(options))))

    def null_of(self, value: Value) -> bool | Term:
        """The condition under which a value is null; heaps without conditional values decide it."""
        return self.is_null(value)

    def classes_of(self, value: Value) -> list[str]:
        """The classes that a reference may have if it is not null; empty if it may be anything else."""
        return []

    def classes_of_choice(self, choice: OneOf) -> list[str]:
        """The classes of all alternatives that are not null; empty if one may be anything else."""
        return []

    def field_of_choice(self, choice: OneOf, name: str) -> Value:
        """The field of whichever object the value is; UNBOUND unless it is a plain field of all of them."""
        return UNBOUND

    def set_field_of_choice(self, choice: OneOf, name: str, value: Value) -> bool:
        """Assign the field of whichever object the value is; False unless it is a plain field of all of them."""
        return False

    def settled(self, value: Value) -> Value:
        """The alternative that a conditional value is, or what an input is bound to; an input may stay open."""
        return self.bind.get(value, value) if type(value) is Unknown else value

    def resolve(self, value: Value) -> Value:
        """What an unknown input is: null, a scalar, or one particular object; forks until that is decided."""
        if type(value) is not Unknown:
            return value
        if value in self.bind:
            return self.bind[value]
        options = self.options(value)
        if len(options) > 1:
            # The type comes first, in one fork of its own; the same instruction then asks again with one type left.
            raise Fork(tuple(Bind(value, None) if o == t.NONE else Narrow(value, (o,)) for o in options))
        (only,) = options
        decide = _DECIDE.get(only.__class__, Heap._decide_sampled)
        return decide(self, value, only)

    def _decide_scalar(self, unknown: Unknown, type: Type) -> Value:
        self.narrow(unknown, (type,))
        return self.bind[unknown] if unknown in self.bind else self._decide_sampled(unknown, type)

    def _decide_member(self, unknown: Unknown, type: t.MemberType) -> Value:
        raise Fork(tuple(Bind(unknown, self.member(ref)) for ref in self.inputs.members(type.name)))

    def _decide_data(self, unknown: Unknown, type: t.DataType) -> Value:
        constructors = tuple(self.inputs.constructors(type))
        if len(constructors) > 1:
            raise Fork(tuple(MadeBy(unknown, name) for name in constructors))
        return self.make(unknown, constructors[0])

    def _decide_object(self, unknown: Unknown, type: Type) -> Value:
        aliases = self.aliases(unknown, type)
        if aliases:
            raise Fork((Allocate(unknown), *(Alias(unknown, ref, type) for ref in aliases)))
        self.allocate_input(unknown)
        # Two names of one object reach what it holds, so an object of its own can break an assumption as well.
        if self.inputs.assumptions and not self.agrees():
            raise Infeasible
        return self.bind[unknown]

    def _decide_sampled(self, unknown: Unknown, type: Type) -> Value:
        if not self.inputs.program.data:
            self._sample(unknown, type)
        # Where there are data types, every type is declared, and no other can be given.
        advice = "" if self.inputs.program.data else "; give it a type with an annotation or --types"
        raise Unsupported(f"the input {unknown.name} has the type {type}, which cannot be symbolic{advice}")

    def _sample(self, unknown: Unknown, type: Type) -> None:
        """Try some values of a type that has no terms; integers if nothing tells the type."""
        if type in (t.ANY, t.SOME):
            raise Fixed(f"nothing tells the type of {unknown.name}; integers are tried", (Narrow(unknown, (t.INT,)),))
        found = self.inputs.knowledge.symbolic(self.inputs, type, unknown.name)
        if found is not UNBOUND:
            raise Fork((Bind(unknown, found),))
        tried = self.inputs.knowledge.samples(self.inputs, type)
        if tried:
            alternatives = tuple(Bind(unknown, value) for value in tried)
            raise Fixed(f"{len(tried)} values of type {type} are tried for {unknown.name}", alternatives)

    def _decide_function(self, unknown: Unknown, type: t.FunctionType) -> Value:
        made = InputFunction(unknown.name, type)
        if unknown.name not in self.inputs.callables:
            self.bind[unknown] = made
            return made
        raise Fork((Bind(unknown, self.inputs.callables[unknown.name]), Bind(unknown, made)))

    def _decide_record(self, unknown: Unknown, type: t.RecordType) -> Value:
        """Make an input dict whose keys are declared.

        With up to three optional keys every subset of them is tried, with more only all and none, and the result says
        so.
        """
        keys = self.inputs.records[type.name]
        required = tuple(key for key in keys if key.kind != "keyword")
        optional = tuple(key for key in keys if key.kind == "keyword")
        if not optional:
            return self.make_record(unknown, keys)
        if len(optional) > 3:
            what = f"{unknown.name} is tried with all and with none of its {len(optional)} optional keys"
            raise Fixed(what, tuple(MakeRecord(unknown, (*required, *chosen)) for chosen in (optional, ())))
        sets = [tuple(k for at, k in enumerate(optional) if number >> at & 1) for number in range(2 ** len(optional))]
        # Most keys first: a complete dict is the most useful test.
        raise Fork(tuple(MakeRecord(unknown, (*required, *chosen)) for chosen in reversed(sets)))

    def _decide_tuple(self, unknown: Unknown, type: t.TupleType) -> Value:
        assert type.rest is not None
        choices: list[Alternative] = []
        for extra in range(self.inputs.fixed_length + 1):
            elements = (*type.elements, *([type.rest] * extra))
            value = tuple(self.inputs.fresh(e, f"{unknown.name}[{i}]") for i, e in enumerate(elements))
            choices.append(Bind(unknown, value))
        raise Fork((*choices, TooLarge(unknown.name)))

    def concrete(self, model: Model) -> Heap:
        """The heap in which everything that the model decides is decided."""
        return self

    def chosen(self, value: Value, model: Model) -> Value:
        """The value that a conditional one is under the model."""
        return value

    def resolve_member(self, value: Value) -> Value:
        """The value; an input is decided first if it may be a known object, such as a member of an enumeration or a
        default.
        """
        omitted = self.inputs.omitted
        if type(value) is Unknown and any(isinstance(o, t.MemberType) or o in omitted for o in self.options(value)):
            return self.resolve(value)
        return value

    def same(self, left: Value, right: Value) -> bool | Term:
        """Reference equality (`ref_eq`): decides what it needs to know about unknown references."""
        if left is right:
            return True
        if left is None:
            return self.is_null(right)
        if right is None:
            return self.is_null(left)
        if self.inputs.enumerations or self.inputs.omitted:
            left, right = self.resolve_member(left), self.resolve_member(right)
            if left is right:
                return True
        left_unknown, right_unknown = type(left) is Unknown, type(right) is Unknown
        # An object that the program has created is no input, so this can be answered without deciding which one it is.
        if (left_unknown and type(right) is Ref and not right.input) or (
            right_unknown and type(left) is Ref and not left.input
        ):
            return False
        if left_unknown:
            left = self.resolve(left)
        if right_unknown:
            right = self.resolve(right)
        return left is right


_DECIDE: dict[type[Type], Callable[[Heap, Unknown, Any], Value]] = {
    t.Scalar: Heap._decide_scalar,
    t.TupleType: Heap._decide_tuple,
    t.RecordType: Heap._decide_record,
    t.MemberType: Heap._decide_member,
    t.DataType: Heap._decide_data,
    t.FunctionType: Heap._decide_function,
    **dict.fromkeys((t.ClassType, t.ListType, t.DictType, t.SetType, t.ArrayType), Heap._decide_object),
}
"""How an input of just this type is decided; types that are not listed have no terms, and are sampled."""

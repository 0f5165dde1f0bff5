"""What a language knows about inputs and keys that its programs do not declare.

A heap is the same for every language. Where languages differ, it asks the object that was handed to `Inputs`; the
answers here are those of a language that has nothing to add.
"""

from __future__ import annotations

from everypath.errors import Unsupported
from everypath.heap.values import UNBOUND, Hash, Ref, Unknown, Value
from everypath.ir.types import Type
from everypath.logic.condition import PathCondition
from everypath.logic.terms import Term


class NeedsCode(Exception):
    """Only code of the program can tell whether two keys are equal: the machine runs it, then repeats the operation."""

    def __init__(self, known: Value, key: Value) -> None:
        self.known = known
        self.key = key


class Knowledge:
    """The questions of a heap to the language, with the answers of one that knows nothing special.

    A heap is passed as an object, as in `choice.Alternative`: it holds this object itself.
    """

    def stored_name(self, cls: str, name: str) -> str:
        """The name under which objects keep a field that code inside the class calls `name`."""
        return name

    def can_be_made_up(self, base: str, in_program: bool) -> bool:
        """Whether a class with this base may have objects that are inputs."""
        return in_program

    def first_value(self, ref: Ref, field: str) -> Value:
        """What this field of this input object always holds at the start; UNBOUND if it may hold anything."""
        return UNBOUND

    def made_up(self, heap: object, unknown: Unknown, type: Type) -> Ref | None:
        """The object that stands for an input, if the language makes those of this type itself; None otherwise."""
        return None

    def member_fields(self, name: str, bits: int | None) -> dict[str, Value]:
        """The fields of a member of an enumeration; `bits` is given for flags, and a combination of flags has no
        name.
        """
        return {}

    def samples(self, inputs: object, type: Type) -> tuple[Value, ...]:
        """The values to try for an input whose type has no terms; empty if the language knows none."""
        return ()

    def symbolic(self, inputs: object, type: Type, name: str) -> Value:
        """An input of a type that only this language has and that a number stands for; UNBOUND for other types."""
        return UNBOUND

    def is_key(self, heap: object, pc: PathCondition, known: Value, key: Value) -> bool:
        """Whether a key that is looked up is the one of an entry; may fork, or raise NeedsCode."""
        raise Unsupported("looking up keys")

    def same_key(self, heap: object, known: Value, key: Value) -> bool | Term:
        """The condition under which two keys are equal, where no code of the program is needed."""
        raise Unsupported("comparing keys")

    def equals_by_fields(self, heap: object, key: Ref) -> bool:
        """Whether an object equals any other one of its class whose fields are the same."""
        return False

    def hash_number(self, value: Hash) -> int | None:
        """The number that this hash is in every run; None if it differs between runs."""
        return None


NOTHING_KNOWN = Knowledge()

"""What Python knows about inputs: private names, members of enumerations, library classes, keys and sample values."""

from __future__ import annotations

from importlib import import_module

from everypath.errors import Unsupported
from everypath.heap.heap import Heap
from everypath.heap.inputs import Inputs, declared_class
from everypath.heap.knowledge import Knowledge
from everypath.heap.values import UNBOUND, Hash, Ref, Value
from everypath.ir.instructions import ClassRef, NativeRef
from everypath.ir.names import interface_of
from everypath.ir.types import BYTES, Scalar, Type, named_class
from everypath.languages.python.cards.index import MODELLED, SAMPLED
from everypath.languages.python.frontend.syntax import mangled
from everypath.languages.python.semantics import hashes, keys, moments
from everypath.logic.condition import PathCondition
from everypath.logic.terms import Term

_LANGUAGE_BASES = "builtin_bases."
"""Begins the names of the classes that a class inherits from when it extends one of the language."""
_FILLED_BY_TESTS = ("builtin_bases.DictBase", "builtin_bases.ListBase")
"""Those to whose objects a test can add elements."""
_PLAIN_CLASSES = frozenset("int str float bool bytes list dict set tuple object".split())
_BYTES = (b"", b"a", b"ab\n", b"\x00\xff")


def samples(type: Type) -> tuple[Value, ...]:
    """The values to try for an input of a type that has no terms; empty for other types."""
    if type == BYTES:
        return _BYTES
    if isinstance(type, Scalar) and type.name in SAMPLED:
        return sample_objects(type.name)
    cls = named_class(type)
    return () if cls is None else _classes(cls)


def _classes(name: str) -> tuple[Value, ...]:
    if name in _PLAIN_CLASSES:
        return (NativeRef(name),)
    if name in ("BaseException", "Exception"):
        return ClassRef("ValueError"), ClassRef(name)
    return (ClassRef(name),)


def sample_objects(name: str) -> tuple[Value, ...]:
    """The inputs that are tried for a class of the library whose objects never change."""
    card = SAMPLED[name]
    names = {card.module: import_module(card.module)}
    return tuple(eval(expression, names) for expression in card.samples)


class PythonInputs(Knowledge):
    """The answers of Python to the questions of a heap."""

    def stored_name(self, cls: str, name: str) -> str:
        return mangled(name, "_" + cls.rpartition(".")[2].lstrip("_"))

    def can_be_made_up(self, base: str, in_program: bool) -> bool:
        if base in _FILLED_BY_TESTS:
            return True
        return base == "object" or (in_program and not base.startswith(_LANGUAGE_BASES))

    def first_value(self, ref: Ref, field: str) -> Value:
        card = MODELLED.get(ref.cls)
        return UNBOUND if card is None else card.first_value(field, declared_class(ref))

    def member_fields(self, name: str, bits: int | None) -> dict[str, Value]:
        return {"_name_": name} if bits is None else {"_name_": name or None, "_value_": bits}

    def samples(self, inputs: object, type: Type) -> tuple[Value, ...]:
        assert isinstance(inputs, Inputs)
        cls = named_class(type) or ""
        known = inputs.program.classes.get(cls)
        if known is None or known.external:
            return samples(type)
        below = [name for name in inputs.hierarchy.subclasses(cls) if interface_of(name) is None]
        # A protocol is no class that anybody would hand in to be called.
        interfaces = {interface_of(name) for name in inputs.hierarchy.subclasses(cls)}
        made = [name for name in below if not inputs.program.classes[name].abstract and name not in interfaces]
        if not made and cls in interfaces:
            raise Unsupported(f"an input of type type[{cls}], since no class of the program extends that interface")
        return tuple(map(ClassRef, made or [cls]))

    def symbolic(self, inputs: object, type: Type, name: str) -> Value:
        assert isinstance(inputs, Inputs)
        found = moments.fresh(inputs, type.name, name) if isinstance(type, Scalar) else None
        return UNBOUND if found is None else found

    def is_key(self, heap: object, pc: PathCondition, known: Value, key: Value) -> bool:
        assert isinstance(heap, Heap)
        return keys.is_key(heap, pc, known, key)

    def same_key(self, heap: object, known: Value, key: Value) -> bool | Term:
        assert isinstance(heap, Heap)
        return keys.same_key(heap, known, key)

    def equals_by_fields(self, heap: object, key: Ref) -> bool:
        assert isinstance(heap, Heap)
        return keys.equals_by_fields(heap, key)

    def hash_number(self, value: Hash) -> int | None:
        return hashes.number(value)


PYTHON_INPUTS = PythonInputs()

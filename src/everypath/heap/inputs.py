"""Makes fresh input values and their parts, once for all paths.

Two paths that look at the same field of the same input get the same term. Conditions on it are then the same terms as
well, and whatever was found out about them once (bounds, verdicts of the solver) serves all paths.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from everypath.errors import Unsupported
from everypath.heap.assumptions import Assumption
from everypath.heap.constructors import Constructors, constructors_of, heights_of, part_names, simplest
from everypath.heap.hierarchy import Hierarchy
from everypath.heap.knowledge import NOTHING_KNOWN, Knowledge
from everypath.heap.values import UNBOUND, Data, InputFunction, Rational, Ref, Unknown, Value
from everypath.ir import types as t
from everypath.ir.names import interface_of, stand_in
from everypath.ir.program import Method, Program
from everypath.ir.types import Type
from everypath.logic import terms
from everypath.logic.terms import IntLike, Term, Var

SIMPLEST: dict[Type, bool | int | str | float] = {t.INT: 0, t.BOOL: False, t.STR: "", t.FLOAT: 0.0}
"""The types whose values are plain, with the one to take where nothing else is known."""

_PLAIN: dict[Type, Callable[[str], Value]] = {
    t.BOOL: terms.bool_var,
    t.STR: terms.str_var,
    t.NONE: lambda name: None,
}
"""The types of which an input needs nothing but its name."""
_MOST_FLAGS = 4
"""Up to this many flags, inputs take every combination of them."""


class Inputs:
    """How fresh input values are made; shared by all states of an exploration."""

    __slots__ = (
        "_combined",
        "_constructors",
        "_elements",
        "_extended",
        "_heights",
        "_parts",
        "_previous",
        "_refs",
        "admitted",
        "ascending",
        "assumptions",
        "callables",
        "enumerations",
        "fixed_length",
        "flags",
        "hierarchy",
        "input_errors",
        "int_range",
        "keyed",
        "keywords",
        "knowledge",
        "known",
        "method",
        "omitted",
        "program",
        "records",
        "roots",
    )

    def __init__(
        self,
        program: Program,
        int_range: tuple[int, int] | None,
        fixed_length: int,
        assumptions: tuple[Assumption, ...] = (),
        knowledge: Knowledge = NOTHING_KNOWN,
    ) -> None:
        self.knowledge = knowledge
        self.assumptions = assumptions
        self.roots: dict[str, Value] = {}
        """the parameters that assumptions speak of"""
        self.input_errors = True
        """whether inputs may have a constructor for which the program has no branch"""
        self.ascending: frozenset[str] = frozenset()
        """data types whose values hold their elements in order and each once: sets"""
        self.keywords: dict[str, tuple[str, ...]] = {}
        """the parameters that take any keyword arguments, each with the names that other parameters take"""
        self.keyed: frozenset[str] = frozenset()
        """the parameters whose type leaves the keys of a collection open, so that they are what the code hints at"""
        self.callables: dict[str, Value] = {}
        """parameters with a function or class for their default"""
        self.known: Callable[[Type, str], Value] | None = None
        """the values of plain inputs by type and name, where they are known from the start"""
        self.admitted: dict[terms.Var, tuple[int | str | bytes, ...]] = {}
        """plain inputs -> the only values that they are declared to have"""
        self.omitted: dict[Type, tuple[Value, str, str]] = {}
        """the type of a parameter that may be left out -> its default, and the class and name under which that is
        kept
        """
        self.method: Method | None = None
        """the method under test"""
        self.program = program
        self.int_range = int_range
        self.fixed_length = fixed_length
        self._extended: dict[str, bool] = {}
        self._parts: dict[tuple[Unknown, object], tuple[Type, Value]] = {}
        self._refs: dict[Unknown, tuple[Type, Ref]] = {}
        self._constructors: dict[t.DataType, Constructors] = {}
        self._heights: dict[str, int] | None = None
        self._previous: dict[Value, Value] = {}
        """the rest of an open set -> the element before it"""
        self._elements: dict[Unknown, Value] = {}
        """an open set -> its first element, if it has one"""
        self.hierarchy = program.derived(Hierarchy)
        self.enumerations = {
            name: {member: Ref(name, member) for member in members} for name, members in self.hierarchy.members.items()
        }
        """class -> name of a member -> the member"""
        self.flags = self.hierarchy.flags
        self._combined: dict[tuple[str, int], Ref] = {}
        self.records = self.hierarchy.records

    def extended(self, cls: str) -> bool:
        """Whether the class has subclasses; refuses classes whose bases are not all part of the program."""
        known = self._extended.get(cls)
        if known is None:
            self.need_known_class(cls)
            known = self._extended[cls] = len(self.hierarchy.subclasses(cls)) > 1
        return known

    def common_field(self, classes: frozenset[object], name: str) -> Type | None:
        """The type of a field, if it is a plain field of the same type in all of these classes."""
        found = {self.hierarchy.plain_field(str(cls), name) for cls in classes}
        return found.pop() if len(found) == 1 else None

    def need_known_class(self, cls: str) -> None:
        """Objects can be made up only for a class all of whose bases are part of the program."""
        for base in self.program.mro(cls):
            if not self.knowledge.can_be_made_up(base, base in self.program.classes):
                raise Unsupported(f"an input of class {cls.rpartition('.')[2]}, which extends {base}")

    def field(self, ref: Ref, name: str, type: Type) -> Value:
        """What a field of an input object holds at the start."""
        assert ref.origin is not None
        value = self.knowledge.first_value(ref, name)
        if value is not UNBOUND:
            return value
        if isinstance(type, (t.ListType, t.DictType)):
            type = _held_type(declared_class(ref), type)
        return self.part(ref.origin, name, type, f"{ref.name}.{name}")

    def part(self, whole: Unknown, key: object, type: Type, name: str) -> Value:
        """What an input object holds at the start; all paths share it, and so the terms made of it."""
        place = (whole, key)
        known = self._parts.get(place)
        if known is None:
            known = self._parts[place] = (type, self.fresh(type, name))
        elif known[0] is not type and known[0] != type:
            # In another class the field has another type.
            return self.fresh(type, name)
        return known[1]

    def parts(self) -> Iterator[tuple[tuple[Unknown, object], Value]]:
        """What was looked at inside inputs: the input, the key of the part there, and the part."""
        return ((place, value) for place, (_, value) in self._parts.items())

    def constructors(self, type: t.DataType) -> Constructors:
        """The constructors that a value of the type may have, with the types of their arguments."""
        known = self._constructors.get(type)
        if known is None:
            known = self._constructors[type] = constructors_of(self.program, type)
        return known

    def simplest(self, type: t.DataType) -> str:
        """The constructor to take where nothing looks at the value: the one with the smallest values."""
        if self._heights is None:
            self._heights = heights_of(self.program)
        return simplest(self.constructors(type), self._heights)

    def made_by(self, unknown: Unknown, type: t.DataType, constructor: str) -> Data:
        """The input as a value of this constructor; all paths share its arguments."""
        place = (unknown, (constructor,))
        known = self._parts.get(place)
        if known is None:
            arguments = self.constructors(type)[constructor]
            names = part_names(unknown.name, type, arguments)
            parts = tuple(self.fresh(argument, name) for argument, name in zip(arguments, names))
            known = self._parts[place] = (type, Data(constructor, parts))
            if type.name in self.ascending and len(parts) == 2:
                self._previous[parts[1]] = parts[0]
                self._elements[unknown] = parts[0]
        value = known[1]
        assert isinstance(value, Data)
        return value

    def ascends(self, unknown: Unknown) -> bool | Term:
        """The condition under which the first element of an open set comes after the one before it.

        Elements that are numbers or strings are meant; others have no order that a condition could state.
        """
        before, element = self._previous.get(unknown), self._elements.get(unknown)
        if isinstance(before, Rational) and isinstance(element, Rational):
            return terms.lt(terms.mul(before.top, element.bottom), terms.mul(element.top, before.bottom))
        if not isinstance(before, Term) or not isinstance(element, Term):
            return True
        # False comes before true, so there is one such pair.
        if before.sort == "bool":
            return terms.and_(terms.not_(before), element)
        return terms.str_lt(before, element) if before.sort == "str" else terms.lt(before, element)

    def length(self, unknown: Unknown) -> Term:
        """The length of an input list."""
        place = (unknown, len)
        if place not in self._parts:
            bits = self.program.profile.integer_bits
            longest = None if bits is None else (1 << (bits - 1)) - 1
            self._parts[place] = (t.INT, terms.int_var(f"len({unknown.name})", 0, longest))
        length = self._parts[place][1]
        assert isinstance(length, Term)
        return length

    def truth(self, unknown: Unknown, other: Unknown | None, name: str) -> Var:
        """Whether a reference is another one, or null."""
        place = (unknown, other)
        if place not in self._parts:
            self._parts[place] = (t.BOOL, terms.bool_var(name))
        truth = self._parts[place][1]
        assert isinstance(truth, Var)
        return truth

    def object_for(self, unknown: Unknown, type: Type) -> Ref:
        """The object that stands for an unknown reference of this type; all paths share it."""
        known = self._refs.get(unknown)
        if known is not None and (known[0] is type or known[0] == type):
            return known[1]
        if isinstance(type, t.ClassType):
            cls = self._only_stand_in(type.name) or type.name
            ref = Ref(cls, unknown.name, input=True, open=self.extended(cls), origin=unknown)
        else:
            kind = "dict" if isinstance(type, t.DictType) else "set" if isinstance(type, t.SetType) else "list"
            ref = Ref(kind, unknown.name, input=True, origin=unknown)
        self._refs[unknown] = (type, ref)
        return ref

    def _only_stand_in(self, cls: str) -> str | None:
        """The class of an interface's stand-ins where the program has no other objects of it."""
        made = stand_in(cls)
        if made not in self.program.classes:
            return None
        concrete = [c for c in self.hierarchy.subclasses(cls) if not self.program.classes[c].abstract]
        return made if all(interface_of(c) is not None for c in concrete) else None

    def fresh(self, type: Type, name: str) -> Value:
        """A new unconstrained input of the type; references and unions stay unknown until something looks."""
        # Keys of an input dict must differ from each other, which known values by name would not.
        if self.known is not None and type in SIMPLEST and ".keys[" not in name:
            return self._known(self.known(type, name), type)
        if isinstance(type, t.Scalar) and type.values:
            return self._listed(type, name)
        if type == t.INT:
            assert isinstance(type, t.Scalar)
            return terms.int_var(name, *self._bounds(type))
        if type in _PLAIN:
            return _PLAIN[type](name)
        if type == t.FLOAT and not self.program.data:
            return terms.float_var(name)
        if type == t.RATIONAL:
            return self._rational(name)
        if type in self.omitted:
            return self.omitted[type][0]
        if isinstance(type, t.FunctionType) and name not in self.callables:
            return InputFunction(name, type)
        if isinstance(type, t.TupleType) and type.rest is None:
            return tuple(self.fresh(element, f"{name}[{i}]") for i, element in enumerate(type.elements))
        return Unknown(name, self._special(type) if self.enumerations or self.records else type)

    def _listed(self, type: t.Scalar, name: str) -> Value:
        """An input of which all values are declared; code may get others all the same, so only a note is made."""
        made = self.fresh(t.Scalar(type.name), name)
        if isinstance(made, terms.Var):
            self.admitted[made] = type.values
        return made

    def _bounds(self, type: t.Scalar) -> tuple[int | None, int | None]:
        """The least and the largest value of an integer: those of its type that the user wants tried."""
        if self.int_range is None or type.bounds is None:
            return type.bounds or self.int_range or (None, None)
        (low, high), (least, most) = type.bounds, self.int_range
        return max(low, min(least, high)), min(high, max(most, low))

    def number(self, name: str, low: int, high: int) -> IntLike:
        """A new integer input within these bounds."""
        if self.known is None:
            return terms.int_var(name, low, high)
        value = self.known(t.INT, name)
        return max(low, min(high, value)) if type(value) is int else low

    def _known(self, value: Value, type: Type) -> Value:
        if value.__class__ is not SIMPLEST[type].__class__:
            value = SIMPLEST[type]
        if isinstance(value, int) and isinstance(type, t.Scalar) and type == t.INT:
            low, high = self._bounds(type)
            return value if low is None or high is None else max(low, min(high, value))
        return value

    def _special(self, type: Type) -> Type:
        """The type with enumerations as their members and typed dicts as their keys, since both have no other
        objects.
        """
        if isinstance(type, t.UnionType):
            return t.union(tuple(self._special(option) for option in type.options))
        if isinstance(type, t.ClassType) and type.name in self.records:
            return t.RecordType(type.name)
        return t.MemberType(type.name) if isinstance(type, t.ClassType) and self.members(type.name) else type

    def members(self, cls: str) -> tuple[Ref, ...]:
        """The members of an enumeration, or of all enumerations below the class; all paths share them."""
        if not self.enumerations:
            return ()
        return tuple(
            ref
            for name in self.hierarchy.subclasses(cls)
            if name in self.enumerations
            for ref in (self._all_flags(name) if name in self.flags else self.enumerations[name].values())
        )

    def flag(self, cls: str, value: int) -> Ref:
        """The object for a combination of flags; it has a name only if some member has this value."""
        known = self.flags[cls]
        name = next((name for name, bits in known.items() if bits == value), None)
        if name is not None:
            return self.enumerations[cls][name]
        if (cls, value) not in self._combined:
            single = sorted((bits, name) for name, bits in known.items() if bits.bit_count() == 1 and bits & value)
            self._combined[cls, value] = Ref(cls, "|".join(name for _, name in single))
        return self._combined[cls, value]

    def flag_value(self, ref: Ref) -> int | None:
        """The bits of a flag, None for other members."""
        known = self.flags.get(ref.cls)
        if known is None:
            return None
        return sum(known[name] for name in ref.name.split("|")) if ref.name else 0

    def _all_flags(self, cls: str) -> tuple[Ref, ...]:
        """Every combination of a few flags; of many, the members and nothing."""
        known = self.flags[cls]
        single = [bits for bits in known.values() if bits.bit_count() == 1]
        if len(single) > _MOST_FLAGS:
            return (*self.enumerations[cls].values(), self.flag(cls, 0))
        values = [0]
        for bits in single:
            values += [bits | value for value in values]
        return tuple(self.flag(cls, value) for value in (*values[1:], 0))

    def _rational(self, name: str) -> Rational:
        """A fraction of two integers; where nothing restricts it, it is whole, since the smallest denominator is 1."""
        low, high = self.int_range or (None, None)
        largest = None if high is None else max(high, 1)
        return Rational(terms.int_var(f"{name} top", low, high), terms.int_var(f"{name} bottom", 1, largest))


def declared_class(ref: Ref) -> t.ClassType:
    """The class of an input object, with what it is declared to hold."""
    options = ref.origin.options if ref.origin is not None else ()
    return next((o for o in options if isinstance(o, t.ClassType) and o.name == ref.cls), t.ClassType(ref.cls))


def _held_type(declared: t.ClassType, type: Type) -> Type:
    """The type of a field; a collection in it holds what the declaration of the whole object says about elements."""
    if isinstance(type, t.ListType) and len(declared.arguments) == 1:
        return t.ListType(declared.arguments[0])
    if isinstance(type, t.DictType) and len(declared.arguments) == 2:
        return t.DictType(*declared.arguments)
    return type

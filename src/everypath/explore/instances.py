"""Which types a value has: `isinstance` and casts."""

from __future__ import annotations

from everypath.explore import foreign
from everypath.explore.foreign import is_foreign
from everypath.explore.objects import Restrict, possible_classes, program_of, resolve, type_name, user_method
from everypath.explore.signals import Fault
from everypath.explore.state import State
from everypath.heap.choice import Fork
from everypath.heap.heap import Bind, ClassBound, Narrow
from everypath.heap.values import Ref, Unknown, Value
from everypath.ir.types import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    NONE,
    STR,
    ClassType,
    DictType,
    ListType,
    MemberType,
    RecordType,
    Scalar,
    SetType,
    TupleType,
    Type,
)


def type_test(st: State, value: Value, types: tuple[Type, ...]) -> bool:
    """`isinstance(value, types)`"""
    if value.__class__ is Unknown and value not in st.heap.bind:
        answer = _test_unknown(st, value, types)
        if answer is not None:
            return answer
    value = resolve(st, value)
    if isinstance(value, int) and value.__class__ not in (int, bool):
        return any(t in (INT, ANY) for t in types)
    return any(_is_instance(st, value, t) for t in types)


def _test_unknown(st: State, value: Unknown, types: tuple[Type, ...]) -> bool | None:
    """Decide by declared types alone, without choosing an object; None when the class must be looked at."""
    options = st.heap.options(value)
    if ANY in options or any(option in st.heap.inputs.omitted for option in options):
        return None
    classes = [o.name for o in options if isinstance(o, ClassType | MemberType)]
    if not all(isinstance(t, ClassType) for t in types) and any(_may_extend(st, name) for name in classes):
        return None
    matching = [o for o in options if _static_match(st, o, types)]
    open_classes = [o for o in options if isinstance(o, ClassType | MemberType) and _has_subclass_in(st, o, types)]
    if open_classes and not matching:
        return None
    if len(matching) == len(options):
        return True
    if not matching:
        return False
    rest = tuple(o for o in options if o not in matching)
    return _fork_types(value, tuple(matching), rest)


def _may_extend(st: State, name: str) -> bool:
    """Whether objects of the class may be texts, numbers or collections as well."""
    inputs = st.heap.inputs
    below = inputs.subclasses(name)
    if any(cls in inputs.enumerations for cls in below) or not _EXTENDED.isdisjoint(
        base for cls in below for base in inputs.program.mro(cls)
    ):
        return True
    methods = (inputs.program.find_method(cls, "_asdict") for cls in below)
    return any(method is not None and method.model for method in methods)


def _fork_types(value: Unknown, matching: tuple[Type, ...], rest: tuple[Type, ...]) -> bool:
    def alternative(options: tuple[Type, ...]) -> Bind | Narrow:
        return Bind(value, None) if options == (NONE,) else Narrow(value, options)

    raise Fork((alternative(matching), alternative(rest)))


def _has_subclass_in(st: State, option: ClassType | MemberType, types: tuple[Type, ...]) -> bool:
    program = program_of(st)
    return any(isinstance(t, ClassType) and program.is_subclass(t.name, option.name) for t in types)


def _static_match(st: State, option: Type, types: tuple[Type, ...]) -> bool:
    program = program_of(st)
    if ClassType("object") in types:
        return True
    for t in types:
        if isinstance(option, ClassType | MemberType):
            if isinstance(t, ClassType) and program.is_subclass(option.name, t.name):
                return True
        elif (
            (isinstance(option, RecordType) and isinstance(t, DictType))
            or option == t
            or (option == BOOL and t == INT)
            or (type(option) is type(t) and _is_container(t))
        ):
            return True
    return any(isinstance(t, ClassType) and t.name in NUMBERS.get(str(option), ()) for t in types)


def _is_container(t: Type) -> bool:
    return isinstance(t, ListType | DictType | SetType | TupleType)


_NAMES: dict[Type, tuple[str, ...]] = {
    INT: ("int", "bool"),
    BOOL: ("bool",),
    STR: ("str",),
    FLOAT: ("float",),
    NONE: ("NoneType",),
}
_REALS = frozenset("numbers.Number numbers.Complex numbers.Real".split())
_INTEGRALS = _REALS | {"numbers.Rational", "numbers.Integral"}
NUMBERS = {"int": _INTEGRALS, "bool": _INTEGRALS, "float": _REALS}
"""Builtin numbers and the abstract classes that they are registered with."""


_BASES: dict[object, tuple[str, ...]] = {
    STR: ("builtin_bases.StrBase",),
    INT: ("builtin_bases.IntBase",),
    FLOAT: ("builtin_bases.FloatBase",),
    ListType: ("builtin_bases.ListBase",),
    DictType: ("builtin_bases.DictBase", "collections._Mapping"),
    SetType: ("builtin_bases.SetBase",),
    TupleType: ("builtin_bases.TupleBase",),
}
"""What classes of the program that extend a class of the language inherit instead of it, by type or kind of type."""
_EXTENDED = frozenset(base for bases in _BASES.values() for base in bases)


def _is_instance(st: State, value: Value, t: Type) -> bool:
    kind = type_name(st, value)
    if _extends(st, value, t):
        return True
    if t in _NAMES:
        return kind in _NAMES[t] or _acts_as(st, value, t)
    if isinstance(t, ListType):
        return kind == "list"
    if isinstance(t, DictType):
        return kind == "dict"
    if isinstance(t, SetType):
        return kind == "set"
    if isinstance(t, TupleType):
        return kind == "tuple" or _has_generated(st, value, "_asdict")
    if t == ANY:
        return True
    if is_foreign(value) and isinstance(t, Scalar):
        real = foreign.library_class(t.name)
        return real is not None and isinstance(value, real)
    if not isinstance(t, ClassType):
        return kind == str(t)
    if kind in NUMBERS:
        return t.name in NUMBERS[kind] or t.name == "object"
    if t.name == "object" or kind == t.name:
        return True
    if not isinstance(value, Ref) or type(st.heap.cells[value]) is not dict:
        return False
    return _object_is(st, value, t.name)


def _extends(st: State, value: Value, t: Type) -> bool:
    """Whether an object of the program is of a class that extends one of the language."""
    if not isinstance(value, Ref) or type(st.heap.cells[value]) is not dict:
        return False
    bases = _BASES.get(t) or _BASES.get(type(t), ())
    return any(base in program_of(st).classes and _object_is(st, value, base) for base in bases)


def _acts_as(st: State, value: Value, t: Type) -> bool:
    """Whether a member of an enumeration is a number or a text as well."""
    if not isinstance(value, Ref) or value.cls not in st.heap.inputs.enumerations:
        return False
    return (t == INT and _has_generated(st, value, "__index__")) or (t == STR and _has_generated(st, value, "__len__"))


def _has_generated(st: State, value: Value, name: str) -> bool:
    method = user_method(st, value, name)
    return method is not None and method.model


def _object_is(st: State, ref: Ref, name: str) -> bool:
    program = program_of(st)
    bound = st.heap.class_bound(ref)
    if program.is_subclass(bound.bound, name):
        return True
    if bound.exact:
        return False
    classes = possible_classes(st.heap, ref)
    inside = [c for c in classes if program.is_subclass(c, name)]
    if not inside:
        return False
    if len(inside) == len(classes):
        return True
    yes = (
        ClassBound(name, bound.excluded)
        if program.is_subclass(name, bound.bound)
        else ClassBound(inside[0], exact=True)
    )
    no = ClassBound(bound.bound, (*bound.excluded, name))
    raise Fork((Restrict(ref, yes), Restrict(ref, no)))


def cast(st: State, value: Value, t: Type) -> Value:
    """The value, or the profile's cast error; null passes."""
    if st.heap.is_null(value) or type_test(st, value, (t,)):
        return value
    raise Fault(program_of(st).profile.cast_error, f"cannot cast to {t}")

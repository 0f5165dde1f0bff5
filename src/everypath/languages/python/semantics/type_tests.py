"""`isinstance`: by the declared types of inputs where they tell, else by the class of the object.

An input that nothing has looked at is narrowed to the types that match, or to the others, without choosing an object.
Only where a subclass could make the difference is the object made and its class decided.
"""

from __future__ import annotations

from everypath.explore.objects import class_for, program_of, resolve
from everypath.explore.state import State
from everypath.heap.alternatives import Bind, Narrow
from everypath.heap.choice import Fork
from everypath.heap.values import Ref, Unknown, Value
from everypath.ir.instructions import NativeRef
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
from everypath.languages.python.cards.index import HOST
from everypath.languages.python.natives.library import ask_kept
from everypath.languages.python.semantics import host_objects
from everypath.languages.python.semantics.host_objects import Kept, is_foreign
from everypath.languages.python.semantics.kinds import type_name

_TOLD = (Scalar, ListType, DictType, SetType, TupleType, ClassType)
"""Types of which inputs can be made."""


def type_test(st: State, value: Value, types: tuple[Type, ...]) -> bool:
    """`isinstance(value, types)`"""
    if type(value) is Unknown and value not in st.heap.bind:
        answer = _test_unknown(st, value, types)
        if answer is not None:
            return answer
        if any(isinstance(each, _TOLD) and each != ClassType("object") for each in types) and st.heap.is_open(value):
            from everypath.languages.python.semantics.first_uses import take_for_tested

            take_for_tested(st, value, types)
    value = resolve(st, value)
    if isinstance(value, int) and value.__class__ not in (int, bool):
        return any(t in (INT, ANY) for t in types)
    return any(_is_instance(st, value, t) for t in types)


def _test_unknown(st: State, value: Unknown, types: tuple[Type, ...]) -> bool | None:
    """Decide by declared types alone, without choosing an object; None when the class must be looked at."""
    options = st.heap.options(value)
    if ANY in options or any(option in st.heap.inputs.omitted for option in options):
        return None
    matching = [o for o in options if _static_match(st, o, types)]
    open_classes = [o for o in options if isinstance(o, (ClassType, MemberType)) and _has_subclass_in(st, o, types)]
    if open_classes and not matching:
        return None
    if len(matching) == len(options):
        return True
    if not matching:
        return False
    rest = tuple(o for o in options if o not in matching)
    return _fork_types(value, tuple(matching), rest)


def _fork_types(value: Unknown, matching: tuple[Type, ...], rest: tuple[Type, ...]) -> bool:
    def alternative(options: tuple[Type, ...]) -> Bind | Narrow:
        return Bind(value, None) if options == (NONE,) else Narrow(value, options)

    raise Fork((alternative(matching), alternative(rest)))


def _has_subclass_in(st: State, option: ClassType | MemberType, types: tuple[Type, ...]) -> bool:
    program = program_of(st)
    return any(isinstance(t, ClassType) and program.is_subclass(t.name, option.name) for t in types) or any(
        _inherits(st, cls, t) for cls in st.heap.inputs.hierarchy.subclasses(option.name) for t in types
    )


def _static_match(st: State, option: Type, types: tuple[Type, ...]) -> bool:
    if ClassType("object") in types:
        return True
    for t in types:
        if isinstance(option, (ClassType, MemberType)):
            if _inherits(st, option.name, t):
                return True
        elif (
            (isinstance(option, RecordType) and isinstance(t, DictType))
            or option == t
            or (option == BOOL and t == INT)
            or (type(option) is type(t) and type(t) in _PLAIN)
        ):
            return True
    return any(isinstance(t, ClassType) and t.name in NUMBERS.get(str(option), ()) for t in types)


_NAMES: dict[Type, tuple[str, ...]] = {
    INT: ("int", "bool"),
    BOOL: ("bool",),
    STR: ("str",),
    FLOAT: ("float",),
    NONE: ("NoneType",),
}
_REALS = frozenset("numbers.Number numbers.Complex numbers.Real".split())
_INTEGRALS = _REALS | {"numbers.Rational", "numbers.Integral"}
NUMBERS = {
    "int": _INTEGRALS,
    "bool": _INTEGRALS,
    "float": _REALS,
    **{card.name: frozenset(f"numbers.{name}" for name in card.numbers) for card in HOST.values() if card.numbers},
}
"""Numbers of Python and its library, and the abstract classes that they belong to."""


_BASES: dict[Type | type[Type], tuple[str, ...]] = {
    STR: ("builtin_bases.StrBase",),
    INT: ("builtin_bases.IntBase",),
    FLOAT: ("builtin_bases.FloatBase",),
    ListType: ("builtin_bases.ListBase",),
    DictType: ("builtin_bases.DictBase", "collections._Mapping"),
    SetType: ("builtin_bases.SetBase",),
    TupleType: ("builtin_bases.TupleBase",),
}
"""What classes of the program that extend a class of the language inherit instead of it."""
_GENERATED: dict[Type | type[Type], str] = {INT: "__index__", STR: "__getitem__", TupleType: "_asdict"}
"""A method that the front end generates only for members of enumerations of this type, and for named tuples."""
_PLAIN: dict[type[Type], str] = {ListType: "list", DictType: "dict", SetType: "set", TupleType: "tuple"}


def _inherits(st: State, cls: str, t: Type) -> bool:
    """Whether objects of a class are also values of a type, which may be one of the language."""
    program = program_of(st)
    if isinstance(t, ClassType):
        return program.is_subclass(cls, t.name)
    key = t if t in _BASES else type(t)
    if not frozenset(_BASES.get(key, ())).isdisjoint(program.mro(cls)):
        return True
    if key not in _GENERATED or (key is not TupleType and cls not in st.heap.inputs.enumerations):
        return False
    method = program.find_method(cls, _GENERATED[key])
    return method is not None and method.model


def _is_instance(st: State, value: Value, t: Type) -> bool:
    if isinstance(value, Kept):
        # Whatever class of the program it is: this is none of its objects.
        known = isinstance(t, (Scalar, ClassType)) and t.name not in program_of(st).classes
        return t == ANY or (known and bool(ask_kept(st, "isinstance", value, NativeRef(str(t)))))
    kind = type_name(st, value)
    names = _NAMES[t] if t in _NAMES else (_PLAIN[type(t)],) if type(t) in _PLAIN else ()
    if names:
        if isinstance(value, Ref) and value.open:
            return _object_is(st, value, t)
        return kind in names or _inherits(st, kind, t)
    if t == ANY:
        return True
    if is_foreign(value) and isinstance(t, (Scalar, ClassType)):
        real = host_objects.library_class(t.name) or host_objects.real_class(t.name)
        return real is not None and host_objects.is_instance(value, real)
    return _is_of_class(st, value, kind, t.name) if isinstance(t, ClassType) else kind == str(t)


def _is_of_class(st: State, value: Value, kind: str, cls: str) -> bool:
    if kind in NUMBERS and not isinstance(value, Ref):
        return cls in NUMBERS[kind] or cls == "object"
    if cls == "object" or kind == cls:
        return True
    return isinstance(value, Ref) and type(st.heap.cells[value]) is dict and _object_is(st, value, ClassType(cls))


def _object_is(st: State, ref: Ref, t: Type) -> bool:
    if _inherits(st, st.heap.class_bound(ref).bound, t):
        return True
    return _inherits(st, class_for(st, ref, lambda cls: _inherits(st, cls, t)), t)

"""Objects of classes that extend a class of the language: what they hold, and the methods that they inherit from it."""

from __future__ import annotations

from everypath.explore.objects import program_of, resolve
from everypath.explore.state import State
from everypath.heap.values import DictCell, ListCell, Ref, Value
from everypath.ir.instructions import ClassRef
from everypath.ir.program import Method, Program
from everypath.languages.python.semantics.kinds import get_static, type_name

_PREFIX = "builtin_bases."
_PLAIN = frozenset(f"{_PREFIX}{name}Base" for name in ("Str", "Int", "Float", "Tuple"))
_TAKE_PLAIN = frozenset("bin bytes chr hex oct ord range".split())
_TAKE_TUPLES = frozenset("str.startswith str.endswith bytes.startswith bytes.endswith".split())
_TYPES = frozenset("str bytes int float math re".split())
CONTENT = {f"{_PREFIX}DictBase": "_entries", f"{_PREFIX}ListBase": "_items"}
"""the field that holds what such an object is worth; `_content` in the other classes"""
WITHOUT_CONTENT = frozenset([f"{_PREFIX}PropertyBase"])
"""classes whose objects are worth nothing but themselves, with fields like any others"""
_EMPTY = {f"{_PREFIX}DictBase": "dict", f"{_PREFIX}ListBase": "list", f"{_PREFIX}SetBase": "set"}
"""classes whose objects begin empty, and what they then hold"""


def extends_any(program: Program) -> bool:
    """Whether the program has such classes at all."""
    classes = program.classes.items()
    return any(name.startswith(_PREFIX) or (cls.members and _are_plain(program, name)) for name, cls in classes)


def _are_plain(program: Program, cls: str) -> bool:
    """Whether the members of an enumeration are texts or numbers besides, which only those have these methods for."""
    if not program.classes[cls].members:
        return False
    methods = (program.find_method(cls, name) for name in ("__getitem__", "__index__"))
    return any(method is not None and method.model for method in methods)


def base_of(program: Program, cls: str) -> str | None:
    """What a class inherits instead of a class of the language."""
    return next((base for base in program.mro(cls) if base.startswith(_PREFIX)), None)


def content(st: State, value: Value) -> Value:
    """The text, number or tuple inside an object whose class extends such a type; any other value as it is."""
    value = resolve(st, value)
    if isinstance(value, Ref) and type(st.heap.cells[value]) is dict:
        base = base_of(program_of(st), type_name(st, value))
        if base in _PLAIN:
            return st.heap.get(value, "_content")
        if value.cls in st.heap.inputs.enumerations and _are_plain(program_of(st), value.cls):
            if (value.cls, value.name) not in st.statics:
                get_static(st, value.cls, value.name)
            return st.heap.get(value, "_value_")
    return value


def plain_arguments(st: State, name: str, args: tuple[Value, ...]) -> tuple[Value, ...]:
    """The arguments of an operation on plain values, with such objects replaced by what they hold."""
    if name in _TAKE_PLAIN or ("." in name and name.partition(".")[0] in _TYPES):
        return tuple(_held(st, value) if name in _TAKE_TUPLES else content(st, value) for value in args)
    return args


def _held(st: State, value: Value) -> Value:
    """What a value holds, or each element of a tuple."""
    value = content(st, value)
    return tuple(content(st, each) for each in value) if type(value) is tuple else value


def inherited(st: State, name: str, args: tuple[Value, ...]) -> Method | None:
    """The method behind `dict.update(self, ...)` or `str.__new__(cls, ...)` where such an object or class is given."""
    cls, _, member = name.partition(".")
    extended = f"{_PREFIX}{cls.capitalize()}Base"
    # What the first argument is must not be asked where it makes no difference: that decides its type.
    if not member or not args or extended not in program_of(st).classes:
        return None
    first = resolve(st, args[0])
    if isinstance(first, ClassRef):
        owner = first.name
    elif isinstance(first, Ref) and type(st.heap.cells[first]) is dict:
        owner = type_name(st, first)
    else:
        return None
    base = base_of(program_of(st), owner)
    return program_of(st).find_method(base, member) if base == extended else None


def holds_elements(program: Program, cls: str) -> bool:
    """Whether a class inherits `__new__` from a collection, whose objects begin empty and are filled later."""
    base, new = base_of(program, cls), program.find_method(cls, "__new__")
    return base in _EMPTY and new is not None and new.cls == base


def new_collection(st: State, cls: str) -> Ref | None:
    """An object that extends a collection, as it is before its constructor runs; None for other classes."""
    program = program_of(st)
    if not holds_elements(program, cls):
        return None
    base = base_of(program, cls) or ""
    kind = _EMPTY[base]
    cell = ListCell(()) if kind == "list" else DictCell((), kind=kind)
    return st.heap.new_object(cls, {CONTENT.get(base, "_content"): st.heap.new_object(kind, cell)})

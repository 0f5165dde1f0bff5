"""What a call can change at most, read off the code that it can reach.

A test need not say that an input is as it was where no code could have changed it. Names are enough for that: a call
of `close` may reach every method of this name. What a function makes itself is no input, and neither is the object
that a constructor sets up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from everypath.cases.model import ELEMENTS, CallCase, Literal
from everypath.ir.instructions import (
    Binary,
    CallNative,
    CallStatic,
    CallValue,
    CallVirtual,
    ClassRef,
    Compare,
    Const,
    DelField,
    DelItem,
    FunctionRef,
    GetField,
    GetItem,
    GetStatic,
    Instruction,
    Length,
    Move,
    NewArray,
    NewCollection,
    NewObject,
    Reg,
    Return,
    SetField,
    SetItem,
    Unary,
)
from everypath.ir.names import is_nested_function
from everypath.ir.program import Method, Program
from everypath.ir.types import NONE
from everypath.languages.base import EntryPoint
from everypath.records import replace

_CHANGING = frozenset(
    "append extend insert remove pop clear sort reverse add discard update difference_update intersection_update "
    "symmetric_difference_update setdefault popitem move_to_end subtract appendleft extendleft popleft rotate "
    "write writelines truncate seek read readline readlines close put get_nowait put_nowait".split()
)
"""Methods of collections and streams that change them."""
_MAKING = frozenset("list dict set sorted tuple frozenset bytearray str int float bool enumerate zip".split())
"""Natives whose result is new."""
_BY_NAME = frozenset(("setattr", "delattr", "object.__setattr__", "object.__delattr__", "store_attribute"))
_BY_ANY_NAME = frozenset(("attributes", "become", "vars", "exec", "eval"))
_SETTING_UP = frozenset(("__init__", "__post_init__"))
_OWN_INSTRUCTIONS = frozenset(("__setitem__", "__delitem__", "__setattr__", "__delattr__", "__new__", *_SETTING_UP))
"""Special methods that are not reached by operators."""
_PLAIN = (bool, int, float, str, bytes)
_NEW, _ANY = "", ELEMENTS
"""Where a value comes from: made here, or from anywhere; else it is the name of the field that held it."""


def changes_of(program: Program, method: Method) -> tuple[str, ...] | None:
    """The fields that a call may assign, and `field[]` or `[]` for elements of collections; None if it may be all."""
    reached = _Reached(program)
    reached.add(method)
    found: set[str] = set()
    for each in reached.methods:
        reads = _Origins(each)
        for instruction in _instructions(each):
            changed = _changed(instruction, reads)
            if changed is None:
                return None
            found.update(changed)
            reached.follow(instruction)
    return tuple(sorted(found))


def with_changes(program: Program, entry: EntryPoint, cases: Iterable[CallCase]) -> list[CallCase]:
    """The cases of an entry with what its code can change."""
    method = program.find_method(entry.cls, entry.method)
    if method is None:
        return list(cases)
    changes = changes_of(program, method)
    procedure = method.returns == NONE or _gives_nothing(method)
    plain = ((p.name, p.default) for p in method.params)
    defaults = tuple((name, Literal(value)) for name, value in plain if value is None or isinstance(value, _PLAIN))
    return [
        replace(case, entry=replace(case.entry, changes=changes, procedure=procedure, defaults=defaults))
        for case in cases
    ]


def _gives_nothing(method: Method) -> bool:
    """Whether all that is ever returned is the constant None."""
    written = Counter(getattr(each, "dst", None) for each in _instructions(method))
    constants = (each for each in _instructions(method) if isinstance(each, Const) and each.value is None)
    nothing = {each.dst for each in constants if written[each.dst] == 1}
    returned = [block.terminator for block in method.blocks.values() if isinstance(block.terminator, Return)]
    return bool(returned) and all(each.value in nothing for each in returned)


def _instructions(method: Method) -> Iterator[Instruction]:
    for block in method.blocks.values():
        yield from block.instructions


class _Reached:
    """The methods that a call may execute, as a list that grows while it is gone through."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._by_name: dict[str, list[Method]] = {}
        for cls in program.classes.values():
            # The library's own classes are compiled as they are needed, and only change themselves.
            for name, method in () if cls.model else cls.methods.items():
                self._by_name.setdefault(name, []).append(method)
        special = (name for name in self._by_name if name[:2] == name[-2:] == "__")
        self._operators = [name for name in special if name not in _OWN_INSTRUCTIONS]
        self._seen: set[int] = set()
        self.methods: list[Method] = []

    def add(self, method: Method | None) -> None:
        if method is not None and id(method) not in self._seen:
            self._seen.add(id(method))
            self.methods.append(method)

    def follow(self, instruction: Instruction) -> None:
        """Add what an instruction may call."""
        match instruction:
            case CallStatic(cls=cls, name=name):
                self.add(self._program.find_method(cls, name))
            case CallVirtual(name=name) | GetField(name=name):
                self._named(name)
            case SetField(name=name) | DelField(name=name):
                self._named("__setattr__", "__delattr__")
                for owner in self._program.classes.values():
                    if name in owner.setters:
                        self.add(owner.methods.get(owner.setters[name]))
            case SetItem() | DelItem():
                self._named("__setitem__", "__delitem__")
            case Const(value=FunctionRef(cls=cls, name=name)):
                self.add(self._program.find_method(cls, name))
            case Const(value=ClassRef(name=cls)):
                self.add(self._program.find_method(cls, "__init__"))
            case GetStatic(cls=cls, name=name):
                found = self._program.find_static(cls, name)
                self.add(self._program.find_method(*found) if found is not None else None)
            case NewObject(cls=cls) if is_nested_function(cls):
                for method in self._program.classes[cls].methods.values():
                    self.add(method)
            case Binary() | Compare() | Unary() | GetItem() | Length() | CallNative() | CallValue():
                self._named(*self._operators)

    def _named(self, *names: str) -> None:
        for name in names:
            for method in self._by_name.get(name, ()):
                self.add(method)


class _Origins:
    """Where the values in the registers of a method come from."""

    def __init__(self, method: Method) -> None:
        self._givers: dict[Reg, list[Instruction | None]] = {register: [None] for register in range(len(method.params))}
        self._own = method.name in _SETTING_UP
        for instruction in _instructions(method):
            giver = getattr(instruction, "dst", None)
            if giver is not None:
                self._givers.setdefault(giver, []).append(instruction)

    def of(self, register: Reg) -> set[str]:
        """The fields that may have held a value, `_NEW` and `_ANY` among them."""
        found: set[str] = set()
        seen: set[Reg] = set()
        agenda = [register]
        while agenda:
            current = agenda.pop()
            if current in seen:
                continue
            seen.add(current)
            for giver in self._givers.get(current, [None]):
                if isinstance(giver, Move):
                    agenda.append(giver.src)
                elif isinstance(giver, Binary) and giver.inplace:
                    agenda.append(giver.left)
                else:
                    found.add(_NEW if giver is None and self._own and current == 0 else _origin(giver))
        return found

    def text(self, register: Reg) -> str | None:
        """The text that a register always holds, if so."""
        match self._givers.get(register):
            case [Const(value=str() as text)]:
                return text
        return None


def _origin(giver: Instruction | None) -> str:
    match giver:
        case GetField(name=name):
            return name
        case NewObject() | NewCollection() | NewArray() | Const() | Binary(inplace=False):
            return _NEW
        case CallNative(name=name) if name in _MAKING:
            return _NEW
    return _ANY


def _changed(instruction: Instruction, origins: _Origins) -> Iterable[str] | None:
    match instruction:
        case SetField(obj=owner, name=name) | DelField(obj=owner, name=name):
            return () if origins.of(owner) == {_NEW} else (name,)
        case CallNative(name=native, args=(owner, name, *_)) if native in _BY_NAME:
            text = origins.text(name)
            if origins.of(owner) == {_NEW}:
                return ()
            return None if text is None else (text,)
        case CallNative(name=native) if native in _BY_ANY_NAME:
            return None
        case CallNative(name=native, args=(owner, *_)) if native.rpartition(".")[2] in _CHANGING:
            return _elements(origins.of(owner))
        case SetItem(obj=owner) | DelItem(obj=owner) | Binary(left=owner, inplace=True):
            return _elements(origins.of(owner))
        case CallVirtual(receiver=owner, name=name) if name in _CHANGING:
            return _elements(origins.of(owner))
    return ()


def _elements(origins: set[str]) -> Iterable[str]:
    return {origin if origin == ELEMENTS else f"{origin}{ELEMENTS}" for origin in origins - {_NEW}}

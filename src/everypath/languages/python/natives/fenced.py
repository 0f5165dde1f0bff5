"""Calls of library code that nothing else is known about: it is run behind the fence, on values that the path fixes.

Two processes that live in different worlds run it (`runtime/library_calls.py`). What both give, and what depends on
nothing but the arguments, is the result; otherwise the path ends and says why. Objects that are no plain values stay
there (`Kept`): whatever a path does with one is a call as well.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from everypath.errors import Unsupported
from everypath.explore.objects import program_of, resolve
from everypath.explore.signals import Fault
from everypath.explore.state import State
from everypath.heap.values import BoundMethod, DictCell, IteratorCell, ListCell, Ref, SliceValue, Value
from everypath.ir.instructions import NativeRef
from everypath.languages.python.cards.index import HOST
from everypath.languages.python.natives.concrete import NotConcrete, fix_text, lift, lower
from everypath.languages.python.natives.sessions import keep_session, kept, session_of
from everypath.languages.python.runtime import library_child
from everypath.languages.python.runtime.library_calls import called
from everypath.languages.python.runtime.library_child import Numbered, Operation
from everypath.languages.python.semantics.externals import declare_exception
from everypath.languages.python.semantics.host_objects import Kept, library_object
from everypath.languages.python.semantics.refusals import is_unsafe, refusal, unsteady
from everypath.records import replace

_KNOWN = frozenset(HOST)
_MOST = 60
"""So many calls of a path depend on each other at most: all are made again for each one."""
_QUIET = frozenset(("logging.config.dictConfig", "logging.config.fileConfig", "warnings.simplefilter"))
"""Functions that are called for what they do, which no code that is followed can see."""
_BUILTINS = frozenset(("bytearray", "memoryview"))
"""Builtin classes without a model; other builtins would see this process instead of the program."""
_HERE = library_child.__name__
_LOOKING = frozenset((f"{_HERE}.attribute", "len", "bool", "isinstance", "str", "repr", "operator.contains"))
"""What changes nothing, so that nobody has to do it again."""
_OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "<<": "lshift",
    ">>": "rshift", "&": "and_", "|": "or_", "^": "xor", "@": "matmul", "==": "eq", "!=": "ne", "<": "lt", "<=": "le",
    ">": "gt", ">=": "ge", "[]": "getitem", "unary -": "neg", "unary +": "pos", "unary ~": "invert",
}  # fmt: skip


def may_run(name: str) -> bool:
    """Whether the name stands for something of the standard library that a call does no harm with."""
    module, _, member = name.rpartition(".")
    if name in _BUILTINS or module in _BUILTINS:
        return True
    top = module.partition(".")[0]
    return top in sys.stdlib_module_names and not is_unsafe(name) and member.isidentifier()


def call_for_real(st: State, name: str, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    """`function(*args, **keywords)`, where the function needs known values."""
    if not may_run(name):
        raise Unsupported(refusal(name))
    return run(st, name, args, keywords, name)


def call_method(st: State, receiver: Kept, name: str, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    """`receiver.name(*args, **keywords)`"""
    return run(st, f".{name}", (receiver, *args), keywords, f"{receiver.cls}.{name}")


def read_attribute(st: State, receiver: Kept, name: str) -> Value:
    """`receiver.name`"""
    found = run(st, f"{_HERE}.attribute", (receiver, name), {}, f"{receiver.cls}.{name}")
    return BoundMethod(receiver, name) if found is _METHOD else found


def operate(st: State, op: str, left: Value, right: Value) -> Value:
    """An operator where one side is such an object."""
    shown = next(side.cls for side in (left, right) if isinstance(side, Kept))
    if op == "len":
        return run(st, "len", (left,), {}, f"len() of {shown}")
    if op == "in":
        return run(st, "operator.contains", (right, left), {}, f"in {shown}")
    sides = (left,) if op.startswith("unary") else (left, right)
    return run(st, f"operator.{_OPERATORS[op]}", sides, {}, f"{shown} {op}")


def apply(st: State, function: str, receiver: Kept, *more: Value) -> Value:
    """A builtin function of such an object: its text, its truth, what it is an instance of."""
    return run(st, function, (receiver, *more), {}, f"{function} of {receiver.cls}")


def iterate(st: State, receiver: Kept) -> tuple[Value, ...]:
    """What iterating over such an object gives."""
    found = run(st, f"{_HERE}.iterated", (receiver,), {}, f"iterating over {receiver.cls}")
    cell = st.heap.cells[found] if isinstance(found, Ref) else None
    assert isinstance(cell, ListCell)
    return tuple(cell.items)


_METHOD = NativeRef("method of a kept object")


def run(st: State, name: str, args: tuple[Value, ...], keywords: dict[str, Value], shown: str) -> Value:
    """One more call of the session of the path; `shown` is what messages call it."""
    args = tuple(resolve(st, value) for value in args)
    keywords = {key: resolve(st, value) for key, value in keywords.items()}
    fix_text(st, name, args, keywords, f"{shown}() needs known values")
    plain = tuple(_known(st, shown, value) for value in args)
    named = tuple((key, _known(st, shown, value)) for key, value in keywords.items())
    operation = Operation(name, plain, named)
    session = session_of(st)
    if len(session.operations) >= _MOST:
        raise Unsupported(f"more than {_MOST} calls for objects of the library that are not followed")
    # What nothing before has anything to do with is done by itself.
    involved = any(_holds_kept(each) for each in (*plain, *(each for _, each in named)))
    before = session.operations if involved else ()
    numbered = 0 if involved else len(session.objects)
    kind, *details = called((*before, operation), _KNOWN, name in _QUIET)
    if kind in ("unfit", "unsteady"):
        raise Unsupported(refusal(shown, details[0]) if details else unsteady(shown))
    if kind in ("value", "items") and numbered and _holds_numbered(details[0]):
        # An object that stays there joins those before it.
        before = session.operations
        kind, *details = called((*before, operation), _KNOWN, name in _QUIET)
        involved = True
    if (involved and name not in _LOOKING) or (details and _holds_numbered(details)):
        keep_session(st, replace(session, operations=(*session.operations, operation)))
    return _result(st, shown, kind, details, (*args, *keywords.values()))


def _result(st: State, shown: str, kind: str, details: list[Any], given: tuple[Value, ...]) -> Value:
    match kind:
        case "value":
            return _lifted(st, details[0])
        case "items":
            return st.heap.new_object("iterator", IteratorCell("tuple", (_lifted(st, details[0]),)))
        case "argument":
            return given[int(details[0])]
        case "method":
            return _METHOD
    raise _raised(st, shown, *details)


def _holds_kept(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(map(_holds_kept, value))
    return isinstance(value, Numbered) or (isinstance(value, dict) and any(map(_holds_kept, value.values())))


_holds_numbered = _holds_kept


def _known(st: State, name: str, value: Value) -> Any:
    """An argument as the library sees it: a plain value, a function or class of its own, or an object that it keeps."""
    if isinstance(value, Kept):
        return Numbered(value.number, value.cls)
    if isinstance(value, tuple) and any(isinstance(each, (Kept, NativeRef)) for each in value):
        return tuple(_known(st, name, each) for each in value)
    if isinstance(value, SliceValue):
        return slice(*(_known(st, name, each) for each in (value.start, value.stop, value.step)))
    if isinstance(value, NativeRef):
        try:
            return library_object(value.name) if "." in value.name else getattr(sys.modules["builtins"], value.name)
        except (AttributeError, ImportError):
            raise Unsupported(f"{name}() on {value.name}") from None
    cell = st.heap.cells[value] if isinstance(value, Ref) else None
    if isinstance(cell, ListCell) and any(isinstance(each, Kept) for each in cell.items):
        return [_known(st, name, each) for each in cell.items]
    try:
        return lower(st, value, pin=f"{name}() needs known values")
    except NotConcrete as problem:
        raise Unsupported(f"{name}() on {problem}") from None


def _lifted(st: State, value: Any) -> Value:
    """A result as a value, with the objects that stay there."""
    if isinstance(value, Numbered):
        return kept(st, value.number, value.cls)
    if not _holds_numbered(value):
        return lift(st, value)
    if isinstance(value, tuple):
        return tuple(_lifted(st, each) for each in value)
    if isinstance(value, list):
        return st.heap.new_object("list", ListCell(tuple(_lifted(st, each) for each in value)))
    assert isinstance(value, dict)
    return st.heap.new_object("dict", DictCell(tuple((lift(st, k), _lifted(st, v)) for k, v in value.items())))


def _raised(st: State, name: str, module: str, cls: str, arguments: tuple[Any, ...], fields: dict[str, Any]) -> Fault:
    real = getattr(import_module(module), cls)
    declared = declare_exception(program_of(st), real)
    if declared is None:
        raise Unsupported(f"{name}() raising {module}.{cls}")
    plain = {field: lift(st, each) for field, each in fields.items()}
    return Fault(declared, *(lift(st, each) for each in arguments), fields=plain)

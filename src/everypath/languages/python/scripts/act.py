"""The middle of a test: the one call it is about."""

from __future__ import annotations

import re
from collections.abc import Mapping

from everypath.cases.model import (
    Arguments,
    CallCase,
    Entry,
    Literal,
    MappingState,
    Named,
    ObjectState,
    Pointer,
    Raised,
    StandInState,
    TupleValue,
    Value,
)
from everypath.languages.python.scripts.graph import same_literal
from everypath.languages.python.scripts.imports import Imports, called_function, exception_module
from everypath.languages.python.scripts.layout import INDENT, Expr, Item, Text, assignment, call, flat, lay_out
from everypath.languages.python.scripts.literals import is_name, quoted
from everypath.languages.python.scripts.values import Writer

_BLOCKS = {"with": "pass", "failing": 'raise ValueError("planned")'}
"""What stands inside a `with` block around the result."""
_TOO_BROAD = ("Exception", "BaseException")


def mangled(entry: Entry) -> str:
    """The attribute under which a method is found from outside its class."""
    name = entry.name
    if entry.cls and name.startswith("__") and not name.endswith("__"):
        return f"_{entry.cls.rpartition('.')[2].lstrip('_')}{name}"
    return name


def looked_at(entry: Entry, called: Expr, imports: Imports) -> Expr:
    """The elements of an iterator or the result of a coroutine instead of the object itself."""
    match entry.observed:
        case "list":
            return call("list", [Item(called)])
        case "start":
            imports.module("itertools")
            return call("list", [Item(call("itertools.islice", [Item(called), Item(Text("20"))]))])
        case "run":
            imports.module("asyncio")
            return call("asyncio.run", [Item(called)])
    return called


class Action:
    """Writes the call of one case."""

    def __init__(self, case: CallCase, names: Mapping[str, str], imports: Imports) -> None:
        self._case = case
        self._imports = imports
        self._writer = Writer(case.inputs.heap, names, imports)

    def returning(self, target: str = "result") -> list[str]:
        """The call, its result kept; an assignment has none."""
        if self._is_setter():
            return self._setter(INDENT)
        if self._case.entry.observed in _BLOCKS:
            return self._block(INDENT, f" as {target}")
        return assignment(target, self.expression())

    def raising(self, raised: Raised) -> list[str]:
        """The call inside `pytest.raises`."""
        self._imports.module("pytest")
        name = self._imports.name(exception_module(raised, self._case.entry), raised.cls)
        items = [Item(Text(name))]
        if raised.message:
            text = quoted(raised.message)
            escaped = re.escape(raised.message).replace(r"\ ", " ")
            if escaped == raised.message:
                items.append(Item(Text(text), "match="))
            else:
                self._imports.module("re")
                items.append(Item(call("re.escape", [Item(Text(text))]), "match="))
        broad = raised.cls in _TOO_BROAD
        suffix = " as caught:" if broad else ":"
        lines = lay_out("with ", call("pytest.raises", items), suffix, INDENT)
        inner = INDENT * 2
        if self._case.entry.observed in _BLOCKS:
            lines += self._block(inner)
        else:
            lines += self._setter(inner) if self._is_setter() else lay_out("", self.expression(), "", inner)
        if broad:
            lines.append(f"{INDENT}assert caught.type is {name}")
        return lines

    def expression(self) -> Expr:
        """The call, and what makes its result observable."""
        return looked_at(self._case.entry, self._call(), self._imports)

    def _block(self, indent: str, bound: str = "") -> list[str]:
        """A `with` block around nothing, or around an error."""
        inside = _BLOCKS[self._case.entry.observed]
        return [*lay_out("with ", self._call(), f"{bound}:", indent), f"{indent}{INDENT}{inside}"]

    def _call(self) -> Expr:
        entry, receiver = self._case.entry, self._case.inputs.receiver
        name = mangled(entry)
        if entry.kind == "constructor":
            return call(self._imports.name(entry.module, entry.cls or entry.name), self._arguments())
        if entry.cls is None:
            return call(self._imports.name(*called_function(entry)), self._arguments())
        if entry.kind in ("static", "class"):
            owner = (
                self._imports.name(receiver.module, receiver.name)
                if isinstance(receiver, Named)
                else self._imports.name(entry.module, entry.cls)
            )
            return call(f"{owner}.{name}", self._arguments())
        if receiver is None:
            return call(f"{self._imports.name(entry.module, entry.cls)}.{name}", self._arguments())
        written = flat(self._writer.value(receiver))
        elsewhere = self._dispatches_elsewhere(receiver)
        owner = self._imports.name(entry.module, entry.cls) if elsewhere else ""
        if entry.kind == "property":
            return Text(f"{owner}.{name}.__get__({written})" if elsewhere else f"{written}.{name}")
        if elsewhere:
            return call(f"{owner}.{name}", [Item(Text(written)), *self._arguments()])
        arguments = self._arguments()
        return spelled(self._case, written, arguments) or call(f"{written}.{name}", arguments)

    def _dispatches_elsewhere(self, receiver: Value) -> bool:
        """A receiver of a subclass might override the method that the path is about."""
        state = self._case.inputs.heap.get(receiver.id) if isinstance(receiver, Pointer) else None
        entry = self._case.entry
        if isinstance(state, StandInState):
            return True
        return isinstance(state, ObjectState) and (state.module, state.cls) != (entry.module, entry.cls)

    def _is_setter(self) -> bool:
        return self._case.entry.kind == "setter"

    def _setter(self, indent: str) -> list[str]:
        receiver = self._case.inputs.receiver
        written = flat(self._writer.value(receiver)) if receiver is not None else self._case.entry.cls or ""
        value = self._writer.value(self._case.inputs.arguments[0][1])
        if receiver is not None and self._dispatches_elsewhere(receiver):
            owner = self._imports.name(self._case.entry.module, self._case.entry.cls or "")
            called = call(f"{owner}.{mangled(self._case.entry)}.__set__", [Item(Text(written)), Item(value)])
            return lay_out("", called, "", indent)
        return assignment(f"{written}.{mangled(self._case.entry)}", value, indent)

    def _arguments(self) -> list[Item]:
        return call_arguments(_needed(self._case), self._writer)


def _needed(case: CallCase) -> Arguments:
    """The arguments without those that are what the callee takes anyway; what follows them is passed by name."""
    arguments, defaults = case.inputs.arguments, dict(case.entry.defaults)
    by_place = [i for i, (_, _, kind) in enumerate(arguments) if kind in ("positional", "star")]
    needed: list[tuple[str, Value, str]] = []
    skipped = False
    for i, (name, value, kind) in enumerate(arguments):
        usual = name in defaults and kind in ("normal", "keyword") and same_literal(value, defaults[name])
        if usual and not any(later > i for later in by_place):
            skipped = skipped or kind == "normal"
        else:
            needed.append((name, value, "keyword" if skipped and kind == "normal" else kind))
    return tuple(needed)


def call_arguments(arguments: Arguments, writer: Writer) -> list[Item]:
    """The arguments of a call, as their parameters take them."""
    items: list[Item] = []
    for name, value, kind in arguments:
        match kind:
            case "keyword":
                items.append(Item(writer.value(value), f"{name}="))
            case "star":
                items += _starred(value, writer)
            case "doublestar":
                items += _double_starred(value, writer)
            case _:
                items.append(Item(writer.value(value)))
    return items


def _starred(value: Value, writer: Writer) -> list[Item]:
    if isinstance(value, TupleValue):
        return [Item(writer.value(item)) for item in value.items]
    return [Item(writer.value(value), "*")]


def _double_starred(value: Value, writer: Writer) -> list[Item]:
    """Keyword arguments: the dict that the callee gets is a new one, so it is written as keywords where it can."""
    state = writer.heap.get(value.id) if isinstance(value, Pointer) else None
    if not isinstance(state, MappingState):
        return [Item(writer.value(value), "**")]
    items = []
    for key, item in state.entries:
        if not (isinstance(key, Literal) and isinstance(key.value, str) and is_name(key.value)):
            return [Item(writer.container(state), "**")]
        items.append(Item(writer.value(item), f"{key.value}="))
    return items


_METHODS = "add sub mul matmul truediv floordiv mod pow lshift rshift and or xor eq ne lt le gt ge"
_SIGNS = "+ - * @ / // % ** << >> & | ^ == != < <= > >="
_BETWEEN = {f"__{method}__": sign for method, sign in zip(_METHODS.split(), _SIGNS.split())}
_BEFORE = {"__neg__": "-", "__pos__": "+", "__invert__": "~"}
_CONVERTING: dict[str, type] = {"bool": bool, "int": int, "float": float, "str": str, "repr": str}
"""Functions that insist on the type of what the method returns."""
_DECLINED = Named("builtins", "NotImplemented")
"""The other operand is asked then."""


def spelled(case: CallCase, receiver: str, arguments: list[Item]) -> Expr | None:
    """The call as an operator or with a function of the language; None where only the method itself will do."""
    name = case.entry.name
    if not receiver.isidentifier() or not (name.startswith("__") and name.endswith("__")):
        return None
    if name == "__call__":
        return call(receiver, arguments)
    if not arguments:
        return _of_one(case, name, receiver)
    values = [value for _, value, _ in case.inputs.arguments]
    # An expression that stands alone in a test for an exception looks like a mistake, so the method is named there.
    if len(values) != 1 or arguments[0].prefix or isinstance(case.expected.outcome, Raised):
        return None
    return _of_two(case, name, receiver, values[0], flat(arguments[0].value))


def _of_one(case: CallCase, name: str, receiver: str) -> Expr | None:
    outcome = case.expected.outcome
    function = name.strip("_")
    if isinstance(outcome, Raised):
        return call(function, [Item(Text(receiver))]) if function in ("len", "abs", *_CONVERTING) else None
    result = outcome.value.value if isinstance(outcome.value, Literal) else None
    sized = function == "len" and type(result) is int and result >= 0
    if sized or function == "abs" or (function in _CONVERTING and type(result) is _CONVERTING[function]):
        return call(function, [Item(Text(receiver))])
    return Text(f"{_BEFORE[name]}{receiver}") if name in _BEFORE else None


def _of_two(case: CallCase, name: str, receiver: str, value: Value, written: str) -> Expr | None:
    outcome = case.expected.outcome
    assert not isinstance(outcome, Raised)
    if not isinstance(value, (Literal, TupleValue, Pointer)):
        return None
    if name == "__getitem__":
        return Text(f"{receiver}[{written}]")
    if name == "__contains__":
        truth = isinstance(outcome.value, Literal) and isinstance(outcome.value.value, bool)
        return Text(f"{written} in {receiver}") if truth else None
    if name not in _BETWEEN or outcome.value == _DECLINED or not _waits(case, value):
        return None
    return Text(f"{receiver} {_BETWEEN[name]} {written}")


def _waits(case: CallCase, value: Value) -> bool:
    """Whether the operand on the right is not asked first, as one of a subclass would be."""
    heap, receiver = case.inputs.ready or case.inputs.heap, case.inputs.receiver
    mine = heap.get(receiver.id) if isinstance(receiver, Pointer) else None
    theirs = heap.get(value.id) if isinstance(value, Pointer) else None
    if not isinstance(theirs, ObjectState):
        return True
    return isinstance(mine, ObjectState) and (mine.module, mine.cls) == (theirs.module, theirs.cls)
